"""The sample agent memory, tuned: two parameters swept over the labelled queries, then the front, the knee and what each step changes.

    python examples/tune_memory.py tuning/

Run twice it runs nothing again. Needs numpy and bm25s (``pip install -e ".[dev]"``).
"""

import json
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "sample_logs"
sys.path.insert(0, str(SAMPLE))

import retriever  # noqa: E402 -- the sample's own module

import recallwatch  # noqa: E402

GRID = {"candidates": [10, 20, 40], "passes": [1, 4]}  # ids handed to the reranker; how often it computes the same


def rows(name: str) -> list[dict]:
    """A JSON lines file of the sample."""
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def main(folder: str, repeats: int = 3) -> None:
    """Sweep into the folder, then print what `recallwatch pareto` and `stability` say of it; the picture is tuning.svg there."""
    memories = rows("memories.jsonl")
    embedder = retriever.Embedder([m["text"] for m in memories])
    tenants = {m["tenant_id"] for m in memories}
    indexes = {t: retriever.Index([m for m in memories if m["tenant_id"] == t], embedder) for t in tenants}
    tenant_of = {q["query"]: q["tenant_id"] for q in rows("queries.jsonl")}

    def search(query: str, candidates: int, passes: int) -> tuple[list[str], list[float]]:
        retriever.N_CANDIDATES = candidates
        answer = indexes[tenant_of[query]].recall(query, rerank_passes=passes)
        return answer.ranked_ids, answer.scores

    cases = [recallwatch.Case(row["query"], row["relevant"], query_id=row["query_id"]) for row in rows("labels.jsonl")]
    swept = recallwatch.sweep(search, GRID, cases, repeats, folder=folder)
    front = swept.pareto(y="recall@10", x="p50:total", k_curve=True)
    sys.stdout.write(f"{swept}\n{front}\n{swept.stability(metrics='recall@10')}")
    front.save(Path(folder) / "tuning.svg")


if __name__ == "__main__":
    main(sys.argv[1])
