"""Sentences for people: the reason of a finding, the headline of a result. Rounding happens here and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .decision import Finding
    from .measurement import Measured


MOST = 0.5  # a stage that carries this share of a change of the total is named in the headline


def name_of(test: Measured) -> str:
    """recall@10, rerank p95, class_mix …, with its segment."""
    if test.stage is not None and test.quantile is not None:
        base = f"{test.stage} p{100 * test.quantile:.0f}"
    elif test.test == "stage":
        base = f"{test.metric.replace('_', ' ')} {test.stage}"
    elif test.stage is not None:
        base = f"{test.stage} missing"
    elif test.test == "mix_effect":
        base = f"mix effect on {test.metric}@{test.k}" if test.k else f"mix effect on {test.metric}"
    else:
        base = (f"{test.metric}@{test.k}" if test.k else test.metric).replace("_", " ")
    segment = ", ".join(f"{key} {value}" for key, value in test.segment.items())
    return f"{base} ({segment})" if segment else base


def number(value: float) -> str:
    """Four significant digits, no exponent in the middle range."""
    return f"{value:.4g}"


def p_text(p: float | None) -> str:
    """``p < .001`` or ``p = .012``."""
    if p is None:
        return ""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def change_text(test: Measured) -> str:
    """Reference and current value with the change, in the unit people use."""
    if test.effect is None or test.reference is None or test.current is None:
        return ""
    if test.test == "latency":
        return f"{number(test.reference)} → {number(test.current)} ms ({100 * (math.exp(test.effect) - 1):+.0f} %)"
    if test.test in ("class_mix", "tenant_mix"):
        return f"PSI {test.effect:z.3f}"
    if test.test == "volume":
        return f"{number(test.reference)} → {number(test.current)} recalls an hour"
    if test.test in ("quality", "quality_segment", "judged", "mix_effect"):
        return f"{test.reference:.3f} → {test.current:.3f} ({100 * test.effect:+.1f} points)"
    return f"{100 * test.reference:.2g} % → {100 * test.current:.2g} %"


def reason(found: Finding, *, is_large: bool, level: float) -> str:
    """One sentence that says why the verdict is what it is."""
    test = found.measured
    notes = "; ".join(test.notes)
    tail = f"; {notes}" if notes else ""
    if test.lack:
        return f"too little data: {test.lack}{tail}"
    if test.effect is None:
        return notes or "not tested"
    if test.test == "stage":
        return notes
    certainty = p_text(test.p if found.q is None else found.q)
    text = f"{change_text(test)}{', ' + certainty if certainty else ''}{_queries(test)}"
    if found.verdict == "insufficient":
        return f"{text}; a change under {_size(test, found.mde or 0.0)} would have gone unseen{tail}"
    sure = test.p if found.q is None else found.q
    if found.verdict == "ok" and not is_large and sure is not None and sure <= level:
        return f"{text}; certain, but too small to matter{tail}"
    return f"{text}{tail}"


def _queries(test: Measured) -> str:
    if "worse" not in test.extra or test.test not in ("quality", "quality_segment"):
        return ""
    worse, better, m = test.extra["worse"], test.extra["better"], test.extra["queries"]
    few = f" ({worse + better} changed queries cannot reach p < .05)" if 0 < worse + better < 6 else ""
    traffic = f", {100 * test.extra['traffic']:+.1f} points by traffic" if worse + better else ""
    return f"; of {m} queries {worse} worse, {better} better{few}{traffic}"


def _size(test: Measured, mde: float) -> str:
    return f"{100 * (math.exp(mde) - 1):.0f} %" if test.test == "latency" else f"{100 * mde:.1f} points"


def headline(findings: Sequence[Finding], verdict: str, since: str, coincidences: Sequence[str], before: str) -> str:
    """The sentence an on-call engineer reads first; ``before`` and ``since``: starts of the two windows, ISO."""
    between = f"between {before} and {since}" + (f" ({'; '.join(coincidences)})" if coincidences else "")
    start = f"Since {since}" + (f" ({'; '.join(coincidences)})" if coincidences else "")
    moved: dict[str, list[Finding]] = {f.family: [] for f in findings}
    for found in findings:
        if found.verdict in ("fail", "warn", "improved"):
            moved[found.family].append(found)
    told = [_family_text(family, sorted(group, key=rank)) for family, group in moved.items() if group]
    quiet = [family for family, group in moved.items() if not group]
    if verdict == "insufficient" and not told:
        return f"{start}: too little data to tell. {_lacks(findings)}"
    if not told:
        return f"Nothing moved that matters {between}. {_lacks(findings)}".strip()
    end = f"; {', '.join(quiet)} unchanged" if quiet else ""
    return f"{start}: {'; '.join(told)}{end}."


def rank(found: Finding) -> tuple[int, int, float]:
    """Order in which findings are told: the gravest first, whole before part, larger before smaller."""
    order = {"fail": 0, "warn": 1, "improved": 2}
    is_main = {"quality": 0, "latency": 0 if found.measured.stage == "total" else 1}.get(found.measured.test, 1)
    return (order[found.verdict], is_main, -abs(found.measured.effect or 0.0))


def _family_text(family: str, group: list[Finding]) -> str:
    first = group[0]
    text = f"{name_of(first.measured)} {change_text(first.measured)}"
    if "worse" in first.measured.extra and family == "quality":
        e = first.measured.extra
        text += f"; {e['worse']} of {e['queries']} queries worse, {e['better']} better"
        if first.extra.get("lost"):
            text += f"; lost ids {', '.join(first.extra['lost'][:5])}" + (", …" if len(first.extra["lost"]) > 5 else "")
        if first.extra.get("segment"):
            text += f"; most of it in {first.extra['segment']}"
    carrier = next((row for row in first.measured.where if row["kind"] == "stage"), None)
    if carrier and (carrier["share_of_change"] or 0) >= MOST:
        change = f"{number(carrier['reference_ms'])} → {number(carrier['current_ms'])} ms"
        text += f"; {carrier['stage']} {change} carries {100 * carrier['share_of_change']:.0f} % of it"
    others = [f for f in group[1:] if f.measured.test == "stage"]
    return text + "".join(f"; {n}" for f in others for n in f.measured.notes)


def _lacks(findings: Sequence[Finding]) -> str:
    silent = [f for f in findings if f.verdict == "insufficient" and f.measured.lack and not f.measured.segment]
    lacks = list(dict.fromkeys(f"{f.family}: {f.measured.lack}" for f in silent))
    return f"Not tested: {'; '.join(lacks[:3])}." if lacks else ""
