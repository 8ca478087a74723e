"""Recorder: the object of the application that opens recalls and counts the recorded ones."""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
import random
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from opentelemetry import metrics, trace

from ..base.errors import UsageError
from .hits import Hits, hits_of
from .recall import Recall
from .writer import Writer

FORMATS = ("jsonl", "parquet")
OPERATIONS = ("retrieval", "search_memory", "rerank")
DROPPED = "recallwatch.record.dropped"  # counter, {event}: recalls the recorder's file lost
LOG = logging.getLogger("recallwatch.record")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Counts:
    """What became of the recalls.

    Args:
        recalls: opened since the start of this recorder, in this process.
        written: lines handed to the operating system.
        sampled_out: left out by ``sample``.
        dropped: lost: the queue or the disk was full, or the recorder closed.
        failed: errors inside the recorder that the host never saw.
    """

    recalls: int
    written: int
    sampled_out: int
    dropped: int
    failed: int


def query_hash(text: str, key: bytes = b"") -> str:
    """The id of a query whose text is not recorded; labels join by it as ``query_id``.

    Args:
        text: the query; NFC and with white space collapsed, as labels join by text.
        key: a secret of up to 64 bytes: without it common queries can be guessed from their hashes.
    """
    normal = " ".join(unicodedata.normalize("NFC", text).split())
    return "q-" + hashlib.blake2b(normal.encode("utf-8", "replace"), key=key, digest_size=16).hexdigest()


class Recorder:
    """Records recalls as spans (OpenTelemetry API) and as JSON lines in files of its own.

    No method raises into the host once the recorder is made, and none waits for the disk.

    Args:
        folder: where the files go; None = spans only.
        text: record query texts and contents too; off: a query without ``query_id`` gets the hash of its text.
        hash_key: secret of that hash.
        sample: share of recalls that is recorded, 0..1; below 1 every event has it as the attribute ``sampling_rate``.
        operation: retrieval, search_memory or rerank.
        tenant_id, variant, index_version, data_source_id: of every recall that does not say otherwise.
        queue_size: events that may wait for the disk; one more is dropped and counted.
        flush_seconds: the longest an event waits: a killed process loses at most the events of this time.
        rotate_mb, rotate_seconds: size (MB) and age (s) at which a file is closed and renamed.
        fsync: never, rotate or always.
        format: of closed files: jsonl, or parquet (needs pyarrow; made on the recorder's own thread).

    Raises:
        UsageError: a value out of range.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        text: bool = False,
        hash_key: bytes = b"",
        sample: float = 1.0,
        operation: str = "retrieval",
        tenant_id: str | None = None,
        variant: str | None = None,
        index_version: str | None = None,
        data_source_id: str | None = None,
        queue_size: int = 10_000,
        flush_seconds: float = 0.2,
        rotate_mb: float = 64,
        rotate_seconds: float = 3600,
        fsync: str = "rotate",
        format: str = "jsonl",
    ) -> None:
        if format not in FORMATS:
            raise UsageError(f"unknown format {format!r}", where="Recorder", fix=f"Known: {', '.join(FORMATS)}")
        _check(sample=sample, operation=operation, queue_size=queue_size, flush_seconds=flush_seconds, fsync=fsync)
        self.text, self.hash_key, self.sample = text, hash_key, sample
        given = {"tenant_id": tenant_id, "variant": variant, "index_version": index_version, "data_source_id": data_source_id}
        self.defaults: dict[str, Any] = {"operation": operation, **{k: str(v) for k, v in given.items() if v is not None}}
        self.tracer = trace.get_tracer("recallwatch.record")
        self.writer: Writer | None = None
        if folder is not None:
            self.writer = Writer(
                Path(folder),
                queue_size=queue_size,
                flush_seconds=flush_seconds,
                rotate_bytes=int(rotate_mb * 1e6),
                rotate_seconds=rotate_seconds,
                fsync=fsync,
                format=format,
            )
        self._recalls = self._sampled_out = self._failed = 0
        self._has_unnamed = False
        self._lost = metrics.get_meter("recallwatch.record").create_counter(
            DROPPED, unit="{event}", description="recalls not written"
        )

    def recall(self, query: str | None = None, *, top_k: int | None = None, **fields: Any) -> Recall:
        """A recall that begins when it is entered; ``with`` and ``async with``.

        Args:
            query: the query text.
            top_k: requested number of results.
            fields: columns of the event (query_id, query_class, tenant_id, session_id, variant, index_version,
                data_source_id, operation, cache_hit, input_tokens, output_tokens, cost_usd); others become attributes.
        """
        self._recalls += 1
        is_sampled = self.sample >= 1 or random.random() < self.sample  # noqa: S311 -- a sample, no secret
        if not is_sampled:
            self._sampled_out += 1
        return Recall(self, query, top_k, fields, is_sampled=is_sampled)

    def watch(
        self, *, query: str | None = None, top_k: str | None = None, hits: Callable[[Any], Hits] = hits_of, **fields: Any
    ) -> Callable[[Function], Function]:
        """Decorate a search function, plain or async: each call is a recall.

        Args:
            query: name of the parameter that holds the query; None = the first (after ``self``).
            top_k: name of the parameter with the requested number of results; None = ``top_k`` or ``k`` where there is one.
            hits: ids and scores of what the function returns.
            fields: as for :meth:`recall`.
        """

        def decorate(function: Function) -> Function:
            arguments = functools.partial(_arguments, inspect.signature(function), query, top_k)

            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def watched_async(*args: Any, **kwargs: Any) -> Any:
                    text, k = arguments(args, kwargs)
                    async with self.recall(text, top_k=k, **fields) as recall:
                        result = await function(*args, **kwargs)
                        recall.hits(result, hits)
                    return result

                return watched_async  # type: ignore[return-value]  # the same call, watched

            @functools.wraps(function)
            def watched(*args: Any, **kwargs: Any) -> Any:
                text, k = arguments(args, kwargs)
                with self.recall(text, top_k=k, **fields) as recall:
                    result = function(*args, **kwargs)
                    recall.hits(result, hits)
                return result

            return watched  # type: ignore[return-value]  # the same call, watched

        return decorate

    def take(self, event: dict[str, Any]) -> None:
        """An event that is over, to the file."""
        if self.writer is not None and not self.writer.put(event):
            self._lost.add(1)

    def failed(self, error: BaseException) -> None:
        """Count an error of the recorder and log the first; it never reaches the host."""
        self._failed += 1
        if self._failed == 1:
            LOG.warning("a recall is not recorded as it should be (%s: %s)", type(error).__name__, error)

    def unnamed(self) -> None:
        """Log once that results came without ids: they keep their place and can never be relevant."""
        if not self._has_unnamed:
            self._has_unnamed = True
            LOG.warning(
                "results without an id are recorded as unknown, and count as not relevant; hits=… can say where the id stands"
            )

    def query_id(self, text: str) -> str:
        """The hash used in place of a text."""
        return query_hash(text, self.hash_key)

    @property
    def counts(self) -> Counts:
        """Numbers of recalls by outcome; exact while one thread records."""
        writer = self.writer
        written, dropped = (writer.written, writer.dropped) if writer else (0, 0)
        return Counts(self._recalls, written, self._sampled_out, dropped, self._failed)

    def flush(self) -> None:
        """Hand everything recorded so far to the operating system."""
        if self.writer is not None:
            self.writer.flush()

    def close(self) -> None:
        """Flush, and give the file its final name. Called at exit by itself."""
        if self.writer is not None:
            self.writer.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _arguments(signature: inspect.Signature, query: str | None, top_k: str | None, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Query and top_k of a call; None where unknown. The function itself raises the error of a wrong call."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None, None
    bound.apply_defaults()
    names = [name for name in bound.arguments if name not in ("self", "cls")]
    text = bound.arguments.get(query or (names[0] if names else ""))
    k = bound.arguments.get(top_k or next((name for name in ("top_k", "k", "limit") if name in bound.arguments), ""))
    return text, k


def _check(*, sample: float, operation: str, queue_size: int, flush_seconds: float, fsync: str) -> None:
    if not 0 <= sample <= 1:
        raise UsageError(f"sample must be a share 0..1, saw {sample}", where="Recorder")
    if operation not in OPERATIONS:
        raise UsageError(f"unknown operation {operation!r}", where="Recorder", fix=f"Known: {', '.join(OPERATIONS)}")
    if queue_size < 1 or flush_seconds <= 0:
        raise UsageError(f"queue_size and flush_seconds must be above 0, saw {queue_size}, {flush_seconds}", where="Recorder")
    if fsync not in ("never", "rotate", "always"):
        raise UsageError(f"unknown fsync {fsync!r}", where="Recorder", fix="Known: never, rotate, always")
