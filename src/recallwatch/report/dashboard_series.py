"""SERIES: what a dashboard shows of a run, one line each; the textfile and the OpenTelemetry gauges read the same samples."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..base.registry import index
from ..base.verdicts import GATES, VERDICTS
from .night import Night

PER_MS = -3  # decimal places from ms to the base unit s: a shift of the point, exact
SUFFIX = {"s": "_seconds", "1": "_ratio", "USD": "_USD"}  # as OpenTelemetry's own way into Prometheus names units; {…} has none


@dataclass(frozen=True)
class Series:
    """One gauge.

    Args:
        name: of the OpenTelemetry instrument.
        unit: UCUM: 1 (a ratio), s, {recall}, …; empty = a state, 1 or 0.
        meaning: one line for people.
    """

    name: str
    unit: str
    meaning: str

    @property
    def prometheus(self) -> str:
        """The name in Prometheus."""
        return self.name.replace(".", "_") + SUFFIX.get(self.unit, "")


@dataclass(frozen=True)
class Sample:
    """One value of a series, with its attributes (OpenTelemetry) or labels (Prometheus: dots become underscores)."""

    series: Series
    attributes: Mapping[str, str]
    value: float | int


SERIES = index(
    Series("recallwatch.metric.value", "1", "mean of a metric over the recalls of the newest window"),
    Series("recallwatch.metric.ci_low", "1", "its 95 % interval, lower end"),
    Series("recallwatch.metric.ci_high", "1", "its 95 % interval, upper end"),
    Series("recallwatch.metric.recalls", "{recall}", "recalls in that mean"),
    Series("recallwatch.metric.queries", "{query}", "labelled queries in that mean"),
    Series("recallwatch.latency.value", "s", "percentile of a stage's time over the newest window"),
    Series("recallwatch.latency.recalls", "{recall}", "recalls that logged the stage's time"),
    Series("recallwatch.cost.per_recall", "USD", "mean cost of a recall"),
    Series("recallwatch.cache.hits", "1", "share of recalls answered from a cache"),
    Series("recallwatch.recalls", "{recall}", "recalls read, by what became of them; over everything read"),
    Series("recallwatch.coverage", "1", "how much the labels speak of; over everything read"),
    Series("recallwatch.gate", "", "1 = the gate has this verdict"),
    Series("recallwatch.verdict", "", "1 = the run has this verdict"),
    Series("recallwatch.findings", "{finding}", "drift findings by family and verdict"),
    Series("recallwatch.window.start", "s", "start of the newest window, s since 1970"),
    Series("recallwatch.last_recall", "s", "time of the newest recall read, s since 1970: stale logs show here"),
    Series("recallwatch.build", "", "always 1: version of recallwatch, definition and state of the numbers"),
)
QUANTILES = {"p50_ms": "0.5", "p95_ms": "0.95", "p99_ms": "0.99"}
OUTCOMES = {
    "events": "all",
    "labelled_events": "labelled",
    "unlabelled_events": "unlabelled",
    "unscorable_events": "unscorable",
    "error_events": "error",
    "empty_rankings": "empty",
    "duplicate_events": "duplicate",
    "rejected_lines": "rejected",
}


def samples(night: Night) -> Iterator[Sample]:
    """Every sample, in the order of SERIES; a value that is not known is left out."""
    ordered = sorted(_all(night), key=lambda one: list(SERIES).index(one[0]))
    for name, attributes, value in ordered:
        if value is not None:
            yield Sample(SERIES[name], attributes, value)


Triple = tuple[str, dict[str, str], Any]


def _all(night: Night) -> Iterator[Triple]:
    window = night.window
    for row in night.evaluation["metrics"]:
        if row["window"] == window:
            yield from _metric(row)
    for row in night.evaluation["latency"]:
        if row["window"] == window:
            yield from _latency(row)
    for row in night.evaluation["cost"]:
        if row["window"] == window:
            yield "recallwatch.cost.per_recall", _segment(row), row["cost_usd_per_query"]
            yield "recallwatch.cache.hits", _segment(row), row["cache_hit_rate"]
    counts = night.evaluation["counts"]
    yield from (("recallwatch.recalls", {"recallwatch.outcome": word}, counts.get(name)) for name, word in OUTCOMES.items())
    coverage = night.evaluation["coverage"]
    yield from (("recallwatch.coverage", {"recallwatch.of": name}, value) for name, value in coverage.items() if name != "k")
    yield from _decided(night)
    yield "recallwatch.window.start", {}, _seconds_at(window)
    yield "recallwatch.last_recall", {}, _seconds_at(night.evaluation["read"]["period"]["to"])
    yield "recallwatch.build", _build(night), 1


def _metric(row: Mapping[str, Any]) -> Iterator[Triple]:
    about = {"recallwatch.metric.name": row["metric"], "recallwatch.metric.k": "all" if row["k"] is None else str(row["k"])}
    about |= _segment(row)
    names = {"value": "value", "ci_low": "ci_low", "ci_high": "ci_high", "recalls": "n", "queries": "n_queries"}
    yield from ((f"recallwatch.metric.{name}", about, row[column]) for name, column in names.items())


def _latency(row: Mapping[str, Any]) -> Iterator[Triple]:
    about = {"recallwatch.stage": row["stage"], "recallwatch.cache": row["cache"], **_segment(row)}
    for column, quantile in QUANTILES.items():
        yield "recallwatch.latency.value", {**about, "recallwatch.quantile": quantile}, seconds(row[column])
    yield "recallwatch.latency.recalls", about, row["n"]


def _decided(night: Night) -> Iterator[Triple]:
    for gate in night.gates:
        for verdict in GATES:
            about = {"recallwatch.gate.name": gate["name"], "recallwatch.verdict": verdict}
            yield "recallwatch.gate", about, int(gate["verdict"] == verdict)
    if night.gates or night.drift:
        yield from (("recallwatch.verdict", {"recallwatch.verdict": word}, int(night.verdict == word)) for word in VERDICTS)
    findings = [(finding["family"], finding["verdict"]) for finding in (night.drift or {}).get("findings", [])]
    for family in dict.fromkeys(family for family, _ in findings):
        for verdict in VERDICTS:
            about = {"recallwatch.family": family, "recallwatch.verdict": verdict}
            yield "recallwatch.findings", about, findings.count((family, verdict))


def _build(night: Night) -> dict[str, str]:
    evaluation = night.evaluation
    return {
        "recallwatch.version": evaluation["tool"]["version"],
        "recallwatch.definition": evaluation["definition"]["fingerprint"],
        "recallwatch.state": evaluation["state_key"],
    }


def _segment(row: Mapping[str, Any]) -> dict[str, str]:
    """``recallwatch.segment.query_class``: …; a value nobody logged is named, because an empty label is no label in Prometheus."""
    return {
        f"recallwatch.segment.{name}": "(none)" if value in (None, "") else str(value) for name, value in row["segment"].items()
    }


def seconds(ms: float | None) -> float | None:
    """Milliseconds in the base unit, to the same last digit."""
    return None if ms is None else float(Decimal(repr(ms)).scaleb(PER_MS))


def _seconds_at(at: str | None) -> float | None:
    return None if at is None else dt.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
