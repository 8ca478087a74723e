"""What to label next: picked by rule, merged where it is the same question, and counted so that the promise of each line holds."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.definition import Column, Definition
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError, UsageError
from recallwatch.labels.ingestion import ingest_labels
from recallwatch.labels.suggestions import SUGGESTION_OUTPUTS, suggest_labels
from recallwatch.scoring.binding import Cut, bind
from recallwatch.store import ingest

START = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
LABELS = pa.Table.from_pylist([{"query_id": "q1", "document_id": "a", "query_class": "fact"}])


def log_of(asked: list[tuple[str, list[str]]], **fields: Any) -> list[dict[str, Any]]:
    """One event an hour, each ``(query, ids)``; a query "q1: text" has an id."""
    events = []
    for n, (query, ids) in enumerate(asked):
        query_id, _, text = query.partition(": ") if ": " in query else (None, "", query)
        at = (START + dt.timedelta(hours=n)).isoformat()
        events.append({"event_id": f"e{n}", "timestamp": at, "query_id": query_id, "query_text": text, "ranked_ids": ids, **fields})
    return events


def table(events: list[dict[str, Any]]) -> pa.Table:
    """Events as a log."""
    return pa.Table.from_pylist(events)


def lines_of(found: Any) -> list[dict[str, Any]]:
    """The worksheet's lines."""
    return [json.loads(line) for line in SUGGESTION_OUTPUTS["jsonl"].write(found).splitlines()]


def test_traffic_and_coverage_by_hand() -> None:
    """Unlabelled queries by how often they are asked; each line says what it adds and where the coverage is then."""
    asked = [("q1: one", ["a"])] * 2 + [("two", ["b", "c"])] * 5 + [("three words here", ["d"])] * 3
    found = suggest_labels(table(log_of(asked)), LABELS, n=5)
    told = [(t["query_text"], t["n"], t["adds_traffic"], t["traffic_after"], t["judged_after"]) for t in found.tasks]
    assert told == [("two", 5, 0.5, 0.7, pytest.approx(12 / 15)), ("three words here", 3, 0.3, 1.0, 1.0)]
    assert found.tasks[0]["documents"] == [
        {"document_id": i, "n": 5, "best_rank": r, "text": None} for r, i in ((1, "b"), (2, "c"))
    ]
    assert (found.counts["traffic_labelled"], found.counts["judged_share"]) == (0.2, pytest.approx(2 / 15))


def test_classes_take_turns() -> None:
    """The class with the smallest labelled share comes first, whatever its traffic; reasons stand in the line."""
    events = log_of([("q1: one", ["a"])] * 4 + [("big one", ["b"])] * 3, query_class="fact") + [
        {**event, "event_id": f"r{n}", "query_class": "rare"} for n, event in enumerate(log_of([("small one", ["c"])]))
    ]
    found = suggest_labels(table(events), LABELS, n=2)
    assert [(t["query_text"], t["reasons"]) for t in found.tasks] == [
        ("big one", ["traffic", "class"]),
        ("small one", ["class", "traffic"]),
    ]
    assert [(c["query_class"], c["traffic_labelled"]) for c in found.classes] == [("rare", 0.0), ("fact", pytest.approx(4 / 7))]


def test_unjudged_documents_of_a_labelled_query() -> None:
    """A labelled query comes up for the documents that nobody judged, most often in the first k first; what has a label is not listed."""
    asked = [("q1: one", ["x", "a", "y"])] * 3 + [("q1: one", ["y", "a", "z"])]
    (task,) = suggest_labels(table(log_of(asked)), LABELS, k=2).tasks
    assert "unjudged" in task["reasons"] and task["adds_traffic"] == 0
    assert [(d["document_id"], d["n"]) for d in task["documents"]] == [("x", 3), ("y", 1)]
    assert task["labelled"] == [{"document_id": "a", "gain": 1.0, "is_relevant": True}]


def test_moved_is_the_share_of_the_list_that_changed() -> None:
    """The halves of the period are compared by how often each document came: 1 = nothing in common, 0 = the same shares."""
    early, late = [("q1: one", ["a", "b"]), ("still", ["x"])], [("q1: one", ["c", "b"]), ("still", ["x"])]
    tasks = {t["query_text"]: t for t in suggest_labels(table(log_of(early * 3 + late * 3)), LABELS).tasks}
    assert (tasks["one"]["moved"], tasks["still"]["moved"]) == (0.5, 0.0)
    assert (tasks["one"]["value_early"], tasks["one"]["value_late"]) == (1.0, 0.0)
    assert "moved" in tasks["one"]["reasons"] and "moved" not in tasks["still"]["reasons"]


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("Where do I work?", "where do i  WORK", True),
        ("café opening hours today", "Cafe opening-hours, today!", True),
        ("where do I work", "where do I work now", True),
        ("which illness does mum have", "which illness does dad have", False),
        ("does Ann owe Bob the money", "does Bob owe Ann the money", False),
        ("what did we agree with the bank on 3 May last year", "what did we agree with the bank on 4 May last year", False),
        ("???", "!!!", False),
    ],
)
def test_what_counts_as_the_same_question(one: str, other: str, *, are_same: bool) -> None:
    """Case, accents and punctuation do not part queries, a word more hardly; another word, order or number does."""
    found = suggest_labels(table(log_of([(one, ["b"])] * 2 + [(other, ["c"])])), LABELS)
    assert len(found.tasks) == (1 if are_same else 2)
    if are_same:
        assert found.tasks[0]["n"] == 3 and [s["query_text"] for s in found.tasks[0]["similar"]] == [" ".join(other.split())]
        assert {d["document_id"] for d in found.tasks[0]["documents"]} == {"b", "c"}


def test_similar_pairs_are_those_a_plain_loop_finds() -> None:
    """The prefix filter leaves no pair out: every similarity above the limit that comparing all with all gives."""
    words = ["alpha", "beta", "gamma", "delta"]
    texts = [" ".join(words[(n >> s) % 4] for s in (0, 1, 2, 3)) + f" {'omega ' * (n % 3)}end" for n in range(40)]
    shingles = [(w := t.split(), set(w) | set(map(" ".join, itertools.pairwise(w))))[1] for t in texts]
    expected = {
        (texts[i], texts[j])
        for i in range(40)
        for j in range(40)
        if texts[i] != texts[j] and len(shingles[i] & shingles[j]) >= 0.75 * len(shingles[i] | shingles[j])
    }
    engine = Engine()
    try:
        engine.register("texts", pa.table({"t": sorted(set(texts))}))
        bind(engine, Definition(), Cut((Column("recall", 10),)))
        engine.run("create table labels as from contract.labels; create macro opt_similar() as 0.75")
        engine.file("2_judge/labels.sql")
        engine.file("2_judge/labelled_queries.sql")
        engine.run(
            """create table asked_queries as select row_number() over (order by t)::integer as ask_no, null::varchar as tenant_id,
                null::integer as label_no, null::varchar as query_id, t as query_text, 1 as n from texts"""
        )
        engine.file("6_report/similar.sql")
        found = engine.run(
            """select a.query_text, b.query_text from similar_texts inner join asked_queries as a on a.ask_no = a_no
            inner join asked_queries as b on b.ask_no = b_no"""
        )
    finally:
        engine.close()
    assert set(found) == expected and len(expected) > 20


def test_a_question_like_a_labelled_one_says_so() -> None:
    """Whoever fills the line in sees which labelled query it resembles, and what is right there."""
    labels = pa.Table.from_pylist([{"query_text": "where do I work", "document_id": "a"}])
    found = suggest_labels(table(log_of([("where do I work", ["a"]), ("so where do I work", ["a"])])), labels)
    assert found.tasks[0]["like_labelled"] == {
        "query_id": None, "query_text": "where do I work", "similarity": pytest.approx(7 / 9), "relevant": ["a"],
    }  # fmt: skip


def test_tenants_are_never_mixed() -> None:
    """The same words of two tenants are two questions, and their labels name the tenant; one tenant's alone need not."""
    events = [
        {**e, "event_id": f"{tenant}{e['event_id']}", "tenant_id": tenant}
        for tenant in "ab"
        for e in log_of([("q1: one", ["a"]), ("where", ["b"]), (f"only {tenant}", ["c"])])
    ]
    tasks = suggest_labels(table(events), LABELS).tasks
    assert sorted((t["query_text"], t["tenant_id"] or "-", t["asked_by"]) for t in tasks) == [
        ("only a", "-", "a"), ("only b", "-", "b"), ("where", "a", "a"), ("where", "b", "b"),
    ]  # fmt: skip


def test_without_any_label_and_without_time() -> None:
    """The first labels of a project start here: no labels, no timestamps needed."""
    events = [{"ranked_ids": ["a"], "query_text": "one"}, {"ranked_ids": ["b"], "query_text": "one"}]
    found = suggest_labels(table(events))
    assert (found.counts["n_labelled"], found.tasks[0]["n"], found.tasks[0]["moved"]) == (0, 2, None)
    assert "0 of 2 recalls" in str(found)


def test_nothing_to_suggest() -> None:
    """Everything judged is an answer too; an event that names no query is counted."""
    events = [*log_of([("q1: one", ["a"])]), {"event_id": "x", "ranked_ids": ["b"], "timestamp": START.isoformat()}]
    found = suggest_labels(table(events), LABELS)
    assert (found.tasks, found.counts["n_without_query"]) == ([], 1)
    assert "nothing to label" in str(found) and "1 recall without a query" in str(found)
    assert lines_of(found) == []


@pytest.mark.parametrize("options", [{"n": 0}, {"k": True}, {"documents": -1}, {"similar": 0}, {"similar": 1.5}])
def test_numbers_out_of_range(options: dict[str, Any]) -> None:
    """Refused before anything is read."""
    with pytest.raises(UsageError, match="--"):
        suggest_labels("no such file", None, **options)


# the way back ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def events_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with a labelled query, one by text alone in two spellings, one by id, and text that stands under an id as well."""
    asked = [("q1: one", ["a", "x"])] * 4 + [("Where am I?", ["b", "c"])] * 3 + [("where am i", ["c"])] * 2
    asked += [("q2: second", ["d"])] * 2 + [("second", ["e"])]
    path = tmp_path_factory.mktemp("log") / "recalls.jsonl"
    path.write_text("".join(json.dumps({k: v for k, v in e.items() if v is not None}) + "\n" for e in log_of(asked)))
    return path


@pytest.fixture(scope="module")
def scored(events_file: Path) -> Path:
    """A store scored once."""
    store, labels = (events_file.parent / name for name in ("store", "labels.jsonl"))
    ingest(events_file, store=store)
    labels.write_text('{"query_id": "q1", "query_text": "one", "document_id": "a"}\n')
    recallwatch.evaluate(store=store, labels=labels, metrics="recall@10")
    return store


@pytest.fixture
def store(scored: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(scored, tmp_path / "store"))


def fill(path: Path, store: Path, answers: dict[str, Any]) -> list[dict[str, Any]]:
    """A worksheet with some lines filled in; returns its lines."""
    lines = lines_of(suggest_labels(store=store))
    for line in lines:
        line["relevant"] = answers.get(line["query_text"])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


def test_the_loop_keeps_its_promise(store: Path, tmp_path: Path) -> None:
    """Suggested, filled in, taken back: the coverage is what the worksheet said, for similar spellings and ids too, with provenance."""
    lines = fill(tmp_path / "todo.jsonl", store, {"Where am I?": ["b"], "second": {"d": 2, "e": 0}, "one": {"x": 0}})
    assert {line["query_text"]: [s["query_text"] for s in line["similar"]] for line in lines} == {
        "Where am I?": ["where am i"], "second": ["second"], "one": [],
    }  # fmt: skip
    promised = max(t["traffic_after"] for t in suggest_labels(store=store).tasks)
    done = ingest_labels(tmp_path / "todo.jsonl", store=store, judged_by="ada", judged_at="2026-11-02")
    assert done.coverage["traffic_labelled"] == promised == 1.0
    assert done.before != done.after and done.relabelled is not None
    (recall,) = done.relabelled["metrics"]
    assert (recall["old_value"], recall["new_value"], recall["new_n"]) == (1.0, pytest.approx((4 + 3 + 2) / 12), 12)
    rows = kept_rows(store)
    assert rows[("q1", "a")][0] is None and rows[("q1", "x")] == ("ada", "2026-11-02", 0.0)
    assert {key for key in rows if key[0] is None} == {(None, "b")} and rows[("q2", "d")][2] == 2.0
    assert recallwatch.evaluate(store=store).head["coverage"]["traffic_labelled"] == 1.0
    assert ingest_labels(tmp_path / "todo.jsonl", store=store).counts["n_unchanged"] == done.counts["n_given"]


def kept_rows(store: Path) -> dict[tuple[str | None, str], tuple[Any, ...]]:
    """The labels of the store's recall.duckdb: (query_id, document) -> who, when, grade."""
    from recallwatch.store.sql_query import ask

    sql = "select query_id, document_id, judged_by, (judged_at at time zone 'UTC')::date::varchar as day, grade from labels"
    return {(r["query_id"], r["document_id"]): (r["judged_by"], r["day"], r["grade"]) for r in ask(store, sql).to_pylist()}


def test_new_judgements_replace_old_ones(store: Path, tmp_path: Path) -> None:
    """A document judged again has its new grade; the old version stays beside; the rest of the query's labels holds."""
    path = tmp_path / "more.jsonl"
    path.write_text('{"query_id": "q1", "document_id": "a", "grade": 0}\n{"query_id": "q1", "document_id": "x", "grade": 3}\n')
    done = ingest_labels(path, store=store, judged_by="bo")
    assert {name: done.counts[name] for name in ("n_new", "n_replaced", "n_unchanged")} == {
        "n_new": 1,
        "n_replaced": 1,
        "n_unchanged": 0,
    }
    rows = kept_rows(store)
    assert (rows[("q1", "a")][2], rows[("q1", "x")][0]) == (0.0, "bo")
    assert (store / "labels" / f"{done.before}.parquet").exists()


def test_others_may_be_judged_with_the_line(store: Path, tmp_path: Path) -> None:
    """With ``others`` the documents a line shows and does not name have grade 0; without it they stay unjudged."""
    fill(tmp_path / "todo.jsonl", store, {"Where am I?": ["b"]})
    ingest_labels(tmp_path / "todo.jsonl", store=store, others="not-relevant")
    assert kept_rows(store)[(None, "c")][2] == 0.0
    with pytest.raises(UsageError, match="--others"):
        ingest_labels(tmp_path / "todo.jsonl", store=store, others="maybe")


def test_nothing_is_right_and_its_contradiction(store: Path, tmp_path: Path) -> None:
    """[] makes a no-answer query; over documents already labelled relevant it is refused, with the line."""
    fill(tmp_path / "todo.jsonl", store, {"Where am I?": []})
    assert ingest_labels(tmp_path / "todo.jsonl", store=store).counts["n_new"] == 2
    lines = fill(tmp_path / "todo.jsonl", store, {"one": []})
    number = [line["query_text"] for line in lines].index("one") + 1
    with pytest.raises(InputError, match=rf"todo.jsonl:{number}: makes 'q1' a no-answer query"):
        ingest_labels(tmp_path / "todo.jsonl", store=store)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"task": 1, "relevant": null, "query_text": "q"}', "none of 1 lines is filled in"),
        ('{"task": 1, "relevant": "a", "query_text": "q"}', "neither a list nor an object"),
        ('{"task": 1, "relevant": [null], "query_text": "q"}', "no id"),
        ('{"task": 1, "relevant": {"a": "high"}, "query_text": "q"}', "not a finite number"),
        ('{"task": 1, "relevant": ["a"]}', "neither query_id nor query_text"),
        ('{"task": 1, "relevant": ["a"], "query_text": "q"}\n{"task": 2,', "2: not JSON"),
        ('{"task": 1, "relevant": ["a"], "query_text": "q", "similar": ["q"]}', "not a list of queries"),
    ],
)
def test_lines_out_of_contract(store: Path, tmp_path: Path, text: str, says: str) -> None:
    """A mistake in the worksheet is told with its line, and the store stays as it was."""
    before = (store / "labels" / "current.json").read_bytes()
    path = tmp_path / "bad.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(InputError, match=says):
        ingest_labels(path, store=store)
    assert (store / "labels" / "current.json").read_bytes() == before
