"""SQL against plain loops over random logs, and what must hold for any ranking."""

from __future__ import annotations

import math
import os
from dataclasses import asdict

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracles import Event, Options, value
from strategies import COLUMNS, batches, evaluated, events, options, values_by_query

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.base.metrics import METRICS

TOLERANCE = 1e-12


def few(n: int) -> settings:
    """So many batches, the same ones each time; RECALLWATCH_EXAMPLES (.ci/run) times as many."""
    checks = list(HealthCheck)  # a batch is large on purpose
    return settings(
        max_examples=n * int(os.environ.get("RECALLWATCH_EXAMPLES", "1")),
        phases=(Phase.generate,),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=checks,
    )


def split(column: str) -> tuple[str, int | None]:
    metric, _at, depth = column.partition("@")
    return metric.partition("(")[0], None if depth in ("", "all") else int(depth)


def check(batch: list[Event], chosen: Options) -> None:
    """Every value of every event, and every mean, equals the oracle's."""
    expected = {f"q{i}": {c: value(*split(c), event, chosen) for c in COLUMNS} for i, event in enumerate(batch)}
    if not any(v is not None for row in expected.values() for v in row.values()):
        return
    result = evaluated(batch, **asdict(chosen))
    seen = values_by_query(result)
    for query, row in expected.items():
        for column, want in row.items():
            got = (seen.get(query) or {}).get(column.removesuffix("@all"))
            assert (got is None) == (want is None), (query, column, got, want, batch[int(query[1:])], chosen)
            if want is not None:
                assert abs(got - want) <= TOLERANCE, (query, column, got, want, batch[int(query[1:])], chosen)
                assert 0 <= got <= 1
    for row in result["metrics"]:
        column = f"{row['metric']}@{row['k'] or 'all'}"
        counted = [expected[q][column] for q in expected if expected[q][column] is not None]
        assert row["n"] == row["n_queries"] == len(counted)
        assert abs(row["value"] - math.fsum(counted) / len(counted)) <= TOLERANCE
        assert row["ci_low"] is None or 0 <= row["ci_low"] <= row["value"] <= row["ci_high"] <= 1


@few(4)
@given(batches)
def test_defaults_equal_the_loops(batch: list[Event]) -> None:
    """All ten metrics at k 1, 2, 5 and the whole list equal a plain loop to 1e-12 and stay in 0..1."""
    check(batch, Options())


@few(8)
@given(batches, options)
def test_every_option_equals_the_loops(batch: list[Event], chosen: Options) -> None:
    """The same under any combination of the options that change an event's value."""
    check(batch, chosen)


@few(2)
@given(st.lists(events(), min_size=30, max_size=40))
def test_the_ideal_ranking_scores_the_best_value(batch: list[Event]) -> None:
    """No ranking beats the ranking by grade, and that one reaches what is printed as attainable."""
    batch = [Event([d for d in e.ranked if d is not None], e.grades) for e in batch if any(g > 0 for g in e.grades.values())]
    if not batch:
        return
    ideal = [Event(sorted(e.grades, key=lambda d: -e.grades[d]), e.grades) for e in batch]
    seen, best = values_by_query(evaluated(batch)), evaluated(ideal)
    top = values_by_query(best)
    for query, row in seen.items():
        for column, got in row.items():
            if METRICS[split(column)[0]].better == "higher" and column not in (
                "precision",
                "f1",
                "set_map",
            ):  # these fall with every id returned
                assert got <= top[query][column] + TOLERANCE, (query, column)
    for row in best["metrics"]:
        if METRICS[split(row["metric"])[0]].better == "higher" and row["metric"] != "set_map" and row["k"] is not None:
            assert abs(row["value"] - row["attainable"]) <= TOLERANCE, row


@st.composite
def swaps(draw: st.DrawFn) -> tuple[Event, Event]:
    """A ranking without repeats, and the same with a relevant id moved to the place of one that earns less above it."""
    event = draw(events())
    ranked = list(dict.fromkeys(d for d in event.ranked if d is not None))
    gains = [max(0.0, event.grades.get(d, 0.0)) for d in ranked]
    pairs = [(i, j) for j in range(len(ranked)) for i in range(j) if gains[j] > gains[i]]
    if not pairs:
        return Event(ranked, event.grades), Event(ranked, event.grades)
    i, j = draw(st.sampled_from(pairs))
    moved = list(ranked)
    moved[i], moved[j] = ranked[j], ranked[i]
    return Event(ranked, event.grades), Event(moved, event.grades)


@few(2)
@given(st.lists(swaps(), min_size=30, max_size=40))
def test_moving_a_relevant_id_up_never_lowers_a_metric(pairs: list[tuple[Event, Event]]) -> None:
    """A better document in a higher slot leaves every metric at least as high."""
    pairs = [pair for pair in pairs if any(g > 0 for g in pair[0].grades.values())]
    if not pairs:
        return
    before, after = (values_by_query(evaluated([pair[side] for pair in pairs])) for side in (0, 1))
    for query, row in before.items():
        for column, was in row.items():
            if METRICS[split(column)[0]].better == "higher":
                assert after[query][column] >= was - TOLERANCE, (query, column, was, after[query][column], pairs[int(query[1:])])


def test_repeats_may_be_refused() -> None:
    """duplicates=error refuses a ranking that repeats an id, and names the event."""
    twice = [Event(["a", "b", "a"], {"a": 1.0})]
    with pytest.raises(InputError, match="q0"):
        evaluated(twice, ("recall@1",), duplicates="error")
    assert evaluated([Event(["a", None, None], {"a": 1.0})], ("recall@1",), duplicates="error")["metrics"][0]["value"] == 1


def test_a_query_without_relevant_label_may_be_refused() -> None:
    """no_relevant=error refuses labels in which a query has nothing relevant, and names the query."""
    with pytest.raises(InputError, match="'q0' has no relevant label"):
        evaluated([Event(["a"], {"a": 0.0})], ("recall@1",), no_relevant="error")


def test_the_course_table() -> None:
    """Three queries whose values anybody can work out by hand."""
    batch = [
        Event(["acme", "portland", "python"], {"acme": 1.0}),
        Event(["python", "portland", "shellfish"], {"shellfish": 1.0}),
        Event(["q3", "python", "acme"], {"q3": 1.0, "acme": 1.0}),
    ]
    rows = values_by_query(evaluated(batch, ("recall@3", "precision@3", "mrr", "ndcg@3")))
    table = {column: [round(rows[f"q{i}"][column], 2) for i in range(3)] for column in rows["q0"]}
    assert table == {"recall@3": [1, 1, 1], "precision@3": [0.33, 0.33, 0.67], "mrr": [1, 0.33, 1], "ndcg@3": [1, 0.5, 0.92]}


def test_score_order_copes_with_scores_of_another_length() -> None:
    """A list of scores that does not fit the ids cannot order them: the logged order stays."""
    log = {"query_id": ["q"], "ranked_ids": [["a", "b"]], "scores": [[1.0, 2.0, 3.0]]}
    labels = pa.table({"query_id": ["q"], "document_id": ["a"]})
    result = recallwatch.evaluate(pa.table(log), labels, metrics=("mrr",), order="score")
    assert result.to_dict()["metrics"][0]["value"] == 1
