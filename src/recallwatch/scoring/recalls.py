"""The walk from a source to the view `recalls`: read, accept, once, join. Whatever judges single recalls comes by here.

Where recalls come from (logs, a store) says how each step is done; the order of the steps, and what they refuse, is here alone.
Options must be bound (:func:`recallwatch.scoring.readout.at_work`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.options import Reading
from ..base.tracing import Steps
from ..read import Logs, map_labels, read_label_table, read_labels
from .label_join import join_labels
from .meeting import refuse_unmet
from .plan import Plan, paths_of
from .unread import refuse_unread


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


@dataclass(frozen=True)
class Recalls:
    """What was met on the way to the view `recalls`.

    Args:
        logs: names and attributes of the logs.
        labels: where the labels came from; "" = there are none.
        rejects: by reason, the most frequent first.
        duplicates: number of duplicate events.
    """

    logs: Logs
    labels: str
    rejects: list[dict[str, Any]]
    duplicates: int


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


def join(engine: Engine, logs: Logs) -> None:
    """`events_once` and `labels` -> `recalls`."""
    join_labels(engine, log_columns=set(logs.names.values()), facts=logs.facts)


def take_labels(engine: Engine, labels: Any, reading: Reading) -> str:
    """The caller's labels -> the table `labels`; returns their form.

    Raises:
        UsageError: nothing given.
        InputError: labels out of contract.
    """
    if labels is None:
        raise UsageError("no labels given", where="--labels", fix="Name the file that says which ids should come back")
    sources = paths_of(labels)
    if sources is not None:
        form = read_labels(engine, sources, mapped=dict(reading.mapped))
    else:
        form = "table"
        engine.register("given_labels", labels)
        read_label_table(engine, "given_labels", mapped=dict(reading.mapped))
    if reading.profile is not None:
        map_labels(engine, reading.profile)
    return form
