"""The two axes of a pareto: quality, a metric at one cutoff, and price: a percentile of a stage's time, US dollars or tokens a recall."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.definition import Column, columns_of
from ..base.errors import UsageError
from ..base.registry import known

QUANTILES = ("p50", "p95", "p99", "mean", "max")
AMOUNTS = {"cost": "US dollars a recall", **dict.fromkeys(("tokens", "input_tokens", "output_tokens"), "tokens a recall")}


@dataclass(frozen=True)
class Axis:
    """A price.

    Args:
        text: as people write it, e.g. p95:total.
        kind: latency or cost.
        name: p50, p95, p99, mean, max; cost, tokens, input_tokens, output_tokens.
        stage: whose time.
        cache: recalls whose times count: all, miss or hit.
        unit: ms, US dollars a recall, tokens a recall.
    """

    text: str
    kind: str
    name: str
    stage: str
    cache: str
    unit: str


def axis_of(text: str, cache: str = "all") -> Axis:
    """The price a person names; a time without a stage is the total's.

    Raises:
        UsageError: unknown.
    """
    name, _, stage = text.partition(":")
    if name in AMOUNTS and not stage:
        return Axis(text, "cost", name, "", cache, AMOUNTS[name])
    if name not in QUANTILES:
        raise UsageError(f"unknown price {text!r}", where="-x", fix=known(name, [f"{q}:STAGE" for q in QUANTILES] + list(AMOUNTS)))
    return Axis(f"{name}:{stage or 'total'}", "latency", name, stage or "total", cache, "ms")


def metric_of(text: str) -> Column:
    """One metric at one cutoff k.

    Raises:
        UsageError: unknown, or no cutoff where the metric needs one.
    """
    columns = columns_of((text,), (10, None))
    if len(columns) != 1:
        raise UsageError(f"{text!r} needs a depth", where="-y", fix=f"For example -y {text}@10, or {text}@all")
    return columns[0]
