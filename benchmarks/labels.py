"""What few, pooled and machine-made labels carry: the figures of docs/labels.md, by simulation on data whose truth is known.

    python benchmarks/labels.py pools  --data ../shared/data/cranfield_runs --owners 3 --depths 5 10
    python benchmarks/labels.py windows --data ../shared/data/cranfield_runs --owners 3 --depths 5 10
    python benchmarks/labels.py settle --data ../shared/data/cranfield_runs --owners 2 --depths 5 10
    python benchmarks/labels.py judge  --repeats 1000 --seed 1
    python benchmarks/labels.py sample --repeats 300 --seed 1

`pools`: labels kept only for what one retriever showed in its first ranks (and, `judged`, the rest of those ranks judged not relevant). Every
pair of retrievers is compared with these labels and with all of them: how many significant verdicts point the wrong way, without and with the
rules of `recallwatch compare`.

`windows`: the same of windows: the owner of the labels is the reference, another retriever the current window, by the rule of `recallwatch drift`.

`settle`: the comparisons that those rules hold back, once the worksheet of `compare -f jsonl` is filled in from all labels: how many have a verdict
then, and whether it is that of all labels.

`judge`: 400 queries, ten documents each; a judge whose errors are clustered by query labels all, humans n: coverage and width of the interval of
`sql/6_report/with_judge.sql`, of humans alone, and of the judge alone.

`sample`: 600 queries whose popular ones are easier, drawn by `sql/6_report/sample.sql`: coverage of `sql/6_report/sampled.sql`; beside it the bias of
a mean over the most popular queries.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from recallwatch.base.definition import Column, Definition
from recallwatch.base.engine import Engine
from recallwatch.base.verdicts import MOVED
from recallwatch.evaluation.source import LoggedRecalls
from recallwatch.monitor.settings import Settings
from recallwatch.scoring.binding import Cut, bind
from recallwatch.scoring.plan import plan_of
from recallwatch.stats import paired
from recallwatch.variants.arms import SCALE, Arm, of_logs
from recallwatch.variants.comparison_rows import difference, rows_of
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

    def arms(self, labels: dict[tuple[str, str], float], names: tuple[str, ...] = RETRIEVERS) -> dict[str, Arm]:
        """Every retriever (or those named), scored by these labels."""
        table = pa.Table.from_pylist([{"query_id": q, "document_id": d, "grade": grade} for (q, d), grade in labels.items()])
        plan = plan_of(metrics=METRICS, threads=2)
        return of_logs(LoggedRecalls(self.log), table, dict(zip(names, names, strict=True)), by="config", plan=plan)


def verdicts(arms: dict[str, Arm], definition: Definition) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(a, b, metric) -> the row over everything."""
    rows = {}
    for a, b in itertools.combinations(arms, 2):
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
        "| labels | metric | significant | opposite | no difference | with the rules: opposite | no difference | right ones that stand |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for judged in (True, False):
        n: Counter[tuple[str, str]] = Counter()
        for owner, depth in itertools.product(RETRIEVERS[:owners], depths):
            arms = data.arms(data.pool(owner, depth, judged=judged))
            plain, ruled = (verdicts(arms, DEFINITIONS[name]) for name in DEFINITIONS)
            for key, row in plain.items():
                if row["verdict"] in ("fail", "improved"):
                    true = truth[key]["verdict"]
                    kind = "right" if row["verdict"] == true else "opposite" if true in MOVED else "nothing"
                    stands = ruled[key]["verdict"] == row["verdict"]
                    n.update([(key[2], kind)] + [(key[2], f"{kind} stands")] * stands)
        for metric in METRICS:
            of = [n[metric, name] for name in ("opposite", "nothing", "opposite stands", "nothing stands")]
            right = n[metric, "right"]
            cells = (
                "judged" if judged else "relevant only",
                metric,
                sum(of[:2]) + right,
                *of,
                f"{n[metric, 'right stands']} of {right}",
            )
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


def windows(data: Cranfield, owners: int, depths: list[int]) -> None:
    """The table of pooled labels whose owner is the reference of a window."""
    settings, truth, n = Settings(), verdicts(data.arms(data.labels), DEFINITIONS["as ever"]), Counter[tuple[Any, ...]]()
    for judged, owner, depth in itertools.product((True, False), RETRIEVERS[:owners], depths):
        arms = data.arms(data.pool(owner, depth, judged=judged))
        for other in set(RETRIEVERS) - {owner}:
            a, b = without_classes(arms[owner]), without_classes(arms[other])
            with Engine(threads=1) as engine:
                documents = unjudged(engine, a, b, METRICS, DEFINITIONS["rules"])
            rows = rows_of(a, b, METRICS, settings, correction="bh")
            for row in [row for row in rows if documents and row["verdict"] in ("fail", "improved")]:
                name = f"{row['metric']}@{row['k']}"
                sign = 1 if (owner, other, name) in truth else -1
                ahead = truth[(owner, other, name) if sign == 1 else (other, owner, name)]
                wanted = sign * ahead["effect"] * (ahead["verdict"] in MOVED)
                each = paired.paired_test(a.sums[name], b.sums[name], settings.kappa, SCALE)[1]
                at = documents.of(difference(name, each, (a.sums[name], b.sums[name]), settings))
                is_held = bool(at["verdict"]) and at["is_from_winner"] and at["rho"] is not None
                n[judged, name, "right" if row["effect"] * wanted > 0 else "wrong", "held back" if is_held else "stands"] += 1
    for (judged, *key), count in sorted(n.items()):
        print("judged" if judged else "relevant only", *key, count, sep=" | ")


def settle(data: Cranfield, owners: int, depths: list[int]) -> None:
    """The table of comparisons that were held back, after their worksheet."""
    truth = verdicts(data.arms(data.labels), DEFINITIONS["as ever"])
    n: Counter[tuple[str, str]] = Counter()
    for owner, depth in itertools.product(RETRIEVERS[:owners], depths):
        pool = data.pool(owner, depth, judged=True)
        arms = data.arms(pool)
        plain, ruled = (verdicts(arms, DEFINITIONS[name]) for name in DEFINITIONS)
        held = [key for key, row in plain.items() if row["verdict"] in MOVED and ruled[key]["verdict"] == "insufficient"]
        for a, b in dict.fromkeys((a, b) for a, b, _ in held):
            with Engine(threads=1) as engine:
                at = unjudged(engine, arms[a], arms[b], METRICS, DEFINITIONS["rules"])
            asked = {(str(task["query_id"]), one["document_id"]) for task in at.tasks for one in task["documents"]}
            there = int(at.n.sum())
            after = verdicts(data.arms(pool | {pair: data.labels.get(pair, 0.0) for pair in asked}, (a, b)), DEFINITIONS["rules"])
            for metric in (metric for one, other, metric in held if (one, other) == (a, b)):
                row = after[a, b, metric]
                is_settled = row["verdict"] != "insufficient" or not row["reason"].startswith(
                    ("the labels favour", "every label comes")
                )
                true = truth[a, b, metric]["verdict"]
                said = "the same" if row["verdict"] == true else "another" if row["verdict"] in MOVED else "no difference"
                n.update([(metric, "held")] + [(metric, said)] * is_settled)
                n.update({(metric, "asked"): len(asked), (metric, "there"): there})
        print(f"{owner} {depth}: {len(held)} held back", flush=True)
    print(
        "| metric | held back | settled | verdict of all labels | none | another | judged of the unjudged |\n|---|---|---|---|---|---|---|"
    )
    for metric in METRICS:
        said = [n[metric, name] for name in ("the same", "no difference", "another")]
        cells = [metric, n[metric, "held"], sum(said), *said, f"{n[metric, 'asked'] / max(n[metric, 'there'], 1):.0%}"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def prepared() -> Engine:
    """An engine with the macros of sql/ and one metric."""
    engine = Engine(threads=1)
    bind(engine, Definition(), Cut((Column("precision", 10),)))
    engine.file("2_judge/no_labels.sql")
    engine.run("create or replace macro query_key(query_id, query_text) as query_id")
    return engine


def judged(r: np.random.Generator, sensitivity: float, specificity: float, *, wrong_class: bool) -> tuple[np.ndarray, np.ndarray]:
    """Precision@10 of 400 queries by the truth and by a judge, which is worse on hard queries, or wrong on one class of four."""
    ease = r.beta(2, 2, 400)
    truth = r.random((400, 10)) < (0.15 + 0.4 * ease)[:, None]
    slip = r.normal(0, 0.08, 400) - (0.15 * (ease < 0.3))
    right = np.clip(np.where(truth, sensitivity + slip[:, None], specificity + slip[:, None] / 2), 0, 1)
    if wrong_class:
        right[::4] = np.where(truth[::4], 0.3, 0.95)
    says = np.where(r.random((400, 10)) < right, truth, ~truth)
    return truth.mean(axis=1), says.mean(axis=1)


def judge(repeats: int, seed: int) -> None:
    """The table of a judge beside few humans; each repeat is a position of kind_means."""
    print("| judge | human queries | covers | width | humans alone | covers | judge alone covers |\n|---|---|---|---|---|---|---|")
    with prepared() as engine:
        for sensitivity, specificity, wrong_class in ((0.8, 0.9, False), (0.6, 0.7, False), (0.95, 0.98, False), (0.8, 0.9, True)):
            for n in (20, 40, 80):
                r = np.random.default_rng(seed)
                parts, truths, alone = [], [], []
                for position in range(1, repeats + 1):
                    h, j = judged(r, sensitivity, specificity, wrong_class=wrong_class)
                    some = r.choice(400, n, replace=False)
                    for kind, keys, values in (("human", some, h[some]), ("judge", np.arange(400), j)):
                        columns = (np.repeat(kind, len(keys)), np.repeat(position, len(keys)), np.char.mod("q%d", keys), values)
                        parts.append(pa.table(dict(zip(("kind", "position", "query_key", "mean"), columns, strict=True))))
                    truths.append(h.mean())
                    half = 1.96 * j.std(ddof=1) / 20
                    alone.append(abs(j.mean() - h.mean()) <= half)
                engine.register("means", pa.concat_tables(parts))
                engine.run(
                    """create or replace table kind_means as
                    select *, null::varchar as tenant_id, null::varchar as query_class, 1 as n from means"""
                )
                engine.run(
                    f"create or replace table metric_columns as select unnest(range(1, {repeats + 1})) as position, 'precision' as metric, 10 as k"
                )
                engine.file("6_report/with_judge.sql")
                rows = engine.rows(
                    "select e.* from (select *, row_number() over () as place from judge_estimates) as e order by place"
                )
                covers, covers_h = (
                    np.mean([abs(row[value] - t) <= (row[half] or 0) for row, t in zip(rows, truths, strict=True)])
                    for value, half in (("value", "half"), ("human_value", "human_half"))
                )
                width, width_h = (2 * np.mean([row[half] for row in rows]) for half in ("half", "human_half"))
                name = f"sensitivity {sensitivity}, specificity {specificity}{', wrong on one class' if wrong_class else ''}"
                print(
                    f"| {name} | {n} | {covers:.1%} | {width:.3f} | {width_h:.3f} | {covers_h:.1%} | {np.mean(alone):.1%} |",
                    flush=True,
                )


def sample(repeats: int, seed: int) -> None:
    """The table of a sample with known probabilities."""
    print("| labelled queries | covers | width | bias of the most popular ones' mean |\n|---|---|---|---|")
    r = np.random.default_rng(seed)
    counts = np.maximum(1, (3000 / np.arange(1, 601) ** 0.8)).astype(np.int64)
    values = np.clip(0.75 - 0.35 * np.arange(600) / 600 + r.normal(0, 0.25, 600), 0, 1)
    truth = float((counts * values).sum() / counts.sum())
    columns = {"group_no": np.arange(600), "asked_key": np.char.mod("q%d", np.arange(600)), "n": counts, "value": values}
    with prepared() as engine:
        engine.register("world", pa.table(columns))
        engine.run("create table units as select *, null::varchar as tenant_id, null::varchar as query_class from world")
        engine.run(
            """create table quality_sums as
            select group_no::integer as label_no, [{'n': n, 'sum': (n * in_units(value)::hugeint)::decimal(38, 0)}] as sums from world"""
        )
        engine.run(
            """create table labelled_queries as
            select group_no::integer as label_no, null::varchar as tenant_id, asked_key as query_key, 'human' as kind from world"""
        )
        engine.run("create table metric_columns as select 1 as position, 'precision' as metric, 10 as k")
        for n in (30, 60, 100):
            engine.options(opt_suggest_n=n, opt_sample_of="traffic", opt_sample_by=None)
            rows = []
            for repeat in range(repeats):
                engine.options(opt_seed=f"{seed}-{repeat}")
                engine.file("6_report/sample.sql")
                engine.run(
                    """create or replace table labels as from contract.labels union all by name
                    select asked_key as query_id, 'human' as kind, inclusion_probability from picked inner join units using (group_no)"""
                )
                engine.file("6_report/sampled.sql")
                rows += engine.rows("from sampled")
            covers = np.mean([row["ci_low"] <= truth <= row["ci_high"] for row in rows])
            width = np.mean([row["ci_high"] - row["ci_low"] for row in rows])
            head = float((counts[:n] * values[:n]).sum() / counts[:n].sum())
            print(f"| {n} | {covers:.1%} | {width:.3f} | {head - truth:+.3f} |", flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pools", "windows", "settle", "judge", "sample"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data/cranfield_runs"))
    parser.add_argument("--owners", type=int, default=3)
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.what in ("pools", "windows", "settle"):
        paired.WORK = 2_000_000  # fewer sign patterns: a verdict a millisecond
        {"pools": pools, "windows": windows, "settle": settle}[given.what](Cranfield(given.data), given.owners, given.depths)
    else:
        {"judge": judge, "sample": sample}[given.what](given.repeats, given.seed)


if __name__ == "__main__":
    main()
