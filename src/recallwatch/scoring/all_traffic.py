"""What an evaluation says of all traffic: from a sample of labelled queries, and from a log that holds each recall with a known probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..base.definition import Column as Measure
from ..base.engine import Engine
from ..base.errors import UsageError
from ..document.model import COUNT, MS, NAME, Column, Section
from ..document.numbers import ratio, usd, with_interval
from .plan import Plan
from .segments import groupings_of
from .warnings import warning

RATE = "sampling_rate"  # the attribute that holds the probability with which a recall was logged
Row = Mapping[str, Any]


def sampled(engine: Engine) -> dict[str, Any]:
    """The block ``sample``: metrics over all traffic, where labels are of a sample whose inclusion probabilities are known."""
    if not engine.run("select exists (select 1 from labels where inclusion_probability is not null and kind = 'human')")[0][0]:
        return {}
    engine.file("6_report/sampled.sql")
    return {"sample": engine.rows("from sampled")}


def rated(engine: Engine, plan: Plan) -> dict[str, Any]:
    """The block ``all_traffic``: counts, metrics and latency with each recall weighed 1 / its sampling rate, where ``by`` names the rate.

    Raises:
        UsageError: with ``missing = zero``, which gives a query that a rate lacks a recall of its own.
        InputError: a rate that is no probability.
    """
    if (RATE,) not in groupings_of(plan.cut.by):
        return {}
    if plan.definition.missing == "zero":
        what = "queries that were not asked have no sampling rate"
        raise UsageError(what, where=f"--missing zero --by {RATE}", fix="Leave out one of them")
    engine.file("6_report/all_traffic.sql")
    (counts,) = engine.rows("from all_traffic_counts")
    return {
        "all_traffic": {
            **counts,
            "rates": engine.rows("select rate as sampling_rate, n_events as n_logged from traffic_rates"),
            "metrics": engine.rows("select * exclude (position) from all_traffic_metrics"),
            "latency": engine.rows("from all_traffic_latency"),
        }
    }


def unweighed(plan: Plan, attributes: Sequence[str], n_events: int) -> list[dict[str, Any]]:
    """The warning about a log whose fields (``attributes``) say at which rate it holds recalls, where ``by`` does not name the rate."""
    if RATE not in attributes or (RATE,) in groupings_of(plan.cut.by):
        return []
    text = f"recalls of a log with the field {RATE} that count once each: --by {RATE} estimates all traffic, each weighing 1 / its rate"
    return [warning("sampled_log", text, n_events)]


def sections(result: Mapping[str, Any]) -> list[Section]:
    """What people read of both."""
    return [*_sample(result), *_rated(result)]


def cell(row: Row | None) -> str:
    """A mean with its interval."""
    return "" if row is None else with_interval(row["value"], row["ci_low"], row["ci_high"], of_interval=partial(ratio, digits=2))


def _name(row: Row) -> str:
    return str(Measure(row["metric"], row["k"]))


def _sample(result: Mapping[str, Any]) -> list[Section]:
    """The metrics over all traffic, where a sample with known probabilities was labelled."""
    rows = result.get("sample", [])
    columns = [Column("metric", NAME), Column("over all traffic"), Column("sampled queries", COUNT)]
    note = "what all recalls would score, from the sampled queries alone; the means above are over the labelled recalls"
    table = [(_name(row), cell(row), row["n_queries"]) for row in rows]
    return [Section("All traffic, estimated from a sample", columns, table, [note])] if rows else []


def _rated(result: Mapping[str, Any]) -> list[Section]:
    """The same from recalls that were logged at a rate."""
    if (block := result.get("all_traffic")) is None:
        return []
    cost = "" if block["cost_usd"] is None else f", {usd(block['cost_usd'])}"
    note = (
        f"about {block['n']:,.0f} recalls (± {1.96 * block['n_se']:,.0f}){cost}, from {block['n_logged']:,} that were logged: each weighs "
        f"1 / its {RATE}; all other numbers here count each logged recall once"
    )
    columns = [Column("metric", NAME), Column("over all traffic"), Column("logged recalls", COUNT)]
    metrics = [(_name(row), cell(row), row["n_logged"]) for row in block["metrics"]]
    times = [Column("stage", NAME), *(Column(name, MS) for name in ("mean", "p50", "p95", "p99")), Column("logged recalls", COUNT)]
    latency = [(r["stage"], *(r[f"{name}_ms"] for name in ("mean", "p50", "p95", "p99")), r["n_logged"]) for r in block["latency"]]
    return [
        Section("All traffic, by sampling rate", columns, metrics, [note]),
        *([Section("Latency of all traffic (ms), by sampling rate", times, latency)] if latency else []),
    ]
