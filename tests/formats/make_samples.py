"""One small file a format, written by a test into a folder: a retrieval of two documents with a chat after it, as each tool writes it."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SECOND = 1_000_000_000  # ns
START = 1_780_000_000 * SECOND  # 2026-05-28T20:26:40Z
TRACE, ROOT, SPAN, CHAT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203330", "b7ad6b7169203331", "b7ad6b7169203332"
DOCUMENTS = [{"id": "d1", "score": 0.75, "content": "one"}, {"id": "d2", "score": 0.5, "content": "two"}]


def iso(ms: int, zone: str = "Z") -> str:
    """The start plus some ms, ISO 8601."""
    return f"2026-05-28T20:26:40.{ms:03d}{zone}"


def ns(ms: int) -> int:
    """The start plus some ms, ns since 1970."""
    return START + ms * 1_000_000


def any_value(value: Any) -> dict[str, Any]:
    """OTLP's AnyValue of a text or number."""
    return {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}


def attributes(**values: Any) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": any_value(value)} for key, value in values.items()]


def otlp() -> Any:
    spans = [
        {"traceId": TRACE, "spanId": ROOT, "name": "turn", "startTimeUnixNano": str(ns(0)), "endTimeUnixNano": str(ns(900))},
        {
            "traceId": TRACE,
            "spanId": SPAN,
            "parentSpanId": ROOT,
            "name": "retrieval",
            "startTimeUnixNano": str(ns(10)),
            "endTimeUnixNano": str(ns(110)),
            "attributes": attributes(
                gen_ai__operation__name="retrieval",
                gen_ai__retrieval__query__text="q",
                gen_ai__retrieval__documents=json.dumps(DOCUMENTS),
            ),
        },
        {
            "traceId": TRACE,
            "spanId": CHAT,
            "parentSpanId": ROOT,
            "name": "chat",
            "startTimeUnixNano": str(ns(120)),
            "endTimeUnixNano": str(ns(820)),
            "attributes": attributes(
                gen_ai__operation__name="chat", gen_ai__usage__input_tokens=30, gen_ai__usage__output_tokens=5
            ),
        },
    ]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": attributes(service__name="memory")},
                "scopeSpans": [{"scope": {"name": "t"}, "spans": spans}],
            }
        ]
    }


def jaeger() -> Any:
    def span(name: str, me: str, start: int, end: int, tags: dict[str, str]) -> dict[str, Any]:
        return {
            "traceID": TRACE,
            "spanID": me,
            "operationName": name,
            "references": [] if me == ROOT else [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": ROOT}],
            "startTime": ns(start) // 1000,
            "duration": (end - start) * 1000,
            "processID": "p1",
            "logs": [],
            "tags": [{"key": k, "type": "string", "value": v} for k, v in tags.items()],
        }

    spans = [
        span("turn", ROOT, 0, 900, {}),
        span(
            "retrieval",
            SPAN,
            10,
            110,
            {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.retrieval.query.text": "q",
                "gen_ai.retrieval.documents": json.dumps(DOCUMENTS),
            },
        ),
        span(
            "chat",
            CHAT,
            120,
            820,
            {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "30", "gen_ai.usage.output_tokens": "5"},
        ),
    ]
    return {"data": [{"traceID": TRACE, "spans": spans, "processes": {"p1": {"serviceName": "memory", "tags": []}}}]}


def zipkin() -> list[Any]:
    """Jaeger's spans in Zipkin's words."""
    return [
        {
            "traceId": span["traceID"],
            "id": span["spanID"],
            **({"parentId": ROOT} if span["references"] else {}),
            "name": span["operationName"],
            "timestamp": span["startTime"],
            "duration": span["duration"],
            "localEndpoint": {"serviceName": "memory"},
            "tags": {tag["key"]: tag["value"] for tag in span["tags"]},
        }
        for span in jaeger()["data"][0]["spans"]
    ]


def otel_sdk() -> list[Any]:
    def span(name: str, me: str, start: int, end: int, values: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": name,
            "context": {"trace_id": "0x" + TRACE, "span_id": "0x" + me, "trace_state": "[]"},
            "kind": "SpanKind.INTERNAL",
            "parent_id": None if me == ROOT else "0x" + ROOT,
            "start_time": iso(start),
            "end_time": iso(end),
            "status": {"status_code": "UNSET"},
            "attributes": values,
            "events": [],
            "links": [],
            "resource": {"attributes": {"service.name": "memory"}},
        }

    return [
        span("turn", ROOT, 0, 900, {}),
        span(
            "retrieve",
            SPAN,
            10,
            110,
            {
                "openinference.span.kind": "RETRIEVER",
                "input.value": "q",
                **{f"retrieval.documents.{i}.document.{k}": v for i, d in enumerate(DOCUMENTS) for k, v in d.items()},
            },
        ),
        span(
            "chat",
            CHAT,
            120,
            820,
            {"openinference.span.kind": "LLM", "llm.token_count.prompt": 30, "llm.token_count.completion": 5},
        ),
    ]


def mlflow() -> Any:
    def span(name: str, me: str, start: int, end: int, values: dict[str, Any]) -> dict[str, Any]:
        return {
            "trace_id": TRACE,
            "span_id": me,
            "parent_span_id": "" if me == ROOT else ROOT,
            "name": name,
            "start_time_unix_nano": ns(start),
            "end_time_unix_nano": ns(end),
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "events": [],
            "attributes": {k: json.dumps(v) for k, v in values.items()},
        }

    found = [{"page_content": d["content"], "id": None, "metadata": {"doc_uri": d["id"], "score": d["score"]}} for d in DOCUMENTS]
    return {
        "info": {"trace_id": "tr-1", "tags": {"tenant": "t1"}, "trace_metadata": {}},
        "data": {
            "spans": [
                span("turn", ROOT, 0, 900, {"mlflow.spanType": "CHAIN"}),
                span(
                    "retrieve",
                    SPAN,
                    10,
                    110,
                    {"mlflow.spanType": "RETRIEVER", "mlflow.spanInputs": {"query": "q"}, "mlflow.spanOutputs": found},
                ),
                span(
                    "chat",
                    CHAT,
                    120,
                    820,
                    {
                        "mlflow.spanType": "CHAT_MODEL",
                        "mlflow.chat.tokenUsage": {"input_tokens": 30, "output_tokens": 5, "total_tokens": 35},
                    },
                ),
            ]
        },
    }


def langfuse() -> list[Any]:
    common = {"traceId": TRACE, "level": "DEFAULT", "metadata": '{"tenant": "t1"}'}
    return [
        {
            **common,
            "id": ROOT,
            "parentObservationId": None,
            "type": "SPAN",
            "name": "turn",
            "startTime": iso(0),
            "endTime": iso(900),
        },
        {
            **common,
            "id": SPAN,
            "parentObservationId": ROOT,
            "type": "RETRIEVER",
            "name": "retrieve",
            "startTime": iso(10),
            "endTime": None,
            "latency": 0.1,
            "input": json.dumps("q"),
            "output": json.dumps(
                [
                    {"pageContent": d["content"], "text": d["content"], "metadata": {"doc_id": d["id"], "score": d["score"]}}
                    for d in DOCUMENTS
                ]
            ),
        },
        {
            **common,
            "id": CHAT,
            "parentObservationId": ROOT,
            "type": "GENERATION",
            "name": "chat",
            "startTime": iso(120),
            "endTime": iso(820),
            "usageDetails": {"input": 30, "output": 5, "total": 35},
            "totalCost": 0.002,
        },
    ]


def langsmith() -> list[Any]:
    run = {"trace_id": ROOT, "extra": {"metadata": {"tenant": "t1"}}}
    found = [
        {"page_content": d["content"], "type": "Document", "id": d["id"], "metadata": {"score": d["score"]}} for d in DOCUMENTS
    ]
    return [
        {
            "post": [
                {
                    **run,
                    "id": SPAN,
                    "parent_run_id": ROOT,
                    "dotted_order": "1",
                    "run_type": "retriever",
                    "name": "retrieve",
                    "start_time": iso(10, ""),
                    "inputs": {"query": "q"},
                    "outputs": {},
                },
                {
                    **run,
                    "id": ROOT,
                    "dotted_order": "0",
                    "run_type": "chain",
                    "name": "turn",
                    "start_time": iso(0, ""),
                    "inputs": {},
                },
            ]
        },
        {
            "patch": [
                {"id": ROOT, "trace_id": ROOT, "dotted_order": "0", "end_time": iso(900, "")},
                {
                    "id": SPAN,
                    "trace_id": ROOT,
                    "parent_run_id": ROOT,
                    "dotted_order": "1",
                    "end_time": iso(110, ""),
                    "outputs": {"documents": found},
                },
            ]
        },
        {
            **run,
            "id": CHAT,
            "parent_run_id": ROOT,
            "run_type": "llm",
            "name": "chat",
            "start_time": iso(120, ""),
            "end_time": iso(820, ""),
            "inputs": {},
            "outputs": {},
            "prompt_tokens": 30,
            "completion_tokens": 5,
        },
    ]


def deepeval() -> Any:
    span = {
        "uuid": SPAN,
        "parentUuid": ROOT,
        "name": "retrieve",
        "status": "SUCCESS",
        "type": "retriever",
        "startTime": iso(10),
        "endTime": iso(110),
        "input": "q",
        "output": [d["content"] for d in DOCUMENTS],
        "topK": 2,
    }
    chat = {
        "uuid": CHAT,
        "parentUuid": ROOT,
        "name": "chat",
        "status": "SUCCESS",
        "type": "llm",
        "startTime": iso(120),
        "endTime": iso(820),
        "inputTokenCount": 30.0,
        "outputTokenCount": 5.0,
    }
    root = {"uuid": ROOT, "name": "turn", "status": "SUCCESS", "type": "base", "startTime": iso(0), "endTime": iso(900)}
    return {"uuid": TRACE, "baseSpans": [root], "agentSpans": [], "llmSpans": [chat], "retrieverSpans": [span], "toolSpans": []}


def clickhouse() -> pa.Table:
    rows = [
        (ROOT, "", "turn", 0, 900, {}),
        (
            SPAN,
            ROOT,
            "retrieval",
            10,
            110,
            {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.retrieval.query.text": "q",
                "gen_ai.retrieval.documents": json.dumps(DOCUMENTS),
            },
        ),
        (
            CHAT,
            ROOT,
            "chat",
            120,
            820,
            {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "30", "gen_ai.usage.output_tokens": "5"},
        ),
    ]
    kind = pa.map_(pa.string(), pa.string())
    return pa.table(
        {
            "Timestamp": pa.array([ns(row[3]) for row in rows], pa.timestamp("ns")),
            "TraceId": [TRACE] * 3,
            "SpanId": pa.array([bytes.fromhex(row[0]) for row in rows], pa.binary()),
            "ParentSpanId": pa.array([bytes.fromhex(row[1]) for row in rows], pa.binary()),
            "SpanName": [row[2] for row in rows],
            "Duration": pa.array([(row[4] - row[3]) * 1_000_000 for row in rows], pa.uint64()),
            "StatusCode": ["STATUS_CODE_UNSET"] * 3,
            "SpanAttributes": pa.array([list(row[5].items()) for row in rows], kind),
            "ResourceAttributes": pa.array([[("service.name", "memory")]] * 3, kind),
            "Events.Name": pa.array([[]] * 3, pa.list_(pa.string())),
            "Events.Attributes": pa.array([[]] * 3, pa.list_(kind)),
        }
    )


def phoenix() -> pa.Table:
    found = [{f"document.{key}": value for key, value in document.items()} for document in DOCUMENTS]
    return pa.table(
        {
            "context.trace_id": [TRACE] * 3,
            "context.span_id": [ROOT, SPAN, CHAT],
            "parent_id": [None, ROOT, ROOT],
            "name": ["turn", "retrieve", "chat"],
            "span_kind": ["CHAIN", "RETRIEVER", "LLM"],
            "start_time": pa.array([ns(0), ns(10), ns(120)], pa.timestamp("ns", "UTC")),
            "end_time": pa.array([ns(900), ns(110), ns(820)], pa.timestamp("ns", "UTC")),
            "status_code": ["OK", "OK", "OK"],
            "attributes.input.value": [None, "q", None],
            "attributes.retrieval.documents": [None, found, None],
            "attributes.llm.token_count.prompt": [None, None, 30],
            "attributes.llm.token_count.completion": [None, None, 5],
        }
    )


TEXT = {
    "otlp": otlp,
    "jaeger": jaeger,
    "zipkin": zipkin,
    "otel_sdk": otel_sdk,
    "mlflow": mlflow,
    "langfuse": langfuse,
    "langsmith": langsmith,
    "deepeval": deepeval,
}
TABLES = {"clickhouse": clickhouse, "phoenix": phoenix}
FLAT = {  # one record of each profile that comes with the tool
    "pgmnemo": {"qid": "q1", "question": "q", "retrieved_top10": ["d1", "d2"], "ground_truth": ["d1"]},
    "mempalace": {"sample_id": "s", "category": "c", "question": "q", "evidence": ["D1:3"], "retrieved_ids": ["d1", "d2"]},
    # LLMObsSpanEvent of ddtrace 4.16 (ddtrace/llmobs/_event_types.py, types.py)
    "datadog": {
        "span_id": "1",
        "trace_id": "t",
        "parent_id": "undefined",
        "tags": ["env:dev"],
        "name": "kb",
        "start_ns": ns(10),
        "duration": 100_000_000,
        "status": "ok",
        "meta": {
            "span": {"kind": "retrieval"},
            "input": {"value": "q"},
            "output": {"documents": [{**d, "text": "x"} for d in DOCUMENTS]},
        },
        "metrics": {},
    },
    # SpanPublic of opik 2.2 with the documents that LangChain's retriever returns
    "opik": {
        "id": "019",
        "project_id": "p",
        "trace_id": "t",
        "name": "VectorStoreRetriever",
        "type": "tool",
        "start_time": iso(10),
        "end_time": iso(110),
        "input": {"query": "q"},
        "output": {
            "documents": [{"id": None, "metadata": {"doc_id": d["id"]}, "page_content": "x", "type": "Document"} for d in DOCUMENTS]
        },
        "created_at": iso(200),
        "last_updated_at": iso(200),
        "created_by": "me",
        "last_updated_by": "me",
    },
    # a call of weave 0.54 (weave/trace/call.py) of an op of kind search
    "weave": {
        "id": "c1",
        "project_id": "e/p",
        "op_name": "weave:///e/p/op/kb:1",
        "trace_id": "t",
        "parent_id": None,
        "started_at": iso(10),
        "ended_at": iso(110),
        "attributes": {"weave": {"kind": "search", "client_version": "0.54.0"}},
        "inputs": {"query": "q"},
        "output": ["d1", "d2"],
        "summary": {},
    },
    # a retriever of braintrust 0.48's LangChain callbacks (integrations/langchain/callbacks.py)
    "braintrust": {
        "id": "b1",
        "span_id": "s",
        "root_span_id": "t",
        "span_parents": [],
        "created": iso(10),
        "span_attributes": {"name": "Retriever", "type": "function"},
        "input": "q",
        "output": [{"id": d["id"], "metadata": {}, "page_content": "x", "type": "Document"} for d in DOCUMENTS],
        "metrics": {"start": 1_780_000_000.01, "end": 1_780_000_000.11},
    },
    # ubi_queries of the schema of User Behavior Insights 1.3
    "ubi": {
        "application": "shop",
        "query_id": "u1",
        "client_id": "me",
        "user_query": "q",
        "timestamp": iso(10),
        "query_attributes": {},
        "query_response_id": "r",
        "query_response_hit_ids": ["d1", "d2"],
    },
    # _search of Elasticsearch 9.1 and OpenSearch 3.2
    "elasticsearch": {
        "query": "q",
        "response": {
            "took": 3,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {
                "total": {"value": 2, "relation": "eq"},
                "max_score": DOCUMENTS[0]["score"],
                "hits": [{"_index": "i", "_id": d["id"], "_score": d["score"], "_source": {}} for d in DOCUMENTS],
            },
        },
    },
    # Documents - Search Post of Azure AI Search 2024-07-01
    "azure_search": {
        "@odata.context": "https://x.search.windows.net/indexes('i')/$metadata#docs(*)",
        "search": "q",
        "value": [{"@search.score": d["score"], "chunk_id": d["id"], "chunk": "x"} for d in DOCUMENTS],
    },
    # Retrieve of bedrock-agent-runtime 2023-07-26
    "bedrock_kb": {
        "request": {"knowledgeBaseId": "KB", "retrievalQuery": {"text": "q"}},
        "response": {
            "retrievalResults": [
                {
                    "content": {"text": "x", "type": "TEXT"},
                    "location": {"s3Location": {"uri": "s3://b/f.md"}, "type": "S3"},
                    "metadata": {"x-amz-bedrock-kb-chunk-id": d["id"]},
                    "score": d["score"],
                }
                for d in DOCUMENTS
            ]
        },
    },
    # SearchResponse of Discovery Engine v1
    "vertex_search": {
        "query": "q",
        "attributionToken": "a",
        "totalSize": 2,
        "results": [{"id": d["id"], "document": {}} for d in DOCUMENTS],
    },
    # RetrieveContextsResponse of Vertex AI v1
    "vertex_rag": {
        "query": {"text": "q"},
        "contexts": {"contexts": [{"sourceUri": d["id"], "text": "x", "score": d["score"]} for d in DOCUMENTS]},
    },
    # points of Qdrant 1.20 (QueryResponse), the request beside them
    "search_answer": {
        "request": {"query": "q", "limit": 2},
        "response": {"result": {"points": [{"id": d["id"], "version": 1, "score": d["score"]} for d in DOCUMENTS]}, "status": "ok"},
    },
    "longmemeval": {
        "question_id": "q1",
        "question": "q",
        "retrieval_results": {"ranked_items": [{"corpus_id": "d1"}, {"corpus_id": "d2"}]},
    },
}


def write(folder: Path, name: str, *, container: str = "lines") -> Path:
    """The sample of a format: JSON lines, one array, or pretty-printed objects; Parquet for the tables."""
    path = folder / "sample"
    if name in TABLES:
        pq.write_table(TABLES[name](), path)
        return path
    made = FLAT[name] if name in FLAT else TEXT[name]()
    found = made if isinstance(made, list) else [made]
    texts = {
        "lines": "\n".join(map(json.dumps, found)),
        "array": json.dumps(found),
        "pretty": "\n".join(json.dumps(value, indent=2) for value in found),
        "pretty array": json.dumps(found, indent=1),
    }
    path.write_text(texts[container] + "\n")
    return path
