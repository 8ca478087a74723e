"""Daily sums that are still valid: a JSON index, day -> fingerprint of its parts and the file of its sums."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from ..base.engine import Engine, quoted
from ..base.errors import InputError
from .layout import Store, read_json, stored, write_json

CHUNK = 2_000_000  # events that are worked on at once; days are never split
LARGE = 300_000  # a day of this many events is processed alone, without a filter by day


class Dated(Protocol):
    """Days that something is computed of: a snapshot's own, or a calendar's."""

    @property
    def days(self) -> Mapping[str, Any]:
        """Their names, in order."""

    def inputs(self, day: str) -> str:
        """Of the parts that hold a day's events: equal = what was computed from them still holds."""

    def n_events(self, day: str) -> int:
        """Events stored for it, duplicates included."""


class Cache:
    """One index of a store's aggregates/. A broken or missing one is no error: its days are computed again.

    Args:
        store: where.
        name: of the index; its key is part of it, so that another definition has another index.
        is_writer: whether this process has the lock; else new files go to the engine's temporary folder.
    """

    def __init__(self, engine: Engine, store: Store, name: str, *, is_writer: bool) -> None:
        self.store, self.name, self.is_writer, self._engine = store, name, is_writer, engine
        self.folder = store.path("aggregates") if is_writer else engine.folder
        self.days: dict[str, dict[str, Any]] = {}
        self.prints: dict[str, str] = {}  # day -> what its labels say (label_days.py)
        self.head: dict[str, Any] = {}
        try:
            stored = read_json(self.path)
            self.days, self.head = dict(stored["days"]), dict(stored["head"])
        except (InputError, KeyError, TypeError, ValueError):
            pass

    @property
    def path(self) -> Path:
        """The index file."""
        return self.store.path(f"aggregates/{self.name}.json")

    def missing(self, dated: Dated) -> list[str]:
        """Days whose entry does not hold any more, or whose file is gone; entries of other days are left out."""
        sizes = self.sizes(self.days)
        self.days = {day: entry for day, entry in self.days.items() if day in dated.days and holds(entry, sizes, dated.inputs(day))}
        return [day for day in dated.days if day not in self.days]

    def sizes(self, days: Mapping[str, Any]) -> dict[str, int]:
        """Bytes of the files of some days' entries that are there."""
        files = [str(entry["file"]) for entry in days.values() if isinstance(entry, dict) and entry.get("file")]
        own = {name: Path(name).stat().st_size for name in files if Path(name).is_absolute() and Path(name).exists()}
        shared = self.store.sizes(f"aggregates/{name}" for name in files if name not in own)
        return own | {name.removeprefix("aggregates/"): size for name, size in shared.items()}

    def put(self, engine: Engine, day: str, dated: Dated, select: str | None, **facts: Any) -> None:
        """Keep a day's result (SQL of it; None = nothing to keep)."""
        self.days[day] = {"inputs": dated.inputs(day), "labels": self.prints.get(day), "file": None, "size": 0, **facts}
        if select is not None:
            with self._written(day) as target:
                engine.write(select, target, what=f"writing {day}-{self.name}")

    def put_days(self, engine: Engine, days: Sequence[str], dated: Dated, select: str) -> None:
        """The same of several days at once: SQL of their rows, the day of each in the column ``rw_day``. One pass makes all files."""
        folder = engine.folder / f"{days[0]}-{self.name}"
        if len(days) > 1:
            engine.run(
                f"copy ({select}) to {quoted(str(folder))} (format parquet, compression zstd, partition_by (rw_day))",
                what=f"writing {self.name}",
            )
        for day in days:
            match list(folder.glob(f"rw_day={day}/*")):
                case [made]:
                    self.put(engine, day, dated, None)
                    with self._written(day) as target:
                        shutil.copyfile(made, target)
                case _:  # a day alone, without rows, or of more than one file
                    self.put(engine, day, dated, f"select * exclude (rw_day) from ({select}) where rw_day = {quoted(day)}")
        shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _written(self, day: str) -> Iterator[Path]:
        """The file of a day to write into, which its entry then names."""
        entry = self.days[day]
        path = self.folder / f"{day}-{self.name}-{entry['inputs'][:12]}.parquet"
        with stored(path) if self.is_writer else nullcontext(path) as target:
            yield target
            size = target.stat().st_size
        entry |= {"file": path.name if self.is_writer else str(path), "size": size}

    def save(self) -> None:
        """The index in one step; only a writer does."""
        if self.is_writer:
            write_json(self.path, {"days": dict(sorted(self.days.items())), "head": self.head})

    def files(self, days: Iterable[str]) -> list[str]:
        """Paths of the days' files, which the engine can read."""
        paths = [self._file(self.days[day]["file"]) for day in days if self.days[day]["file"] is not None]
        self.store.reach(self._engine, paths)
        return paths

    def _file(self, name: str) -> str:
        return name if Path(name).is_absolute() else str(self.store.path(f"aggregates/{name}"))


def holds(entry: dict[str, Any], sizes: dict[str, int], inputs: str) -> bool:
    """Whether a day's file is there and was computed of the parts that the day has now."""
    try:
        return bool((entry["file"] is None or sizes.get(entry["file"]) == entry["size"]) and entry["inputs"] == inputs)
    except (KeyError, TypeError):
        return False


def chunks(days: list[str], dated: Dated) -> Iterator[list[str]]:
    """Days in runs of about CHUNK events."""
    chunk: list[str] = []
    size = 0
    for day in days:
        n = dated.n_events(day)
        if chunk and (size + n > CHUNK or n >= LARGE or (size >= LARGE and len(chunk) == 1)):
            yield chunk
            chunk, size = [], 0
        chunk, size = [*chunk, day], size + n
    if chunk:
        yield chunk
