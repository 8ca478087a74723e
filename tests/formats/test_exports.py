"""What strangers' tools export, made by the tools' own libraries (EXPORTS.md): the right ids, without a flag."""

import re
from pathlib import Path

import pytest
from format_reading import found_in

FOLDER = Path(__file__).parent / "exports"
HELLO = [("hello", ["a", "b"])]
BOTH = [("hello", ["a", "b"]), ("nothing", [])]
# files that hold the same trace in another form stand in different rounds: together they are one trace
ROUNDS = [
    {
        "langchain_openinference.jsonl": BOTH,
        "haystack_openinference.jsonl": HELLO,
        "llama_index_openinference.jsonl": HELLO,
        "chroma_openllmetry.jsonl": [(None, ["a", "b"]), (None, ["a", "b"]), (None, ["b", "a"]), (None, [])],
        "langfuse_sdk.jsonl": HELLO * 2,
        "langfuse_page.json": HELLO,
        "langsmith_batch.jsonl": HELLO,
        "mlflow_search_traces.jsonl": HELLO,
        "clickhouse.jsonl": HELLO,
        "collector.pb": BOTH,
        "otlp_logs.jsonl": BOTH,
        "otel_console.txt": HELLO,
    },
    {
        "mlflow_search_traces.parquet": HELLO,
        "langsmith_runs.jsonl": HELLO,
        "clickhouse.parquet": HELLO,
        "collector_zstd.pb": BOTH,
        "collector_json.zst": BOTH,
    },
    {"mlflow_trace.json": HELLO, "clickhouse.json": HELLO, "otlp_request.pb": HELLO, "gateway_result.jsonl": BOTH},
    {"phoenix_get_spans.json": HELLO, "concatenated.json": BOTH},
    {"phoenix_page.json": HELLO},
    dict.fromkeys(
        (
            "azure_search.jsonl", "azure_search_sdk.jsonl", "bedrock_rag.jsonl", "bedrock_retrieve.jsonl", "braintrust.jsonl",
            "chroma_query.jsonl", "datadog.jsonl", "opik.jsonl", "vertex_rag.jsonl", "vertex_search.jsonl", "vertex_vector.jsonl", "vertex_vector_batch.jsonl",
            "weave.jsonl",
        ),
        BOTH,
    ),
    {"pg_dump.sql": BOTH},
    {"pg_copy.csv": BOTH, "chroma_query.parquet": BOTH, "qdrant_batch.jsonl": [("hello", ["1", "2"]), ("nothing", [])]},
]  # fmt: skip


@pytest.mark.parametrize("right", ROUNDS)
def test_ids_of_exports(right: dict[str, list[tuple[str | None, list[str]]]]) -> None:
    """Each query with its ranked ids; no reject, and other lines (spans that retrieve nothing) in Datadog's, Opik's, Braintrust's and Weave's alone."""
    found = found_in(*(FOLDER / name for name in right))
    assert {reject["reject_reason"] for reject in found.rejects} <= {"other_line"}
    events = sorted(found.events, key=lambda event: (str(event["timestamp"]), event["source_line"], event["event_id"]))
    read = {name: [(e["query_text"], e["ranked_ids"]) for e in events if Path(e["source"]).name == name] for name in right}
    assert read == right


def test_every_export_is_in_the_docs() -> None:
    """The page's table names each sample, and the samples are those that are tested."""
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    table = page[page.index("## Tested exports") :].partition("\n## ")[0]
    named = re.findall(r"^\| .*\| `([\w.]+)` \|", table, re.M)
    assert sorted(named) == sorted(path.name for path in FOLDER.iterdir()) == sorted(name for right in ROUNDS for name in right)
