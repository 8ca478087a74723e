"""A judge beside few humans: the combined estimate and its interval, agreement, a judge that moved, against plain loops."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from command_line import run
from scipy import stats

from recallwatch.base.errors import InputError, UsageError
from recallwatch.labels.judge import check_judge

K = 5


def world(seed: int = 3) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[tuple[str, str], bool]]:
    """Recalls of 60 queries, a judge's labels of all of them, humans' of every third; and the truth."""
    r = np.random.default_rng(seed)
    log, labels, truth = [], [], {}
    for q in range(60):
        ids = [f"d{i}" for i in range(K)]
        log += [{"query_id": f"q{q}", "ranked_ids": ids}] * int(r.integers(1, 4))
        for d in ids:
            truth[f"q{q}", d] = bool(r.random() < 0.4) or d == "d0"
            by_judge = r.random() < 0.8 if truth[f"q{q}", d] else r.random() < 0.1
            at = "2026-11-01" if q < 30 else "2026-11-20"
            row = {"query_id": f"q{q}", "document_id": d, "query_class": "odd" if q % 2 else "even"}
            labels.append({**row, "grade": int(by_judge or d == "d0"), "kind": "judge", "judge": "m-1", "judged_at": at})
            if q % 3 == 0:
                labels.append({**row, "grade": int(truth[f"q{q}", d]), "kind": "human"})
    return log, labels, truth


def by_hand(log: list[dict[str, Any]], labels: list[dict[str, Any]], probability: float | None = None) -> dict[str, float]:
    """The estimate of precision@5 over recalls, by the formulas of the header."""
    n: dict[str, int] = {}
    for row in log:
        n[row["query_id"]] = n.get(row["query_id"], 0) + 1
    mean = {kind: {} for kind in ("human", "judge")}
    for q in n:
        for kind, of in mean.items():
            grades = [row["grade"] for row in labels if row["query_id"] == q and row["kind"] == kind]
            if grades:
                of[q] = sum(grades) / K
    both = sorted(set(mean["human"]) & set(mean["judge"]))
    h, j, w = (np.array([one[q] for q in both], float) for one in (mean["human"], mean["judge"], n))
    pi = np.full(len(both), probability if probability is not None else len(both) / len(mean["judge"]))
    a = w / pi / (w / pi).sum()
    mh, mj = float(a @ h), float(a @ j)
    lam = float((a * (h - mh) * (j - mj)).sum() / (a * (j - mj) ** 2).sum()) if len(both) >= 10 else 0.0
    every = sum(n[q] * m for q, m in mean["judge"].items()) / sum(n[q] for q in mean["judge"])
    size = len(both)
    fitted = 1 if lam == 0 else 2
    t, t_h = (float(stats.t.ppf(0.975, size - one)) for one in (fitted, 1))
    v_h = size / (size - 1) * float(((1 - pi) * (a * (h - mh)) ** 2).sum())
    v = size / (size - fitted) * float(((1 - pi) * (a * (h - mh - lam * (j - mj))) ** 2).sum())
    return {
        "value": mh + lam * (every - mj),
        "half": t * v**0.5,
        "human_value": mh,
        "human_half": t_h * v_h**0.5,
        "judge_value": every,
        "lambda": lam,
    }


@pytest.mark.parametrize("probability", [None, 0.5])
def test_the_estimate_is_that_of_a_plain_loop(probability: float | None) -> None:
    """Value, interval, λ, humans alone and judge alone; an inclusion probability weighs its query; the interval is narrower than humans' alone."""
    log, labels, _ = world()
    given = [{**row, "inclusion_probability": probability} if row["kind"] == "human" and probability else row for row in labels]
    names = list(dict.fromkeys(name for row in given for name in row))
    result = check_judge(
        pa.Table.from_pylist(log),
        pa.Table.from_pylist([{**dict.fromkeys(names), **row} for row in given]),
        metrics=("precision@5",),
    )
    (row,) = result.estimates
    for name, value in by_hand(log, labels, probability).items():
        assert row[name] == pytest.approx(value, abs=1e-9), name
    assert (row["n"], row["n_judge"]) == (20, 60) and row["half"] < row["human_half"] and row["n_needed"] > 20
    assert f"the judge saves {row['n_needed'] - 20} of {row['n_needed']} labels" in str(result)


def test_the_difference_of_two_variants() -> None:
    """--between a,b: the same loop over each query's difference, of the queries that both were asked; what names no two variants is refused."""
    log, labels, _ = world()
    rng = random.Random(5)
    other = [{**row, "variant": "b", "ranked_ids": rng.sample(row["ranked_ids"], len(row["ranked_ids"]))} for row in log]
    both = [*({**row, "variant": "a"} for row in log), *other[:-4]]
    names = list(dict.fromkeys(name for row in labels for name in row))
    table = pa.Table.from_pylist([{**dict.fromkeys(names), **row} for row in labels])
    result = check_judge(pa.Table.from_pylist(both), table, metrics=("precision@2",), between="a,b")
    mean: dict[tuple[str, str, str], float] = {}
    for kind in ("human", "judge"):
        right = {(row["query_id"], row["document_id"]) for row in labels if row["kind"] == kind and row["grade"]}
        labelled = {row["query_id"] for row in labels if row["kind"] == kind}
        for arm in ("a", "b"):
            for query in labelled:
                lists = [row["ranked_ids"][:2] for row in both if (row["variant"], row["query_id"]) == (arm, query)]
                if lists and any(q == query for q, _ in right):
                    mean[kind, arm, query] = sum((query, d) in right for ids in lists for d in ids) / 2 / len(lists)
    d = {(kind, q): mean[kind, "b", q] - m for (kind, arm, q), m in mean.items() if arm == "a" and (kind, "b", q) in mean}
    n = Counter(row["query_id"] for row in both)
    pairs = [q for kind, q in d if kind == "human" and ("judge", q) in d]
    (row,) = result.estimates
    assert row["human_value"] == pytest.approx(sum(n[q] * d["human", q] for q in pairs) / sum(n[q] for q in pairs), abs=1e-9)
    of_judge = [q for kind, q in d if kind == "judge"]
    assert row["judge_value"] == pytest.approx(sum(n[q] * d["judge", q] for q in of_judge) / sum(n[q] for q in of_judge), abs=1e-9)
    assert (row["n"], row["n_judge"]) == (len(pairs), len(of_judge)) and "b less a" in str(result)
    assert result.to_dict()["between"] == ["a", "b"]
    with pytest.raises(UsageError, match="not two variants"):
        check_judge(pa.Table.from_pylist(both), table, between="a")
    with pytest.raises(InputError, match="asked of both a and c"):
        check_judge(pa.Table.from_pylist(both), table, metrics=("precision@2",), between="a,c")


def test_agreement_and_a_judge_that_moved(tmp_path: Path) -> None:
    """Sensitivity, specificity and κ by class are those of the counts; a judge whose specificity falls since a date is named and not used since then."""
    log, labels, truth = world()
    table = pa.Table.from_pylist([{**dict.fromkeys(labels[0]), **row} for row in labels])
    result = check_judge(pa.Table.from_pylist(log), table, metrics=("precision@5",))
    pairs = [
        (truth[row["query_id"], row["document_id"]], bool(row["grade"]))
        for row in labels
        if row["kind"] == "judge" and int(row["query_id"][1:]) % 3 == 0
    ]
    row = next(row for row in result.agreement if row["query_class"] is None)
    right = [h == j for h, j in pairs]
    human, judge = (np.mean([pair[i] for pair in pairs]) for i in (0, 1))
    by_chance = human * judge + (1 - human) * (1 - judge)
    assert row["n"] == len(pairs) == 100 and not result.moved
    assert row["sensitivity"] == pytest.approx(np.mean([j for h, j in pairs if h]))
    assert row["specificity"] == pytest.approx(np.mean([not j for h, j in pairs if not h]))
    assert row["kappa"] == pytest.approx((np.mean(right) - by_chance) / (1 - by_chance))
    assert {r["query_class"] for r in result.agreement} == {None, "odd", "even"}
    worse = [{**r, "grade": 1} if r["kind"] == "judge" and r["judged_at"] >= "2026-11-10" else r for r in labels]
    moved = check_judge(
        pa.Table.from_pylist(log),
        pa.Table.from_pylist([{**dict.fromkeys(labels[0]), **row} for row in worse]),
        metrics=("precision@5",),
        since="2026-11-10",
    )
    assert [one["judge"] for one in moved.moved] == ["m-1"] and moved.moved[0]["is_specificity"]
    assert moved.estimates[0]["n_judge"] == 30 and "are not used" in str(moved)
    with pytest.raises(InputError, match="expected human and judge"):
        check_judge(pa.Table.from_pylist(log), pa.Table.from_pylist([row for row in labels if row["kind"] == "human"]))
    help_text = run("labels", "judge", "--help").stdout
    assert "--since" in help_text and "recallwatch labels judge store" in help_text
