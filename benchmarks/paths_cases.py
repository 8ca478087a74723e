"""Small logs and labels that were once read wrong, each with what is right: the value, the warning or the refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Want:
    """What is right.

    Args:
        values: metric@k (`recall@1`) -> value.
        codes: of warnings that must be there.
        refused: words of the refusal, exit 2 or 3; "" = there is a number.
    """

    values: dict[str, float | None] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    refused: str = ""

    def judged(self, said: Any) -> str:
        """What is wrong with an answer; "" = nothing."""
        if isinstance(said, str):
            return "" if self.refused and self.refused in said else said
        if self.refused:
            return f"no refusal: {said['values']}"
        wrong = {
            name: said["values"].get(name, "none") for name in self.values if not _same(said["values"].get(name), self.values[name])
        }
        missing = sorted(set(self.codes) - said["codes"])
        return f"{wrong or ''} {missing or ''}".strip()


def _same(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and abs(one - other) < 1e-9)


@dataclass(frozen=True)
class Case:
    """One thing that was once read wrong.

    Args:
        name: what is odd.
        log: records; or (file name, text).
        labels: the same; None = the log carries them.
        want: what is right.
        options: of `evaluate`, by their names in Python.
        but: path -> what is right there, where it is another thing: as the pages say.
    """

    name: str
    log: Rows | tuple[str, str]
    labels: Rows | tuple[str, str] | None
    want: Want
    options: dict[str, Any] = field(default_factory=dict)
    but: dict[str, Want] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def one(ids: Any, **more: Any) -> Rows:
    """A log of one recall of query q."""
    return [{"query_id": "q", "ranked_ids": ids, **more}]


def many(n: int, log_id: str, label_id: str) -> tuple[Rows, Rows]:
    """So many queries, each with its document at rank 1 under one name and labelled under another."""
    log = [{"query_id": f"q{i}", "ranked_ids": [log_id.format(i)]} for i in range(n)]
    return log, [{"query_id": f"q{i}", "relevant": [label_id.format(i)]} for i in range(n)]


def csv(header: str, *rows: str) -> tuple[str, str]:
    """Labels in a CSV."""
    return "labels.csv", "\n".join([f"query_id,document_id,{header}", *rows]) + "\n"


def long(**cells: Any) -> dict[str, Any]:
    """A label of document a of query q."""
    return {"query_id": "q", "document_id": "a", **cells}


BESIDE = ("attainable", "value_without_errors", "ci_low", "n")
R1, R2 = {"metrics": ("recall",), "k": "1"}, {"metrics": ("recall",), "k": "2"}
NDCG, MRR = {"metrics": ("ndcg",), "k": "2"}, {"metrics": ("mrr",)}
A = [{"query_id": "q", "relevant": ["a"]}]
CONTRADICTS = Want(refused="contradicts")
DROPPED = {"nightly run": Want(refused="contradict")}  # it drops such a query, and none is left
ERRORS = [*({"query_id": "q1", "ranked_ids": ["a"]} for _ in range(3)), {"query_id": "q2", "ranked_ids": ["x"]}]
TEN = [f"b{i}" for i in range(10)]
TWO = [{"query_id": "q1", "ranked_ids": ["a"]}, {"query_id": "q2", "ranked_ids": TEN}]
SAME_WORDS = [{"query": "same words", "ranked_ids": [d, "x"], "relevant": [d]} for d in "ab"]
ABSTAIN = [{"query_id": f"{n}", "query_class": "single", "ranked_ids": ["s1"]} for n in ("1_abs", "2")]


def of_labels() -> Iterator[Case]:
    """Labels that are read, or refused."""
    labels = csv("rating", "q,x,0", "q,a,0", "q,b,1")
    yield Case(
        "grades in a column `rating`",
        one(["x", "a", "b"]),
        labels,
        Want({"precision@3": 1 / 3}),
        {"metrics": ("precision",), "k": "3"},
    )
    for word in ("0.0", "irrelevant"):
        yield Case(
            f"`is_relevant` {word!r}", one(["a", "b"]), csv("is_relevant", f"q,a,{word}", "q,b,yes"), Want({"recall@1": 0.0}), R1
        )
    yield Case("`is_relevant` 'maybe'", one(["a"]), csv("is_relevant", "q,a,maybe"), Want(refused="labels.csv:2"), R1)
    yield Case("a grade that is no number", one(["a"]), csv("grade", "q,a,high"), Want(refused="labels.csv:2"), R1)
    yield Case(
        "an empty grade",
        one(["a", "b"]),
        csv("grade", "q,a,", "q,b,0", "q,zz,1"),
        Want({"recall@1": 0.0}, ("unjudged_labels",)),
        R1,
    )
    yield Case("`weight` in a label row", one(["a"]), [long(weight=0.5)], Want({"recall@1": 1.0}, ("label_columns_not_read",)), R1)
    yes_no = [long(is_relevant=x) for x in (True, False)]
    yield Case("relevant and not relevant", one(["a"]), yes_no, CONTRADICTS, R1, DROPPED)
    lists = [{"query_id": "q", "relevant": x} for x in ([], ["a"])]
    yield Case("nothing is right, and `a` is", one(["a"]), lists, CONTRADICTS, R1, DROPPED)
    yield Case("two grades of a document", one(["a"]), [long(grade=g) for g in (1, 2)], CONTRADICTS, R1, DROPPED)
    yield Case(
        "one id twice in an object",
        one(["a"]),
        ("labels.jsonl", '{"query_id":"q","relevant":{"a":1,"a":1}}\n'),
        Want({"recall@1": 1.0}),
        R1,
    )
    yield Case(
        "one id twice, two grades",
        one(["a"]),
        ("labels.jsonl", '{"query_id":"q","relevant":{"a":1,"a":0}}\n'),
        CONTRADICTS,
        R1,
        DROPPED,
    )
    twice = '{"query_id":"q","relevant":["a"],"grades":{"a":3,"a":3,"b":1}}\n'
    yield Case(
        "one id twice in `grades`",
        one(["a", "b"]),
        ("labels.jsonl", twice),
        Want({"judged@2": 1.0}),
        {"metrics": ("judged",), "k": "2"},
    )
    judged = [long(is_relevant=False), {**long(is_relevant=True), "document_id": "b"}]
    yield Case("nDCG of what was judged not relevant", one(["x", "a", "b"]), judged, Want({"ndcg@2": 0.0}), NDCG)
    yield Case(
        "only documents judged not relevant", one(["a"]), [long(grade=0)], Want({"recall@1": None}, ("no_relevant_document",)), R1
    )
    graded = [{"query_id": "q", "relevant": {"a": 1}}, {"query_id": "r", "relevant": {"a": 3}}]
    yield Case(
        "`--rel-level 2` beside nDCG",
        [{"query_id": q, "ranked_ids": ["a"]} for q in "qr"],
        graded,
        Want({"ndcg@2": 1.0}),
        {**NDCG, "rel_level": 2},
    )
    yield Case("labels as one JSON array", one(["a"]), ("labels.json", json.dumps(A)), Want({"recall@1": 1.0}), R1)
    yield Case(
        "a grade of 2^1500",
        one(["x", "a"]),
        [{"query_id": "q", "relevant": {"a": 1500}}],
        Want(refused="gain"),
        {**NDCG, "gain": "exponential"},
    )


def of_ids() -> Iterator[Case]:
    """Ids and queries that never meet, and lists without scores."""
    for log_id, label_id in (("doc:{}", "{}"), ("{}", "{}.0")):
        log, labels = many(6, log_id, label_id)
        yield Case(f"ids `{log_id.format(1)}` and `{label_id.format(1)}`", log, labels, Want(refused="would map 6 of them"), R1)
    log, labels = many(6, "{}", "{}")
    yield Case(
        "queries that never meet",
        log,
        [{**row, "query_id": f"x{n}"} for n, row in enumerate(labels)],
        Want(refused="no event matches any label"),
        R1,
    )
    yield Case(
        "a `--map` path of no record", one(["a"]), A, Want(refused="no 'nope' there"), {**R1, "mapped": {"tenant_id": "nope"}}
    )
    for what, odd in (
        ("results without scores", {"results": [{"id": d} for d in "abc"]}),
        ("scores all null", {"ranked_ids": ["a", "b"], "scores": [None, None]}),
    ):
        yield Case(f"`--order score`, {what}", [{"query_id": "q", **odd}], A, Want({"mrr": 1.0}), {**MRR, "order": "score"})


def of_means() -> Iterator[Case]:
    """Means, and what stands beside them."""
    rows = [*ERRORS, {"query_id": "q2", "ranked_ids": [], "status": "error"}]
    labels = [{"query_id": "q1", "relevant": ["a"]}, {"query_id": "q2", "relevant": ["b"]}]
    yield Case(
        "errors under `--unit query`",
        rows,
        labels,
        Want({"recall@1": 0.5, "recall@1 value_without_errors": 0.5}, ("error_events",)),
        {**R1, "unit": "query"},
    )
    labels = [{"query_id": "q1", "relevant": ["a"]}, {"query_id": "q2", "relevant": TEN}]
    f1 = (2 / 11 + 1) / 2  # F1@10 of both is the best possible; of_means is one of the two means
    best = 2 * 0.55 * 1 / 1.55
    yield Case("the best possible F1", TWO, labels, Want({"f1@10": f1, "f1@10 attainable": f1}), {"metrics": ("f1",), "k": "10"})
    yield Case(
        "the best possible F1 of means",
        TWO,
        labels,
        Want({"f1@10": best, "f1@10 attainable": best}),
        {"metrics": ("f1",), "k": "10", "f1": "of_means"},
    )
    labels = [{"query_id": "q1", "relevant": ["a"]}, {"query_id": "q2", "relevant": []}]
    yield Case(
        "the best possible, `--no-relevant one`",
        TWO,
        labels,
        Want({"recall@10": 1.0, "recall@10 attainable": 1.0}),
        {"metrics": ("recall",), "k": "10", "no_relevant": "one"},
    )
    log = [{"query_id": "q1", "ranked_ids": ["a"]}, {"query_id": "q2", "ranked_ids": ["b"]}]
    labels = [{"query_id": "q1", "relevant": {"a": 1}}, {"query_id": "q2", "relevant": {"b": 2}}]
    yield Case(
        "gains all 0, `--compat trec_eval`",
        log,
        labels,
        Want({"ndcg@1": 0.5, "ndcg@1 n": 2}),
        {"metrics": ("ndcg",), "k": "1", "gain": "1=0,2=2", "compat": "trec_eval"},
    )
    log, labels = many(5, "a{}", "a{}")
    yield Case(
        "5 hits of 5",
        log,
        labels,
        Want({"success@1": 1.0, "success@1 ci_low": 0.5655175352168251}),
        {"metrics": ("success",), "k": "1"},
    )
    yield Case("a third, in full", one(["a"]), [{"query_id": "q", "relevant": ["a", "b", "c"]}], Want({"recall@1": 1 / 3}), R1)
    missing = [*A, {"query_id": "r", "relevant": ["b"]}]
    yield Case("`--missing zero`", one(["a"]), missing, Want({"recall@1": 0.5}, ("queries_missing",)), {**R1, "missing": "zero"})
    yield Case("a query nobody asked", one(["a"]), missing, Want({"recall@1": 1.0}, ("queries_missing",)), R1)
    yield Case("`--gain 1=nan`", one(["a"]), A, Want(refused="gain"), {**R1, "gain": "1=nan"})
    yield Case("`--rel-level nan`", one(["a"]), A, Want(refused="rel"), {**R1, "rel_level": "nan"})


def of_logs() -> Iterator[Case]:
    """Logs, and labels inside them."""
    yield Case("a TREC run with a NaN score", ("t.run", "q Q0 b 1 1.0 t\nq Q0 a 2 nan t\n"), A, Want({"recall@2": 1.0}), R2)
    walked = [{"task_id": "q", "contexts": [{"document_id": "a", "text": "alpha"}]}]
    yield Case(
        "a field read bare and walked",
        walked,
        A,
        Want({"recall@1": 1.0}),
        {**R1, "mapped": {"query_id": "task_id", "ranked_ids": "contexts[].document_id"}},
    )
    yield Case("an empty result list as text", ("log.jsonl", '{"query_id":"q","ranked_ids":""}\n'), A, Want(refused="rejected"), R1)
    yield Case("own labels of one text", SAME_WORDS, None, Want({"recall@1": 1.0}, ("labels_by_record",)), R1,
               dict.fromkeys(("store", "nightly run"), Want(refused="share a query text")))  # fmt: skip
    united = [{"query_id": "q", "ranked_ids": [d], "relevant": [d]} for d in "ab"]
    yield Case("own labels that differ", united, None, Want({"recall@1": 0.5}, ("labels_united",)), R1)
    abstain = [{"query_id": n, "relevant": ["s1" if n == "1_abs" else "s2"]} for n in ("1_abs", "2")]
    yield Case(
        "abstention, `--compat longmemeval`",
        ABSTAIN,
        abstain,
        Want({"recall@1": 0.0, "recall@1 n": 1}),
        {**R1, "compat": "longmemeval"},
    )
    tenants = [{"query_id": "q", "tenant_id": t, "ranked_ids": ["a"]} for t in ("t1", "t2")]
    yield Case(
        "a label of another tenant",
        tenants,
        [{"query_id": "q", "tenant_id": "t1", "relevant": ["a"]}],
        Want({"recall@1": 1.0, "recall@1 n": 1}),
        R1,
    )
    yield Case(
        "text where a time is expected", one(["a"], total_ms="fast"), A, Want({"recall@1": 1.0}, ("events_latency_invalid",)), R1
    )
    yield Case(
        "a repeated id",
        one(["a", "a"]),
        A,
        Want({"precision@2": 0.5}, ("events_with_duplicate_ids",)),
        {"metrics": ("precision",), "k": "2"},
    )
    yield Case("an unknown id at rank 1", one([None, "a"]), A, Want({"recall@1": 0.0}, ("events_with_null_ids",)), R1)
    shared = [{"query_id": "1", "query": "what", "relevant": ["a"]}, {"query": "what", "relevant": ["b"]}, *A]
    log = [{"query_id": "q", "ranked_ids": ["a"]}, {"query": "what", "ranked_ids": ["b"]}]
    yield Case(
        "a text that two labels share", log, shared, Want({"recall@1": 1.0, "recall@1 n": 1}, ("events_of_shared_texts",)), R1
    )
    alone = [{"query": "what", "relevant": ["b"]}, *A]
    log = [{"query_id": "q", "ranked_ids": ["a"]}, {"query_id": "r", "query": "what", "ranked_ids": ["x"]}]
    yield Case("a label by text beside one by id", log, alone, Want({"recall@1": 0.5, "recall@1 n": 2}), R1)
    ids = [{"query_id": "q", "ranked_ids": [10]}]
    yield Case("whole numbers as ids", ids, [{"query_id": "q", "relevant": ["10"]}], Want({"recall@1": 1.0}), R1)


def cases() -> list[Case]:
    """Each thing that was once read wrong."""
    return list(chain(of_labels(), of_ids(), of_means(), of_logs()))
