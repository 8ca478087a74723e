"""webhook.json: a run as a small JSON event for any other service: what it decided, and the first rows behind it."""

from __future__ import annotations

from typing import Any

from ..base.verdicts import MOVED
from ..base.version import TOOL
from ..document.outputs import json_text
from .night import Night

EVENT = "recallwatch.run"
NAMES = (
    *("family", "metric", "k", "stage", "quantile", "segment"),
    *("reference", "current", "effect", "unit", "p_value", "verdict", "reason"),
)


def render(night: Night) -> str:
    """Verdict, sentence, gates, and findings that moved; names and values are those of report.json."""
    window = night.drift["current"] if night.drift else {"from": None, "to": None}
    moved = [row for row in (night.drift or {}).get("findings") or [] if row["verdict"] in MOVED]
    event = {
        **_head(night.title, night.verdict, night.headline),
        "state": night.state,
        "window": {"from": window["from"], "to": window["to"]},
        "period": dict(night.evaluation["read"]["period"]),
        "recalls": night.evaluation["counts"]["events"],
        "gates": [{name: gate[name] for name in ("name", "limit", "seen", "verdict")} for gate in night.gates],
        "findings": [{name: row[name] for name in NAMES} for row in moved],
    }
    return json_text(event)


def _head(title: str, verdict: str, headline: str) -> dict[str, Any]:
    return {"event": EVENT, "tool": dict(TOOL), "title": title, "verdict": verdict, "headline": headline}


def failed(title: str, reason: str) -> str:
    """The event of a run without a result."""
    return json_text(_head(title, "error", reason))
