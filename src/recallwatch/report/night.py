"""One run as every output tells it: the result, what moved, the gates, what changed. All outputs read this and nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..base.verdicts import MOVED, gravest
from ..scoring.document import column_name
from .wall_time import in_wall_time

WORDS = {
    "fail": "Something broke",
    "warn": "Worth a look",
    "insufficient": "Too little data",
    "improved": "Better than before",
    "ok": "All well",
}


@dataclass(frozen=True)
class Night:
    """What a run found.

    Args:
        evaluation: the JSON of an evaluation, with its ``queries``.
        drift: the JSON of a comparison; None = nothing to compare with, and ``notes`` say why.
        sides: what :class:`~recallwatch.report.window_sides.SideReader` found.
        gates: decided gates, in the order of the configuration.
        changes: what is different from the run before, one sentence each.
        marks: changes of labels, index or variant: ``at``, ``kind``, ``text``.
        notes: what a reader must know before the numbers.
        title: of the page.
        trace_url: template of a link with ``{trace_id}``; None = no links.
        timezone: IANA name, of the windows.
    """

    evaluation: Mapping[str, Any]
    drift: Mapping[str, Any] | None = None
    sides: Mapping[str, Any] = field(default_factory=dict)
    gates: Sequence[Mapping[str, Any]] = ()
    changes: Sequence[str] = ()
    marks: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    title: str = "recallwatch"
    trace_url: str | None = None
    timezone: str = "UTC"

    @cached_property
    def local(self) -> Night:
        """As people of its time zone read it; made once for all outputs."""
        if self.timezone == "UTC":
            return self
        parts: dict[str, Any] = {"evaluation": self.evaluation, "drift": self.drift, "sides": self.sides}
        parts |= {"marks": list(self.marks), "notes": list(self.notes)}
        return dataclasses.replace(self, **in_wall_time(parts, self.timezone))

    @property
    def verdict(self) -> str:
        """The gravest of drift and gates."""
        return gravest([gate["verdict"] for gate in self.gates] + ([self.drift["verdict"]] if self.drift else []))

    @property
    def headline(self) -> str:
        """The sentence read first: what moved, since when, by how much, where; else what the gates say."""
        drift = self.drift
        if drift is not None and (drift["verdict"] in MOVED or not self.failed):
            return short(drift["headline"])
        return self.gate_sentence or (self.notes[0] if self.notes else "Nothing to compare with.")

    @property
    def failed(self) -> list[Mapping[str, Any]]:
        """Gates that fail."""
        return [gate for gate in self.gates if gate["verdict"] == "fail"]

    @property
    def gate_sentence(self) -> str:
        """How many gates fail, and the first of them; empty where none does."""
        if not self.failed:
            return ""
        told = "; ".join(f"{gate['name']} {gate['seen']} (wanted {gate['limit']})" for gate in self.failed[:3])
        return f"{len(self.failed)} of {len(self.gates)} gates fail: {told}{'; …' if len(self.failed) > 3 else ''}."

    @property
    def state(self) -> str | None:
        """new, ongoing or recovered: how this window's findings stand to the window before."""
        states = {found["state"] for found in self.drift["findings"]} if self.drift else set()
        return next((state for state in ("new", "ongoing", "recovered") if state in states), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of a run: every number the other outputs show."""
        return {
            "tool": dict(self.evaluation["tool"]),
            "verdict": self.verdict,
            "headline": self.headline,
            "state": self.state,
            "gates": [dict(gate) for gate in self.gates],
            "changes": list(self.changes),
            "marks": [dict(mark) for mark in self.marks],
            "notes": list(self.notes),
            "evaluation": dict(self.evaluation),
            "drift": dict(self.drift) if self.drift else None,
            "sides": dict(self.sides),
        }


def short(text: str) -> str:
    """A sentence with dates instead of midnights in UTC."""
    return text.replace("T00:00:00Z", "")


def headline_columns(evaluation: Mapping[str, Any]) -> list[str]:
    """The columns a page leads with: recall, precision, nDCG at the deepest k, MRR; what there is of them."""
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for row in evaluation["metrics"]:
        if row["window"] is None and not row["segment"]:
            seen.setdefault(row["metric"], []).append(row)
    lead = [metric for metric in ("recall", "ndcg", "mrr", "precision") if metric in seen] or list(seen)[:1]
    return [
        column_name(max(seen[metric], key=lambda row: (row["k"] is not None and not row["truncated"], row["k"] or 0)))
        for metric in lead
    ]


def segment_name(segment: Mapping[str, Any]) -> str:
    """``lookup`` or ``lookup · acme``; (none) where a value was not logged."""
    return " · ".join("(none)" if value is None else str(value) for value in segment.values()) or "all"
