"""Lift is the final list's metric less the candidates', event by event, with the interval every mean has."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import run
from scipy import stats

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.document.outputs import OUTPUTS
from recallwatch.store import ingest
from recallwatch.variants.lift import lift

IDS = [f"d{n}" for n in range(12)]


def labels_of(relevant: dict[str, list[str]]) -> pa.Table:
    """One row a relevant document."""
    rows = [{"query_id": q, "document_id": d} for q, documents in relevant.items() for d in documents]
    return pa.Table.from_pylist(rows)


def logs_of(events: list[dict[str, Any]]) -> pa.Table:
    """Events as a table."""
    return pa.Table.from_pylist(
        [{"event_id": f"e{n}", "candidate_ids": None, "status": "ok", **event} for n, event in enumerate(events)]
    )


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rows of the whole log, by metric@k."""
    return {f"{r['metric']}@{r['k']}": r for r in rows if not r["segment"]}


@pytest.fixture(scope="module")
def random_log() -> tuple[list[dict[str, Any]], pa.Table]:
    """Twelve queries asked a different number of times, candidates shuffled by a reranker that keeps five."""
    rng = random.Random(5)
    events = []
    for q in range(12):
        for _ in range(1 + q % 4):
            candidates = rng.sample(IDS, 8)
            ranked = rng.sample(candidates, 5)
            tenant = "ab"[q % 2]
            events.append({"query_id": f"q{q}", "tenant_id": tenant, "top_k": 5, "candidate_ids": candidates, "ranked_ids": ranked})
    return events, labels_of({f"q{q}": rng.sample(IDS, 1 + q % 3) for q in range(12)})


def test_by_hand() -> None:
    """The reranker lifts one relevant document from rank 3 to 1 and loses another; a third never was a candidate."""
    logs = logs_of([{"query_id": "q", "candidate_ids": ["x", "y", "a", "b"], "ranked_ids": ["a", "x"]}])
    result = lift(logs, labels_of({"q": ["a", "b", "c"]}), k=2)
    rows = by_name(result.metrics)
    assert [rows["recall@2"][name] for name in ("candidates", "final", "ceiling")] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [rows["mrr@None"][name] for name in ("candidates", "lift")] == pytest.approx([1 / 3, 2 / 3])
    assert rows["recall@2"]["ci_low"] is None
    lost = {row["document_id"]: (row["n_not_retrieved"], row["n_reranked_out"], row["best_candidate_rank"]) for row in result.lost}
    assert lost == {"b": (0, 1, 4), "c": (1, 0, None)}
    assert "reranker" in str(result) and result.lost[0]["document_id"] in str(result)


def test_sides_are_what_evaluate_says(random_log: tuple[list[dict[str, Any]], pa.Table]) -> None:
    """Candidates and final list score as `evaluate` scores them as a ranking; the ceiling is below neither; any --by too."""
    events, labels = random_log
    options: dict[str, Any] = {"k": "1,3,all", "metrics": ["recall", "precision", "ndcg", "mrr", "map"], "by": ["tenant_id"]}
    found = {(str(r["segment"]), r["metric"], r["k"]): r for r in lift(logs_of(events), labels, **options).metrics}
    asked = [{**event, "ranked_ids": event["candidate_ids"]} for event in events]
    for side, log in (("final", events), ("candidates", asked)):
        for row in recallwatch.evaluate(logs_of(log), labels, **options).to_dict()["metrics"]:
            assert found[str(row["segment"]), row["metric"], row["k"]][side] == row["value"]
    assert len(found) == 3 * 11
    for row in found.values():
        assert row["lift"] == row["final"] - row["candidates"]
        if row["k"] is not None or row["metric"] in ("mrr", "map"):
            assert row["ceiling"] >= max(row["final"], row["candidates"]) - 1e-12


def test_interval_is_clustered_by_query(random_log: tuple[list[dict[str, Any]], pa.Table]) -> None:
    """The interval of the difference follows the formula of every mean, on the events' own differences."""
    events, labels = random_log
    relevant: dict[str, set[str]] = {}
    for row in labels.to_pylist():
        relevant.setdefault(row["query_id"], set()).add(row["document_id"])
    differences: dict[str, list[float]] = {}
    for event in events:
        right = relevant[event["query_id"]]
        hits = [len(right & set(event[name][:3])) / len(right) for name in ("ranked_ids", "candidate_ids")]
        differences.setdefault(event["query_id"], []).append(hits[0] - hits[1])
    n, means = len(events), {q: sum(d) / len(d) for q, d in differences.items()}
    whole = sum(sum(d) for d in differences.values()) / n
    weights = {q: len(d) / n for q, d in differences.items()}
    squares, centre = sum(w * w for w in weights.values()), sum(means.values()) / len(means)
    spread = sum((m - centre) ** 2 for m in means.values()) / (len(means) - 1)
    variance = max(sum((weights[q] * (means[q] - whole)) ** 2 for q in means), spread * squares)
    half = stats.t.ppf(0.975, 1 / squares - 1) * math.sqrt(variance)
    row = by_name(lift(logs_of(events), labels, k=3, metrics=["recall"]).metrics)["recall@3"]
    assert (row["lift"], row["ci_low"], row["ci_high"]) == pytest.approx((whole, whole - half, whole + half), abs=1e-9)


def test_what_is_left_out_is_counted() -> None:
    """Events without candidates, with errors or without labels are in no mean; ids from elsewhere are counted."""
    good = {"query_id": "q", "candidate_ids": ["a", "b"], "ranked_ids": ["b", "z"]}
    failed = {**good, "ranked_ids": [], "status": "error"}
    logs = logs_of([good, failed, {"query_id": "q", "ranked_ids": ["a"]}, {**good, "query_id": "other"}])
    result = lift(logs, labels_of({"q": ["a"]}), k=1)
    assert result.counts == {"n_labelled": 3, "n_without_candidates": 1, "n_errors": 1, "n_events": 1, "n_outside": 1}
    assert [row["n"] for row in result.metrics] == [1] * 5
    assert "1 of 3 labelled recalls compared" in str(result) and "1 recall returned ids" in str(result)


def test_refusals() -> None:
    """No candidates at all is out of contract; windows and queries never asked are no question for a lift."""
    logs, labels = logs_of([{"query_id": "q", "ranked_ids": ["a"]}]), labels_of({"q": ["a"]})
    with pytest.raises(InputError, match="candidate_ids"):
        lift(logs, labels)
    with pytest.raises(UsageError, match="unknown option 'window'"):
        lift(logs, labels, window="day")
    with pytest.raises(UsageError, match="--missing"):
        lift(logs, labels, missing="zero")
    for option in ({"match": "id,token_f1"}, {"compat": "text_hit"}):
        with pytest.raises(UsageError, match="--match: candidates are logged by id alone"):
            lift(logs, labels, **option)


def test_a_store_and_every_output(random_log: tuple[list[dict[str, Any]], pa.Table], tmp_path: Path) -> None:
    """A store gives what its logs give, with its own labels too; text and markdown hold the JSON's values."""
    events, labels = random_log
    log = tmp_path / "recalls.jsonl"
    rows = logs_of(events).to_pylist()
    log.write_text("".join(json.dumps({**row, "timestamp": "2026-11-01T00:00:00Z"}) + "\n" for row in rows))
    ingest(log, store=tmp_path / "store")
    recallwatch.evaluate(store=tmp_path / "store", labels=labels, metrics="recall@3")
    options: dict[str, Any] = {"k": 3, "metrics": ["recall", "mrr"], "by": "tenant_id"}
    found, alone = lift(tmp_path / "store", **options), lift(log, labels, **options)
    assert found.to_dict() == alone.to_dict() == lift(store=tmp_path / "store", labels=labels, **options).to_dict()
    for name in ("text", "markdown"):
        text = OUTPUTS[name].write(found)
        assert all(f"{row['lift']:+.4f}" in text for row in found.metrics)
        assert all(row["document_id"] in text for row in found.lost[:10])
    assert json.loads(OUTPUTS["json"].write(found)) == json.loads(json.dumps(found.to_dict()))
    with pytest.raises(InputError, match="period"):
        lift(tmp_path / "store", start="2027-01-01", **options)
    with pytest.raises(UsageError, match="a store stands for itself"):
        lift([str(tmp_path / "store"), str(log)], labels, **options)


def test_command_on_the_sample() -> None:
    """`recallwatch lift` prints the JSON of the library, and says which documents the reranker loses."""
    sample = Path(__file__).parents[2] / "sample_logs"
    done = run("lift", sample / "recalls", "--labels", sample / "labels.jsonl", "--k", "10", "-f", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["tool", "definition", "counts", "metrics", "lost", "funnel"]
    assert [row["stage"] for row in found["funnel"]] == ["search", "candidates", "returned", "first k"]
    assert (found["lost"][0]["query_id"], found["lost"][0]["document_id"], found["lost"][0]["n_reranked_out"]) == (
        "q21",
        "m095",
        68,
    )
