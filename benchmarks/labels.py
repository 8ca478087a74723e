"""What few, pooled and machine-made labels carry: the figures of docs/labels.md, by simulation on data whose truth is known.

    python benchmarks/labels.py pools  --data ../shared/data/cranfield_runs --owners 4 --depths 5 10

`pools`: labels kept only for what one retriever showed in its first ranks (and, `judged`, the rest of those ranks judged not relevant). Every
pair of retrievers is compared with these labels and with all of them: how many significant verdicts point the wrong way, without and with the
rules of `recallwatch compare`.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from recallwatch.base.definition import Definition
from recallwatch.base.engine import Engine
from recallwatch.evaluation.source import logs
from recallwatch.monitor.settings import Settings
from recallwatch.scoring.plan import plan_of
from recallwatch.variants.arms import Arm, of_logs
from recallwatch.variants.comparison_rows import rows_of
from recallwatch.variants.unjudged import unjudged

METRICS = ("recall@10", "precision@10")
RETRIEVERS = ("bm25", "lsa128", "tfidf", "hybrid_rrf", "hybrid_rrf_rerank10", "hybrid_rrf_rerank20", "hybrid_rrf_rerank50")
DEFINITIONS = {"as ever": Definition(unjudged="irrelevant"), "rules": Definition()}


class Cranfield:
    """The sweep of ../shared/data/cranfield_runs: seven retrievers whose lists differ, 225 queries, every label."""

    def __init__(self, folder: Path) -> None:
        table = pq.read_table(folder / "sweep.parquet")
        keep = pc.and_(pc.equal(table["run_id"], "sweep-1"), pc.is_in(table["config"], pa.array(RETRIEVERS)))
        self.log = table.filter(keep).select(["event_id", "ts", "config", "query_id", "ranked_ids"])
        rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
        self.labels = {(str(r["query_id"]), str(r["document_id"])): float(r["grade"]) for r in rows}
        self.lists = {(r["config"], str(r["query_id"])): r["ranked_ids"] for r in self.log.to_pylist()}

    def pool(self, owner: str, depth: int, *, judged: bool) -> dict[tuple[str, str], float]:
        """Labels of the first ranks of one retriever; with ``judged`` what nobody labelled there is judged not relevant."""
        shown = [(q, d) for (config, q), ids in self.lists.items() if config == owner for d in ids[:depth]]
        graded = {pair: self.labels.get(pair, 0.0) for pair in shown}
        return graded if judged else {pair: grade for pair, grade in graded.items() if grade > 0}

    def arms(self, labels: dict[tuple[str, str], float]) -> dict[str, Arm]:
        """Every retriever, scored by these labels."""
        table = pa.Table.from_pylist([{"query_id": q, "document_id": d, "grade": grade} for (q, d), grade in labels.items()])
        plan = plan_of(None, None, {"metrics": METRICS, "threads": 2})
        return of_logs(logs(self.log), table, dict(zip(RETRIEVERS, RETRIEVERS, strict=True)), by="config", plan=plan)


def verdicts(arms: dict[str, Arm], definition: Definition) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(a, b, metric) -> the row over everything."""
    rows = {}
    for a, b in itertools.combinations(RETRIEVERS, 2):
        first, second = without_classes(arms[a]), without_classes(arms[b])
        with Engine(threads=1) as engine:
            at = unjudged(engine, first, second, METRICS, definition)
        for row in rows_of(first, second, METRICS, Settings(), correction="bh", unjudged=at):
            if row["family"] == "quality":
                rows[a, b, f"{row['metric']}@{row['k']}"] = row
    return rows


def without_classes(arm: Arm) -> Arm:
    """The same, of one class: a comparison then tests everything only."""
    arm.classes = dict.fromkeys(arm.classes)
    arm.sums = {name: arm.sums[name] for name in METRICS}
    return arm


def pools(data: Cranfield, owners: int, depths: list[int]) -> None:
    """The table of pooled labels."""
    truth = verdicts(data.arms(data.labels), DEFINITIONS["as ever"])
    print(
        "| labels | metric | significant | wrong way or at nothing | with the rules: wrong | right ones kept |\n|---|---|---|---|---|---|"
    )
    for judged in (True, False):
        n: Counter[tuple[str, str]] = Counter()
        for owner, depth in itertools.product(RETRIEVERS[:owners], depths):
            arms = data.arms(data.pool(owner, depth, judged=judged))
            plain, ruled = (verdicts(arms, DEFINITIONS[name]) for name in DEFINITIONS)
            for key, row in plain.items():
                if row["verdict"] in ("fail", "improved"):
                    is_right = row["verdict"] == truth[key]["verdict"]
                    stands = ruled[key]["verdict"] == row["verdict"]
                    n.update(
                        [(key[2], "all"), (key[2], "right" if is_right else "wrong")] + [(key[2], f"{is_right} stands")] * stands
                    )
        for metric in METRICS:
            of = {name: n[metric, name] for name in ("all", "wrong", "right", "False stands", "True stands")}
            kept = f"{of['True stands']} of {of['right']}"
            print(
                f"| {'judged' if judged else 'relevant only'} | {metric} | {of['all']} | {of['wrong']} | {of['False stands']} | {kept} |",
                flush=True,
            )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pools",))
    parser.add_argument("--data", type=Path, default=Path("../shared/data/cranfield_runs"))
    parser.add_argument("--owners", type=int, default=3)
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10])
    given = parser.parse_args()
    pools(Cranfield(given.data), given.owners, given.depths)


if __name__ == "__main__":
    main()
