"""The results of the last run, kept in the store: where nothing is new, the next run takes them from there and computes nothing."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..base import sqlfiles
from ..base.errors import InputError, RecallwatchError
from ..base.files import sha256_of
from ..base.remote import is_remote
from ..base.version import code_hash
from ..read.paths import expand
from ..report.night import Night
from ..store import open_store
from ..store.layout import ACCEPTED, Store, read_json, write_json
from ..store.lock import writing_if_free
from ..store.snapshot import digest, take
from .configuration import Config

FIELDS = ("evaluation", "drift", "sides", "gates", "marks", "notes", "explained", "stills")
WRITTEN = ("labels/current.json", "database.json")  # by a run itself: how the store was last scored, what recall.duckdb shows


class LastNight:
    """One file in a store's aggregates/. A broken or missing one is no error: the night is computed.

    Args:
        config: of the run.
        moment: of the run.
    """

    def __init__(self, config: Config, moment: dt.datetime) -> None:
        self._config, self._moment = config, moment
        self._store = open_store(config.store) if config.store else None
        self._inputs = self._inputs_now()
        self._night: Night | None = None
        self._text = ""

    def or_else(self, compute: Callable[[], Night]) -> Night:
        """The kept night where everything it follows from is as it was; else the computed one."""
        self._night = self._kept() or compute()
        return self._night

    def keep(self) -> None:
        """Keep the night for the next run, unless something it follows from changed meanwhile, or it tells of a change itself."""
        night, store = self._night, self._store
        if night is None or store is None or not self._inputs or night.evaluation.get("relabelled") or self._is_ahead(night):
            return
        text = json.dumps({name: getattr(night, name) for name in FIELDS})
        if text == self._text or self._inputs_now() != self._inputs:
            return
        head = {"sql": sqlfiles.sql_hash(), "labels": night.sides.get("labels_hash")}  # for the removal of outdated files
        kept = {
            "head": head,
            "key": self._key(store),
            "ran_at": self._moment.isoformat(),
            "night": text,
            "sha256": _hash(text.encode()),
        }
        with suppress(RecallwatchError), writing_if_free(store) as is_writer:
            if is_writer:
                write_json(_place(store), kept)

    def _kept(self) -> Night | None:
        store = self._store
        if store is None or not self._inputs:
            return None
        try:
            kept = read_json(_place(store))
            ran_at = dt.datetime.fromisoformat(kept["ran_at"])
            text = str(kept["night"])
            if kept["key"] != self._key(store) or kept["sha256"] != _hash(text.encode()) or ran_at > self._moment:
                return None
            row: dict[str, Any] = json.loads(text)
            self._text = text
            outputs = self._config.outputs
            return Night(
                **row, title=outputs.title, trace_url=outputs.trace_url, timezone=self._config.timezone, ran_at=self._moment
            )
        except (InputError, KeyError, TypeError, ValueError):
            return None

    def _is_ahead(self, night: Night) -> bool:
        """Whether a recall is later than the run: which window is judged then depends on the hour."""
        newest = night.evaluation["read"]["period"]["to"]
        return newest is not None and dt.datetime.fromisoformat(newest) > self._moment

    def _key(self, store: Store) -> str:
        return digest([self._inputs, str(store.database.exists()), *(_content(store.path(name)) for name in WRITTEN)])

    def _inputs_now(self) -> str:
        """Digest of what a night follows from, and no run writes after reading the logs; empty = it cannot be told.

        Raises:
            InputError: a part of the store is damaged; a label file cannot be read.
        """
        config, store = self._config, self._store
        profile = config.read.get("profile")
        files = [*config.labels, *([profile] if isinstance(profile, str) else [])]
        if store is None or any(map(is_remote, files)):
            return ""
        take(store)  # says what is damaged
        given = [f"{path} {sha256_of(path)}" for path in expand(files, kind="label")] if files else []
        commits = [f"{name} {_hash(data)}" for name, data in store.contents("commits", ".json").items()]
        words = [config.model_dump_json(), _content(store.path(ACCEPTED)), code_hash(), sqlfiles.sql_hash()]
        return digest([*words, *given, *commits])


def _place(store: Store) -> Path:
    return store.path("aggregates/night.json")


def _content(path: Path) -> str:
    """Name and digest of a small file; empty where there is none."""
    return f"{path.name} {_hash(path.read_bytes())}" if path.exists() else ""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
