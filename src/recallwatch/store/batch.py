"""The sources of one ingest: what is fine alone is committed at once, bad lines are judged over all that are named together."""

from __future__ import annotations

import os

from ..base.engine import Engine
from ..base.errors import InputError
from ..base.options import Reading
from ..base.remote import is_remote
from ..read.lines import OTHER
from ..read.paths import expand
from ..read.spans import TRACES
from ..scoring.acceptance import refuse_rejects
from . import marker
from .layout import Store
from .marker import Marker
from .parts import Ingested, Known, Outcome, failure_of, known_sources, look_at, see_vanished
from .snapshot import Snapshot, rejects_of


class Batch:
    """Outcomes on their way into a store; the caller holds the lock.

    Args:
        engine: reads rejects.
        store: where.
        reading: how many bad lines the logs may have.
        done: is told of each.
    """

    def __init__(self, engine: Engine, store: Store, reading: Reading, done: Ingested) -> None:
        self._engine, self._store, self._reading, self._done = engine, store, reading, done
        self._named: list[Marker] = []
        self._held: list[tuple[Outcome, Known]] = []

    def add(self, outcome: Outcome, before: Known) -> None:
        """Commit a source; one with many bad lines waits for the others, among which they may be few."""
        if one := outcome.marker or before.marker:
            self._named.append(one)
        if outcome.is_over:
            self._held.append((outcome, before))
        else:
            self._commit(outcome, before)

    def close(self) -> None:
        """Commit what waits, or note why not: by the rule and in the words of an evaluation of the same logs."""
        if not self._held:
            return
        together = Snapshot(self._store, tuple(self._named))
        rejects = rejects_of(self._engine, together)
        n_others = sum(row["n"] for row in rejects if row["reason"] == OTHER)  # a marker does not count them
        try:
            refuse_rejects(rejects, together.n_all + n_others, self._reading)
        except InputError as error:
            self._done.failed |= {outcome.source: str(error) for outcome, _ in self._held}
        else:
            for outcome, before in self._held:
                self._commit(outcome, before)

    def _commit(self, outcome: Outcome, before: Known) -> None:
        done, one = self._done, outcome.marker
        if one is not None:
            marker.write(self._store, one)
        if one is None and (outcome.is_empty or before.marker is None):
            done.empty.append(outcome.source)
            return
        if one is None or not outcome.is_read:
            done.unchanged.append(outcome.source)
            return
        (done.new if before.marker is None else done.changed).append(outcome.source)
        if not one.n_events and one.log_format in {entry.name for entry in TRACES}:
            done.without_recalls.append(outcome.source)
        done.n_events, done.n_rejects = done.n_events + one.n_events, done.n_rejects + one.n_rejects
        if n_left := sum(max(n - one.days.get(day, 0), 0) for day, n in (before.marker.days if before.marker else {}).items()):
            done.left[outcome.source] = n_left


def ingest_files(engine: Engine, store: Store, sources: list[str], reading: Reading, *, forget: bool = False) -> Ingested:
    """Commit every file that is new or changed, one after the other; the caller holds the lock.

    A file that cannot be read is named in ``failed``, and the others go on.
    """
    done = Ingested()
    known, batch = known_sources(store), Batch(engine, store, reading, done)
    spelled = {os.path.realpath(source): source for source in known if not is_remote(source)}
    for path in expand(sources, kind="log"):
        source = str(path) if is_remote(str(path)) else spelled.get(os.path.realpath(path), str(path.resolve()))
        before = known.get(source, Known())
        try:
            batch.add(look_at(engine, store, source, reading, before), before)
        except (InputError, FileNotFoundError) as error:
            done.failed[source] = failure_of(source, error)
    batch.close()
    see_vanished(store, done, forget=forget)
    return done
