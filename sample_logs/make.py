"""Make the sample recall logs: 14 nights of an agent memory that really is searched.

Run ``python sample_logs/make.py``; it rewrites ``sample_logs/recalls/``. Needs numpy, bm25s and pyarrow.

Reads ``memories.jsonl`` and ``queries.jsonl``; the labels are never read, so the retriever cannot peek.
Everything is seeded except the stage times, which are measured with ``perf_counter``: two runs give the
same events and rankings with other ``stage_ms`` and ``total_ms``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from retriever import TOP_K, Answer, Embedder, Index, Memory, milliseconds

HERE = Path(__file__).parent
SEED = 341  # any will do; with this one popular queries score about as well as rare ones
FIRST_DAY = datetime(2026, 11, 1, tzinfo=UTC)
NIGHTS = range(1, 15)

LOST_SHARD_NIGHTS = {8, 9, 10}
N_SHARDS, LOST_SHARD = 6, 5  # shard of a memory = its number modulo 6
SLOW_RERANK_NIGHTS = {12, 13}
SLOW_RERANK_PASSES = 4
REDELIVERED_SAME_DAY = {2, 4, 6, 9, 11, 13}  # one event of the night twice in its own file
REDELIVERED_NEXT_DAY = {1, 3, 5, 8, 10, 12}  # one event of the night again in the next day's file
JSONL_SUFFIX = {11: ".jsonl", 12: ".jsonl.gz", 13: ".jsonl.gz", 14: ".jsonl"}  # other nights: Parquet
HALF_LINE_NIGHT = 14

UNLABELLED_SHARE = 0.15
ZIPF_EXPONENT = 0.8
HOUR_WEIGHTS = [4, 4, 4, 4, 4, 5, 9, 14, 19, 21, 20, 18, 15, 17, 20, 19, 17, 14, 12, 12, 11, 9, 7, 5]
SESSION_GAP = timedelta(minutes=15)
CACHE_LIFE = timedelta(minutes=25)
ERROR_SHARE = 0.002
USD_PER_TOKEN = 1e-7  # price of the query's embedding
CHARACTERS_PER_TOKEN = 4

Event = dict[str, Any]
Query = dict[str, str | None]
SCHEMA = pa.schema(
    [
        ("event_id", pa.string()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("trace_id", pa.string()),
        ("span_id", pa.string()),
        ("query_id", pa.string()),
        ("query_text", pa.string()),
        ("query_class", pa.string()),
        ("tenant_id", pa.string()),
        ("session_id", pa.string()),
        ("variant", pa.string()),
        ("index_version", pa.string()),
        ("operation", pa.string()),
        ("top_k", pa.int32()),
        ("ranked_ids", pa.list_(pa.string())),
        ("scores", pa.list_(pa.float64())),
        ("candidate_ids", pa.list_(pa.string())),
        ("stage_ms", pa.map_(pa.string(), pa.float64())),
        ("total_ms", pa.float64()),
        ("input_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
        ("cache_hit", pa.bool_()),
        ("status", pa.string()),
        ("error_type", pa.string()),
    ]
)


def main() -> None:
    """Play all nights, add the blemishes, write one file a night."""
    rng = np.random.default_rng(SEED)
    memories: list[Memory] = read_jsonl(HERE / "memories.jsonl")
    queries: list[Query] = read_jsonl(HERE / "queries.jsonl")
    embedder = Embedder([memory["text"] for memory in memories])
    whole = build_indexes(memories, embedder)
    damaged = build_indexes([memory for memory in memories if shard(memory) != LOST_SHARD], embedder)
    popularity = rng.permutation(sum(query["query_id"] is not None for query in queries)).tolist()
    warm_up(queries, whole)

    nights: dict[int, list[Event]] = {}
    for night in NIGHTS:
        version, indexes = ("v2", damaged) if night in LOST_SHARD_NIGHTS else ("v1", whole)
        traffic = plan_traffic(night, queries, popularity, rng)
        passes = SLOW_RERANK_PASSES if night in SLOW_RERANK_NIGHTS else 1
        nights[night] = [event | {"index_version": version} for event in play(traffic, indexes, passes, rng)]
    redeliver(nights, rng)

    folder = HERE / "recalls"
    folder.mkdir(exist_ok=True)
    for night, events in nights.items():
        write_night(folder, night, events)


def read_jsonl(path: Path) -> list[Any]:
    """All objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def shard(memory: Memory) -> int:
    """Tell which part of the index keeps a memory."""
    return int(memory["memory_id"].removeprefix("m")) % N_SHARDS


def build_indexes(memories: Sequence[Memory], embedder: Embedder) -> dict[str, Index]:
    """One index per tenant: nobody searches another tenant's memories."""
    tenants = sorted({memory["tenant_id"] for memory in memories})
    return {tenant: Index([m for m in memories if m["tenant_id"] == tenant], embedder) for tenant in tenants}


def warm_up(queries: Iterable[Query], indexes: dict[str, Index]) -> None:
    """Ask everything once, so that the first night is not slow for being first."""
    for query in queries:
        indexes[str(query["tenant_id"])].recall(str(query["query"]))


def plan_traffic(
    night: int, queries: Sequence[Query], popularity: Sequence[int], rng: np.random.Generator
) -> list[tuple[datetime, Query]]:
    """Who asks what and when: each labelled query once, popular ones again, unlabelled ones between."""
    labelled = [query for query in queries if query["query_id"] is not None]
    unlabelled = [query for query in queries if query["query_id"] is None]
    n_events = int(rng.integers(290, 316))
    n_unlabelled = int(rng.binomial(n_events, UNLABELLED_SHARE))
    weights = 1 / (1 + np.asarray(popularity)) ** ZIPF_EXPONENT
    again = rng.choice(len(labelled), n_events - n_unlabelled - len(labelled), p=weights / weights.sum())
    asked = [
        *labelled,
        *(labelled[i] for i in again),
        *(unlabelled[i] for i in rng.integers(len(unlabelled), size=n_unlabelled)),
    ]
    order = rng.permutation(n_events)
    return [(at, asked[i]) for at, i in zip(moments(night, n_events, rng), order, strict=True)]


def moments(night: int, n_events: int, rng: np.random.Generator) -> list[datetime]:
    """Sorted times over the UTC day, dense where people are awake."""
    weights = np.array(HOUR_WEIGHTS) / sum(HOUR_WEIGHTS)
    hours = rng.choice(24, n_events, p=weights) + rng.random(n_events)
    midnight = FIRST_DAY + timedelta(days=night - 1)
    return [midnight + timedelta(microseconds=int(hour * 3.6e9)) for hour in np.sort(hours)]


def play(
    traffic: Iterable[tuple[datetime, Query]], indexes: dict[str, Index], passes: int, rng: np.random.Generator
) -> Iterator[Event]:
    """Answer the night's queries in order: from the cache while an answer is fresh, else by searching."""
    cache: dict[str, tuple[datetime, Answer]] = {}
    last_seen: dict[str, tuple[datetime, str]] = {}
    session_numbers = count(1)
    for at, query in traffic:
        text, tenant = str(query["query"]), str(query["tenant_id"])
        seen_at, session = last_seen.get(tenant, (None, ""))
        if seen_at is None or at - seen_at > SESSION_GAP:
            session = f"{tenant}-{at:%m%d}-{next(session_numbers):02d}"
        last_seen[tenant] = (at, session)
        event = {
            "event_id": f"evt-{hex_id(rng, 6)}",
            "timestamp": at,
            "trace_id": hex_id(rng, 16),
            "span_id": hex_id(rng, 8),
            "query_id": query["query_id"],
            "query_text": text,
            "query_class": query["query_class"],
            "tenant_id": tenant,
            "session_id": session,
            "variant": "hybrid",
            "operation": "search_memory",
            "top_k": TOP_K,
        }
        fails = rng.random() < ERROR_SHARE
        cached_at, answer = cache.get(text, (None, None))
        if answer is not None and cached_at is not None and at - cached_at <= CACHE_LIFE:
            yield event | from_cache(cache, text)
        elif fails:
            yield event | failed(indexes[tenant], text)
        else:
            answer = indexes[tenant].recall(text, rerank_passes=passes)
            cache[text] = (at, answer)
            yield event | searched(answer, text)


def hex_id(rng: np.random.Generator, n_bytes: int) -> str:
    """Seeded random identifier, lower-case hex."""
    return rng.bytes(n_bytes).hex()


def searched(answer: Answer, text: str) -> Event:
    """Outcome fields of a recall that ran all stages."""
    return outcome(answer, answer.stage_ms, answer.total_ms) | bill(text)


def from_cache(cache: dict[str, tuple[datetime, Answer]], text: str) -> Event:
    """Outcome fields of a cache hit: the old answer, no stages, no cost."""
    started = perf_counter()
    answer = cache[text][1]
    total_ms = milliseconds(perf_counter() - started)
    return outcome(answer, None, total_ms) | {"input_tokens": 0, "cost_usd": 0.0, "cache_hit": True}


def failed(index: Index, text: str) -> Event:
    """Outcome fields of a recall whose search timed out after the query was embedded."""
    started = perf_counter()
    index.embedder.embed(text)
    embed_ms = milliseconds(perf_counter() - started)
    nothing = Answer(ranked_ids=[], scores=[], candidate_ids=[], stage_ms={}, total_ms=0.0)
    error = {"status": "error", "error_type": "search_timeout"}
    return outcome(nothing, {"embed": embed_ms}, embed_ms) | bill(text) | error


def outcome(answer: Answer, stage_ms: dict[str, float] | None, total_ms: float) -> Event:
    """Collect the fields every recall logs about its answer."""
    return {
        "ranked_ids": answer.ranked_ids,
        "scores": answer.scores,
        "candidate_ids": answer.candidate_ids,
        "stage_ms": stage_ms,
        "total_ms": total_ms,
        "status": "ok",
        "error_type": None,
    }


def bill(text: str) -> Event:
    """Price the embedding of the query."""
    tokens = -(-len(text) // CHARACTERS_PER_TOKEN)
    return {"input_tokens": tokens, "cost_usd": round(tokens * USD_PER_TOKEN, 9), "cache_hit": False}


def redeliver(nights: dict[int, list[Event]], rng: np.random.Generator) -> None:
    """Deliver one event of a night a second time, byte for byte, as at-least-once transports do."""
    chosen = {night: events[int(rng.integers(len(events)))] for night, events in nights.items()}
    for night in REDELIVERED_SAME_DAY:
        nights[night].insert(nights[night].index(chosen[night]) + 3, chosen[night])
    for night in REDELIVERED_NEXT_DAY:
        nights[night + 1].insert(0, chosen[night])


def write_night(folder: Path, night: int, events: list[Event]) -> None:
    """One file: Parquet or JSON Lines; the writer of one night was stopped within its last line."""
    stem = f"recalls-{FIRST_DAY + timedelta(days=night - 1):%Y-%m-%d}"
    if night not in JSONL_SUFFIX:
        pq.write_table(pa.Table.from_pylist(events, SCHEMA), folder / f"{stem}.parquet", compression="zstd")
        return
    text = "".join(json_line(event) for event in events)
    if night == HALF_LINE_NIGHT:
        text = text[: -(len(json_line(events[-1])) // 2)]
    data = text.encode()
    suffix = JSONL_SUFFIX[night]
    (folder / f"{stem}{suffix}").write_bytes(gzip.compress(data, mtime=0) if suffix.endswith(".gz") else data)


def json_line(event: Event) -> str:
    """One event as JSON with its columns in SCHEMA's order; what was not logged is left out."""
    logged = {name: event[name] for name in SCHEMA.names if event[name] is not None}
    logged["timestamp"] = event["timestamp"].isoformat(timespec="microseconds").replace("+00:00", "Z")
    return json.dumps(logged, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
