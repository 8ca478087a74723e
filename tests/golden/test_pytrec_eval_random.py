"""Random runs against pytrec_eval itself: ties, negative grades, unjudged documents, queries without a relevant one."""

import random
from typing import Any

import pyarrow as pa
import pytest
from golden_trec import ours

import recallwatch

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is a development package")
DEPTHS = (5, 10, 15, 20, 30, 100)  # theirs; the longest list here has 30 documents
MEASURES = [f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut") for k in DEPTHS] + [
    "success_1",
    "success_5",
    "success_10",
]
MEASURES += ["map", "recip_rank", "ndcg", "set_P", "set_recall", "set_F"]
N_QUERIES = 120
EXACT = 1e-12  # our sums keep twelve decimals


def made_up(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and a run: query -> document -> grade, query -> document -> score."""
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(40)]
    qrels, run = {}, {}
    for number in range(N_QUERIES):
        judged, returned = (chance.sample(documents, chance.randint(1, n)) for n in (20, 30))
        qrels[f"q{number}"] = {document: chance.choice([-1, 0, 0, 0, 1, 2, 3]) for document in judged}
        run[f"q{number}"] = {document: float(chance.randint(0, 5)) for document in returned}
    return qrels, run


def column(measure: str) -> str:
    """Our column; ``@all`` asks for the whole list."""
    name = str(ours(measure))
    return name if "@" in name else f"{name}@all"


@pytest.mark.parametrize("rel_level", [1, 2, 3])
def test_random_runs(rel_level: int) -> None:
    """Each of 33 measures of 120 queries equals pytrec_eval's, at every relevance level."""
    qrels, run = made_up(seed=rel_level)
    expected = pytrec_eval.RelevanceEvaluator(qrels, {family(measure) for measure in MEASURES}, relevance_level=rel_level).evaluate(
        run
    )
    labels = [(query, document, float(grade)) for query, grades in qrels.items() for document, grade in grades.items()]
    logs = {
        "query_id": list(run),
        "ranked_ids": [list(scores) for scores in run.values()],
        "scores": [list(scores.values()) for scores in run.values()],
    }
    found: dict[str, Any] = recallwatch.evaluate(
        pa.table(logs),
        pa.table(dict(zip(("query_id", "document_id", "grade"), map(list, zip(*labels, strict=True)), strict=True))),
        compat="trec_eval",
        rel_level=rel_level,
        metrics=[column(measure) for measure in MEASURES],
        per_query=True,
        threads=1,
    ).to_dict()
    assert len(found["queries"]) == N_QUERIES
    for query in found["queries"]:
        values = {measure: query["values"][str(ours(measure))] for measure in MEASURES}
        assert values == pytest.approx({measure: expected[query["query_id"]][measure] for measure in MEASURES}, abs=EXACT), query[
            "query_id"
        ]


def family(measure: str) -> str:
    """The name pytrec_eval asks for: ``P`` for ``P_5``."""
    name, _, depth = measure.rpartition("_")
    return name if depth.isdigit() else measure
