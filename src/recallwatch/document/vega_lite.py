"""Pieces of a Vega-Lite drawing as plain dicts, their keys in order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
KINDS = {"Q": "quantitative", "N": "nominal", "T": "temporal", "O": "ordinal"}


def _ordered(values: Mapping[str, Any]) -> Spec:
    return dict(sorted(values.items()))


def channel(shorthand: str, **more: Any) -> Spec:
    """An encoding channel of ``field:Q`` (N nominal, T temporal, O ordinal; none for the second end of a range)."""
    field, _, kind = shorthand.partition(":")
    return _ordered({"field": field, **({"type": KINDS[kind]} if kind else {}), **more})


def constant(value: Any) -> Spec:
    """A channel that does not depend on the row."""
    return {"value": value}


def either(test: Any, then: Mapping[str, Any], otherwise: Any) -> Spec:
    """A channel that is ``then`` where the test (a predicate or an expression) holds, else a constant."""
    return {"condition": {"test": test, **then}, "value": otherwise}


def layer(kind: str, channels: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] | None = None, **mark: Any) -> Spec:
    """A mark with its channels, over rows of its own or those of the whole drawing."""
    own = {} if rows is None else {"data": rows}
    return {**own, "mark": {"type": kind, **_ordered(mark)}, "encoding": _ordered(channels)}


def inline(drawn: Spec) -> tuple[Spec, dict[str, Any]]:
    """The drawing with its rows apart: each table once, under a name made of its content."""
    datasets: dict[str, Any] = {}

    def named(piece: Spec) -> Spec:
        if "data" not in piece:
            return piece
        name = "data-" + hashlib.sha256(json.dumps(piece["data"], sort_keys=True, default=str).encode()).hexdigest()[:32]
        datasets[name] = piece["data"]
        return {**piece, "data": {"name": name}}

    whole = named(drawn)
    return {**whole, **({"layer": [named(piece) for piece in whole["layer"]]} if "layer" in whole else {})}, datasets
