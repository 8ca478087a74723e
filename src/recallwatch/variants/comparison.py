"""`recallwatch.compare`: the same statistics put to two variants on the same queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.definition import Definition
from ..base.errors import UsageError
from ..base.version import __version__
from ..monitor.settings import Settings
from ..scoring.plan import plan_of
from ..stats.closed_forms import adjust, detectable, holm
from ..stats.paired import Comparison as Tested
from ..stats.paired import compare as test_of
from ..store import open_store
from . import arms
from .arms import Arm

METRICS = ("recall@10", "ndcg@10", "mrr", "success@10")
SHOWN = 10


@dataclass(frozen=True)
class Comparison:
    """Two variants compared.

    Args:
        a, b: name, events, queries of each arm.
        verdict: fail (b is worse), improved, ok or insufficient.
        headline: one sentence.
        metrics: one row a metric and class.
        likeness: overlap@k and RBO of the two rankings; None where no query is shared.
        notes: what a reader should know.
    """

    definition: dict[str, Any]
    a: dict[str, Any]
    b: dict[str, Any]
    verdict: str
    headline: str
    metrics: tuple[dict[str, Any], ...]
    likeness: dict[str, Any] | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch compare -f json``, as Python values."""
        return {
            "tool": {"name": "recallwatch", "version": __version__},
            "definition": self.definition,
            "a": self.a,
            "b": self.b,
            "verdict": self.verdict,
            "headline": self.headline,
            "metrics": list(self.metrics),
            "likeness": self.likeness,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """The text a person reads."""
        from ..monitor.text import render_comparison

        return render_comparison(self)


def compare(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    by: str | None = "variant",
    a: str | None = None,
    b: str | None = None,
    other: Any = None,
    metrics: Sequence[str] = METRICS,
    correction: str = "bh",
    force: bool = False,
    compat: str | None = None,
    definition: Definition | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> Comparison:
    """Say whether variant b answers the same queries better or worse than variant a.

    Args:
        logs: a log that holds both variants; or the first of two logs, or of two results of ``evaluate --per-query -f json``;
            or the folder of a store.
        labels: as in :func:`recallwatch.evaluate`; not needed for results; None with a store = those it was last scored with.
        store: folder of a store, in place of logs.
        by: column or attribute that tells the variants apart.
        a: value of ``by`` of the first variant, or its name where ``other`` is given.
        b: the same of the second.
        other: the second log or result.
        metrics: what is compared; each also inside every query class.
        correction: over metrics x classes: bh (false discoveries) or holm (any error).
        force: compare results whose definitions differ.
        compat: a preset of the definition.
        definition: a ready definition.
        settings: ready levels and floors.
        options: of the reading and of the definition.

    Returns:
        Comparison: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: a variant that the log does not hold, results that do not mean the same, an unknown option (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    if correction not in ("bh", "holm"):
        raise UsageError(f"unknown correction {correction!r}", where="--correction", fix="Known: bh, holm")
    if (logs is None) == (store is None):
        raise UsageError(
            "name logs, or a store, not both", where="compare", fix="compare(logs, labels, …) or compare(store=folder, …)"
        )
    logs = logs if store is None else open_store(store)
    plan = plan_of(compat, definition, {**options, "metrics": metrics, "k": (10,)})
    chosen, columns = plan.definition, plan.cut.columns
    if other is not None and _is_result(logs) and _is_result(other):
        first, second = arms.of_result(Path(logs)), arms.of_result(Path(other))
        _refuse_mixture(first, second, force=force)
    elif other is not None:
        first = arms.of_logs(logs, labels, {"a": a or _name(logs, "a")}, by=None, plan=plan)["a"]
        second = arms.of_logs(other, labels, {"b": b or _name(other, "b")}, by=None, plan=plan)["b"]
    else:
        if a is None or b is None or by is None:
            raise UsageError("two variants are needed", where="--by", fix="Pass --by variant --a A --b B, or a second log")
        found = arms.of_logs(logs, labels, {"a": a, "b": b}, by=by, plan=plan)
        first, second = found["a"], found["b"]
    return decide(first, second, [str(c) for c in columns], chosen, settings or Settings(), correction=correction)


def _is_result(given: Any) -> bool:
    return isinstance(given, str | Path) and str(given).endswith(".json")


def _name(given: Any, otherwise: str) -> str:
    return Path(given).stem if isinstance(given, str | Path) else otherwise


def _refuse_mixture(a: Arm, b: Arm, *, force: bool) -> None:
    if a.fingerprint != b.fingerprint and not force:
        raise UsageError(
            f"the definitions differ ({a.fingerprint}, {b.fingerprint}), so the numbers do not mean the same",
            where=f"{a.name}, {b.name}",
            fix="Evaluate both with the same options, or pass --force",
        )


def decide(a: Arm, b: Arm, names: Sequence[str], definition: Definition, settings: Settings, *, correction: str) -> Comparison:
    """Test every metric over everything and inside each class; correct over all of them together."""
    names = [name for name in names if name in a.sums and name in b.sums] or sorted(
        name for name in set(a.sums) & set(b.sums) if not _is_time(name)
    )
    timed = [arms.TIME] if arms.TIME in a.sums and arms.TIME in b.sums else []
    classes = sorted({c for c in {**a.classes, **b.classes}.values() if c is not None})
    groups: list[str | None] = [None, *(classes if len(classes) > 1 else [])]
    tested = [(name, value, *_test(a, b, name, value, settings)) for name in [*names, *timed] for value in groups]
    tested = [entry for entry in tested if entry[2].n or entry[1] is None]
    stages = sorted(name for name in set(a.sums) & set(b.sums) if name.startswith(arms.STAGE))
    correct = adjust if correction == "bh" else holm
    rows = []
    for family in (tested, [(name, None, *_test(a, b, name, None, settings)) for name in stages]):
        q = correct([t.p for _, _, t, _ in family])
        rows += [_row((name, value), test, each, p, settings) for (name, value, test, each), p in zip(family, q, strict=True)]
    notes = _notes(a, b, rows)
    alike = arms.likeness(a, b, 10)
    if alike and alike["n_same_list"] == alike["n_queries"]:
        notes.append("both arms returned the same list for every query: is it the same run twice?")
    whole = [row for row in rows if not row["segment"] and row["unit"] == "ratio"]
    verdicts = [row["verdict"] for row in rows]
    verdict = next(
        (v for v in ("fail", "improved") if v in verdicts),
        "insufficient" if whole and whole[0]["verdict"] == "insufficient" else "ok",
    )
    mine, yours = (
        {"name": arm.name, "events": arm.events, "queries": len({q for n in names for q in arm.sums.get(n, {})})} for arm in (a, b)
    )
    told = _headline(a.name, b.name, whole, verdict)
    options = {**definition.options(), "fingerprint": definition.fingerprint}
    return Comparison(options, mine, yours, verdict, told, tuple(rows), alike, tuple(notes))


def _is_time(name: str) -> bool:
    return name == arms.TIME or name.startswith(arms.STAGE)


def _test(a: Arm, b: Arm, name: str, value: str | None, settings: Settings) -> tuple[Tested, dict[str, float]]:
    first, second = ({q: s for q, s in arm.sums[name].items() if value is None or arm.classes.get(q) == value} for arm in (a, b))
    return test_of(first, second, settings.kappa, arms.SCALE)


def _row(key: tuple[str, str | None], test: Tested, each: dict[str, float], q: float | None, settings: Settings) -> dict[str, Any]:
    name, value = key
    is_time, stage = _is_time(name), name.removeprefix(arms.STAGE) if name.startswith(arms.STAGE) else None
    metric, _, k = (name, "", "") if is_time else name.partition("@")
    mde = detectable(test.se, test.df, settings.level_quality) if test.se else None
    order = sorted((q for q in each if each[q]), key=lambda q: (-abs(each[q]), q))
    verdict, reason = _verdict(test, q, mde, settings, is_time=is_time, is_segment=value is not None)
    return {
        "metric": "stage_ms" if stage is not None else metric,
        "k": int(k) if k else None,
        "stage": stage,
        "segment": {"query_class": value} if value is not None else {},
        "a": _shown(test.a, is_time=is_time),
        "b": _shown(test.b, is_time=is_time),
        "effect": _shown(test.effect, is_time=False),
        "unit": "log_ratio" if is_time else "ratio",
        "ci_low": test.ci[0],
        "ci_high": test.ci[1],
        "n_queries": test.n,
        "wins": test.losses if is_time else test.wins,
        "ties": test.ties,
        "losses": test.wins if is_time else test.losses,
        "method": test.method,
        "p_value": test.p,
        "p_t": test.p_t,
        "p_flips": test.p_flips,
        "q_value": q,
        "mde": mde,
        "verdict": verdict,
        "reason": reason,
        "winners": [{"query": x, "effect": each[x]} for x in order if (each[x] > 0) != is_time][:SHOWN],
        "losers": [{"query": x, "effect": each[x]} for x in order if (each[x] < 0) != is_time][:SHOWN],
    }


def _shown(value: float, *, is_time: bool) -> float | None:
    """A mean as an output has it: times as ms (geometric mean), nothing where there is no number."""
    if math.isnan(value):
        return None
    return math.exp(value) if is_time else value


def _verdict(
    test: Tested, q: float | None, mde: float | None, settings: Settings, *, is_time: bool, is_segment: bool
) -> tuple[str, str]:
    least = settings.min_segment_queries if is_segment else settings.min_queries
    if test.method == "none" and test.n and test.a == test.b and test.a in (0.0, 1.0):
        return "insufficient", f"cannot move: {test.a:g} for every query in both arms"
    if test.n < least or q is None:
        return "insufficient", f"{test.n} queries, {least} are needed"
    floor = math.log(settings.floor_latency) if is_time else settings.floor_segment if is_segment else settings.floor_metric
    worse, better = (test.wins, test.losses) if is_time else (test.losses, test.wins)
    told = f"{worse} queries worse, {better} better, {test.ties} equal ({test.method})"
    if q <= settings.level_quality and abs(test.effect) >= floor:
        return ("improved" if (test.effect > 0) != is_time else "fail"), told
    if q <= settings.level_quality:
        return "ok", f"certain, but too small to matter; {told}"
    if mde is not None and not is_time and mde > settings.mde_metric:
        return "insufficient", f"a difference under {100 * mde:.1f} points would have gone unseen; {told}"
    return "ok", told


def _notes(a: Arm, b: Arm, rows: Sequence[dict[str, Any]]) -> list[str]:
    notes = []
    if any(row["method"] == "welch" for row in rows):
        notes.append(
            "no query is shared, so the arms are compared unpaired (Welch's t on query means): weaker, and other queries may be harder"
        )
    mine, yours = set(a.classes), set(b.classes)
    if mine & yours and mine ^ yours:
        notes.append(f"{len(mine - yours)} queries only {a.name} was asked, {len(yours - mine)} only {b.name}: left out")
    return notes


def _headline(a: str, b: str, rows: Sequence[dict[str, Any]], verdict: str) -> str:
    first = next((row for row in rows if row["verdict"] in ("fail", "improved")), rows[0] if rows else None)
    if first is None:
        return f"{b} against {a}: no metric in common"
    name = f"{first['metric']}@{first['k']}" if first["k"] else first["metric"]
    p = "" if first["p_value"] is None else f", p = {first['p_value']:.2g}"
    word = {"fail": "is worse than", "improved": "is better than"}.get(verdict, "shows no difference to")
    if verdict == "insufficient":
        return f"{b} against {a}: too little to tell. {name}: {first['reason']}"
    if first["a"] is None or first["b"] is None:
        return f"{b} against {a}: {name} has no query in one of them"
    change = f"{first['a']:.4f} → {first['b']:.4f} ({100 * first['effect']:+.2f} points{p})"
    return f"{b} {word} {a}: {name} {change}; {first['losses']} of {first['n_queries']} queries worse, {first['wins']} better"
