"""Random recall logs with everything a log may hold: repeats, unknown ids, ties, empty lists, odd grades."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st
from oracles import FORMULAS, Event, Options

import recallwatch
from recallwatch.base.metrics import METRICS

DOCUMENTS = ["a", "b", "c", "d", "e", "f", "10", "9", "A", "é", " a", "'; drop--", ""]
GRADES = [-2.0, -0.5, 0.0, 0.1, 0.5, 1.0, 1.0, 2.0, 2.5, 3.0]
DEPTHS = (1, 2, 5, None)
COLUMNS = tuple(
    f"{METRICS[metric].text_of(tuple(p.default for p in METRICS[metric].parameters))}@{'all' if k is None else k}"
    for metric in FORMULAS
    for k in ((2, None) if METRICS[metric].named_only else DEPTHS)
)

documents = st.sampled_from(DOCUMENTS)
grades = st.dictionaries(documents, st.sampled_from(GRADES), min_size=1, max_size=6)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """One event with the labels of its query."""
    ranked = draw(st.lists(st.one_of(documents, documents, documents, st.none()), max_size=9))
    tied = st.sampled_from([0.0, 0.5, 1.0, -1.0, None])
    scores = draw(st.one_of(st.none(), st.lists(tied, min_size=len(ranked), max_size=len(ranked))))
    return Event(ranked, draw(grades), scores, draw(st.sampled_from(["ok", "ok", "ok", "error"])))


batches = st.lists(events(), min_size=30, max_size=40)
options = st.builds(
    Options,
    precision=st.sampled_from(["k", "returned"]),
    ap=st.sampled_from(["relevant", "min_k_r"]),
    ideal=st.sampled_from(["cut", "full"]),
    gain=st.sampled_from(["linear", "binary", "exponential", "1=4,2=3", "1=0,0.5=7"]),
    rel_level=st.sampled_from([None, 1.0, 2.0, 0.5, -1.0]),
    duplicates=st.sampled_from(["slot", "collapse"]),
    order=st.sampled_from(["logged", "score"]),
    ties=st.sampled_from(["docno_desc", "docno_asc"]),
    depth=st.sampled_from([None, 1, 3]),
    no_relevant=st.sampled_from(["skip", "zero", "one"]),
    errors=st.sampled_from(["zero", "skip"]),
)


def tables(batch: list[Event]) -> tuple[pa.Table, pa.Table]:
    """A batch as a log and labels, each event with a query of its own: q0, q1, ..."""
    ids = [f"q{number}" for number in range(len(batch))]
    log = pa.table(
        {
            "event_id": pa.array(ids),
            "query_id": pa.array(ids),
            "ranked_ids": pa.array([e.ranked for e in batch], pa.list_(pa.string())),
            "scores": pa.array([e.scores for e in batch], pa.list_(pa.float64())),
            "status": pa.array([e.status for e in batch]),
        }
    )
    rows = [(query, doc, grade) for query, event in zip(ids, batch, strict=True) for doc, grade in event.grades.items()]
    labels = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("query_id", "document_id", "grade"))})
    return log, labels


def evaluated(batch: list[Event], metrics: tuple[str, ...] = COLUMNS, **options: object) -> dict:
    """The JSON of one evaluation of a batch, each query's values included."""
    log, labels = tables(batch)
    return recallwatch.evaluate(log, labels, metrics=metrics, per_query=True, **options).to_dict()


def values_by_query(result: dict) -> dict[str, dict[str, float]]:
    """Query -> column -> value, of the queries that count in at least one mean."""
    return {row["query_id"]: row["values"] for row in result["queries"]}
