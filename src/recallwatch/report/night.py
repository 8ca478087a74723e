"""One run as every output shows it: the result, what moved, the gates, what changed. All outputs read this and nothing else."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from ..base.verdicts import VERDICTS, gravest
from .wall_time import in_wall_time

WORDS = {
    "fail": "Something broke",
    "warn": "Worth a look",
    "insufficient": "Too little data",
    "improved": "Better than before",
    "ok": "All well",
}
ALARMING = ("fail", "warn")
UNJUDGED = "cannot be judged"  # begins the reason of a gate that counts although it was not judged
TROUBLE = (("fail", "fails", "fail"), ("warn", "warns", "warn"), ("insufficient", "has too little data", "have too little data"))


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
        ran_at: when; a window after it is of a wrong clock. None = windows of any time may be judged.
        stills: still pictures that were drawn of it, by what they show; a page adds its own.
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
    ran_at: dt.datetime | None = None
    stills: dict[str, str] = field(default_factory=dict)

    @property
    def window(self) -> str | None:
        """The window under test: that of the comparison, else the newest that had begun when it ran; None = everything."""
        if self.drift is not None:
            return str(self.drift["current"]["from"])
        starts = {row["window"] for name in ("metrics", "latency") for row in self.evaluation[name] if row["window"]}
        begun = [at for at in starts if self.ran_at and dt.datetime.fromisoformat(at) <= self.ran_at]
        return max(begun or starts, default=None)

    @cached_property
    def local(self) -> Night:
        """As people of its time zone read it; made once for all outputs."""
        if self.timezone == "UTC":
            return self
        parts: dict[str, Any] = {"evaluation": self.evaluation, "drift": self.drift, "sides": self.sides}
        parts |= {name: list(getattr(self, name)) for name in ("marks", "notes", "skipped", "freshness")}
        return dataclasses.replace(self, **in_wall_time(parts, self.timezone))

    @cached_property
    def places(self) -> dict[tuple[str, str | None], str]:
        """Query, as the page names it, and its tenant -> the id of the element that explains it."""
        found: dict[tuple[str, str | None], str] = {}
        for number, result in enumerate(self.explained, 1):
            names = [str(one["query_id"] or one["query_text"]) for one in result["queries"]]
            name = (
                result["asked"]["query"] if result["asked"]["query"] in names else names[0]
            )  # redacted: what was asked is hidden, an id may not be
            found.setdefault((name, result["asked"].get("tenant_id")), f"why-{number}")
        return found

    def place(self, row: Mapping[str, Any]) -> str | None:
        """The link to the explanation of a row's query; None where there is none."""
        place = self.places.get((str(row["query_id"] or row["query_text"]), row["tenant_id"]))
        return place and f"#{place}"

    @property
    def verdict(self) -> str:
        """The gravest of drift, gates, skipped windows and freshness."""
        rows = (*self.gates, *([self.drift] if self.drift else []), *self.skipped, *self.freshness)
        return gravest(row["verdict"] for row in rows)

    @property
    def headline(self) -> str:
        """The sentences read first, the gravest verdict's first, so that the verdict never rests on something they leave out."""
        sentences = [(str(row["verdict"]), str(row["headline"])) for row in self.freshness]
        sentences += [(gravest(row["verdict"] for row in self.skipped), self.skipped_sentence)] if self.skipped else []
        if self.drift is not None:
            sentences.append((str(self.drift["verdict"]), short(self.drift["headline"])))
        else:
            sentences.append(("insufficient", self.notes[0] if self.notes else "Nothing to compare with."))
        if self.gate_sentence:
            sentences.append((gravest(gate["verdict"] for gate in self.gates), self.gate_sentence))
        return " ".join(text for _, text in sorted(sentences, key=lambda one: VERDICTS.index(one[0])))

    @property
    def skipped_sentence(self) -> str:
        """How many windows no run had judged, and what is wrong with them."""
        verdicts = [row["verdict"] for row in self.skipped]
        counts = [f"{n} {text if n == 1 else texts}" for word, text, texts in TROUBLE if (n := verdicts.count(word))]
        broken = [row for row in self.skipped if row["verdict"] in ALARMING]
        each = "; ".join(f"{short(row['window'])} {row['verdict']}: {short(row['headline']).rstrip('.')}" for row in broken)
        these = "1 window" if len(verdicts) == 1 else f"{len(verdicts)} windows"
        return f"Before this window, {these} had been judged by no run, or got recalls since: {', '.join(counts) or 'none fails'}{each and '. '}{each}."

    @property
    def failed(self) -> list[Mapping[str, Any]]:
        """Gates that fail."""
        return [gate for gate in self.gates if gate["verdict"] == "fail"]

    @property
    def gate_sentence(self) -> str:
        """How many gates fail and warn, and the first of them; else how many cannot be judged; empty where all pass."""
        broken = [self._gates_that(*words) for words in TROUBLE[:2]]
        return " ".join(filter(None, broken)) or self._gates_that(*TROUBLE[2])

    def _gates_that(self, verdict: str, word: str, words: str) -> str:
        gates = [gate for gate in self.gates if gate["verdict"] == verdict]
        examples = "; ".join(map(_gate_text, gates[:3]))
        some = f"{len(gates)} of {len(self.gates)} gates {word if len(gates) == 1 else words}: {examples}"
        return f"{some}{'; …' if len(gates) > 3 else ''}." if gates else ""

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


def _gate_text(gate: Mapping[str, Any]) -> str:
    """What a gate saw; of one that could not be judged, why not."""
    is_judged = gate["verdict"] != "insufficient" and not str(gate.get("reason", "")).startswith(UNJUDGED)
    return f"{gate['name']} {gate['seen'] if is_judged else gate['reason']} (wanted {gate['limit']})"


def trace_link(template: str | None, trace_id: str | None) -> str | None:
    """The link of a trace; None where there is no template, or one of another scheme than http and https."""
    if not trace_id or not template or not re.match(r"https?://", template):
        return None
    return template.replace("{trace_id}", quote(trace_id, safe=""))


def short(text: str) -> str:
    """A sentence with dates instead of midnights in UTC."""
    return text.replace("T00:00:00Z", "")
