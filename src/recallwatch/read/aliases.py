"""Which names of a flat log mean which column: the declared aliases of docs/formats.md, and nothing else."""

import re
from collections.abc import Mapping
from typing import Any


def _camel(name: str) -> str:
    """As JavaScript, Java and C# write it: ``ranked_ids`` -> ``rankedIds``."""
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name)


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


def spelled(*names: str) -> tuple[str, ...]:
    """Names, and then the same in camel case."""
    return tuple(dict.fromkeys((*names, *map(_camel, names))))


def spelled_anyhow(*names: str) -> tuple[str, ...]:
    """And as .NET (``RankedIds``), Go (``rankedIDs``) and databases (``RANKED_IDS``) write them; paths into a list of results in camel case alone."""
    plain = [name for name in names if "[" not in name]
    camel = [_camel(name) for name in plain]
    go = [re.sub(r"Id(s?)$", r"ID\1", name) for name in camel]
    return tuple(dict.fromkeys((*spelled(*names), *go, *map(_pascal, [*camel, *go]), *map(str.upper, plain))))


# lists of results in a record; where no element has the field (`id`, `score`, `text`) its other usual names count (flat_views.py)
RESULTS = spelled(
    "results", "chunks", "memories", "documents", "retrieved_documents", "retrieved_docs", "retrieved_chunks", "source_documents",
    "source_nodes",
)  # fmt: skip

# column -> paths, the first that is not null wins; `results[].id` = the id of each element of a list
LOG: dict[str, tuple[str, ...]] = {
    "event_id": ("event_id", "request_id"),
    "timestamp": ("timestamp", "ts", "time", "timestamp_utc", "created_at", "@timestamp", "@t", "asctime"),
    "trace_id": ("trace_id",),
    "span_id": ("span_id",),
    "query_id": ("query_id", "qid", "q_id", "question_id"),
    "query_text": ("query_text", "query", "question", "user_query", "user_input"),
    "query_class": ("query_class",),
    "tenant_id": ("tenant_id", "tenant", "org_id"),
    "session_id": ("session_id",),
    "variant": ("variant", "arm", "experiment", "config", "retriever"),
    "index_version": ("index_version", "corpus_version", "service.version"),
    "operation": ("operation",),
    "data_source_id": ("data_source_id",),
    "top_k": ("top_k", "k", "limit", "n_results"),
    "ranked_ids": (
        "ranked_ids", "document_ids", "retrieved_ids", "retrieved_chunk_ids", "retrieved_doc_ids", "retrieved_context_ids", "doc_ids",
        *(f"{name}[].id" for name in RESULTS),
    ),
    "scores": ("scores", *(f"{name}[].score" for name in RESULTS)),
    "candidate_ids": ("candidate_ids",),
    "texts": ("texts", "contents", "contexts", "retrieved_contexts", "retrieval_context", *(f"{name}[].text" for name in RESULTS)),
    "stage_ms": ("stage_ms", "stages", "latency_ms"),
    "total_ms": ("total_ms", "latency_total_ms", "latency_ms", "duration_ms"),
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost_usd": ("cost_usd",),
    "cache_hit": ("cache_hit",),
    "status": ("status",),
    "error": ("error",),
    "error_type": ("error_type",),
    "attributes": ("attributes",),
    "source": ("source",),
    "source_line": ("source_line",),
    "flags": ("flags",),
}  # fmt: skip
LOG = {column: spelled_anyhow(*names) for column, names in LOG.items()}

QUERIES = frozenset((*LOG["query_id"], *LOG["query_text"]))
RANKED = frozenset(path.partition("[")[0] for column in ("ranked_ids", "texts") for path in LOG[column])  # names of a result list
FAILED = frozenset((*LOG["status"], *LOG["error"]))


def is_recall(record: Mapping[str, Any]) -> bool:
    """Whether a program's record is a recall, or one that failed."""
    return bool(RANKED & record.keys() or (FAILED & record.keys() and QUERIES & record.keys()))


LABELS: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "q_id", "query-id", "question_id"),
    "query_text": ("query_text", "query", "question", "user_input"),
    "tenant_id": ("tenant_id", "tenant", "org_id"),
    # PyTerrier's docid is a number of its index
    "document_id": ("document_id", "doc_id", "docno", "docid", "corpus-id", "memory_id", "product_id"),
    "relevant": ("relevant", "relevant_ids", "reference_context_ids", "answer_session_ids", "ground_truth"),
    "expected_texts": ("expected_texts", "expected_text", "document_text", "reference_contexts"),
    "gold_answers": ("gold_answers", "gold_answer", "answers", "answer", "expected_output", "expected_answer"),
    "grade": (
        "grade", "relevance", "rel", "score", "label", "rating", "judgment", "judgement", "relevancy", "target", "gain",
        "relevance_score", "relevance_grade", "relevance_label", "esci_label",
    ),
    "is_relevant": ("is_relevant",),
    "query_class": ("query_class",),
    "kind": ("kind",),
    "judge": ("judge",),
    "judged_at": ("judged_at",),
    "judged_by": ("judged_by", "label_source", "annotator"),
    "pool": ("pool",),
    "inclusion_probability": ("inclusion_probability",),
    "valid_from": ("valid_from",),
    "valid_to": ("valid_to",),
    "hop": ("hop",),
}  # fmt: skip

STAGE_LISTS = "candidates"  # the lists between the stages: an attribute of their own, as JSON (sql/1_normalise/stage_lists.sql)
TEAMS = "teams"  # the variant of each result, where a list mixes two of them: an attribute, as JSON
LISTS = frozenset((STAGE_LISTS, TEAMS))  # attributes that are lists
OF_LABELS = "labels."  # before a column in --map: of the labels alone, where logs have a column of that name too

# names of golden sets (RAGAS, DeepEval, LlamaIndex, MLflow, Tevatron, DPR, FlagEmbedding, Cohere, Quepid), which mean other things in a log: of labels alone
GOLDEN: dict[str, tuple[str, ...]] = {
    "query_text": ("input", "request"),
    "relevant": (
        *(
            f"{kind}_{what}"
            for kind in ("relevant", "expected", "gold", "positive")
            for what in ("ids", "doc_ids", "document_ids", "chunk_ids")
            if (kind, what) != ("relevant", "ids")
        ),
        "relevant_docs",
        "relevant_documents",
        "ground_truth_ids",
        "positive_passages",
        "positive_ctxs",
        "ratings",
        "pos_id",
        "pos_ids",
        "expected_retrieved_context",
    ),
    "expected_texts": ("context", "pos", "relevant_passages"),
    "gold_answers": ("reference", "reference_answer", "expectedOutput"),
}

# columns of labels that would change their meaning and are not read: a warning names them
LABELS_NOT_READ = frozenset(
    (
        "weight",
        "sampling_rate",
        "split",
        "fold",
        "confidence",
        "irrelevant",
        "not_relevant",
        "non_relevant",
        "negatives",
        "negative_passages",
        "negative_ctxs",
        "hard_negative_ctxs",
        "hard_negatives",
        "negative",
        "neg",
        "neg_id",
        "neg_ids",
        "pos_scores",
        "neg_scores",
    )
)

# SQL type a path's value is read with, before sql/1_normalise gives it the contract's type
TYPES: dict[str, str] = {
    "ranked_ids": "VARCHAR[]",
    "candidate_ids": "VARCHAR[]",
    "texts": "VARCHAR[]",
    "flags": "VARCHAR[]",
    "scores": "DOUBLE[]",
    "stage_ms": "MAP(VARCHAR, DOUBLE)",
    "attributes": "MAP(VARCHAR, VARCHAR)",
    "total_ms": "DOUBLE",
    "top_k": "DOUBLE",
    "input_tokens": "DOUBLE",
    "output_tokens": "DOUBLE",
    "cost_usd": "DOUBLE",
    "cache_hit": "BOOLEAN",
    "source_line": "BIGINT",
}

NOT_STAGES = frozenset((
    "timeout", "deadline", "ttl", "budget", "interval", "age", "total", "latency", "duration", "latency_total", "time", "limit", "delay",
    "retry_after", "max", "min",
))  # fmt: skip
_STAGE = re.compile(r"^(?:latency_)?(?P<stage>[A-Za-z][A-Za-z0-9_]*?)(?:_(?P<unit>ms|s|us)|(?P<camel>Ms))$")
PER_MS = {"ms": 1.0, "s": 1000.0, "us": 0.001}


def stage_of(name: str) -> tuple[str, float] | None:
    """Stage and factor to ms of a column such as ``search_ms``, ``latency_rerank_ms``, ``embed_us``; None if it is no stage."""
    match = _STAGE.match(name)
    if not match or any(name in paths for paths in LOG.values()):
        return None
    stage = match["stage"]
    if stage.lower() in NOT_STAGES or stage.lower().rsplit("_", 1)[-1] in NOT_STAGES:
        return None
    return stage, PER_MS["ms" if match["camel"] else match["unit"]]
