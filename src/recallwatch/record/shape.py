"""Names and values of a recall, in a line of a log and in the attributes of a span."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# column of the event -> attribute of the span, as the readers of traces know it
COLUMNS = {
    "query_id": "query_id",
    "query_class": "query_class",
    "tenant_id": "tenant.id",
    "session_id": "gen_ai.conversation.id",
    "variant": "variant",
    "index_version": "index_version",
    "operation": "gen_ai.operation.name",
    "data_source_id": "gen_ai.data_source.id",
    "top_k": "gen_ai.retrieval.top_k",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cost_usd": "cost_usd",
    "cache_hit": "cache.hit",
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "top_k": int,
    "input_tokens": int,
    "output_tokens": int,
    "cost_usd": float,
    "cache_hit": bool,
}
BAGGAGE = {
    "tenant_id": ("tenant.id", "tenant_id"),
    "query_class": ("query.class", "query_class"),
    "session_id": ("session.id",),
    "question_id": ("question.id", "question_id"),
}
MEMORY = {"query": "gen_ai.memory.query.text", "documents": "gen_ai.memory.records"}
RETRIEVAL = {"query": "gen_ai.retrieval.query.text", "documents": "gen_ai.retrieval.documents"}
CANDIDATES = "gen_ai.rerank.input_documents"
STAGE, RECORDED = "recallwatch.stage", "recallwatch.recorded"


def as_text(value: Any) -> str:
    """An attribute as a log has it: text, a truth value as true or false."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def to_length(values: list[Any], n: int) -> list[Any]:
    """One value a rank: a shorter list leaves the ranks beyond it without a value."""
    return [*values[:n], *[None] * (n - len(values))]


def stage_ms(stages: list[tuple[str, int, int]]) -> dict[str, float]:
    """Milliseconds a stage; where parts of one stage overlap the time counts once, as in a trace."""
    durations: dict[str, int] = {}
    reached: dict[str, int] = {}
    for name, start, end in sorted(stages, key=lambda s: s[1:]):
        durations[name] = durations.get(name, 0) + max(0, end - max(start, reached.get(name, start)))
        reached[name] = max(end, reached.get(name, end))
    return {name: us / 1000 for name, us in durations.items()}
