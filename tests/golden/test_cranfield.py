"""Cranfield telemetry: quality as pytrec_eval has it, times as numpy has them, whatever form the log is in."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import recallwatch

NAMES = {"recip_rank": "mrr", "map": "map"}
PREFIXES = {"recall": "recall", "P": "precision", "success": "success", "ndcg_cut": "ndcg"}
CODE = "4=1,3=2,2=3,1=4"  # grade is 5 - code; this gives the code back as gain
SIX_DECIMALS = 1e-6  # expected.json is rounded there


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    """The telemetry and what an independent implementation made of it."""
    return shared_data / "cranfield_runs"


@cache
def expected(folder: Path) -> dict[str, Any]:
    """expected.json."""
    return dict(json.loads((folder / "expected.json").read_text(encoding="utf-8")))


@cache
def evaluated(folder: Path, log: str, by: tuple[str, ...], columns: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """The JSON of one evaluation, unit = query; made once a session."""
    return recallwatch.evaluate(folder / log, folder / "labels.jsonl", by=by, unit="query", metrics=columns, **options).to_dict()


def ours(measure: str) -> str:
    """Our column for pytrec_eval's measure."""
    name, _, depth = measure.rpartition("_")
    return NAMES.get(measure) or f"{PREFIXES[name]}@{depth}"


def by_segment(found: dict[str, Any], value: str = "value") -> dict[tuple[str, ...], dict[str, float]]:
    """Segment -> column -> value."""
    segments: dict[tuple[str, ...], dict[str, float]] = {}
    for row in found["metrics"]:
        name = row["metric"] + (f"@{row['k']}" if row["k"] else "")
        segments.setdefault(tuple(row["segment"].values()), {})[name] = row[value]
    return segments


def times(found: dict[str, Any], cache_state: str) -> dict[str, dict[str, Any]]:
    """First segment value -> the latency row of the whole recall."""
    rows = [row for row in found["latency"] if row["stage"] == "total" and row["cache"] == cache_state and row["segment"]]
    return {next(iter(row["segment"].values())): row for row in rows}


NIGHTLY = ("recall@5", "recall@10", "recall@20", "precision@10", "mrr", "success@10", "ndcg@10")


def test_nightly_quality(folder: Path) -> None:
    """Each night's seven metrics under gain=binary, and n: 225 queries in 250 events."""
    found = evaluated(folder, "nightly.parquet", ("run_id",), NIGHTLY, gain="binary")
    segments = by_segment(found)
    for night, published in expected(folder)["nightly"].items():
        values = {ours(measure): value for measure, value in published["binary"].items()}
        assert {name: segments[night,][name] for name in values} == pytest.approx(values, abs=SIX_DECIMALS), night
        assert set(values) == set(NIGHTLY)
    assert {(row["n"], row["n_queries"]) for row in found["metrics"] if row["segment"]} == {(250, 225)}


def test_nightly_graded_gain(folder: Path) -> None:
    """With linear gain (5 - code) a night of hybrid_rrf has the nDCG@10 of the same retriever's sweep."""
    segments = by_segment(evaluated(folder, "nightly.parquet", ("run_id",), ("ndcg@10",), gain="linear", percentile="linear"))
    for night, published in expected(folder)["nightly"].items():
        if (published["config"], published["index_version"]) == ("hybrid_rrf", "v1"):
            value = expected(folder)["sweep"]["hybrid_rrf"]["ndcg_cut_10_gain_5_minus_code"]
            assert segments[night,]["ndcg@10"] == pytest.approx(value, abs=SIX_DECIMALS), night


def test_nightly_times(folder: Path) -> None:
    """p95 by nearest rank and, where asked for, the median by interpolation, of recalls the cache did not answer."""
    nearest = times(evaluated(folder, "nightly.parquet", ("run_id",), NIGHTLY, gain="binary"), "miss")
    linear = times(evaluated(folder, "nightly.parquet", ("run_id",), ("ndcg@10",), gain="linear", percentile="linear"), "miss")
    for night, published in expected(folder)["nightly"].items():
        assert nearest[night]["p95_ms"] == pytest.approx(published["total_ms_cache_miss"]["p95_nearest_rank"], abs=1e-9), night
        assert linear[night]["p50_ms"] == pytest.approx(published["total_ms_cache_miss"]["p50_linear"], abs=1e-9), night


def test_nightly_cache_hits(folder: Path) -> None:
    """The share of recalls answered from the cache, and the events of a night."""
    found = evaluated(folder, "nightly.parquet", ("run_id",), NIGHTLY, gain="binary")
    cost = {row["segment"]["run_id"]: row for row in found["cost"] if row["segment"]}
    for night, published in expected(folder)["nightly"].items():
        assert (cost[night]["n"], cost[night]["cache_hit_rate"]) == (published["events"], published["cache_hit_rate"])


def test_jsonl_and_parquet_give_the_same(folder: Path) -> None:
    """The same events as gzipped JSON lines: every number of quality, latency and cost is identical."""
    parquet = evaluated(folder, "nightly.parquet", ("run_id",), NIGHTLY, gain="binary")
    lines = evaluated(folder, "nightly.jsonl.gz", ("run_id",), NIGHTLY, gain="binary")
    for part in ("metrics", "latency", "cost", "coverage", "definition", "state_key"):
        assert lines[part] == parquet[part], part


def sweep_columns(folder: Path) -> tuple[str, ...]:
    """Every column that the sweep has a published value for."""
    return tuple(sorted({ours(measure) for published in expected(folder)["sweep"].values() for measure in published["binary"]}))


def test_sweep_quality(folder: Path) -> None:
    """Ten configurations, three repeats each: 17 metrics under gain=binary, the same in every repeat."""
    columns = sweep_columns(folder)
    segments = by_segment(evaluated(folder, "sweep.parquet", ("config*run_id",), columns, gain="binary"))
    for config, published in expected(folder)["sweep"].items():
        values = {ours(measure): value for measure, value in published["binary"].items()}
        for repeat in ("sweep-1", "sweep-2", "sweep-3"):
            assert segments[config, repeat] == pytest.approx(values, abs=SIX_DECIMALS), (config, repeat)
    assert len(columns) == 17


@pytest.mark.parametrize(("gain", "measure"), [("linear", "ndcg_cut_10_gain_5_minus_code"), (CODE, "ndcg_cut_10_gain_code_as_is")])
def test_sweep_graded_gain(folder: Path, gain: str, measure: str) -> None:
    """nDCG@10 with the grade as gain, and with a map that turns the grade back into Cranfield's code."""
    segments = by_segment(evaluated(folder, "sweep.parquet", ("config",), ("ndcg@10",), gain=gain, percentile="linear"))
    for config, published in expected(folder)["sweep"].items():
        assert segments[config,]["ndcg@10"] == pytest.approx(published[measure], abs=SIX_DECIMALS), config


def test_sweep_times(folder: Path) -> None:
    """Median by interpolation and p95 by nearest rank over the 675 recalls of a configuration."""
    linear = times(evaluated(folder, "sweep.parquet", ("config",), ("ndcg@10",), gain="linear", percentile="linear"), "all")
    nearest = times(evaluated(folder, "sweep.parquet", ("config",), ("ndcg@10",), gain="binary"), "all")
    for config, published in expected(folder)["sweep"].items():
        ms = published["total_ms_all_3_runs"]
        assert (linear[config]["n"], nearest[config]["n"]) == (ms["n"], ms["n"])
        assert linear[config]["p50_ms"] == pytest.approx(ms["p50_linear"], abs=1e-9), config
        assert nearest[config]["p95_ms"] == pytest.approx(ms["p95_nearest_rank"], abs=1e-9), config
