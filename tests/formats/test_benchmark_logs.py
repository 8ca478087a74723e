"""Logs of benchmark runs that carry their own labels: the published figures, under the definition each really used."""

import gzip
import json
from pathlib import Path

import pytest
from format_reading import found_in

import recallwatch
from recallwatch.scoring.result import Evaluation

# run: published recall@10, what it really is, MRR@10 from the ids
PGMNEMO = {
    "lme_v0.2.1_bm25": (0.9820, "success", 0.9046),
    "lme_v0.2.1_dense": (0.9326, "recall", 0.8537),
    "lme_v0.2.1_hybrid": (0.9486, "recall", 0.9044),
    "lme_v0.3.0_dense": (0.9334, "recall", 0.8444),
    "lme_v0.4.0_hybrid": (0.9334, "recall", 0.8492),
    "lme_fixa_rrf": (0.9246, "recall", 0.8604),
    "lme_v0.6.1_realdb": (0.7090, "recall", 0.5624),
    "locomo_v0.2.1_turn": (0.3660, "recall", 0.2266),
    "locomo_v0.2.1_session": (0.7951, "recall", 0.5385),
    "locomo_v0.3.0_session": (0.7994, "recall", 0.5478),
    "locomo_v0.4.0_session_hybrid": (0.8409, "recall", 0.6294),
    "locomo_v0.2.1_hybrid_sim": (0.9050, "recall", 0.7381),
}
PUBLISHED_MRR = {
    "lme_v0.2.1_dense": 0.8554,
    "lme_v0.2.1_hybrid": 0.9053,
    "lme_v0.3.0_dense": 0.8472,
    "lme_v0.4.0_hybrid": 0.8521,
    "lme_fixa_rrf": 0.8620,
    "lme_v0.6.1_realdb": 0.5708,
    "locomo_v0.2.1_turn": 0.2369,
    "locomo_v0.2.1_session": 0.5480,
    "locomo_v0.3.0_session": 0.5569,
    "locomo_v0.4.0_session_hybrid": 0.6365,
    "locomo_v0.2.1_hybrid_sim": 0.7414,
}
MEMPALACE = {
    "raw": (0.6029, (0.5902, 0.6921, 0.4604, 0.5809, 0.6188)),
    "hybrid": (0.8891, (0.7207, 0.9076, 0.6996, 0.9263, 0.9529)),
}


def values(result: Evaluation) -> dict[tuple[str, int | None, str | None], float]:
    """(metric, k, value of the first slice) -> value."""
    return {
        (row["metric"], row["k"], next(iter(row["segment"].values()), None)): row["value"] for row in result.to_dict()["metrics"]
    }


@pytest.mark.parametrize("run", PGMNEMO)
def test_published_recall_and_mrr_of_pgmnemo(shared_data: Path, run: str) -> None:
    """recall@10 to 4 decimals (BM25's is a hit rate); MRR from the ids; k over the logged depth is flagged."""
    published, metric, mrr = PGMNEMO[run]
    result = recallwatch.evaluate(
        shared_data / "pgmnemo_runs" / f"{run}.jsonl.gz", metrics=("recall@10", "success@10", "mrr@10", "recall@50")
    )
    found = values(result)
    assert round(found[metric, 10, None], 4) == published
    assert round(found["mrr", 10, None], 4) == mrr
    assert result.head["read"]["labels"] == "the log itself"
    assert [row["truncated"] for row in result.to_dict()["metrics"] if row["k"] == 50] == [True]
    assert any(warning["code"] == "truncated" for warning in result.head["warnings"])


@pytest.mark.parametrize("run", PUBLISHED_MRR)
def test_the_logs_own_reciprocal_ranks_stay_attributes(shared_data: Path, run: str) -> None:
    """Fields of the log that are no column of ours keep their name: the mean of `mrr` is the published one."""
    logged = [float(event["attributes"]["mrr"]) for event in found_in(shared_data / "pgmnemo_runs" / f"{run}.jsonl.gz").events]
    assert round(sum(logged) / len(logged), 4) == PUBLISHED_MRR[run]


@pytest.mark.parametrize("run", MEMPALACE)
def test_published_recall_of_mempalace(shared_data: Path, run: str) -> None:
    """A turn's reference becomes its session; questions without labels count 1 (no_relevant=one), per category too."""
    (path,) = (shared_data / "mempalace_runs").glob(f"results_locomo_{run}_*.json.gz")
    result = recallwatch.evaluate(path, metrics=("recall@10",), no_relevant="one", by=("category",))
    found = values(result)
    overall, by_category = MEMPALACE[run]
    assert round(found["recall", 10, None], 4) == overall
    assert tuple(round(found["recall", 10, str(category)], 4) for category in range(1, 6)) == by_category
    (dropped,) = [warning for warning in result.head["warnings"] if warning["code"] == "references_dropped"]
    assert dropped["n"] == 2
    assert sorted(dropped["examples"]) == ["D", "D:11:26"], "references the rule cannot read are dropped and listed"


def test_longmemevals_own_retrieval_log(shared_data: Path) -> None:
    """All 120 logged recall_any@k values are our success@k with labels from a file of their own."""
    path = shared_data / "mempalace_runs" / "results_mempal_hybrid_v4_llmrerank_session_20260414_1654.jsonl.gz"
    logged = {}
    for line in gzip.decompress(path.read_bytes()).splitlines():
        row = json.loads(line)
        for name, value in row["retrieval_results"]["metrics"]["session"].items():
            if name.startswith("recall_any@"):
                logged[row["question_id"], int(name.split("@")[1])] = value
    ks = tuple(sorted({k for _, k in logged}))
    result = recallwatch.evaluate(path, shared_data / "longmemeval" / "labels.jsonl", metrics=("success",), k=ks, per_query=True)
    found = {
        (query["query_id"], k): query["values"][f"success@{k}"] for query in result.to_dict()["queries"] if query["n"] for k in ks
    }
    assert len(logged) == 120
    assert found == logged


def test_no_labels_anywhere(tmp_path: Path) -> None:
    """A log without labels of its own is evaluated without quality, and says so."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"query_id": "q", "ranked_ids": ["a"]}\n')
    result = recallwatch.evaluate(log)
    assert result.to_dict()["metrics"] == []
    assert "no labels: quality is not measured" in str(result)
