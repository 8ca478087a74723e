"""Relevance told by texts: the acceptance cases, an oracle of plain loops, bad input, and what stands beside the numbers."""

import gzip
import json
import random
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.definition import define
from recallwatch.base.errors import InputError, UsageError
from recallwatch.report import OUTPUTS

FRANCE = "What is the capital of France?"
LOG = [
    {"query": FRANCE, "contents": ["Paris is the capital and most populous city of France …", "Bananas are yellow."]},
    {"query": "Where do I work?", "contents": ["Nothing of note.", "You said you work at Acme in Portland since May."]},
]
LABELS = [
    {"query": FRANCE, "expected_texts": ["Paris is the capital of France."]},
    {"query": "Where do I work?", "expected_texts": ["I work at Acme in Portland."]},
]


def lines(path: Path, rows: list[dict[str, Any]]) -> str:
    """Rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def evaluated(folder: Path, log: list[dict[str, Any]], labels: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """The JSON of an evaluation of rows."""
    result = recallwatch.evaluate(lines(folder / "log.jsonl", log), lines(folder / "labels.jsonl", labels), **options)
    return result.to_dict()


def cell(document: dict[str, Any], metric: str, k: int | None) -> dict[str, Any]:
    """One row of the metrics over everything."""
    return next(
        row for row in document["metrics"] if (row["metric"], row["k"]) == (metric, k) and not row["segment"] and not row["window"]
    )


def judges(document: dict[str, Any]) -> dict[str, float]:
    """Strategy to share of the recalls with labels, over everything."""
    return {row["strategy"]: row["share"] for row in document["match"] if not row["segment"] and not row["window"]}


def test_two_queries_are_found_by_token_f1_and_none_exactly(tmp_path: Path) -> None:
    """Recall 1.0; both by token F1; exactly none; the counts are those of the first k."""
    document = evaluated(tmp_path, LOG, LABELS, match="id,token_f1", k="1,2")
    recall = cell(document, "recall", 2)
    assert (recall["value"], recall["relevant_found"], recall["exact_found"]) == (1.0, 2, 0)
    assert (cell(document, "recall", 1)["value"], cell(document, "recall", 1)["relevant_found"]) == (0.5, 1)
    assert judges(document) == {"token_f1": 1.0}
    assert document["counts"]["unscorable_events"] == 0


@pytest.mark.parametrize(("threshold", "found"), [("0.75", 1), ("0.76", 0), ("token_f1=0.3", 2), ("coverage=0.1", 2)])
def test_a_match_is_at_least_the_threshold(tmp_path: Path, threshold: str, found: int) -> None:
    """Token F1 of the first is 0.75; a threshold for coverage says nothing about token F1."""
    document = evaluated(tmp_path, LOG, LABELS, match="token_f1", match_threshold=threshold, k=2)
    assert cell(document, "recall", 2)["relevant_found"] == found


def test_what_stands_beside_is_in_text_and_markdown(tmp_path: Path) -> None:
    """Who judged, how much was found and how much exactly, stand in both; the options in the definition's line."""
    log, labels = lines(tmp_path / "log.jsonl", LOG), lines(tmp_path / "labels.jsonl", LABELS)
    result = recallwatch.evaluate(log, labels, match="id,token_f1", k="1,2")
    text, markdown = str(result), OUTPUTS["markdown"].write(result)
    assert re.search(r"^relevant found +1 +2 +2$", text, re.MULTILINE)
    assert re.search(r"^exact found +0 +0 +0$", text, re.MULTILINE)
    assert "judged by: token_f1 100 % of recalls with labels" in text
    assert "definition: match=id,token_f1 ·" in text
    assert "| relevant found | 1 | 2 | 2 |" in markdown
    assert "token\\_f1 100 %" in markdown


def test_the_fingerprint_tells_definitions_of_a_match_apart() -> None:
    """Each strategy and threshold is a definition of its own; by id alone, thresholds say nothing and the old fingerprint stays."""
    prints = [define(match=m, match_threshold=t).fingerprint for m in ("id", "token_f1", "id,token_f1") for t in ("0.3", "0.1")]
    assert len(set(prints)) == 5
    assert define().fingerprint == "0d6ddaef7d90" + define().fingerprint[12:]
    assert define("text_hit").options()["match_threshold"] == "token_f1=0.1,coverage=0.8"


@pytest.mark.parametrize(
    "options", [{"match": "ids"}, {"match": ""}, {"match": "id,id"}, {"match_threshold": "0"}, {"match_threshold": "exact=1"}]
)
def test_wrong_options_are_refused(options: dict[str, str]) -> None:
    """Before any data is read, with what is known."""
    with pytest.raises(UsageError, match="--match"):
        define(**options)


def test_strategies_are_tried_in_order(tmp_path: Path) -> None:
    """The first that finds anything relevant judges; where none does, the first that can be tried; none can: in no mean, counted."""
    labels = [{"query_id": f"q{i}", "relevant": [f"d{i}"], "expected_texts": ["red cat"]} for i in range(3)]
    labels += [{"query_id": "q3", "relevant": ["d3"]}]
    log = [
        {"query_id": "q0", "ranked_ids": ["x", "d0"], "texts": ["red cat", "dog"]},
        {"query_id": "q1", "ranked_ids": ["x", "y"], "texts": ["dog", "a red cat"]},
        {"query_id": "q2", "ranked_ids": ["x", "y"], "texts": ["dog", "bird"]},
        {"query_id": "q3", "texts": ["red cat"]},
    ]
    document = evaluated(tmp_path, log, labels, match="id,exact,token_f1", k=2, per_query=True)
    assert judges(document) == {"id": 0.5, "token_f1": 0.25, "": 0.25}
    assert [row["found"] for row in document["queries"]] == [
        [{"document_id": "d0", "rank": 2, "n_found": 1}],
        [{"document_id": "d1", "rank": 2, "n_found": 1}],
        [],
        [],
    ]
    assert (cell(document, "recall", 2)["n"], cell(document, "recall", 2)["exact_found"]) == (3, 1)
    assert {row["code"]: row["n"] for row in document["warnings"]}["not_judged"] == 1
    assert judges(evaluated(tmp_path, log, labels, match="exact,id", k=2)) == {"exact": 0.75, "": 0.25}


def test_labels_without_ids_need_a_match(tmp_path: Path) -> None:
    """By id alone nothing could ever be right: refused, with what to pass."""
    with pytest.raises(InputError, match=r"labels.jsonl:1: 2 labels have a text and no id.*--match id,token_f1"):
        evaluated(tmp_path, LOG, LABELS)


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ({"relevant": ["a", "b"], "expected_texts": ["x"]}, "as many expected texts as ids"),
        ({"expected_texts": ["x", None]}, "holds something that is no text"),
        ({"expected_texts": [{"a": 1}]}, "holds something that is no text"),
        ({"relevant": {"a": 2}, "expected_texts": ["x"]}, "must be one too"),
        ({"expected_texts": None}, "neither a list nor an object"),
    ],
)
def test_malformed_expected_texts_are_refused(tmp_path: Path, label: dict[str, Any], what: str) -> None:
    """Labels are strict: file and line are named."""
    with pytest.raises(InputError, match=rf"labels.jsonl:1: .*{what}"):
        evaluated(tmp_path, LOG, [{"query": FRANCE, **label}], match="token_f1")


def test_texts_of_every_form_are_the_same_label(tmp_path: Path) -> None:
    """A list beside a list of ids, an object by id, one row a document, a text alone."""
    forms: list[list[dict[str, Any]]] = [
        [{"query": FRANCE, "relevant": ["d"], "expected_texts": ["Paris"]}],
        [{"query": FRANCE, "relevant": {"d": 1}, "expected_texts": {"d": "Paris"}}],
        [{"query": FRANCE, "expected_texts": {"d": "Paris"}}],
        [{"query": FRANCE, "document_id": "d", "document_text": "Paris"}],
        [{"query": FRANCE, "expected_text": "Paris"}],
    ]
    values = [cell(evaluated(tmp_path, LOG, form, match="coverage", k=1), "recall", 1)["value"] for form in forms]
    assert values == [1.0] * 5


HOSTILE = [
    "'; drop table labels; --",
    "<script>alert(1)</script>",
    "\x1b[31mred\x07",
    "a\x00b 'c' \"d\"",
    "{{ x }} %s \\d+",
    "\u202eabc 👩‍👩‍👧 e\u0301",
]


def test_hostile_texts_are_texts(tmp_path: Path) -> None:
    """SQL, markup, escapes and odd characters match themselves, and reach no terminal and no table as more than text."""
    log = [{"query_id": f"q{i}", "contents": [text, "other"]} for i, text in enumerate(HOSTILE)]
    labels = [{"query_id": f"q{i}", "expected_texts": [text]} for i, text in enumerate(HOSTILE)]
    result = recallwatch.evaluate(lines(tmp_path / "l.jsonl", log), lines(tmp_path / "q.jsonl", labels), match="exact", k=1)
    assert cell(result.to_dict(), "recall", 1)["value"] == 1.0
    shown = str(result) + OUTPUTS["markdown"].write(result)
    assert not set(shown) & {"\x1b", "\x07", "\x00", "\u202e"}


def test_large_and_empty_texts(tmp_path: Path) -> None:
    """A text of 1 MB is judged like any other; an empty one, or one without words, never matches and is flagged."""
    long = " ".join(f"w{i}" for i in range(150_000))
    log = [
        {"query_id": "q0", "contents": [long]},
        {"query_id": "q1", "contents": ["", "…"]},
        {"query_id": "q2", "contents": [None, "a"]},
    ]
    labels = [
        {"query_id": "q0", "expected_texts": [long + " more"]},
        {"query_id": "q1", "expected_texts": ["…", ""]},
        {"query_id": "q2", "expected_texts": ["a"]},
    ]
    document = evaluated(tmp_path, log, labels, match="exact,token_f1,coverage", k=10, per_query=True)
    assert [row["values"]["recall@10"] for row in document["queries"]] == [1.0, 0.0, 1.0]
    assert {w["code"]: w["n"] for w in document["warnings"]}["expected_without_tokens"] == 2


def test_order_depth_repeats_and_errors_hold_for_texts(tmp_path: Path) -> None:
    """Texts follow the ids through order, collapse and depth; an error is an empty list."""
    label = [{"query_id": "q", "relevant": ["right"], "expected_texts": ["red cat"]}]
    event = {"query_id": "q", "ranked_ids": ["a", "a", "b"], "texts": ["dog", "cow", "red cat"], "scores": [1, 2, 3]}

    def rank(**options: Any) -> float:
        return float(cell(evaluated(tmp_path, [event], label, match="token_f1", metrics="mrr", **options), "mrr", None)["value"])

    assert rank() == pytest.approx(1 / 3)
    assert rank(order="score") == 1.0
    assert rank(duplicates="collapse") == 0.5
    assert rank(depth=2) == 0.0
    event["status"] = "error"
    assert rank() == 0.0


def test_against_plain_loops(tmp_path: Path) -> None:
    """Greedy in rank order over token F1 of word sets, as a reader would write it down; split over two files it is the same."""
    dice = random.Random(7)
    words = [*"abcdefgh", "Été", "x_y", "don't", "3.5"]
    made = [
        (
            [" ".join(dice.choices(words, k=dice.randint(0, 12))) for _ in range(6)],
            [" ".join(dice.choices(words, k=4)) for _ in range(3)],
        )
        for _ in range(150)
    ]
    log = [{"event_id": f"e{i}", "query_id": f"q{i:03}", "contents": texts} for i, (texts, _) in enumerate(made)]
    labels = [{"query_id": f"q{i:03}", "expected_texts": wanted} for i, (_, wanted) in enumerate(made)]
    document = evaluated(
        tmp_path, log, labels, match="token_f1", match_threshold="0.6", metrics=["recall@6", "mrr"], per_query=True
    )
    assert [row["found"] and {f["document_id"]: f["rank"] for f in row["found"]} for row in document["queries"]] == [
        plain(texts, wanted, 0.6) or [] for texts, wanted in made
    ]
    halves = [lines(tmp_path / f"part{i}.jsonl", log[i::2]) for i in (0, 1)]
    again = recallwatch.evaluate(
        halves, str(tmp_path / "labels.jsonl"), match="token_f1", match_threshold="0.6", metrics=("recall@6", "mrr")
    )
    assert again.to_dict()["metrics"] == document["metrics"]


def plain(texts: list[str], expected: list[str], least: float) -> dict[str, int]:
    """Expected text's id to the rank that satisfies it."""
    found: dict[str, int] = {}
    for rank, text in enumerate(texts, 1):
        if text in texts[: rank - 1]:
            continue
        scored = []
        for wanted in sorted({f"text:{e}" for e in expected}):
            a, b = (set(re.findall(r"\w+", t.lower())) for t in (wanted.removeprefix("text:"), text))
            if a and wanted not in found and 2 * len(a & b) / (len(a) + len(b)) >= least:
                scored.append((-2 * len(a & b) / (len(a) + len(b)), wanted))
        if scored:
            found[min(scored)[1]] = rank
    return found


def test_answers_against_squads_own_loops(tmp_path: Path) -> None:
    """answer_exact and answer_f1 are SQuAD's exact match and F1, the best of several gold answers; asked for by name."""
    dice = random.Random(8)
    words = ["the", "Cat", "cat", "a", "red", "don't", "mat.", "an", "45-min", "dog!", ""]
    made = [
        (" ".join(dice.choices(words, k=dice.randint(0, 6))), [" ".join(dice.choices(words, k=3)) for _ in range(2)])
        for _ in range(100)
    ]
    log = [{"query_id": f"q{i:03}", "ranked_ids": ["d"], "answer": answer} for i, (answer, _) in enumerate(made)]
    labels = [{"query_id": f"q{i:03}", "relevant": ["d"], "gold_answers": gold} for i, (_, gold) in enumerate(made)]
    document = evaluated(tmp_path, log, labels, metrics=("answer_exact", "answer_f1"), per_query=True)
    for row, (answer, gold) in zip(document["queries"], made, strict=True):
        exact = max(float(squad(answer) == squad(g)) for g in gold)
        assert row["values"] == pytest.approx(
            {"answer_exact": exact, "answer_f1": max(squad_f1(squad(answer), squad(g)) for g in gold)}
        )
    assert "answer_f1" not in {row["metric"] for row in evaluated(tmp_path, log, labels)["metrics"]}


def squad(text: str) -> list[str]:
    """SQuAD's normalize_answer, as words."""
    bare = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def squad_f1(a: list[str], b: list[str]) -> float:
    """SQuAD's f1_score."""
    same = sum((Counter(a) & Counter(b)).values())
    if not a or not b:
        return float(a == b)
    return 2 * same / (len(a) + len(b))


def test_an_error_answers_nothing_and_silence_is_not_counted(tmp_path: Path) -> None:
    """An error's answer is wrong whatever was logged; an event without an answer is in no mean; a number is an answer too."""
    log = [
        {"query_id": "a", "ranked_ids": ["x"], "answer": "x", "status": "error"},
        {"query_id": "b", "ranked_ids": ["x"]},
        {"query_id": "c", "ranked_ids": [], "response": 3},
    ]
    labels = [{"query_id": q, "relevant": [], "answer": a} for q, a in (("a", "x"), ("b", "x"), ("c", 3))]
    found = cell(evaluated(tmp_path, log, labels, metrics="answer_exact"), "answer_exact", None)
    assert (found["value"], found["n"], found["value_without_errors"]) == (0.5, 2, 1.0)


def test_a_store_matches_like_its_logs(tmp_path: Path) -> None:
    """Ingested events keep their texts: the same numbers and the same block `match`, by day and over all, twice."""
    log = [{**event, "event_id": f"e{i}", "ts": f"2026-11-0{i + 1}T00:00:00Z"} for i, event in enumerate(LOG)]
    paths = lines(tmp_path / "log.jsonl", log), lines(tmp_path / "labels.jsonl", LABELS)
    asked: dict[str, Any] = {"match": "id,token_f1", "k": (1, 2)}
    for window in ("all", "day"):
        direct = recallwatch.evaluate(*paths, window=window, **asked).to_dict()
        for logs in (paths[0], None):
            kept = recallwatch.evaluate(logs, paths[1], store=tmp_path / "store", window=window, **asked).to_dict()
            assert {name: kept[name] for name in ("metrics", "match", "counts", "warnings")} == {
                name: direct[name] for name in ("metrics", "match", "counts", "warnings")
            }


@pytest.fixture(scope="module")
def mempalace(shared_data: Path) -> list[dict[str, Any]]:
    """MemPalace's 20 questions, with the id that is labelled for each."""
    labels = {}
    for line in (shared_data / "longmemeval" / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        labels[row["question_id"]] = row["answer_session_ids"]
    found = next((shared_data / "mempalace_runs").glob("results_mempal_*.jsonl.gz"))
    with gzip.open(found, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [{**row, "relevant": labels[row["question_id"]], "path": str(found)} for row in rows]


def test_mempalace_by_text_agrees_with_ids(mempalace: list[dict[str, Any]], tmp_path: Path) -> None:
    """Judged by the text of the labelled session alone, each of the 120 logged recall_any values comes out, as it does by id."""
    labels = []
    for row in mempalace:
        texts = {item["corpus_id"]: item["text"] for item in row["retrieval_results"]["ranked_items"]}
        labels.append({"question_id": row["question_id"], "expected_texts": [texts[i] for i in row["relevant"]]})
    path = lines(tmp_path / "labels.jsonl", labels)
    depths = (1, 3, 5, 10, 30, 50)
    for match in ("exact", "token_f1"):
        document = recallwatch.evaluate(
            mempalace[0]["path"], path, match=match, match_threshold="0.9", metrics="success", k=depths, per_query=True
        ).to_dict()
        logged = {
            row["question_id"]: {f"success@{k}": row["retrieval_results"]["metrics"]["session"][f"recall_any@{k}"] for k in depths}
            for row in mempalace
        }
        assert {row["query_id"]: row["values"] for row in document["queries"]} == logged
        assert (cell(document, "success", 1)["value"], cell(document, "success", 5)["value"]) == (0.95, 1.0)


def test_mempalace_by_gold_answer(mempalace: list[dict[str, Any]], tmp_path: Path) -> None:
    """Texts of the log are cut at some 500 characters: all words of the gold answer stand in the first five for 13 of 20, where ids have 20."""
    labels = [{"question_id": row["question_id"], "expected_texts": [row["answer"]]} for row in mempalace]
    document = recallwatch.evaluate(
        mempalace[0]["path"],
        lines(tmp_path / "labels.jsonl", labels),
        match="coverage",
        match_threshold="1",
        metrics="success",
        k=(5, 50),
        per_query=True,
    ).to_dict()
    assert judges(document) == {"coverage": 1.0}
    assert [cell(document, "success", k)["relevant_found"] for k in (5, 50)] == [13, 14]


def test_gold_answers_of_a_benchmark_log_are_labels(mempalace: list[dict[str, Any]], shared_data: Path, tmp_path: Path) -> None:
    """What such a log calls `answer` is the right one, not one that was given: it is carried as a label, and nothing was answered."""
    labels = [{"question_id": row["question_id"], "relevant": row["relevant"], "gold_answer": row["answer"]} for row in mempalace]
    path = lines(tmp_path / "labels.jsonl", labels)
    document = recallwatch.evaluate(mempalace[0]["path"], path, metrics=("success@5", "answer_exact")).to_dict()
    assert [row["metric"] for row in document["metrics"]] == ["success"]
    found = next((shared_data / "mempalace_runs").glob("results_locomo_raw*"))
    document = recallwatch.evaluate(str(found), metrics=("recall@10", "answer_f1")).to_dict()
    assert [row["metric"] for row in document["metrics"]] == ["recall"]


def test_a_trace_of_texts_is_judged(shared_data: Path, tmp_path: Path) -> None:
    """DeepEval's retriever spans have texts and no ids."""
    log = shared_data / "telemetry" / "deepeval" / "langchain_async_retriever_python_schema.json"
    label = {
        "query": "Tell me about Python programming language.",
        "expected_texts": ["Python is a high-level language known for simplicity."],
    }
    document = recallwatch.evaluate(str(log), lines(tmp_path / "labels.jsonl", [label]), match="id,token_f1", k=1).to_dict()
    assert (cell(document, "recall", 1)["value"], judges(document)) == (1.0, {"token_f1": 1.0})


GOLD_ONLY = [{"query_id": "a", "gold_answer": "Paris"}, {"query_id": "b", "gold_answers": ["Rome", "Roma"]}]
ANSWERED = [{"query_id": "a", "ranked_ids": [None], "answer": "Paris"}, {"query_id": "b", "ranked_ids": [], "answer": "Milan"}]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_gold_answers_alone_score_answers_alone(tmp_path: Path, form: str) -> None:
    """Labels without ids are enough where answers alone are asked for, and say nothing about what should come back."""
    labels = tmp_path / f"labels.{form}"
    if form == "jsonl":
        lines(labels, GOLD_ONLY)
    elif form == "csv":
        labels.write_text("query_id,gold_answer\na,Paris\nb,Roma\n", encoding="utf-8")
    else:
        pq.write_table(pa.table({"query_id": ["a", "b"], "gold_answers": [["Paris"], ["Rome", "Roma"]]}), labels)
    log = lines(tmp_path / "log.jsonl", ANSWERED)
    document = recallwatch.evaluate(log, str(labels), metrics=("answer_exact", "answer_f1")).to_dict()
    assert [(row["metric"], row["value"], row["n"]) for row in document["metrics"]] == [
        ("answer_exact", 0.5, 2),
        ("answer_f1", 0.5, 2),
    ]
    assert document["counts"]["queries_without_relevant"] == 0
    assert document["warnings"] == []  # of the list without ids nothing is asked
    assert (document["answered"]["no_answer_queries"], document["answered"]["no_answer_events"]) == (0, 0)
    with pytest.raises(InputError, match=r"2 of 2 queries have a gold answer and no relevant ids.*-m answer_exact"):
        recallwatch.evaluate(log, str(labels))


def test_a_gold_answer_beside_nothing_is_right_is_not_alone(tmp_path: Path) -> None:
    """`relevant: []` with a gold answer still says that nothing should come back; a line without either is named where it stands."""
    labels = [{"query_id": "a", "relevant": ["d"], "answer": "Paris"}, {"query_id": "b", "relevant": [], "answer": "not known"}]
    document = evaluated(tmp_path, ANSWERED, labels, metrics=("recall@1", "answer_exact"))
    assert (document["answered"]["no_answer_queries"], document["answered"]["correctly_empty"]) == (1, 1.0)
    with pytest.raises(InputError, match=r"labels\.jsonl:2: 1 of 2 queries have a gold answer"):
        evaluated(tmp_path, ANSWERED, [labels[0], {"query_id": "b", "answer": "not known"}])
    with pytest.raises(InputError, match=r"labels\.jsonl:2: 'relevant' is neither"):
        evaluated(tmp_path, ANSWERED, [labels[0], {"query_id": "b"}], metrics="answer_exact")


def test_an_answer_metric_without_answers_is_told(tmp_path: Path) -> None:
    """A metric that was asked for and has no value is named, with the reason."""
    log = [{"query_id": "a", "ranked_ids": ["d"]}]
    document = evaluated(tmp_path, log, [{"query_id": "a", "relevant": ["d"], "answer": "x"}], metrics=("recall@1", "answer_f1"))
    found = [row for row in document["warnings"] if row["code"] == "no_answers"]
    assert [(row["n"], row["examples"]) for row in found] == [(1, ["answer_f1"])]


def test_evidence_in_words_is_found_by_the_search_that_brought_it(tmp_path: Path) -> None:
    """What several searches bring is known by texts too: recall of each hop, and the search that completed the chain."""
    texts = ["Mia's brother is Jon", "Jon works at Acme in Bonn"]
    log = [
        {
            "query": f"step {n}",
            "trace_id": "t",
            "question_id": "q",
            "timestamp": f"2026-01-01T00:00:0{n}Z",
            "contents": ["noise", text],
        }
        for n, text in enumerate(texts)
    ]
    labels = [{"query_id": "q", "document_text": text, "hop": n} for n, text in enumerate(texts, 1)]
    found = evaluated(tmp_path, log, labels, match="token_f1", unit="trace", metrics=("hop_recall(hop=2)@4", "all_found@4"))
    assert [row["value"] for row in found["metrics"]] == [1.0, 1.0]
    figures = {(row["figure"], row["hop"]): row["mean"] for row in found["questions"]}
    assert (figures["searches_to_first", None], figures["searches_to_complete", None], figures["hop_recall", 1]) == (1, 2, 1)
