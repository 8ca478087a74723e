"""The front, the knee and what is paid for nothing, as a reader of the table would draw them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from typer.testing import CliRunner

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError, UsageError
from recallwatch.cli import app
from recallwatch.document.outputs import OUTPUTS
from recallwatch.variants.pareto import Pareto
from recallwatch.variants.pareto_picture import picture

QUERIES = 12


def world(variants: dict[str, tuple[int, float]], **more: Any) -> pa.Table:
    """Variants of a retriever: of twelve queries with one right answer each the first n are answered, in so many ms."""
    rows = [
        {"variant": name, "query_id": f"q{q}", "ranked_ids": ["right" if q < n else "wrong", "other"], "total_ms": ms, **more}
        for name, (n, ms) in variants.items()
        for q in range(QUERIES)
    ]
    return pa.Table.from_pylist(rows)


LABELS = pa.Table.from_pylist([{"query_id": f"q{q}", "document_id": "right"} for q in range(QUERIES)])


def compared(variants: dict[str, tuple[int, float]], **options: Any) -> Pareto:
    """Recall@1 against p50 of such variants."""
    return recallwatch.pareto(world(variants), LABELS, y="recall@1", x="p50", **options)


@pytest.fixture(scope="module")
def cranfield(shared_data: Path) -> Pareto:
    """The ten configs of the sweep."""
    folder = shared_data / "cranfield_runs"
    return recallwatch.pareto(folder / "sweep.parquet", folder / "labels.jsonl", by="config", x="p50:total", k_curve=True)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Where pareto.sql runs on points of our own."""
    engine = Engine(threads=1)
    engine.run("create table pareto_axes as select 1 as y_position, true as is_log")
    engine.run("create table quality_long (segment_no integer, label_no integer, position integer, n bigint, total double)")
    yield engine
    engine.close()


def test_cranfield_front_and_knee(cranfield: Pareto) -> None:
    """bm25 is the cheapest, lsa128 the best for .01 ms more: they are the front and lsa128 the knee; values are those of its table."""
    assert [row["variant"] for row in cranfield.front] == ["bm25", "lsa128"]
    assert cranfield.knee is not None
    assert cranfield.knee["variant"] == "lsa128"
    found = {row["variant"]: (round(row["y"], 6), round(row["x"], 2)) for row in cranfield.variants}
    assert found["lsa128"] == (0.441082, 0.12)
    assert found["hybrid_rrf_rerank400"] == (0.423712, 9.88)
    assert [row["variant"] for row in cranfield.variants][-1] == "hybrid_rrf_rerank400"
    assert {row["dominated_by"] for row in cranfield.variants} == {None, "bm25", "lsa128"}


def test_cranfield_rerank_depth_pays_for_nothing(cranfield: Pareto, shared_data: Path) -> None:
    """Reranking beyond 20 gives every query the recall@10 of 20 for up to 9 ms more; by success@10 the knee is there."""
    same = {row["variant"]: row["same_as"] for row in cranfield.variants if row["same_as"]}
    deeper = {f"hybrid_rrf_rerank{n}": "hybrid_rrf_rerank20" for n in (50, 100, 200, 400)}
    assert same == {"hybrid_rrf_rerank10": "hybrid_rrf", **deeper}
    text = " ".join(str(cranfield).split())
    assert "the same recall@10 on all 225 queries as hybrid_rrf_rerank20: hybrid_rrf_rerank50 (+0.52 ms)" in text
    folder = shared_data / "cranfield_runs"
    found = recallwatch.pareto(folder / "sweep.parquet", folder / "labels.jsonl", by="config", y="success@10", x="p50")
    assert [row["variant"] for row in found.front] == ["bm25", "hybrid_rrf", "hybrid_rrf_rerank20"]
    assert found.knee is not None
    assert found.knee["variant"] == "hybrid_rrf_rerank20"


def test_difference_to_the_knee_is_that_of_compare(cranfield: Pareto, shared_data: Path) -> None:
    """The paired difference and its interval are those `compare` gives for the same two variants."""
    folder = shared_data / "cranfield_runs"
    arms = {"by": "config", "a": "lsa128", "b": "bm25", "metrics": ["recall@10"]}
    found = recallwatch.compare(folder / "sweep.parquet", folder / "labels.jsonl", **arms)
    (wanted,) = [row for row in found.metrics if not row["segment"] and row["metric"] == "recall"]
    seen = next(row for row in cranfield.variants if row["variant"] == "bm25")["against"]
    assert [seen[name] for name in ("effect", "ci_low", "ci_high", "wins", "losses")] == pytest.approx(
        [wanted[name] for name in ("effect", "ci_low", "ci_high", "wins", "losses")]
    )


def test_k_curve_suggests_the_highest_f(cranfield: Pareto) -> None:
    """Recall and precision by k of the knee; the suggestion has the highest harmonic mean, and never lies beyond the lists."""
    at = cranfield.suggested_k
    assert at is not None
    f = {r["k"]: 2 * r["recall"] * r["precision"] / (r["recall"] + r["precision"]) for r in cranfield.k_curve if not r["truncated"]}
    assert at["k"] == max(f, key=lambda k: f[k]) == 8
    assert max(f) == 50
    assert [r["recall"] for r in cranfield.k_curve] == sorted(r["recall"] for r in cranfield.k_curve)
    assert "suggested k: 8: recall 0.3962, precision 0.2911 (highest F)" in str(cranfield)


@pytest.mark.parametrize(
    ("variants", "front", "knee"),
    [
        ({"a": (2, 1), "b": (10, 2), "c": (11, 16)}, "abc", "b"),  # the bend
        ({"a": (2, 1), "b": (4, 2), "c": (6, 4)}, "abc", None),  # a straight line on a log scale has no bend
        ({"a": (2, 1), "b": (3, 4), "c": (12, 8)}, "abc", None),  # nor has a hollow one
        ({"a": (2, 1), "b": (12, 2), "c": (12, 8)}, "ab", "b"),  # c pays for nothing
        ({"a": (9, 1), "b": (8, 2), "c": (9, 3)}, "a", "a"),  # the best is the cheapest
        ({"a": (9, 1)}, "a", "a"),
        ({"a": (9, 1), "b": (9, 1), "c": (8, 4)}, "ab", "a"),  # two alike in both are both on the front
        ({"a": (0, 1), "b": (0, 2)}, "a", "a"),
        ({"a": (2, 0), "b": (12, 2), "c": (12, 8)}, "ab", "b"),  # a price of 0 has no logarithm: linear
    ],
)
def test_small_fronts(engine: Engine, variants: dict[str, tuple[int, float]], front: str, knee: str | None) -> None:
    """What is on the front and where it bends, drawn by hand: variant -> (right answers, price)."""
    rows = ", ".join(f"({no}, {n} / 12.0::double, {x}::double, 12)" for no, (n, x) in enumerate(variants.values(), 1))
    engine.run(f"create or replace table pareto_points as select * from (values {rows}) as t(segment_no, y, x, n_queries)")
    engine.run("create or replace macro mean_of(total, n) as total::double / n")  # in place of exact.sql, which needs a definition
    engine.file("6_report/pareto.sql")
    names = dict(enumerate(variants, 1))
    found = [(names[row["segment_no"]], row["is_front"], row["is_knee"]) for row in engine.rows("from pareto")]
    assert "".join(name for name, is_front, _ in found if is_front) == front
    assert [name for name, _, is_knee in found if is_knee] == ([] if knee is None else [knee])


def test_without_a_knee_the_cheapest_is_the_reference() -> None:
    """The paired difference is to the knee, else to the cheapest on the front; several columns name a variant together."""
    bent, straight = compared({"a": (2, 1), "b": (10, 2), "c": (11, 16)}), compared({"a": (2, 1), "b": (4, 2), "c": (6, 4)})
    assert [row["against"] and round(row["against"]["effect"], 9) for row in bent.variants] == [
        round(-8 / 12, 9),
        None,
        round(1 / 12, 9),
    ]
    assert (straight.reference, straight.variants[2]["against"]["wins"]) == ("a", 4)
    assert "against cheapest" in str(straight)
    both = recallwatch.pareto(world({"a": (9, 0)}, query_class="x"), LABELS, by="variant,query_class", y="recall@1", x="p50")
    assert both.variants[0]["variant"] == "variant=a, query_class=x"
    assert b"variant=a" in picture(both.to_dict(), "svg")  # a price of 0 has no place on a log scale


def test_a_store_says_what_its_logs_say(tmp_path: Path) -> None:
    """Pareto and stability of a store are those of the logs in it, also in a period; labels default to those it was last scored with."""
    log, labels, store = tmp_path / "log.jsonl", tmp_path / "labels.jsonl", tmp_path / "store"
    tables = [
        world({"a": (7 + r, r + 1), "b": (12, 9 + r)}, run_id=f"r{r}", ef=1, timestamp=f"2026-01-01T0{r}:00:00Z") for r in range(3)
    ]
    log.write_text("".join(json.dumps(row) + "\n" for table in tables for row in table.to_pylist()))
    labels.write_text("".join(json.dumps(row) + "\n" for row in LABELS.to_pylist()))
    recallwatch.evaluate(log, labels, store=store)
    assert recallwatch.pareto(store, y="recall@1").to_dict() == recallwatch.pareto(log, labels, y="recall@1").to_dict()
    assert (
        recallwatch.stability(store, metrics="recall@1").to_dict()
        == recallwatch.stability(log, labels, metrics="recall@1").to_dict()
    )
    period = {"start": "2026-01-01T01:00:00Z", "end": "2026-01-01T02:00:00Z"}  # the second run
    in_period, of_logs = (recallwatch.pareto(*data, y="recall@1", **period).to_dict() for data in ((store,), (log, labels)))
    assert in_period == of_logs
    assert [round(row["y"] * QUERIES) for row in in_period["variants"]] == [8, 12]


def test_what_cannot_be_compared_is_said() -> None:
    """A variant without times is on no front; events without a variant are left out; a grid of one; both are noted."""
    rows = [*world({"a": (9, 1), "b": (12, 2)}).to_pylist(), *world({"slow": (12, None)}).to_pylist(), *world({None: (12, 1)}).to_pylist()]  # type: ignore[dict-item]  # fmt: skip
    result = recallwatch.pareto(pa.Table.from_pylist(rows), LABELS, y="recall@1", x="p50")
    assert [row["variant"] for row in result.front] == ["a", "b"]
    assert result.notes == ["12 events name no variant: left out", "without p50:total or recall@1, so on no front: slow"]
    assert compared({"a": (9, 1)}).notes == ["one variant: there is nothing to compare it with"]


def test_prices_other_than_time() -> None:
    """Tokens are input + output of a recall, cost is US dollars a recall: mean and interval over the queries; null is no price."""
    rows = [
        {**row, "input_tokens": 10 * q, "output_tokens": None if q == 3 else 1, "cost_usd": 1e9}
        for q, row in enumerate(world({"a": (9, 1)}).to_pylist())
    ]
    log = pa.Table.from_pylist(rows)
    tokens = [10 * q + (q != 3) for q in range(QUERIES)]
    half = stats.t.ppf(0.975, QUERIES - 1) * np.std(tokens, ddof=1) / math.sqrt(QUERIES)
    (found,) = recallwatch.pareto(log, LABELS, y="recall@1", x="tokens").variants
    wanted = [np.mean(tokens), np.mean(tokens) - half, np.mean(tokens) + half]
    assert [found[name] for name in ("x", "x_low", "x_high")] == pytest.approx(wanted)
    assert recallwatch.pareto(log, LABELS, y="recall@1", x="output_tokens").variants[0]["n_x"] == 11
    (found,) = recallwatch.pareto(log, LABELS, y="recall@1", x="cost").variants
    assert [found[name] for name in ("x", "x_low", "x_high")] == [1e9, 1e9, 1e9]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"y": "recal@1"}, "Did you mean 'recall'"),
        ({"y": "recall"}, "needs a depth"),
        ({"x": "p96:total"}, "unknown price 'p96:total'"),
        ({"x": "p95:rerank"}, "no variant has times of stage 'rerank'. Known: total"),
        ({"x": "cost"}, "no event logs its cost"),
        ({"scale": "sqrt"}, "--scale: unknown value"),
        ({"by": "varient"}, "Did you mean 'variant'"),
        ({"by": "session_id"}, "no event says its session_id"),
        ({"k_curve": True, "variant": "z"}, "no variant 'z'. Known: a, b"),
        ({"beta": 0}, "expected a number above 0, saw 0"),
        ({"window": "day"}, "unknown option 'window'"),
    ],
)
def test_errors_are_one_line(options: dict[str, Any], told: str) -> None:
    """A mistake is told with what was seen and what there is."""
    with pytest.raises((UsageError, InputError)) as error:
        recallwatch.pareto(world({"a": (9, 1), "b": (12, 2)}), LABELS, **{"y": "recall@1", **options})
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_command_writes_text_json_and_pictures(tmp_path: Path) -> None:
    """The command's JSON is the library's; the three pictures are whole files; hostile names stay text on the page."""
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    rows = world({"<script>alert(1)</script>": (9, 1), "b\x1b[31m": (12, 2)}).to_pylist()
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels.write_text("".join(json.dumps(row) + "\n" for row in LABELS.to_pylist()))
    heads = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype html>"}
    for kind, head in heads.items():
        out = tmp_path / f"knee.{kind}"
        flags = ["--labels", str(labels), "-y", "recall@1", "-x", "p50", "--k-curve", "--picture", str(out), "-f", "json"]
        done = CliRunner().invoke(app, ["pareto", str(log), *flags])
        assert done.exit_code == 0, done.output
        assert out.read_bytes().startswith(head)
    told = json.loads(done.stdout)
    done = CliRunner().invoke(app, ["pareto", str(log), "--labels", str(labels), "-y", "recall@1", "-x", "p50", "-f", "markdown"])
    assert "| ● | b\\\\x1b\\[31m | 1.0000 |" in done.stdout
    assert "&lt;script&gt;" in done.stdout
    assert told["front"] == ["<script>alert(1)</script>", "b\x1b[31m"]
    assert (told["x"]["unit"], told["knee_method"], told["suggested_k"]["k"]) == ("ms", "kneedle", 1)
    page = (tmp_path / "knee.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page


def test_every_output_comes_from_the_registry(cranfield: Pareto) -> None:
    """Each output writes the result; JSON is the contract's, and a NaN in it would be refused, never written."""
    for entry in OUTPUTS.values():
        assert entry.write(cranfield).endswith("\n")
    assert json.loads(OUTPUTS["json"].write(cranfield)) == json.loads(json.dumps(cranfield.to_dict()))
    with pytest.raises(ValueError, match="JSON"):
        OUTPUTS["json"].write(replace(cranfield, notes=[float("nan")]))
