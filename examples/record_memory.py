"""The sample agent memory, instrumented: every query asked once, recorded, evaluated.

    python examples/record_memory.py recordings/

Needs numpy and bm25s (``pip install -e ".[dev]"``).
"""

import json
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "sample_logs"
sys.path.insert(0, str(SAMPLE))

from retriever import Embedder, Index  # noqa: E402 -- the sample's own module

import recallwatch  # noqa: E402
from recallwatch.record import Recorder  # noqa: E402


def rows(name: str) -> list[dict[str, str]]:
    """A JSON lines file of the sample."""
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def main(folder: str) -> None:
    """Record into the folder, then print what `recallwatch evaluate` says of it."""
    memories = rows("memories.jsonl")
    embedder = Embedder([m["text"] for m in memories])
    tenants = sorted({m["tenant_id"] for m in memories})
    indexes = {t: Index([m for m in memories if m["tenant_id"] == t], embedder) for t in tenants}  # type: ignore[misc]
    with Recorder(folder, operation="search_memory", variant="hybrid", index_version="v1") as recorder:
        for query in rows("queries.jsonl"):
            index = indexes[query["tenant_id"]]
            with recorder.recall(query["query"], top_k=10, query_id=query.get("query_id"), tenant_id=query["tenant_id"]) as r:
                with r.stage("search"):
                    answer = index.recall(query["query"])
                r.candidates(answer.candidate_ids)
                r.results(answer.ranked_ids, answer.scores)
    sys.stdout.write(str(recallwatch.evaluate(folder, SAMPLE / "labels.jsonl", k=10)))


if __name__ == "__main__":
    main(sys.argv[1])
