"""One run as every output shows it: the result, what moved, the gates, what changed. All outputs read this and nothing else."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from ..base.verdicts import MOVED, gravest
from .wall_time import in_wall_time

WORDS = {
    "fail": "Something broke",
    "warn": "Worth a look",
    "insufficient": "Too little data",
    "improved": "Better than before",
    "ok": "All well",
}
ALARMING = ("fail", "warn")  # what is said first, whatever the judged window says


@dataclass(frozen=True)
class Night:
    """The results of one run.

    Args:
        evaluation: the JSON of an evaluation, with its ``queries``.
        drift: the JSON of a comparison; None = nothing to compare with, and ``notes`` say why.
        sides: the tables of :class:`~recallwatch.report.window_sides.SideReader`.
        gates: decided gates, in the order of the configuration.
        changes: what is different from the run before, one sentence each.
        marks: changes of labels, index or variant: ``at``, ``kind``, ``text``.
        notes: what a reader must know before the numbers.
        skipped: windows between the last run's and this one's, which no run judged, oldest first: ``window``, ``verdict``, ``headline``.
        freshness: findings of the run itself (no new recalls, a log that stopped): ``verdict``, ``headline``.
        explained: the JSON of :func:`recallwatch.explain` of each query that the page names.
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
    skipped: Sequence[Mapping[str, Any]] = ()
    freshness: Sequence[Mapping[str, Any]] = ()
    explained: Sequence[Mapping[str, Any]] = ()
    title: str = "recallwatch"
    trace_url: str | None = None
    timezone: str = "UTC"

    @cached_property
    def local(self) -> Night:
        """As people of its time zone read it; made once for all outputs."""
        if self.timezone == "UTC":
            return self
        parts: dict[str, Any] = {"evaluation": self.evaluation, "drift": self.drift, "sides": self.sides}
        parts |= {name: list(getattr(self, name)) for name in ("marks", "notes", "skipped", "freshness")}
        return dataclasses.replace(self, **in_wall_time(parts, self.timezone))

    @cached_property
    def places(self) -> dict[str, str]:
        """Query, as the page names it -> the id of the element that explains it."""
        names = [result["queries"][0]["query_id"] or result["queries"][0]["query_text"] for result in self.explained]
        return {str(name): f"why-{number}" for number, name in enumerate(names, 1)}

    @property
    def verdict(self) -> str:
        """The gravest of drift, gates, skipped windows and freshness."""
        return gravest([self.own_verdict, *(row["verdict"] for row in (*self.skipped, *self.freshness))])

    @property
    def own_verdict(self) -> str:
        """The gravest of drift and gates: the verdict on the current window alone."""
        return gravest([gate["verdict"] for gate in self.gates] + ([self.drift["verdict"]] if self.drift else []))

    @property
    def headline(self) -> str:
        """The sentence read first: what moved, since when, by how much, where; else what skipped windows, freshness or gates say."""
        if self.own_verdict in ALARMING or not self.alerts:
            return self.own_headline
        is_broken = any(row["verdict"] in ALARMING for row in self.skipped)
        return f"{self.alerts[-1 if is_broken else 0]} {self.own_headline}"

    @property
    def alerts(self) -> list[str]:
        """What a reader must not miss beside the judged window: freshness, then the windows that no run judged."""
        sentences = [str(row["headline"]) for row in self.freshness]
        broken = [row for row in self.skipped if row["verdict"] in ALARMING]
        if self.skipped:
            of = f"of the {len(self.skipped)} windows since the last run that no run judged"
            each = "; ".join(f"{short(row['window'])} {row['verdict']}: {short(row['headline']).rstrip('.')}" for row in broken)
            sentences.append(f"{len(broken) or 'None'} {of} fail{'' if len(broken) > 1 else 's'}{f': {each}' if each else ''}.")
        return sentences

    @property
    def own_headline(self) -> str:
        """The sentence on the current window alone."""
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
        examples = "; ".join(f"{gate['name']} {gate['seen']} (wanted {gate['limit']})" for gate in self.failed[:3])
        return f"{len(self.failed)} of {len(self.gates)} gates fail: {examples}{'; …' if len(self.failed) > 3 else ''}."

    @property
    def state(self) -> str | None:
        """new, ongoing or recovered: how this window's findings stand to the window before."""
        states = {finding["state"] for finding in self.drift["findings"]} if self.drift else set()
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
            "skipped": [dict(row) for row in self.skipped],
            "freshness": [dict(row) for row in self.freshness],
            "evaluation": dict(self.evaluation),
            "drift": dict(self.drift) if self.drift else None,
            "sides": dict(self.sides),
            "explained": [dict(row) for row in self.explained],
        }


def trace_link(template: str | None, trace_id: str | None) -> str | None:
    """The link of a trace; None where there is no template, or one of another scheme than http and https."""
    if not trace_id or not template or not re.match(r"https?://", template):
        return None
    return template.replace("{trace_id}", quote(trace_id, safe=""))


def short(text: str) -> str:
    """A sentence with dates instead of midnights in UTC."""
    return text.replace("T00:00:00Z", "")
