"""The recording of a sweep: the calls recorded already, and recording one more."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..base.held import hold
from ..record import Recall, Recorder, hits_of
from ..testing.harness import Case, awaited, within
from .grid import Call, Variant, value_of

Key = tuple[str, str, str]  # variant, run_id, query


@dataclass
class Tally:
    """Outcomes of a variant's calls, over all repeats.

    Args:
        calls: recorded.
        errors: what was raised -> how often; such a call counts as nothing returned.
        short, repeated, unknown: calls with fewer ids than requested, with an id twice, with a null id.
        disagreeing: queries that repeats answered differently.
    """

    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    short: int = 0
    repeated: int = 0
    unknown: int = 0
    disagreeing: set[str] = field(default_factory=set)


class Recording:
    """Everything recorded in a folder so far: the calls that need not be run again.

    Args:
        folder: of the sweep.
    """

    def __init__(self, folder: Path) -> None:
        self.logs = folder / "recalls"
        self.tallies: dict[str, Tally] = {}
        self.done: set[Key] = set()
        self._first: dict[tuple[str, str], int] = {}
        for path in sorted(self.logs.glob("*.jsonl*")):
            for line in path.read_bytes().splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):  # the last line of a process that was killed
                    self._read(json.loads(line))

    def _read(self, event: Mapping[str, Any]) -> None:
        query = str(event.get("query_id") or event["query_text"])
        self.take(
            (event["variant"], event["attributes"]["run_id"], query),
            event.get("ranked_ids", []),
            event.get("top_k"),
            event.get("error_type"),
        )

    def take(self, key: Key, ids: list[str | None], top_k: int | None, error: str | None) -> None:
        """Count one call; an error is no answer that could disagree."""
        variant, _, query = key
        tally = self.tallies.setdefault(variant, Tally())
        self.done.add(key)
        tally.calls += 1
        if error is not None:
            tally.errors[error] += 1
            return
        named = [i for i in ids if i is not None]
        tally.short += top_k is not None and len(ids) < top_k
        tally.unknown += len(named) < len(ids)
        tally.repeated += len(set(named)) < len(named)
        if self._first.setdefault((variant, query), hash(tuple(ids))) != hash(tuple(ids)):
            tally.disagreeing.add(query)


def ask(
    recorder: Recorder, recording: Recording, call: Call, variant: Variant, case: Case, *, run_id: str, timeout: float | None
) -> None:
    """One call, recorded also when it fails; interrupted from the keyboard, it leaves nothing."""
    fields = {name: value_of(value) for name, value in variant.params.items() if name != "top_k" and value is not None}
    ids: list[str | None] = []
    failed = None
    try:
        with recorder.recall(
            case.query, top_k=call.top_k, query_id=case.query_id, query_class=case.query_class, variant=variant.name, run_id=run_id, **fields
        ) as recall:  # fmt: skip
            try:
                hits = hits_of(within(timeout, lambda query: search_with(call, query, recall), case.query))
            except (KeyboardInterrupt, SystemExit):
                recall.discard()
                raise
            recall.results(hits.ids, hits.scores)
            ids = hits.ids
    except Exception as error:
        failed = type(error).__name__
    recording.take((variant.name, run_id, case.key), ids, call.top_k, failed)


def search_with(call: Call, query: str, recall: Recall | None) -> Any:
    """The search, timed as stage ``search`` unless it times its own stages."""
    if call.takes_recall:
        return settled(call.search(query, **call.more, recall=recall))
    with recall.stage("search") if recall is not None else contextlib.nullcontext():
        return settled(call.search(query, **call.more))


def settled(result: Any) -> Any:
    """The result of a plain or an async search; in a notebook, where a loop runs already, on a thread beside it."""
    if not inspect.isawaitable(result):
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(awaited(result))
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, awaited(result)).result()


def warm(call: Call, cases: list[Case], n: int, timeout: float | None) -> None:
    """Calls that are not recorded, to warm connections, caches and compilers. Their errors are ignored: a recorded call meets them again."""
    with Recorder() as silent:
        for i in range(n):
            with contextlib.suppress(Exception):
                recall = silent.recall(cases[i % len(cases)].query)
                within(timeout, lambda query, recall=recall: search_with(call, query, recall), cases[i % len(cases)].query)  # type: ignore[misc]  # a default binds it


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One sweep at a time in a folder.

    Raises:
        UsageError: another one is at work.
    """
    with (folder / "sweep.lock").open("a") as lock:
        try:
            hold(lock.fileno())
        except OSError as error:
            raise UsageError("another sweep is at work in it", where=str(folder), fix="Wait, or name another folder") from error
        yield
