"""One recall in progress: collects what the host reports, and writes a span and an event at its end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, Any, Protocol

from opentelemetry import baggage, context, trace

from .hits import Hits, as_id, as_score, hits_of, validity_of
from .shape import BAGGAGE, CANDIDATES, COLUMNS, MEMORY, NUMBERS, RECORDED, RETRIEVAL, STAGE, as_text, stage_ms, to_length

if TYPE_CHECKING:
    from types import TracebackType


class Host(Protocol):
    """The part of the recorder that a recall needs."""

    text: bool
    sample: float
    defaults: dict[str, Any]
    tracer: trace.Tracer
    writer: Any  # of its file; None = there is none

    def take(self, event: dict[str, Any]) -> None:
        """An event that is over."""

    def failed(self, error: BaseException) -> None:
        """An error of ours."""

    def unnamed(self) -> None:
        """Results without an id."""

    def query_id(self, text: str) -> str:
        """The hash used in place of a text."""


class Recall:
    """One recall; made by :meth:`Recorder.recall`, used as ``with`` or ``async with``, from any thread."""

    __slots__ = (
        "_attributes", "_candidates", "_columns", "_fields", "_hits", "_is_sampled", "_perf", "_query", "_recorder", "_span",
        "_stages", "_token", "_us",
    )  # fmt: skip

    def __init__(self, recorder: Host, query: Any, top_k: Any, fields: dict[str, Any], *, is_sampled: bool) -> None:
        self._recorder, self._query, self._is_sampled = recorder, query, is_sampled
        self._fields = fields if top_k is None else {**fields, "top_k": top_k}
        self._columns: dict[str, Any] = dict(recorder.defaults)
        self._attributes: dict[str, str] = {}
        self._hits: Hits | None = None
        self._candidates: list[str | None] | None = None
        self._stages: list[tuple[str, int, int]] = []
        self._span: trace.Span | None = None
        self._token: Any = None
        self._us = self._perf = 0

    def __enter__(self) -> Recall:
        try:
            if self._is_sampled:
                self._open()
        except Exception as error:
            self._recorder.failed(error)
        return self

    def _open(self) -> None:
        self._us, self._perf = time_ns() // 1000, perf_counter_ns()
        span = self._recorder.tracer.start_span(self._columns["operation"], start_time=self._us * 1000)
        self._span = span
        if span.is_recording():  # without an SDK no span can be nested
            self._token = context.attach(trace.set_span_in_context(span))
        carried = baggage.get_all()
        if carried:
            for column, names in BAGGAGE.items():
                value = next((carried[name] for name in names if name in carried), None)
                if value is not None:
                    self.set(**{column: str(value)})
        if self._fields:
            self.set(**self._fields)

    def now(self) -> int:
        """Microseconds since 1970 by a clock that never goes back within a recall."""
        return self._us + (perf_counter_ns() - self._perf) // 1000

    def set(self, **fields: Any) -> None:
        """Columns of the event by name (None = not known); any other name becomes an attribute."""
        try:
            for name, value in fields.items():
                if value is None:
                    continue
                if name in COLUMNS:
                    self._columns[name] = NUMBERS.get(name, str)(value)
                else:
                    self._attributes[name] = as_text(value)
        except Exception as error:
            self._recorder.failed(error)

    def results(self, ids: Iterable[Any], scores: Any = None, texts: Any = None, **validity: Iterable[Any] | None) -> None:
        """The list handed to the consumer, best first; [] = an empty result; ``valid_from``, ``valid_to``: of each. Without results no event."""
        try:
            self._attributes |= validity_of(**validity)
            self._hits = Hits(
                [as_id(i) for i in ids],
                None if scores is None else [as_score(s) for s in scores],
                None if texts is None else [None if t is None else str(t) for t in texts],
            )
        except Exception as error:
            self._recorder.failed(error)

    def hits(self, found: Any, read: Callable[[Any], Hits] = hits_of) -> None:
        """The results as the retriever returned them, of any shape :func:`hits_of` knows."""
        try:
            self._hits = read(found)
        except Exception as error:
            self._recorder.failed(error)

    def candidates(self, ids: Iterable[Any]) -> None:
        """The list before reranking, best first."""
        try:
            self._candidates = [as_id(i) for i in ids]
        except Exception as error:
            self._recorder.failed(error)

    def stage(self, name: str) -> Stage:
        """A part of the recall whose time is measured: embed, search, rerank or any name."""
        return Stage(self, name)

    def discard(self) -> None:
        """Record nothing of this recall: it was broken off, and neither answered nor failed."""
        self._is_sampled = False
        try:
            if self._token is not None:
                context.detach(self._token)
            if self._span is not None:
                self._span.end()
        except Exception as error:
            self._recorder.failed(error)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._is_sampled or self._span is None:
            return
        try:
            if self._token is not None:
                context.detach(self._token)
            self._close(self.now(), kind)
        except Exception as ours:
            self._recorder.failed(ours)

    async def __aenter__(self) -> Recall:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.__exit__(kind, error, tb)

    def _close(self, end: int, kind: type[BaseException] | None) -> None:
        recorder, span, columns = self._recorder, self._span, self._columns
        assert span is not None  # noqa: S101 -- __exit__ asked
        query = None if self._query is None else str(self._query)
        if query is not None and not recorder.text:
            if "query_id" not in columns:
                columns["query_id"] = recorder.query_id(query)
            query = None
        if self._hits is not None and None in self._hits.ids:
            recorder.unnamed()
        if recorder.sample < 1:
            self._attributes["sampling_rate"] = repr(recorder.sample)
        error_type = None if kind is None else kind.__name__
        is_recording = span.is_recording()
        if is_recording:
            self._tell_span(span, query, error_type)
            span.end(end_time=end * 1000)
        if recorder.writer is not None:
            recorder.take(self._event(query, end, error_type, span.get_span_context(), is_recording=is_recording))

    def _event(self, query: str | None, end: int, error_type: str | None, at: Any, *, is_recording: bool) -> dict[str, Any]:
        """The event as a flat log has it, without unknown values."""
        event = {
            "timestamp": self._us,
            "trace_id": f"{at.trace_id:032x}" if at.trace_id else os.urandom(16).hex(),
            "span_id": f"{at.span_id:016x}" if is_recording else os.urandom(8).hex(),
            **self._columns,
            "total_ms": (end - self._us) / 1000,
            "status": "ok" if error_type is None else "error",
        }
        if query is not None:
            event["query_text"] = query
        if error_type is not None:
            event["error_type"] = error_type
        if self._stages:
            event["stage_ms"] = stage_ms(self._stages)
        if self._candidates is not None:
            event["candidate_ids"] = self._candidates
        if self._attributes:
            event["attributes"] = self._attributes
        return self._with_hits(event)

    def _with_hits(self, event: dict[str, Any]) -> dict[str, Any]:
        hits = self._hits
        if hits is None:
            if event["status"] == "error":
                event["ranked_ids"] = []
            return event
        event["ranked_ids"] = hits.ids
        if hits.scores and any(s is not None for s in hits.scores):
            event["scores"] = to_length(hits.scores, len(hits.ids))
        if self._recorder.text and hits.texts and any(t is not None for t in hits.texts):
            event["texts"] = to_length(hits.texts, len(hits.ids))
        return event

    def _tell_span(self, span: trace.Span, query: str | None, error_type: str | None) -> None:
        names = MEMORY if self._columns["operation"] == "search_memory" else RETRIEVAL
        attributes: dict[str, Any] = {COLUMNS[name]: value for name, value in self._columns.items()}
        attributes[RECORDED] = "stages"
        if query is not None:
            attributes[names["query"]] = query
        if self._hits is not None:
            attributes[names["documents"]] = self._documents(self._hits)
        if self._candidates is not None:
            attributes[CANDIDATES] = json.dumps([{"id": i} for i in self._candidates])
        if error_type is not None:
            attributes["error.type"] = error_type
            span.set_status(trace.StatusCode.ERROR)
        span.set_attributes({**self._attributes, **attributes})

    def _documents(self, hits: Hits) -> str:
        scores = to_length(hits.scores or [], len(hits.ids))
        texts = to_length(hits.texts or [], len(hits.ids)) if self._recorder.text else [None] * len(hits.ids)
        documents = [
            {"id": i, **({} if s is None else {"score": s}), **({} if t is None else {"content": t})}
            for i, s, t in zip(hits.ids, scores, texts, strict=True)
        ]
        return json.dumps(documents, ensure_ascii=False)

    def began(self, name: str) -> tuple[int, trace.Span | None, Any]:
        """A stage begins: its time, and a child span where an SDK listens."""
        if not self._is_sampled or self._span is None:
            return 0, None, None
        start = self.now()
        if not self._span.is_recording():
            return start, None, None
        inside = trace.set_span_in_context(self._span)
        span = self._recorder.tracer.start_span(name, context=inside, start_time=start * 1000, attributes={STAGE: name})
        return start, span, context.attach(trace.set_span_in_context(span))

    def ended(self, name: str, start: int, span: trace.Span | None, token: Any, kind: type[BaseException] | None) -> None:
        """A stage is over, well or not."""
        if not start:
            return
        end = self.now()
        self._stages.append((name, start, end))
        if span is not None:
            context.detach(token)
            if kind is not None:
                span.set_attribute("error.type", kind.__name__)
                span.set_status(trace.StatusCode.ERROR)
            span.end(end_time=end * 1000)

    def failed(self, error: BaseException) -> None:
        """An error of ours, counted."""
        self._recorder.failed(error)


class Stage:
    """A part of a recall; ``with`` and ``async with``."""

    __slots__ = ("_name", "_recall", "_span", "_start", "_token")

    def __init__(self, recall: Recall, name: str) -> None:
        self._recall, self._name = recall, str(name)
        self._start, self._span, self._token = 0, None, None

    def __enter__(self) -> Stage:
        try:
            self._start, self._span, self._token = self._recall.began(self._name)  # type: ignore[assignment]  # None before
        except Exception as error:
            self._recall.failed(error)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            self._recall.ended(self._name, self._start, self._span, self._token, kind)
        except Exception as ours:
            self._recall.failed(ours)

    async def __aenter__(self) -> Stage:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.__exit__(kind, error, tb)
