"""The metrics as plain loops, with the parameters that stand where nobody names others; written from docs/metrics.md: what the SQL is held to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Ranking = list[str | None]


@dataclass(frozen=True)
class Event:
    """One logged recall and the grades of its query's labels."""

    ranked: Ranking
    grades: dict[str, float]
    scores: list[float | None] | None = None
    status: str = "ok"


@dataclass(frozen=True)
class Options:
    """The definition's options that change a single event's value; defaults are the product's."""

    precision: str = "k"
    ap: str = "relevant"
    ideal: str = "cut"
    gain: str = "linear"
    rel_level: float | None = None
    duplicates: str = "slot"
    order: str = "logged"
    ties: str = "docno_desc"
    depth: int | None = None
    no_relevant: str = "skip"
    errors: str = "zero"


@dataclass(frozen=True)
class Judged:
    """What the formulas below need: per rank whether it is a first occurrence that is relevant, labelled, and its gain."""

    relevant: list[bool] = field(default_factory=list)
    labelled: list[bool] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    all_gains: list[float] = field(default_factory=list)
    n_relevant: int = 0

    def found(self, k: int | None) -> int:
        """Relevant documents in the first k ranks."""
        return sum(self.relevant[:k])


def gain_of(grade: float, gain: str) -> float:
    """What one labelled document earns."""
    if gain == "binary":
        return 1.0 if grade > 0 else 0.0
    if gain == "exponential":
        return 2.0**grade - 1.0 if grade > 0 else 0.0
    if gain != "linear":
        table = {float(pair.split("=")[0]): float(pair.split("=")[1]) for pair in gain.split(",")}
        return max(0.0, table.get(grade, grade))
    return max(0.0, grade)


def ranking_of(event: Event, options: Options) -> Ranking:
    """The list that is judged: order, repeats and depth as the options say."""
    ranked = list(event.ranked)
    if options.order == "score" and event.scores is not None and any(score is not None for score in event.scores):
        rows = [(-math.inf if score is None else score, doc) for score, doc in zip(event.scores, ranked, strict=True)]
        known = sorted(
            (r for r in rows if r[1] is not None), key=lambda r: str(r[1]).encode(), reverse=options.ties == "docno_desc"
        )
        unknown = [row for row in rows if row[1] is None]  # an unknown id loses a tie
        ranked = [doc for _score, doc in sorted(known + unknown, key=lambda row: -row[0])]  # sorted() keeps the order of ties
    if options.duplicates == "collapse":
        ranked = [doc for rank, doc in enumerate(ranked) if doc is None or doc not in ranked[:rank]]
    return ranked[: options.depth]


def judge(event: Event, options: Options) -> Judged:
    """Mark every rank of the list."""
    ranked = [] if event.status == "error" else ranking_of(event, options)
    level = options.rel_level
    relevant_ids = {doc for doc, grade in event.grades.items() if (grade > 0 if level is None else grade >= level)}
    relevant, labelled, gains = [], [], []
    for rank, doc in enumerate(ranked):
        first = doc is not None and doc not in ranked[:rank]
        relevant.append(first and doc in relevant_ids)
        labelled.append(first and doc in event.grades)
        gains.append(gain_of(event.grades[doc], options.gain) if first and doc in event.grades else 0.0)
    all_gains = sorted((gain_of(grade, options.gain) for grade in event.grades.values()), reverse=True)
    return Judged(relevant, labelled, gains, all_gains, len(relevant_ids))


def recall(j: Judged, k: int | None, _o: Options) -> float:
    return j.found(k) / j.n_relevant


def precision(j: Judged, k: int | None, o: Options) -> float:
    returned = len(j.relevant)
    slots = returned if k is None else min(k, returned) if o.precision == "returned" else k
    return j.found(k) / slots if slots else 0.0


def f1(j: Judged, k: int | None, o: Options) -> float:
    p, r = precision(j, k, o), recall(j, k, o)
    return 2 * p * r / (p + r) if p + r else 0.0


def success(j: Judged, k: int | None, _o: Options) -> float:
    return 1.0 if j.found(k) else 0.0


def all_found(j: Judged, k: int | None, _o: Options) -> float:
    return 1.0 if j.found(k) == j.n_relevant else 0.0


def recall_cap(j: Judged, k: int | None, _o: Options) -> float:
    return j.found(k) / (j.n_relevant if k is None else min(k, j.n_relevant))


def mrr(j: Judged, k: int | None, _o: Options) -> float:
    for rank, is_relevant in enumerate(j.relevant[:k], 1):
        if is_relevant:
            return 1 / rank
    return 0.0


def average_precision(j: Judged, k: int | None, o: Options) -> float:
    total, found = 0.0, 0
    for rank, is_relevant in enumerate(j.relevant[:k], 1):
        if is_relevant:
            found += 1
            total += found / rank
    return total / (min(k, j.n_relevant) if o.ap == "min_k_r" and k is not None else j.n_relevant)


def dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(j: Judged, k: int | None, o: Options) -> float | None:
    best = dcg(j.all_gains if o.ideal == "full" else j.all_gains[:k])
    return dcg(j.gains[:k]) / best if best > 0 else None


def judged(j: Judged, k: int | None, _o: Options) -> float | None:
    slots = len(j.labelled) if k is None else min(k, len(j.labelled))
    return sum(j.labelled[:k]) / slots if slots else None


def rprec(j: Judged, k: int | None, _o: Options) -> float:
    return sum(j.relevant[: j.n_relevant][:k]) / j.n_relevant


def bpref(j: Judged, k: int | None, _o: Options) -> float:
    n_other, above, total = len(j.all_gains) - j.n_relevant, 0, 0.0
    for is_relevant, is_labelled in zip(j.relevant[:k], j.labelled[:k], strict=True):
        if is_relevant:
            total += 1 - min(above, j.n_relevant) / min(n_other, j.n_relevant) if above else 1
        elif is_labelled:
            above += 1
    return total / j.n_relevant


def infap(j: Judged, k: int | None, _o: Options) -> float:
    total, found, other = 0.0, 0, 0
    for before, (is_relevant, is_labelled) in enumerate(zip(j.relevant[:k], j.labelled[:k], strict=True)):
        if is_relevant:
            share = (found + 0.00001) / (found + other + 0.00002)
            total += 1.0 if before == 0 else 1 / (before + 1) + before / (before + 1) * (found + other) / before * share
            found += 1
        elif is_labelled:
            other += 1
    return total / j.n_relevant


def rbp(j: Judged, k: int | None, _o: Options) -> float:
    return sum(gain / j.all_gains[0] * 0.2 * 0.8**before for before, gain in enumerate(j.gains[:k]))


def rbp_residual(j: Judged, k: int | None, _o: Options) -> float:
    return 1 - sum(0.2 * 0.8**before for before, is_labelled in enumerate(j.labelled[:k]) if is_labelled)


def precision_upper(j: Judged, k: int | None, o: Options) -> float:
    maybe = sum(is_relevant or not is_labelled for is_relevant, is_labelled in zip(j.relevant[:k], j.labelled[:k], strict=True))
    slots = len(j.relevant) if k is None else min(k, len(j.relevant)) if o.precision == "returned" else k
    return maybe / slots if slots else 0.0


def mrr_upper(j: Judged, k: int | None, _o: Options) -> float:
    ranks = enumerate(zip(j.relevant[:k], j.labelled[:k], strict=True), 1)
    return next((1 / rank for rank, (is_relevant, is_labelled) in ranks if is_relevant or not is_labelled), 0.0)


def success_upper(j: Judged, k: int | None, o: Options) -> float:
    return float(mrr_upper(j, k, o) > 0)


def err(j: Judged, k: int | None, _o: Options) -> float:
    total, still = 0.0, 1.0
    for rank, gain in enumerate(j.gains[:k], 1):
        satisfied = min((2**gain - 1) / 2**4, 1)
        total, still = total + still * satisfied / rank, still * (1 - satisfied)
    return total


def iprec(j: Judged, k: int | None, _o: Options, r: float = 0.1) -> float:
    ranks = [rank for rank, is_relevant in enumerate(j.relevant[:k], 1) if is_relevant]
    return max((n / rank for n, rank in enumerate(ranks, 1) if n >= math.floor(r * j.n_relevant + 0.5)), default=0.0)


def iprec_11pt(j: Judged, k: int | None, o: Options) -> float:
    return sum(iprec(j, k, o, tenth / 10) for tenth in range(11)) / 11


def set_map(j: Judged, k: int | None, o: Options) -> float:
    return recall(j, k, o) * precision(j, k, Options(precision="returned"))


def ndcg_exp(j: Judged, k: int | None, o: Options) -> float | None:
    gains, best = ([x if o.gain == "exponential" else 2**x - 1 for x in xs] for xs in (j.gains, j.all_gains))
    return dcg(gains[:k]) / dcg(best[:k]) if dcg(best[:k]) > 0 else None


FORMULAS = {
    "recall": recall,
    "precision": precision,
    "f1": f1,
    "success": success,
    "all_found": all_found,
    "recall_cap": recall_cap,
    "mrr": mrr,
    "map": average_precision,
    "ndcg": ndcg,
    "ndcg_exp": ndcg_exp,
    "judged": judged,
    "rprec": rprec,
    "bpref": bpref,
    "infap": infap,
    "rbp": rbp,
    "rbp_residual": rbp_residual,
    "precision_upper": precision_upper,
    "success_upper": success_upper,
    "mrr_upper": mrr_upper,
    "err": err,
    "iprec": iprec,
    "iprec_11pt": iprec_11pt,
    "set_map": set_map,
}
OF_GAIN = ("ndcg", "ndcg_exp", "rbp", "err")  # rel_level decides nothing of them


ANSWERS_IN = "tests/match/test_match.py"  # the loops of answers: SQuAD's own


def value(metric: str, k: int | None, event: Event, options: Options) -> float | None:
    """What one event counts as in the mean of a metric; None = left out of it."""
    if event.ranked and all(doc is None for doc in event.ranked):
        return None  # results without any id: unscorable
    if event.status == "error" and options.errors == "skip":
        return None
    j = judge(event, options)
    needed = sum(gain > 0 for gain in j.all_gains) if metric in OF_GAIN else j.n_relevant
    if needed > 0 or (metric == "judged" and options.no_relevant != "skip"):
        return FORMULAS[metric](j, k, options)
    return {"skip": None, "zero": 0.0, "one": 1.0}[options.no_relevant]


def exact_mean(values: Sequence[float]) -> float | None:
    """The mean to the last digit; None of nothing."""
    return float(sum(map(Fraction, values)) / len(values)) if values else None
