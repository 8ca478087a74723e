"""The walk from a source to the view `recalls`: read, accept, once, join. Whatever judges single recalls comes by here.

Where recalls come from (logs, a store) says how each step is done; the order of the steps, and what they refuse, is here alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from ..base.engine import Engine
from ..base.options import Reading
from ..base.tracing import Steps
from ..read import Logs
from ..scoring.meeting import refuse_unmet
from ..scoring.plan import Plan, paths_of
from ..scoring.readout import at_work
from ..scoring.recalls import Recalls, join
from ..scoring.unread import refuse_unread
from ..store.snapshot import steadily
from .source import source_of


class Source(Protocol):
    """Where recalls come from. Both kinds answer the same questions, in this order, by the same relations."""

    @property
    def home(self) -> Any:
        """The store; None = logs."""

    def read(self, engine: Engine, labels: Any, reading: Reading, *, must: bool = False) -> tuple[Logs, str]:
        """The logs, and the table `labels`: the given ones, else the source's own; without rows where there are none.

        Returns:
            Names and attributes of what was read; where the labels came from, "" = there are none.

        Raises:
            UsageError: no labels, and there ``must`` be some.
            InputError: logs, labels or store out of contract.
        """

    def accept(self, engine: Engine, plan: Plan) -> list[dict[str, Any]]:
        """The views `events` (of the period, duplicates included), `source_rejects` and `source_firsts`; returns the rejects by reason."""

    def once(self, engine: Engine) -> int:
        """The view `events_once`; returns the number of duplicate events."""


def recalls(
    engine: Engine, source: Source, labels: Any, plan: Plan, steps: Steps, *, must_have_labels: bool = False, must_meet: bool = True
) -> Recalls:
    """The view `recalls` of a source, each event judged where it has a label.

    Args:
        engine: with its options bound.
        source: where recalls come from.
        labels: those a caller named; None = the source's own.
        plan: how they are read.
        steps: of the run.
        must_have_labels: no labels are an error, because nothing could be said without.
        must_meet: labels that speak of other queries or documents are an error.

    Raises:
        UsageError: no labels, where they must be there.
        InputError: logs, labels or store out of contract; no event in the period.
    """
    with steps("read"):
        logs, form = source.read(engine, labels, plan.reading, must=must_have_labels)
        if logs.are_few and plan.limits.threads is None:
            engine.run("set threads = 1")  # few rows are done before a second thread is awake
        rejects = source.accept(engine, plan)
    with steps("once"):
        duplicates = source.once(engine)
    if source.home is None or not plan.period:
        refuse_unread(engine, plan.reading, "normalised" if source.home is None else "events_once")
    events = Recalls(logs, form, rejects, duplicates)
    with steps("judge"):
        join(engine, logs)
        if logs.are_few:
            engine.file("2_judge/few_recalls.sql")
        if form and must_meet:
            refuse_unmet(engine, allow=plan.reading.allow_unmatched)
    return events


@contextmanager
def recalls_of(name: str, source: Source, labels: Any, plan: Plan, **must: bool) -> Iterator[tuple[Engine, Steps, Recalls]]:
    """An engine that holds the view `recalls` of a source, the steps of the run, and what was met on the way; ``name`` is the span's.

    The parameters are those of :func:`recalls`.
    """
    with at_work(plan, name) as (engine, steps):
        yield engine, steps, recalls(engine, source, labels, plan, steps, **must)


def _home(arguments: Mapping[str, Any]) -> Any:
    if "source" in arguments:
        return arguments["source"].home
    logs, store = arguments.get("logs"), arguments.get("store")
    if store is None and len(paths_of(logs) or ()) != 1:  # a store stands for itself: among many paths nothing is looked up
        return None
    return source_of(logs, store).home


on_one_state = steadily(_home)  # a function of logs or a store
