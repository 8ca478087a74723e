"""The source of recalls: logs or a store, detected from the caller's value. See :class:`~recallwatch.evaluation.walk.Source`."""

from __future__ import annotations

from typing import Any

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.options import Reading
from ..read import Logs, read_carried_labels, read_log_table, read_logs
from ..read.log_labels import by_record, take_own_labels
from ..read.selection import selected
from ..scoring.acceptance import accept, drop_duplicates
from ..scoring.plan import Plan, paths_of
from ..scoring.recalls import take_labels
from ..store import open_store
from ..store.layout import Store, is_store
from ..store.source import StoredRecalls


class LoggedRecalls:
    """The recalls of logs.

    Args:
        given: path, folder, glob or a list of them; or an Arrow table or stream, Polars frame, DuckDB relation.
        empty_ok: whether traces without any recall are accepted.
    """

    home = None
    _read: Logs
    _is_selected = False

    def __init__(self, given: Any, *, empty_ok: bool = False) -> None:
        self._given, self._empty_ok = given, empty_ok

    def read(self, engine: Engine, labels: Any, reading: Reading, *, must: bool = False) -> tuple[Logs, str]:
        """The relation `normalised`; labels are those given, else those the logs carry."""
        form = take_labels(engine, labels, reading) if labels is not None else ""
        self._read = self._logs(engine, reading)
        form = form or take_own_labels(engine, paths_of(self._given), self._read, reading.mapped)
        form = form or (read_carried_labels(engine, self._read) if must or self._read.labels is not None else "")
        if not form:
            engine.file("2_judge/no_labels.sql")
        elif labels is None:
            self._read = by_record(engine, self._read)
        return self._read, form

    def accept(self, engine: Engine, plan: Plan) -> list[dict[str, Any]]:
        """Refuses what :func:`~recallwatch.scoring.acceptance.accept` refuses."""
        if not self._is_selected:
            self._read, self._is_selected = selected(engine, self._read, plan.period.where), True
        return accept(engine, self._read, plan.reading, plan.period, needs_time=plan.needs_time)

    def once(self, engine: Engine) -> int:
        """By the hashes of the events' ids, where they have ids of their own."""
        return drop_duplicates(engine, has_ids=self._read.has_ids)

    def _logs(self, engine: Engine, reading: Reading) -> Logs:
        paths = paths_of(self._given)
        if paths is None:
            engine.register("given_logs", self._given)
            return read_log_table(engine, "given_logs", mapped=reading.mapped)
        return read_logs(
            engine, paths, log_format=reading.log_format, mapped=reading.mapped, profile=reading.profile, empty_ok=self._empty_ok
        )


Either = LoggedRecalls | StoredRecalls


def source_of(given: Any, folder: Any = None) -> Either:
    """The source a caller named: logs; or a store, by ``folder`` or by its folder in place of logs.

    Raises:
        UsageError: both, neither, or a store among other paths.
    """
    if (given is None) == (folder is None):
        raise UsageError("name logs, or a store, not both", where="logs", fix="Name LOGS… or the folder of a store")
    if folder is not None:
        return StoredRecalls(folder if isinstance(folder, Store) else open_store(folder))
    paths = paths_of(given) or []
    stores = [path for path in paths if is_store(path)]
    if stores and len(paths) > 1:
        raise UsageError("a store stands for itself", where=stores[0], fix="Name the store alone, or only logs")
    return StoredRecalls(open_store(stores[0])) if stores else LoggedRecalls(given)
