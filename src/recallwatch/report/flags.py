"""What a chart marks: windows that a verdict flags, and the days on which something changed."""

from __future__ import annotations

from ..base.verdicts import MOVED, gravest
from .night import Night


def verdicts(night: Night, *, stage: str | None = None, metric: str | None = None, family: str = "quality") -> dict[str, str]:
    """Window start -> verdict on a stage, or on a metric of a family at its tested k: the gravest of fail, warn and improved, else empty."""
    family, verdict_of = family if stage is None else "latency", {}
    for window in (night.drift or {}).get("windows") or []:
        findings = [f for f in window["findings"] if f["family"] == family and not f["segment"]]
        seen = {f["verdict"] for f in findings if (f["stage"] == stage if stage is not None else f["metric"] == metric)}
        verdict_of[window["current"]["from"]] = gravest(seen & set(MOVED)) if seen & set(MOVED) else ""
    return verdict_of


def all_marks(night: Night) -> list[dict[str, str]]:
    """Vertical lines of a trend: changes of index, variant and labels, and change points."""
    marks = [{"at": str(mark["at"]), "text": str(mark["text"])} for mark in night.marks]
    points = (night.drift or {}).get("change_points") or []
    return marks + [{"at": point["at"], "text": f"change point of {point['metric']}"} for point in points]
