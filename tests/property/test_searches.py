"""Questions that several searches answer: random agents' traces, held by evaluate, a store and plain loops to the same digits.

RECALLWATCH_WORLDS says how many worlds (default 500), each the trace of an agent, all in one log; several of a question.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from oracles import Event, Options, Ranking, exact_mean, value

import recallwatch
from recallwatch.base.errors import UsageError

WORLDS = int(os.environ.get("RECALLWATCH_WORLDS", "500"))
FEW = 24  # of the README's test command
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
IDS = [*"abcdefgh"]
COLUMNS = [("recall", 2), ("recall", 5), ("precision", 3), ("ndcg", 5), ("mrr", None), ("all_found", 8), ("judged", 4)]
NAMES = [metric if k is None else f"{metric}@{k}" for metric, k in COLUMNS]
OWN = ["wasted", "repeated", "hop_recall(hop=1)@5", "hop_recall(hop=2)@5"]

Search = dict[str, Any]
Values = dict[str, float | None]


def question(number: int) -> dict[str, int | None]:
    """Relevant documents of a question and the hop each is evidence of."""
    draw = random.Random(number)
    return {d: draw.choice([1, 2, 2, None]) for d in draw.sample(IDS, draw.randint(1, 3))}


def trace(number: int, unit: str, questions: int) -> list[Search]:
    """One to five searches of a question: at any time or none, some failed, empty, with an unknown id, without a duration, or asking the same again."""
    draw = random.Random(f"trace {number}")
    rows = []
    is_alone = draw.random() < 0.1  # a recall that names no trace is a question of its own
    for i in range(1 if is_alone else draw.randint(1, 5)):
        at = START + dt.timedelta(hours=number, seconds=draw.randint(0, 100))
        row: Search = {
            "event_id": f"{number:04}-{i}",
            "query_text": draw.choice(["who", "where  is it", "where is it", f"part {i}"]),
            "ranked_ids": draw.sample([*IDS, None], draw.choice([0, 1, 3, 5])),
            "question_id": f"q{number % questions}",
            "query_id": f"step{draw.randint(1, 9)}",
        }
        row |= {"timestamp": at.isoformat()} if draw.random() < 0.95 else {}
        row |= {} if is_alone else {f"{unit}_id": f"{unit}{number}"}
        row |= {"total_ms": draw.choice([1.5, 20.25])} if draw.random() < 0.9 else {}
        row |= {"input_tokens": draw.randint(1, 50)} if draw.random() < 0.9 else {}
        row |= {"status": "error"} if draw.random() < 0.1 else {}
        rows.append(row)
    return rows


def united(lists: list[Ranking]) -> Ranking:
    """Every list's first document, then every list's second, each once; an unknown one each time."""
    found: Ranking = []
    for rank in range(max(map(len, lists), default=0)):
        for one in lists:
            if rank < len(one) and (one[rank] is None or one[rank] not in found):
                found.append(one[rank])
    return found


def by_loops(rows: list[Search], hops: dict[str, int | None]) -> tuple[Values, Values]:
    """What a trace counts as in each metric, and its figures; none where no id of it is known."""
    rows = sorted(rows, key=lambda row: ("timestamp" not in row, row.get("timestamp"), row["event_id"]))
    failed = [row.get("status") == "error" for row in rows]
    lists = [[] if bad else row["ranked_ids"] for row, bad in zip(rows, failed, strict=True)]
    union = united(lists)
    event = Event(list(union), dict.fromkeys(hops, 1.0), status="error" if all(failed) else "ok")
    values: Values = {name: value(metric, k, event, Options()) for (metric, k), name in zip(COLUMNS, NAMES, strict=True)}
    if union and not any(union):
        return dict.fromkeys((*NAMES, *OWN)), {}
    seen: set[str | None] = set()
    n_wasted = n_repeated = 0
    for i, (row, one) in enumerate(zip(rows, lists, strict=True)):
        n_wasted += None not in one and not set(one) - seen
        seen |= set(one)
        n_repeated += " ".join(row["query_text"].split()) in [" ".join(r["query_text"].split()) for r in rows[:i]]
    values |= {"wasted": n_wasted / len(rows), "repeated": n_repeated / len(rows)}
    for hop in (1, 2):
        of_hop = [d for d, h in hops.items() if h == hop]
        values[f"hop_recall(hop={hop})@5"] = sum(d in union[:5] for d in of_hop) / len(of_hop) if of_hop else None
    brought = [next((i for i, one in enumerate(lists) if d in one), None) for d in hops]
    known = [i for i in brought if i is not None]
    figures: Values = {"searches": float(len(rows)), "wasted": values["wasted"], "repeated": values["repeated"]}
    for name, no in (("first", min(known, default=None)), ("complete", max(known) if len(known) == len(brought) else None)):
        figures[f"searches_to_{name}"] = None if no is None else no + 1.0
        ms = None if no is None else rows[no].get("total_ms")
        began, ended = (rows[i or 0].get("timestamp") for i in (0, no))
        span = None if began is None or ended is None else dt.datetime.fromisoformat(ended) - dt.datetime.fromisoformat(began)
        figures[f"ms_to_{name}"] = None if ms is None or span is None else span.total_seconds() * 1000 + ms
        tokens = [row.get("input_tokens") for row in rows[: (no or 0) + 1]]
        figures[f"tokens_to_{name}"] = None if no is None or None in tokens else float(sum(t for t in tokens if t is not None))
    return values, figures


@pytest.mark.parametrize(
    ("unit", "worlds"),
    [("trace", FEW), *(pytest.param(unit, WORLDS, marks=pytest.mark.wide) for unit in ("trace", "session"))],
)
def test_one_answer(tmp_path: Path, unit: str, worlds: int) -> None:
    """The union by rounds, every metric of it, what each hop brought and what it took until the evidence was there, as plain loops have them."""
    questions = {f"q{n}": question(n) for n in range(max(1, worlds // 3))}
    traces = {n: trace(n, unit, len(questions)) for n in range(worlds)}
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    rows = [row for one in traces.values() for row in one]
    random.Random(1).shuffle(rows)
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = [{"query_id": q, "document_id": d, "hop": h} for q, hops in questions.items() for d, h in hops.items()]
    labels.write_text("".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in told))

    options: dict[str, Any] = {"metrics": (*NAMES, *OWN), "per_query": True, "unit": unit}
    made = recallwatch.evaluate(log, labels, **options)
    result = made.to_dict()
    assert "Questions of several searches" in str(made)
    wanted: dict[str, list[Values]] = defaultdict(list)
    figures: dict[str, list[float | None]] = defaultdict(list)
    for one in traces.values():
        values, own = by_loops(one, questions[one[0]["question_id"]])
        wanted[one[0]["question_id"]].append(values)
        for name, figure in own.items():
            figures[name].append(figure)
    assert {row["query_id"]: row["n"] for row in result["queries"]} == {q: len(values) for q, values in wanted.items()}
    for row in result["queries"]:
        for name in (*NAMES, *OWN):
            counted = [v for values in wanted[row["query_id"]] if (v := values[name]) is not None]
            assert row["values"].get(name) == exact_mean(counted), (row["query_id"], name)

    counts = result["counts"]
    alone = sum(f"{unit}_id" not in one[0] for one in traces.values())
    assert (counts["events"], counts["questions"], counts["questions_alone"]) == (len(rows), worlds, alone)
    assert counts["labelled_events"] == worlds and counts["unlabelled_events"] == 0
    shown = {row["figure"]: row for row in result["questions"] if row["hop"] is None}
    for name, every in figures.items():
        known = sorted(v for v in every if v is not None)
        assert (shown[name]["n_questions"], shown[name]["n"]) == (len(every), len(known)), name
        ranked = [known[max(0, math.ceil(p * len(known)) - 1)] for p in (0.5, 0.95, 1)]
        assert [shown[name][key] for key in ("p50", "p95", "max")] == ranked, name
        assert shown[name]["mean"] == exact_mean(known), name
    if unit == "session" or worlds == FEW:
        return
    stored = recallwatch.evaluate(log, labels, store=tmp_path / "store", **options).to_dict()
    for block in ("metrics", "questions", "queries", "latency"):
        assert stored[block] == result[block], block


def test_needs_a_unit(tmp_path: Path) -> None:
    """A metric of questions is refused where each search is a question of its own."""
    with pytest.raises(UsageError, match=r"wasted: a metric of questions .*--unit trace"):
        recallwatch.evaluate(tmp_path, tmp_path, metrics=("wasted",))


@pytest.mark.wide
def test_the_question_of_a_trace(tmp_path: Path) -> None:
    """What the root span was asked is the question that the retrieval spans below it answer; a label joins to it by its text."""

    def span(number: int, parent: int, kind: str, text: str, ids: str) -> dict[str, Any]:
        attributes = {"openinference.span.kind": kind, "input.value": text}
        attributes |= {f"retrieval.documents.{rank}.document.id": one for rank, one in enumerate(ids)}
        start = 1767225600000000000 + number * 10**9
        return {
            "traceId": "a" * 32,
            "spanId": f"{number:016x}",
            **({"parentSpanId": f"{parent:016x}"} if parent else {}),
            "name": kind.lower(),
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + 10**8),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        }

    asked = "In which city does Mia's brother work?"
    spans = [
        span(1, 0, "AGENT", asked, ""),
        span(2, 1, "RETRIEVER", "Mia's brother", "ax"),
        span(3, 1, "RETRIEVER", "Jon's work", "yb"),
    ]
    log, labels = tmp_path / "trace.json", tmp_path / "labels.jsonl"
    log.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    labels.write_text(json.dumps({"query": asked, "relevant": ["a", "b"]}))
    result = recallwatch.evaluate(log, labels, unit="trace", metrics=("recall@2", "all_found@4")).to_dict()
    assert [row["value"] for row in result["metrics"]] == [0.5, 1.0]
    figures = {row["figure"]: row["mean"] for row in result["questions"]}
    assert (figures["searches_to_complete"], figures["ms_to_complete"]) == (2, 1100)
