"""Labels and logs that never meet give no number: exit 3, and the sentence says what would map one side to the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inputs import evaluated, jsonl, value, warned

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.evaluation.check import check

N = 12
# label id, log id, what the error says
APART = {
    "prefix": ("{}", "doc:{}", "'no prefix before : / or #' would map 12 of them"),
    "folder": ("d{}", "repos/78aa/d{}", "'no prefix before : / or #' would map 12 of them"),
    "float": ("{}.0", "{}", "'no .0 at the end' would map 12 of them"),
    "case": ("doc-{}", "DOC-{}", "'lower case' would map 12 of them"),
    "padding": ("d{:04}", "d{}", "'no leading zeros' would map 12 of them"),
    "letters": ("{}", "doc_{}", "'no letters before the number' would map 12 of them"),
    "chunk": ("d{}", "d{}#3", "'the part before the first #' would map 12 of them"),
    "number of a chunk": ("d{}.md", "d{}.md_chunk_07", "'the part before the number of a chunk' would map 12 of them"),
    "ending": ("d{}", "d{}.md", "'no file ending' would map 12 of them"),
    "another kind": ("{}", "0{:07x}-0000-4000-8000-000000000000", "the labels' ids are whole numbers, the logs' are UUIDs"),
}


def world(tmp_path: Path, label_id: str, log_id: str) -> tuple[Path, Path]:
    """A log of two nights whose every query has its own document at rank 1, and labels; ids written two ways."""
    rows = [
        {
            "timestamp": f"2026-03-0{day}T{i:02d}:00:00Z",
            "query_id": f"q{i}",
            "variant": f"v{day % 2}",
            "ranked_ids": [log_id.format(i)],
            "candidate_ids": [log_id.format(i)],
            "total_ms": 5 + i,
        }
        for day in (1, 2, 3)
        for i in range(N)
    ]
    labels = [{"query_id": f"q{i}", "relevant": [label_id.format(i)]} for i in range(N)]
    return jsonl(tmp_path / "log.jsonl", rows), jsonl(tmp_path / "labels.jsonl", labels)


@pytest.mark.parametrize("name", APART)
def test_ids_of_two_namespaces(tmp_path: Path, name: str) -> None:
    """evaluate and check refuse them alike, with the rule, counts and two ids of each side; --allow-unmatched goes on and says so."""
    label_id, log_id, why = APART[name]
    log, labels = world(tmp_path, label_id, log_id)
    with pytest.raises(InputError) as caught:
        evaluated(log, labels, k="1", metrics="recall")
    assert why in str(caught.value)
    assert f"0 of {N} relevant label ids were ever returned" in str(caught.value)
    if "chunk" in name:
        rule = str(caught.value).partition("[[ids.events]] match = '")[2].partition("'")[0]
        (tmp_path / "p.toml").write_text(
            f"[events]\nquery_id = 'query_id'\nranked_ids = 'ranked_ids'\n[[ids.events]]\nmatch = '{rule}'\nreplace = '\\1'\n"
        )
        assert value(evaluated(log, labels, k="1", metrics="recall", profile=str(tmp_path / "p.toml")), k=1) == 1
    found = {row["code"]: row for row in check(log, labels).findings}
    assert found["no_known_ids"]["severity"] == "fail"
    assert why in found["no_known_ids"]["message"]
    if name == "prefix":
        result = evaluated(log, labels, k="1", metrics="recall", allow_unmatched=True)
        assert (value(result, k=1), warned(result, "no_known_ids")) == (0, N)


QUESTIONS: dict[str, Callable[[Path, Path, Path], Any]] = {
    "store": lambda log, labels, tmp: recallwatch.evaluate(log, labels, store=tmp / "store"),
    "drift": lambda log, labels, _: recallwatch.drift(log, labels, window="day", series=True),
    "compare": lambda log, labels, _: recallwatch.compare(log, labels, a="v0", b="v1"),
    "lift": lambda log, labels, _: recallwatch.lift(log, labels),
    "pareto": lambda log, labels, _: recallwatch.pareto(log, labels),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_refuses_them(tmp_path: Path, name: str) -> None:
    """What scores refuses ids that never meet, as evaluate does."""
    log, labels = world(tmp_path, "mem:{}", "{}")
    with pytest.raises(InputError, match=r"'no prefix before : / or #' would map 12 of them: 'mem:0' = '0'"):
        QUESTIONS[name](log, labels, tmp_path)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_refuses_other_queries(tmp_path: Path, name: str) -> None:
    """So it does queries that no label knows, with examples and counts of both sides."""
    log, _ = world(tmp_path, "{}", "{}")
    labels = jsonl(tmp_path / "labels.jsonl", [{"query_id": f"other{i}", "relevant": ["1"]} for i in range(3)])
    with pytest.raises(
        InputError, match=r"the logs have \['q0', 'q1'\] \(12 queries\), the labels have \['other0', 'other1'\] \(3\)"
    ):
        QUESTIONS[name](log, labels, tmp_path)


def test_an_honest_zero_stays(tmp_path: Path) -> None:
    """Ids of one form that never came back are a bad retriever: the number stays, and a warning says so where no id is known at all."""
    rows = [{"query_id": f"q{i}", "ranked_ids": [f"d{i + 1}"]} for i in range(N)]
    log = jsonl(tmp_path / "log.jsonl", rows)
    known = evaluated(
        log, jsonl(tmp_path / "a.jsonl", [{"query_id": f"q{i}", "relevant": [f"d{i or 3}"]} for i in range(N)]), k="1"
    )
    assert (value(known, k=1), warned(known, "no_known_ids")) == (0, 0)
    unknown = evaluated(log, jsonl(tmp_path / "b.jsonl", [{"query_id": f"q{i}", "relevant": [f"e{i}"]} for i in range(N)]), k="1")
    assert (value(unknown, k=1), warned(unknown, "no_known_ids")) == (0, N)


def test_own_labels_of_one_text_are_joined_record_by_record(tmp_path: Path) -> None:
    """Records of a log without query ids that share a text and carry different labels are each scored by their own; it is said, with n."""
    rows = [
        {"query": "same words", "ranked_ids": ["a", "x"], "relevant": ["a"]},
        {"query": "same  words", "ranked_ids": ["b", "x"], "relevant": ["b"]},
        {"query": "same words", "ranked_ids": ["b", "x"]},
        *[{"query": "other", "ranked_ids": ["b"], "relevant": ["b"]}] * 2,
    ]
    log, array = jsonl(tmp_path / "log.jsonl", rows), tmp_path / "array.json"
    array.write_text(json.dumps(rows))  # all start at one line
    for path in (log, array):
        result = evaluated(path, None, k="1", metrics="recall")
        assert (value(result, k=1), warned(result, "labels_by_record")) == (1, 2)
        counts = result["counts"]
        assert (counts["labelled_queries"], counts["labelled_events"], counts["unlabelled_events"]) == (3, 4, 1)
    assert "labels_by_record" in {row["code"] for row in check(log).findings}


def test_records_of_one_query_id_with_other_labels_are_told(tmp_path: Path) -> None:
    """What any of them names is relevant for the query; logs and store say so, with n. The same labels in another order are no difference."""
    said = {"q1": (["a"], ["b"]), "q2": (["c", "d"], ["c"]), "q3": (["e", "f"], ["f", "e"])}
    rows = [
        {"query_id": query, "ranked_ids": ["a", "b", "c"], "relevant": relevant}
        for query in said
        for relevant in (*said[query], said[query][0])
    ]
    log, store = jsonl(tmp_path / "log.jsonl", rows), tmp_path / "store"
    result = evaluated(log, None, k="1", metrics="recall")
    assert (
        warned(result, "labels_united") == warned(evaluated(log, None, store=store, k="1", metrics="recall"), "labels_united") == 2
    )
    assert value(result, k=1) == pytest.approx(3 * 0.5 / 9)
    assert "labels_united" in {row["code"] for row in check(log).findings}


def test_a_store_refuses_own_labels_of_one_text_that_differ(tmp_path: Path) -> None:
    """Within one file or between two, also where one says what the other says and more: by text alone they would be one label."""
    both = [{"query": "w", "ranked_ids": ["a"], "relevant": ["a", "b"]}, {"query": "w", "ranked_ids": ["b"], "relevant": ["b"]}]
    one = jsonl(tmp_path / "one.jsonl", both)
    two = [jsonl(tmp_path / f"{i}.jsonl", [row]) for i, row in enumerate(both)]
    for number, logs in enumerate(([one], two)):
        with pytest.raises(InputError, match="share a query text and carry different labels"):
            recallwatch.evaluate(logs, store=tmp_path / f"store-{number}", metrics="recall")
    same = [jsonl(tmp_path / f"same-{i}.jsonl", both[:1]) for i in range(2)]
    result = recallwatch.evaluate(same, store=tmp_path / "store", metrics="recall", k=1).to_dict()
    assert value(result, k=1) == 0.5


def test_longmemeval_skips_abstention(tmp_path: Path) -> None:
    """--compat longmemeval takes a question whose id ends in _abs, or whose class says so, as a no-answer query whatever evidence it names."""
    rows = [
        {"question_id": "1_abs", "ranked_ids": ["s1"], "relevant": ["s1"]},
        {"question_id": "2", "ranked_ids": ["s1"], "relevant": ["s2"]},
        {"question_id": "3", "query_class": "abstention", "ranked_ids": ["s1"], "relevant": ["s1", "s2"]},
    ]
    log = jsonl(tmp_path / "log.jsonl", rows)
    labels = jsonl(tmp_path / "labels.jsonl", [{**row, "query_class": row.get("query_class")} for row in rows])
    result = evaluated(log, labels, k="1", metrics="recall", compat="longmemeval")
    assert (value(result, k=1), result["metrics"][0]["n"], result["answered"]["no_answer_queries"]) == (0, 1, 2)
    assert value(evaluated(log, labels, k="1", metrics="recall"), k=1) == 0.5


def test_sentences(tmp_path: Path) -> None:
    """Coverage names the cutoff it looked at; a TREC run with a NaN among its first scores is one, and the score is counted."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["x", "y", "a"]}])
    labels = jsonl(tmp_path / "labels.jsonl", [{"query_id": "q", "relevant": ["a"]}])
    text = str(recallwatch.evaluate(log, labels, k=1, metrics=("recall", "mrr")))
    assert "relevant documents returned at least once within k = 1: 0 %" in " ".join(text.split())
    (tmp_path / "t.run").write_text("q Q0 b 1 1.0 t\nq Q0 a 2 nan t\nr Q0 a 1 -inf t\n")
    result = evaluated(tmp_path / "t.run", labels, k="2", metrics="recall")
    assert (value(result), result["counts"]["events_score_invalid"]) == (1, 1)
