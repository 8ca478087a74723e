"""The recorder's file and the trace an OpenTelemetry SDK exports hold the same events."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opentelemetry import baggage, context
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from recording import bare, events_of, lines_in

from recallwatch.record import Recorder, query_hash


class Host:
    """An application with a recorder, and an SDK that exports its spans to a file."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.logs, self.trace = folder / "recalls", folder / "spans.jsonl"
        self.provider = TracerProvider(resource=Resource({"service.name": "memory"}), shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(self.trace)))
        self.recorder = Recorder(self.logs, **options)
        self.recorder.tracer = self.provider.get_tracer("recallwatch.record")

    def both(self, folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The events of the file and of the trace."""
        self.recorder.close()
        self.provider.shutdown()
        assert self.recorder.counts.failed == 0
        return events_of(self.logs, folder, max_rejects=0.5), events_of(self.trace, folder, max_rejects=0.5)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A host that records texts too."""
    made = Host(tmp_path, text=True, tenant_id="acme", variant="hybrid", index_version="v7", data_source_id="memories")
    yield made
    made.recorder.close()


def test_every_column_is_the_same(host: Host, tmp_path: Path) -> None:
    """What a host can tell of a recall arrives alike by file and by trace, each duration to the microsecond."""
    recorder = host.recorder
    with recorder.recall("where  do I work?", top_k=3, query_id="q1", query_class="fact", session_id="s", city="Porto") as r:
        with r.stage("embed"):
            time.sleep(0.001)
        with r.stage("search"):
            time.sleep(0.002)
        with r.stage("search"):
            time.sleep(0.001)
        r.candidates(["acme", "portland", "python", "q3"])
        with r.stage("rerank"), r.stage("filter"):
            time.sleep(0.001)
        r.results(["acme", None, "python"], [0.5, math.nan, 0.25], ["one", None, "three"])
        r.set(input_tokens=12, output_tokens=3, cost_usd=0.00025, cache_hit=False, is_warm=True)
    with recorder.recall("nothing there", top_k=3) as r:
        r.results([])
    with recorder.recall("ids of numpy", tenant_id="other") as r:
        r.results(np.array([7, 8]), np.array([0.5, 0.25], dtype=np.float32))
    with recorder.recall("generated inside") as r:
        with r.stage("generate"):
            pass
        r.results(["a", "a"])
    with pytest.raises(LookupError), recorder.recall("broken") as r, r.stage("search"):
        raise LookupError("host")
    with recorder.recall("results never told"):
        pass
    file, trace = host.both(tmp_path)
    assert len(file) == 5
    assert bare(file) == bare(trace)
    for one, other in zip(file, trace, strict=True):
        assert dict(one["attributes"] or ()).items() <= dict(other["attributes"]).items()
    first = next(event for event in file if event["query_id"] == "q1")
    assert {name for name, _ in first["stage_ms"]} == {"embed", "search", "rerank", "filter"}
    assert first["candidate_ids"] == ["acme", "portland", "python", "q3"]
    assert first["scores"] == [0.5, None, 0.25]
    assert ("city", "Porto") in first["attributes"] and ("is_warm", "true") in first["attributes"]
    broken = next(event for event in file if event["status"] == "error")
    assert (broken["error_type"], broken["ranked_ids"]) == ("LookupError", [])


def test_memory_operation_and_a_parent(tmp_path: Path) -> None:
    """A memory search inside the host's own span keeps the host's trace, and speaks the memory convention."""
    host = Host(tmp_path, operation="search_memory", text=True)
    with host.provider.get_tracer("host").start_as_current_span("request") as parent:
        with host.recorder.recall("where?") as r, r.stage("search"):
            r.results(["m1"], [0.5])
        trace_id = f"{parent.get_span_context().trace_id:032x}"
    file, trace = host.both(tmp_path)
    assert bare(file) == bare(trace)
    assert (file[0]["trace_id"], file[0]["operation"]) == (trace_id, "search_memory")


def test_async_tasks_and_baggage(tmp_path: Path) -> None:
    """Recalls of concurrent tasks do not mix; tenant, class and session come from baggage unless the recall says them."""
    host = Host(tmp_path, tenant_id="default")

    @host.recorder.watch(query_class="fact")
    async def search(query: str, k: int = 2) -> list[dict[str, Any]]:
        await asyncio.sleep(0.001)
        return [{"id": f"{query}-{n}", "score": 1 / (n + 1)} for n in range(k)]

    async def of(tenant: str) -> None:
        token = context.attach(baggage.set_baggage("tenant.id", tenant, baggage.set_baggage("session.id", "s" + tenant)))
        await search(tenant)
        async with host.recorder.recall(tenant, tenant_id="named") as r:
            async with r.stage("search"):
                await asyncio.sleep(0)
            r.results([tenant])
        context.detach(token)

    async def main() -> None:
        await asyncio.gather(*(of(name) for name in "abc"))

    asyncio.run(main())
    file, trace = host.both(tmp_path)
    assert bare(file) == bare(trace)
    watched = sorted((e for e in file if e["query_class"]), key=lambda e: e["tenant_id"])
    assert [(e["tenant_id"], e["session_id"], e["ranked_ids"], e["top_k"]) for e in watched] == [
        (name, "s" + name, [f"{name}-0", f"{name}-1"], 2) for name in "abc"
    ]
    assert sorted(e["tenant_id"] for e in file if not e["query_class"]) == ["named"] * 3


def test_text_is_off_by_default(tmp_path: Path) -> None:
    """Without ``text`` no query text and no content leaves the host, by file or by trace; the hash joins to labels."""
    host = Host(tmp_path)
    with host.recorder.recall("a secret  question") as r:
        r.results(["m1"], texts=["a secret content"])
    file, trace = host.both(tmp_path)
    assert bare(file) == bare(trace)
    assert file[0]["query_id"] == query_hash(" a secret question")
    assert query_hash("a", b"key") != query_hash("a")
    written = host.trace.read_text() + "".join(p.read_text() for p in host.logs.iterdir())
    assert "secret" not in written


def test_a_dropped_trace_still_has_ids_of_its_own(tmp_path: Path) -> None:
    """Without an SDK each recall is an event of its own, also two in one process, and ids are hex as a trace has them."""
    with Recorder(tmp_path) as recorder:
        for _ in range(2):
            with recorder.recall("q") as r:
                r.results(["a"])
    one, other = lines_in(tmp_path)
    assert (one["trace_id"], one["span_id"]) != (other["trace_id"], other["span_id"])
    assert len(one["trace_id"]) == 32 and len(one["span_id"]) == 16
