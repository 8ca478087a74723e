"""What a gate says of a night: pass, fail, warn or insufficient. Nothing here raises because of what a night lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..document.numbers import plural, share
from ..report.finding_rows import SAME
from ..report.night import UNJUDGED, Night
from ..scoring.columns import segment_name
from ..scoring.document import column_name
from .configuration import Gates
from .gate_baselines import dated
from .gates import Gate, metric_and_kinds, upper_of, value_name


def judge(gates: Sequence[Gate], settings: Gates, night: Night, *, window: str | None = None) -> list[dict[str, Any]]:
    """Every gate's verdict: pass, fail, warn or insufficient; a gate of ``*`` gives one row a segment.

    ``window``: which one is judged; None = that of ``settings``.
    """
    judged = window or window_of(settings, night)
    rows = []
    for gate in gates:
        values = _rows(gate, judged, night)
        rows += [_judged(gate, row, settings, night) for row in values] or [
            _verdict(gate, None, "insufficient", _unnamed(gate, night) or "nothing there to judge", settings)
        ]
    return rows


def _rows(gate: Gate, window: str | None, night: Night) -> list[Mapping[str, Any]]:
    """The values a gate is about: one, or one a segment."""
    if gate.kind in ("share", "count"):
        return _counted(gate, window, night)
    if gate.kind == "answers":
        return _answers(gate, window, night)
    return [row for row in _table(gate, night) if row["window"] == window and _fits(gate, row["segment"])]


def _unnamed(gate: Gate, night: Night) -> str:
    """Why a mean of the gate's metric is not judged: its labels are of kinds that the gate does not name; "" = there is no such mean."""
    bare = metric_and_kinds(gate.column)[0]
    others = (
        column_name(row)
        for row in night.evaluation["metrics"]
        if gate.kind == "quality" and metric_and_kinds(column_name(row))[0] == bare
    )
    name = next(others, "")
    return f"its labels are no human's alone; a gate that may pass on them is called {name!r}" if name else ""


def _counted(gate: Gate, window: str | None, night: Night) -> list[Mapping[str, Any]]:
    """A share or a count: of the judged window; over everything read where it has no window (lines and queries without a time)."""
    of_window: Mapping[str, Any] = next((row for row in night.sides.get("window_shares", []) if row["window"] == window), {})
    whole = night.sides.get("shares", {}) if gate.kind == "share" else night.evaluation["counts"]
    if not whole:
        return []
    counts = of_window if gate.column in of_window else whole
    scope = "" if counts is of_window or window is None else ", over everything read"
    return [{"value": counts.get(gate.column), "n": counts.get("events", 0), "window": window, "segment": {}, "scope": scope}]


def _answers(gate: Gate, window: str | None, night: Night) -> list[Mapping[str, Any]]:
    """What the drift test of a window measured of its answers; its baseline is what the reference windows have among themselves."""
    drift = night.drift or {}
    of_window = next((one for one in drift.get("windows") or [drift] if one and one["current"]["from"] == window), None)
    rows = [row for row in (of_window or {}).get("findings", []) if row["family"] == "answers" and row["metric"] == gate.column]
    return [
        {
            "value": row["current"],
            "n": (of_window or {})["current"]["events"],
            "segment": {},
            "baseline": row["reference"],
            **{end: None if row[end] is None else row["reference"] + row[end] for end in ("ci_low", "ci_high")},
        }
        for row in rows
        if row["verdict"] != "insufficient"
    ]


def _table(gate: Gate, night: Night) -> list[Mapping[str, Any]]:
    if gate.kind == "quality":
        return [row for row in night.evaluation["metrics"] if column_name(row) == gate.column]
    rows = [row for row in night.evaluation["latency"] if row["stage"] == gate.stage]
    cache = "miss" if any(row["cache"] == "miss" for row in rows) and gate.stage != "total" else "all"
    return [{**row, "value": row[gate.column]} for row in rows if row["cache"] == cache]


def window_of(settings: Gates, night: Night) -> str | None:
    """The window a gate judges; None = everything."""
    return None if settings.on == "all" else night.window


def _fits(gate: Gate, segment: Mapping[str, Any]) -> bool:
    return set(gate.segment) == set(segment) and all(
        wanted in ("*", value_name(segment[name])) for name, wanted in gate.segment.items()
    )


def _judged(gate: Gate, row: Mapping[str, Any], settings: Gates, night: Night) -> dict[str, Any]:
    row = _like_for_like(gate, row, settings, night)
    value, n = row["value"], row["n"]
    if value is None:
        return _verdict(gate, row, "insufficient", "not measured", settings)
    if n < gate.min_n:
        return _verdict(gate, row, "insufficient", f"{plural(n, 'recall')}, {gate.min_n} are needed", settings)
    base = _baseline(gate, row, settings, night) if gate.by else None
    if gate.by and base is None:
        return _verdict(gate, row, "insufficient", "no baseline yet", settings)
    limit = (
        gate.number if base is None else {"+": base + gate.number, "-": base - gate.number, "*": base * gate.number}[str(gate.by)]
    )
    baseline = f" (baseline {_shown(gate, base)})" if base is not None else ""
    reason = f"{_shown(gate, value)} against {_shown(gate, limit)}{baseline}; n = {n:,}{row.get('scope', '')}"
    if holds(value, gate.sign, limit):
        return _verdict(gate, row, "pass", reason, settings, limit=limit, base=base)
    if unjudged := row.get("unjudged", ""):
        reason = f"{reason}; {unjudged}" if row["is_settled"] else f"{unjudged}; {reason}"
    reason += _tipping(gate, row, limit, night)
    verdict, beyond = _beyond(gate, row, limit)
    return _verdict(gate, row, verdict, f"{reason}{beyond}", settings, limit=limit, base=base)


def _beyond(gate: Gate, row: Mapping[str, Any], limit: float) -> tuple[str, str]:
    """The verdict of a value beyond its limit, and what its reason adds."""
    if not row.get("is_settled", True):
        return "insufficient", ""
    bound = _bound(gate, row)
    if gate.certain and bound is not None and holds(bound, gate.sign, limit):
        return "warn", "; beyond the limit, but its interval is not"
    return "fail", ""


def _tipping(gate: Gate, row: Mapping[str, Any], limit: float, night: Night) -> str:
    """What share of the unjudged documents would have to be relevant for an absolute limit to hold; "" = that is not known, or no share would do."""
    bound = upper_of(gate)
    same = (
        one
        for one in night.evaluation["metrics"]
        if bound
        and metric_and_kinds(column_name(one))[0] == bound
        and (one["window"], one["segment"]) == (row["window"], row["segment"])
    )
    upper = next((one["value"] for one in same), None)
    is_complete = night.evaluation.get("definition", {}).get("unjudged") == "irrelevant"
    if upper is None or is_complete or not holds(upper, gate.sign, limit):
        return ""
    theta = (limit - row["value"]) / (upper - row["value"])  # at most: means rise no slower than evenly
    return f"; it would hold if {share(theta)} of the documents that nobody judged were relevant"


def _like_for_like(gate: Gate, row: Mapping[str, Any], settings: Gates, night: Night) -> Mapping[str, Any]:
    """Against the drift reference a metric is compared on the queries of both sides, as the drift test does: other traffic moves no gate."""
    if gate.kind != "quality" or not gate.by or settings.baseline != "reference":
        return row
    for finding in (night.drift or {}).get("findings", []):
        same = finding["family"] == "quality" and column_name(finding) == gate.column and finding["segment"] == row["segment"]
        if same and finding["reference"] is not None and finding["current"] is not None:
            base = finding["reference"]
            bounds = {end: None if finding[end] is None else base + finding[end] for end in ("ci_low", "ci_high")}
            of_labels = {name: finding[name] for name in ("unjudged", "is_settled") if name in finding}
            return {**row, "value": finding["current"], "baseline": base, "of": SAME, **bounds, **of_labels}
    return row


def holds(value: float, sign: str, limit: float) -> bool:
    """Whether the comparison is true; equal within a rounding error counts as equal."""
    if math.isclose(value, limit, rel_tol=1e-12, abs_tol=1e-12):
        return sign in (">=", "<=", "==")
    return {">=": value > limit, ">": value > limit, "<=": value < limit, "<": value < limit, "==": False}[sign]


def _bound(gate: Gate, row: Mapping[str, Any]) -> float | None:
    """The end of the value's interval on the good side."""
    end = "high" if gate.sign.startswith(">") else "low"
    is_ratio = gate.kind in ("quality", "answers")
    name = {"quality": f"ci_{end}", "p95_ms": f"p95_ci_{end}_ms"}.get("quality" if is_ratio else gate.column, "")
    bound = row.get(name)
    return None if bound is None else float(bound)


def _baseline(gate: Gate, row: Mapping[str, Any], settings: Gates, night: Night) -> float | None:
    """The value to compare with: of the reference, of the window before, or of a named one."""
    if "baseline" in row:
        return float(row["baseline"])
    rows = _windowed(gate, night) if gate.kind in ("share", "count") else _table(gate, night)
    if settings.baseline == "reference":
        sides = night.sides.get("metrics" if gate.kind == "quality" else "latency", [])
        of_side = [r for r in sides if r["side"] == "reference" and r["segment"] == row["segment"]]
        if gate.kind == "quality":
            return next((r["value"] for r in of_side if column_name(r) == metric_and_kinds(gate.column)[0]), None)
        same = (r[gate.column] for r in of_side if r["stage"] == gate.stage and r["cache"] == row["cache"])
        return next(same, None)
    windows = sorted({str(r["window"]) for r in rows if r["window"]})
    before = [w for w in windows if w < str(row["window"] or "~")]
    named = before[-1:] if settings.baseline == "previous" else dated(windows, settings.baseline, night.timezone)
    wanted = next(iter(named), None)
    return next((r["value"] for r in rows if wanted and r["window"] == wanted and r["segment"] == row["segment"]), None)


def _windowed(gate: Gate, night: Night) -> list[Mapping[str, Any]]:
    """A share or count by window."""
    rows = night.sides.get("window_shares", [])
    return [{"window": row["window"], "value": row[gate.column], "segment": {}} for row in rows if gate.column in row]


def _shown(gate: Gate, value: float) -> str:
    if gate.kind in ("quality", "answers"):
        return f"{value:.3f}"
    return f"{value:.4g} ms" if gate.kind == "latency" else f"{value:.4g}"


def _verdict(
    gate: Gate,
    row: Mapping[str, Any] | None,
    verdict: str,
    reason: str,
    settings: Gates,
    *,
    limit: float | None = None,
    base: float | None = None,
) -> dict[str, Any]:
    """A row of the ``gates`` table."""
    if verdict == "insufficient" and settings.insufficient != "pass":
        verdict, reason = settings.insufficient, f"{UNJUDGED}: {reason}"
    segment, value = (row["segment"], row["value"]) if row else ({}, None)
    is_each = bool(segment) and "*" in gate.segment.values()
    return {
        "name": f"{gate.name.partition('[')[0].strip()} [{segment_name(segment)}]" if is_each else gate.name,
        "limit": gate.limit,
        "verdict": verdict,
        "value": value,
        "limit_value": limit,
        "baseline": base,
        "n": row["n"] if row else 0,
        "segment": dict(segment),
        "seen": "–" if value is None else _shown(gate, value) + (f" ({row['of']})" if row and "of" in row else ""),
        "reason": reason,
    }
