"""How fast logs become events: flat JSON lines with each line checked, OTLP/JSON lines with the spans behind each recall.

    python -m benchmarks.formats [--events 1000000] [--traces 25000] [--repeats 3] [--folder DIR]

`convert` of whole processes on 2 threads, less start-up (`convert` of three recalls); MB/s of the input's size, medians of
runs in turn. Beside the wall clock stands input per CPU second, times 2: what two cores of their own would give.
Below the table: CPU of `evaluate` over flat JSON lines, as a multiple of DuckDB's typed `read_json` of the same columns.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .evaluate import tiny
from .processes import Run, interleaved, machine, median, telemetry

STEPS: tuple[
    tuple[str, int | None, int, int, dict[str, Any]], ...
] = (  # name, parent, start and end in ms after the trace's start, attributes
    ("POST /chat", None, 0, 900, {"http.request.method": "POST", "url.path": "/chat", "http.response.status_code": 200}),
    ("agent", 0, 5, 890, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}),
    ("embed query", 1, 10, 18, {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "text-embedding-3-small"}),
    ("retrieve memories", 1, 20, 60, {"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "memories"}),
    (
        "SELECT memories",
        3,
        24,
        50,
        {"db.system.name": "postgresql", "db.query.text": "select id from memories order by embedding <=> $1"},
    ),
    ("authorise", 1, 62, 64, {"rpc.system": "grpc", "rpc.service": "auth", "rpc.method": "Check"}),
    ("chat", 1, 70, 880, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 900, "gen_ai.usage.output_tokens": 120}),
    ("GET /flags", 1, 65, 69, {"http.request.method": "GET", "server.address": "flags", "network.protocol.version": "1.1"}),
)


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """OTLP's list of keys and AnyValues."""
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}}
        for key, value in values.items()
    ]


def requests(traces: int, every: int) -> Iterator[str]:
    """One request a trace, eight spans each; one trace in ``every`` has a retrieval."""
    rng = random.Random(7)  # noqa: S311 - synthetic telemetry
    resource = attributes({"service.name": "assistant", "service.version": "1.4.2", "deployment.environment.name": "prod"})
    for number in range(traces):
        trace, ids = f"{rng.getrandbits(128):032x}", [f"{rng.getrandbits(64):016x}" for _ in STEPS]
        start = 1_790_000_000_000_000_000 + number * 1_000_000_000
        spans = []
        for (name, parent, begin, end, always), span in zip(STEPS, ids, strict=True):
            values = dict(always)
            if values.get("gen_ai.operation.name") == "retrieval":
                if number % every:
                    continue
                documents = [{"id": f"m{rng.randrange(10_000)}", "score": round(rng.random(), 6)} for _ in range(10)]
                values |= {"gen_ai.retrieval.query.text": f"question {number % 500}", "gen_ai.retrieval.top_k": 10}
                values |= {"gen_ai.retrieval.documents": json.dumps(documents)}
            spans.append({
                "traceId": trace, "spanId": span, "parentSpanId": "" if parent is None else ids[parent], "name": name, "kind": 1,
                "startTimeUnixNano": str(start + begin * 1_000_000), "endTimeUnixNano": str(start + end * 1_000_000),
                "attributes": attributes({**values, "thread.id": 7, "code.function.name": name}), "status": {},
            })  # fmt: skip
        yield json.dumps(
            {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [{"scope": {"name": "app"}, "spans": spans}]}]}
        )


def otlp(folder: Path, traces: int, every: int) -> Path:
    """A file of OTLP/JSON lines; made once a folder."""
    target = folder / f"otlp-{traces}-{every}.jsonl"
    if not target.exists():
        temporary = target.with_suffix(".tmp")
        with temporary.open("w") as out:
            out.writelines(line + "\n" for line in requests(traces, every))
        temporary.rename(target)
    return target


TYPED = """
import sys, duckdb
own = duckdb.connect(config={"threads": 2, "preserve_insertion_order": False})
texts = ("event_id", "timestamp", "query_id", "query_class", "tenant_id", "variant")
columns = {name: "VARCHAR" for name in texts} | {"ranked_ids": "VARCHAR[]", "scores": "DOUBLE[]", "stage_ms": "MAP(VARCHAR, DOUBLE)",
    "total_ms": "DOUBLE", "input_tokens": "BIGINT", "cost_usd": "DOUBLE", "cache_hit": "BOOLEAN"}
rows = "read_json($1, format = 'newline_delimited', columns = " + str(columns) + ")"
print(own.execute(f"select {', '.join(f'count({name})' for name in columns)}, sum(len(ranked_ids)) from {rows}", [sys.argv[1]]).fetchall())
"""


def typed_read(folder: Path) -> list[str | Path]:
    """The floor: DuckDB reads the same columns with their types, checks nothing and keeps nothing."""
    return [sys.executable, "-c", TYPED, f"{folder}/events/**/*.jsonl"]


def evaluation(folder: Path) -> list[str | Path]:
    """`evaluate` of the same lines."""
    return [
        sys.executable,
        "-m",
        "recallwatch",
        "evaluate",
        folder / "events",
        "--labels",
        folder / "labels.parquet",
        "--threads",
        "2",
        "-f",
        "json",
    ]


def command(logs: Path, out: Path) -> list[str | Path]:
    """`convert` to a file nobody keeps."""
    return [sys.executable, "-m", "recallwatch", "convert", logs, "-o", out, "--threads", "2"]


def table(sizes: dict[str, float], found: dict[str, list[Run]]) -> str:
    """Megabytes (10^6) a second of each input."""
    start = {figure: median(found["start-up"], figure) for figure in ("wall", "cpu")}
    lines = [f"{'':34}{'MB':>7}{'wall s':>9}{'cpu s':>9}{'MiB':>8}{'MB/s wall':>12}{'MB/cpu s x 2':>14}"]
    for name, runs in found.items():
        wall, cpu, peak = (median(runs, figure) for figure in ("wall", "cpu", "peak"))
        rates = (
            f"{sizes[name] / (wall - start['wall']):12.0f}{2 * sizes[name] / (cpu - start['cpu']):14.0f}" if name in sizes else ""
        )
        lines.append(f"{name:34}{sizes.get(name, 0):7.0f}{wall:9.2f}{cpu:9.2f}{peak:8.0f}{rates}")
    return "\n".join(lines)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--traces", type=int, default=25_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "recallwatch-benchmarks")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    out = given.folder / "formats.parquet"
    flat = telemetry(given.folder, given.events, form="jsonl")
    inputs = {
        "flat JSONL": flat / "events",
        "OTLP, every trace retrieves": otlp(given.folder, given.traces, 1),
        "OTLP, one trace in ten retrieves": otlp(given.folder, given.traces, 10),
    }
    commands = {"start-up": command(tiny(given.folder)[0], out)} | {name: command(path, out) for name, path in inputs.items()}
    sizes = {name: sum(f.stat().st_size for f in [path, *path.rglob("*")] if f.is_file()) / 1e6 for name, path in inputs.items()}
    print(machine())
    print(table(sizes, interleaved(commands, repeats=given.repeats)))
    found = interleaved({"typed read": typed_read(flat), "evaluate": evaluation(flat)}, repeats=given.repeats)
    floor, whole = (median(runs, "cpu") for runs in found.values())
    print(f"evaluate, flat JSONL: {whole:.2f} CPU s, {whole / floor:.1f} times the typed read_json ({floor:.2f})")


if __name__ == "__main__":
    main()
