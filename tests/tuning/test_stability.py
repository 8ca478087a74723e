"""What varies between repeats is told apart from what does not; steps of a parameter and bands come from the data."""

from __future__ import annotations

import json
import math
import random
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from typer.testing import CliRunner

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.cli import app
from recallwatch.variants.stability import STABILITY_OUTPUTS, Stability

QUERIES = 20
LABELS = pa.Table.from_pylist([{"query_id": f"q{q}", "document_id": f"d{q}"} for q in range(QUERIES)])


def event(q: int, rank: int, run: str, variant: str = "v", ms: float = 1.0, **more: Any) -> dict[str, Any]:
    """A recall of query q whose right document stands at a rank (0 = it was not found)."""
    ranked = [f"x{n}" for n in range(10)]
    if rank:
        ranked[rank - 1] = f"d{q}"
    return {"query_id": f"q{q}", "ranked_ids": ranked, "run_id": run, "variant": variant, "total_ms": ms, **more}


def measured(events: list[dict[str, Any]], **options: Any) -> Stability:
    """The events' stability."""
    return recallwatch.stability(pa.Table.from_pylist(events), LABELS, **options)


def measure(result: Stability, name: str, variant: str = "v") -> dict[str, Any]:
    """One row of the measures."""
    return next(row for row in result.measures if row["measure"] == name and row["variant"] == variant)


@pytest.fixture(scope="module")
def cranfield(shared_data: Path) -> Stability:
    """Ten configs, three repeats; what the names of the configs say stands in columns of its own."""
    import duckdb

    folder = shared_data / "cranfield_runs"
    sweep = duckdb.sql(
        f"""select * exclude (config), config as variant, split_part(config, '_rerank', 1) as engine,
        coalesce(try_cast(split_part(config, '_rerank', 2) as integer), 0) as rerank_depth from '{folder / "sweep.parquet"}'"""
    )
    return recallwatch.stability(sweep.to_arrow_table(), folder / "labels.jsonl")


def test_cranfield_repeats_rank_alike_and_only_times_vary(cranfield: Stability) -> None:
    """The lists of the three repeats are the same in every config; the sd of its times stands beside each."""
    assert [(len(cell["repeats"]), cell["is_identical"], cell["is_copy"]) for cell in cranfield.cells] == [(3, True, False)] * 10
    assert {row["sd"] for row in cranfield.measures if row["unit"] == "ratio"} == {0.0}
    assert cranfield.flips == []
    p50 = measure(cranfield, "p50:total", "hybrid_rrf_rerank400")
    assert (p50["mean"], p50["sd"]) == pytest.approx(
        (np.mean([7.8366, 12.219, 12.1686]), np.std([7.8366, 12.219, 12.1686], ddof=1))
    )
    assert "rankings identical in all repeats, so quality cannot vary and only times do: bm25, hybrid_rrf, " in " ".join(
        str(cranfield).split()
    )


def test_cranfield_reranking_deeper_than_50_pays_for_nothing(cranfield: Stability) -> None:
    """From 50 to 100, 200 and 400 no query's recall@10 moves, and the median time grows each time."""
    steps = {(row["from"], row["to"], row["measure"]): row for row in cranfield.sensitivity if row["parameter"] == "rerank_depth"}
    for low, high in (("50", "100"), ("100", "200"), ("200", "400")):
        quality, time = steps[low, high, "recall@10"], steps[low, high, "p50:total"]
        assert (quality["effect"], quality["n_better"], quality["n_worse"], quality["n"]) == (0, 0, 0, 225)
        assert (time["n_worse"], time["n_better"]) == (3, 0)
        assert time["effect"] > 0.5
    first = steps["50", "100", "p50:total"]
    assert (first["ci_low"], first["ci_high"]) == pytest.approx((0.5228, 1.069), abs=1e-3)
    assert {row["parameter"] for row in cranfield.sensitivity} == {"engine", "rerank_depth"}


def test_sd_of_p95_is_recovered() -> None:
    """Ten repeats of a service whose p95 is 700 ms with a known sd between runs: mean and sd come back."""
    at = np.array([math.exp(z) for z in stats.norm.ppf((np.arange(QUERIES * 5) + 0.5) / (QUERIES * 5))])
    shape = at / at[94]  # the 95th of 100 values is 1
    factors = [700 + 27 * z for z in random.Random(7).choices([-1.5, -0.5, 0.5, 1.5], k=10)]
    events = [event(i % QUERIES, 1, f"run-{r}", ms=float(s * f)) for r, f in enumerate(factors) for i, s in enumerate(shape)]
    found = measure(measured(events), "p95:total")
    assert (found["mean"], found["sd"]) == pytest.approx((np.mean(factors), np.std(factors, ddof=1)))
    assert (found["min"], found["max"], found["n_repeats"]) == (pytest.approx(min(factors)), pytest.approx(max(factors)), 10)


@pytest.fixture(scope="module")
def flipping() -> Stability:
    """Three repeats: queries 0 and 1 find their document in some of them only, 2 finds it at another rank, all others agree."""
    ranks = {0: (1, 0, 0), 1: (0, 2, 2), 2: (1, 2, 5)}
    return measured([event(q, ranks.get(q, (3, 3, 3))[r], f"run-{r}", ms=r + 1) for q in range(QUERIES) for r in range(3)])


def test_flipping_queries_are_named(flipping: Stability) -> None:
    """A query flips where its value differs between repeats; rankings that differ are told by overlap and RBO."""
    assert [(row["query_id"], row["min"], row["max"]) for row in flipping.flips if row["measure"] == "recall@10"] == [("q0", 0, 1), ("q1", 0, 1)]  # fmt: skip
    assert measure(flipping, "recall@10")["n_flips"] == 2
    assert measure(flipping, "mrr@10")["n_flips"] == 3
    (cell,) = flipping.cells
    similarity = cell["similarity"]
    assert (cell["is_identical"], similarity["n_pairs"], similarity["n_same"], similarity["n_queries_differ"]) == (False, 40, 36, 3)
    assert similarity["overlap"] == pytest.approx((36 + 0.9 + 0.9 + 0.9 + 0.9) / 40)
    assert "3 of 20 queries ranked differently" in str(flipping)


def test_mean_and_sd_by_hand(flipping: Stability) -> None:
    """Mean, sd (n - 1), min and max over the repeats' means."""
    values = [19 / 20, 19 / 20, 19 / 20]
    row = measure(flipping, "recall@10")
    assert [row[n] for n in ("mean", "sd", "min", "max")] == pytest.approx([values[0], 0, values[0], values[0]], abs=1e-12)
    mrr = [(1 + 0 + 1 + 17 / 3) / 20, (0 + 1 / 2 + 1 / 2 + 17 / 3) / 20, (0 + 1 / 2 + 1 / 5 + 17 / 3) / 20]
    row = measure(flipping, "mrr@10")
    assert (row["mean"], row["sd"]) == pytest.approx((np.mean(mrr), np.std(mrr, ddof=1)))


def test_bands_are_toml_and_hold_two_runs_in_95_of_100(flipping: Stability) -> None:
    """The band is t x sd x sqrt 2, as a section [bands] that a protocol reads; times stand in comments."""
    sd = measure(flipping, "mrr@10")["sd"]
    bands = tomllib.loads(flipping.to_toml())["bands"]
    assert bands["mrr@10"] == pytest.approx(stats.t.ppf(0.975, 2) * sd * math.sqrt(2), rel=1e-9)
    assert set(bands) == {"recall@10", "ndcg@10", "mrr@10", "success@10"}
    assert '# "p95:total": ' in flipping.to_toml()


def test_noise_is_not_taken_for_an_effect() -> None:
    """Two variants that differ in one parameter: the paired interval holds the difference that was put in; the same runs pair."""
    rng = random.Random(3)
    events = [
        event(q, 1 if rng.random() < chance else 0, f"run-{r}", variant=f"ef={ef}", ms=ms + r, ef=ef, beam=1)
        for ef, chance, ms in ((8, 0.4, 10), (16, 0.7, 20), (32, 0.7, 40))
        for q in range(QUERIES)
        for r in range(5)
    ]
    result = measured(events)
    steps = {(row["from"], row["to"], row["measure"]): row for row in result.sensitivity}
    assert {row[:2] for row in steps} == {("8", "16"), ("16", "32")}
    p = [row["p_value"] for row in result.sensitivity if row["p_value"] is not None]
    q = [row["q_value"] for row in result.sensitivity if row["p_value"] is not None]
    assert q == pytest.approx(stats.false_discovery_control(p))
    assert f"p corrected for {len(p)} tests (Benjamini-Hochberg), intervals are not" in str(result)
    first, second = steps["8", "16", "recall@10"], steps["16", "32", "recall@10"]
    assert first["ci_low"] < 0.3 < first["ci_high"]
    assert first["ci_low"] > 0
    assert second["ci_low"] < 0 < second["ci_high"]
    assert steps["8", "16", "p95:total"]["effect"] == 10
    assert steps["16", "32", "p50:total"]["n"] == 5


def test_parameters_that_change_together_are_told() -> None:
    """Where two parameters always change together, no step says which of them did it."""
    events = [event(q, 1, f"run-{r}", variant=f"v{n}", depth=n, beam=n) for n in (1, 2) for q in range(QUERIES) for r in range(2)]
    result = measured(events)
    assert result.sensitivity == []
    assert "never the only difference between two variants, so nothing can be said of: beam, depth" in result.notes
    assert {row["measure"] for row in measured(events, parameters="beam").sensitivity} >= {"recall@10", "p95:total"}


def test_odd_repeats_are_said() -> None:
    """Copies of one run, one repeat only, repeats of other queries and events without a repeat each get a line."""
    copies = [event(q, 1, f"run-{r}", ms=q) for q in range(QUERIES) for r in range(2)]
    assert "one run logged twice? v" in measured(copies).notes[0]
    assert measured(copies, metrics="recall@10").bands[0]["band"] is None  # two repeats are too few
    single = measured([event(q, 1, "run-0") for q in range(QUERIES)])
    assert single.notes == ["one repeat only, so nothing varies: v"]
    assert single.cells[0]["is_identical"] is None
    assert measure(single, "recall@10")["sd"] is None
    uneven = [event(q, q % 2, f"run-{r}", ms=q + r) for q in range(QUERIES) for r in range(2) if r == 0 or q < 9]
    assert "the repeats did not ask the same queries" in measured([*uneven, event(0, 1, None)]).notes[1]  # type: ignore[arg-type]
    assert measured([*uneven, event(0, 1, None)]).notes[0] == "1 events name no repeat or no variant: left out"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"by": "session_id"}, "no event says its session_id"),
        ({"by": "runid"}, "Did you mean 'run_id'"),
        ({"by": "variant"}, "tells repeats apart"),
        ({"variant": "w"}, "no variant 'w'. Known: v"),
        ({"parameters": "depth"}, "'depth' is no parameter"),
        ({"metrics": "recal"}, "Did you mean 'recall'"),
    ],
)
def test_errors_are_one_line(options: dict[str, Any], told: str) -> None:
    """A mistake is told with what was seen and what there is."""
    with pytest.raises((UsageError, InputError)) as error:
        measured([event(0, 1, "run-0")], **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_command_writes_text_json_and_toml() -> None:
    """On the sample logs: the two index versions as repeats of one thing; -f toml is the bands alone."""
    root = Path(__file__).parents[2] / "sample_logs"
    flags = ["stability", str(root / "recalls"), "--labels", str(root / "labels.jsonl"), "--by", "index_version", "--within", ""]
    done = CliRunner().invoke(app, [*flags, "-f", "toml"])
    assert done.exit_code == 0, done.output
    assert tomllib.loads(done.stdout) == {"bands": {}}  # two repeats
    done = CliRunner().invoke(app, flags)
    assert done.stdout.startswith("2 repeats (by index_version) of 1 variant\n")


def test_every_output_comes_from_the_registry(flipping: Stability) -> None:
    """Each output writes the result; JSON is the contract's, and a NaN in it would be refused, never written."""
    for entry in STABILITY_OUTPUTS.values():
        assert entry.write(flipping).endswith("\n")
    assert json.loads(STABILITY_OUTPUTS["json"].write(flipping)) == json.loads(json.dumps(flipping.to_dict()))
    with pytest.raises(ValueError, match="JSON"):
        STABILITY_OUTPUTS["json"].write(replace(flipping, notes=[float("nan")]))
