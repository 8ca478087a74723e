"""Sentences for people: the reason of a finding, the headline of a result, the windows of a series that failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..base.definition import is_unsure, rests_on
from ..base.verdicts import FAMILIES, MOVED, families, overall
from ..document.numbers import change, p_equals, plural, points, ratio, share, significant
from ..report.finding_rows import finding_name, rank
from .finding import Finding
from .measurement import Measured

MOST = 0.5  # a stage that carries this share of a change of the total is named in the headline
MOST_SEEN = 2.3  # log ratio: a test that sees tenfold changes only sees none
PROVISIONAL = "provisional: no history"  # of windows that show by how much they differ anyway
SHOWN = 5  # lost ids, failed windows


def _ms(value: float) -> str:
    return significant(value, 4)


def change_text(test: Measured) -> str:
    """Reference and current value with the change, in the unit people use."""
    if test.effect is None or test.reference is None or test.current is None:
        return ""
    show = next((show for tests, show in CHANGES if test.test in tests), _shares)
    return show(test.reference, test.current, test.effect)


def _shares(before: float, after: float, _: float) -> str:
    return f"{share(before)} → {share(after)}"


CHANGES: tuple[tuple[tuple[str, ...], Callable[[float, float, float], str]], ...] = (  # tests, and how their change is written
    (("latency",), lambda before, after, effect: f"{_ms(before)} → {_ms(after)} ms ({change(effect)})"),
    (("class_mix", "tenant_mix"), lambda _before, _after, effect: f"PSI {ratio(effect)}"),
    (("volume",), lambda before, after, _: f"{significant(before)} → {significant(after)} recalls an hour"),
    (("documents_gone",), lambda before, after, effect: f"{_shares(before, after, effect)} of what lists usually hold"),
    (("documents_new",), lambda before, after, effect: f"{_shares(before, after, effect)} of the lists"),
    (
        ("list_depth", "list_length", "top_score", "score_margin"),
        lambda before, after, _: f"{significant(before)} → {significant(after)}",
    ),
    (("concentration",), lambda _before, _after, effect: f"{change(effect)} in the sum of squared shares"),
    (
        ("quality", "quality_traffic", "quality_segment", "judged", "mix_effect", "overlap"),
        lambda before, after, effect: f"{ratio(before)} → {ratio(after)} ({points(effect)})",
    ),
)


def reason(finding: Finding, *, is_large: bool, level: float) -> str:
    """One sentence that says why the verdict is what it is."""
    test = finding.measured
    unsure = (
        [f"labels are of kind {rests_on(kinds)}, so it is no more than a hint"]
        if is_unsure(kinds := test.extra.get("kinds"))
        else []
    )
    notes = "; ".join([*test.notes, *unsure, *([PROVISIONAL] if test.provisional and finding.verdict in MOVED else [])])
    tail = f"; {notes}" if notes else ""
    if test.lack:
        return f"too little data: {test.lack}{tail}"
    if test.effect is None:
        return notes or "not tested"
    if test.test in ("stage", "list_depth"):
        return notes
    certainty = p_equals(test.p if finding.q is None else finding.q)
    text = f"{change_text(test)}{', ' + certainty if certainty else ''}{_queries(test)}{_answers(test)}"
    if finding.verdict == "insufficient":
        return f"{text}; {_unseen(finding)}{tail}"
    sure = test.p if finding.q is None else finding.q
    if finding.verdict == "ok" and not is_large and sure is not None and sure <= level:
        return f"{text}; certain, but too small to matter{tail}"
    return f"{text}{tail}"


def _queries(test: Measured) -> str:
    if "worse" not in test.extra or test.test not in ("quality", "quality_segment"):
        return ""
    worse, better, m = test.extra["worse"], test.extra["better"], test.extra["queries"]
    few = f" ({worse + better} changed queries cannot reach p < .05)" if 0 < worse + better < 6 else ""
    traffic = f", {points(test.extra['traffic'])} by traffic" if worse + better else ""
    return f"; of {m} queries {worse} worse, {better} better{few}{traffic}"


def _answers(test: Measured) -> str:
    """What a test of answers rests on, or how many documents it is about."""
    if "traffic" in test.extra and test.test == "overlap":
        return (
            f"; {plural(test.extra['queries'], 'query', 'queries')} of both windows, {share(test.extra['traffic'])} of the recalls"
        )
    if "usual" not in test.extra:
        return ""
    return f"; {plural(test.extra['n'], 'document')}, {significant(test.extra['usual'])} on usual windows"


def _size(test: Measured, mde: float) -> str:
    if test.test != "latency":
        return f"a change under {100 * mde:.1f} points"
    return f"a change under {100 * (math.exp(mde) - 1):.0f} %" if mde < MOST_SEEN else "a change of any size"


def headline(findings: Sequence[Finding], since: str, coincidences: Sequence[str], before: str) -> str:
    """The sentence an on-call engineer reads first; ``before`` and ``since``: starts of the two windows, ISO.

    ``unchanged`` are families that were tested with enough data and did not move; the others are named with what they lack.
    """
    text = _tested(findings, since, coincidences, before)
    return text if any(finding.family == "quality" for finding in findings) else f"{text} No labels: quality is not measured."


def _tested(findings: Sequence[Finding], since: str, coincidences: Sequence[str], before: str) -> str:
    also = f" ({'; '.join(coincidences)})" if coincidences else ""
    verdicts = families([finding.to_row() for finding in findings])
    own = {family: [finding for finding in findings if finding.family == family] for family in verdicts}
    moved = [_family_text(family, group) for family, group in _moved(findings).items()]
    quiet = [family for family, group in own.items() if group and not _has_moved(group)]
    still = [family for family in quiet if verdicts[family] == "ok"]
    lacks = _lacks({family: own[family] for family in quiet if verdicts[family] == "insufficient"})
    end = [f"{', '.join(still)} unchanged"] if still else []
    if moved:
        return f"Since {since}{also}: {'; '.join([*moved, *end, *lacks])}."
    if overall([finding.to_row() for finding in findings]) == "insufficient":
        return f"Too little data to judge the window of {since}{also}: {'; '.join([*lacks, *end])}."
    text = f"Nothing moved that matters between {before} and {since}, the window judged{also}."
    return f"{text} Not tested: {'; '.join(lacks)}." if lacks else text


def _moved(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Family -> its findings that moved, the gravest first."""
    moved = sorted((finding for finding in findings if finding.verdict in MOVED), key=_rank)
    return {family: group for family in FAMILIES if (group := [finding for finding in moved if finding.family == family])}


def with_onsets(headline: str, findings: Sequence[Finding], now: str) -> str:
    """The headline of a window that starts ``now``, each of its findings with the window it began in."""
    since = {family: group[0].since or now for family, group in _moved(findings).items()}
    if not since:
        return headline
    first = now if now in since.values() else min(since.values())
    headline = headline.replace(f"Since {now}", f"Since {first}", 1)
    for family, group in _moved(findings).items():
        if since[family] != first:
            text = _family_text(family, group)
            headline = headline.replace(text, f"{text} (since {since[family]})", 1)
    return headline


def failures(windows: Sequence[tuple[str, str]], word: str) -> str:
    """How many windows failed, and which; ``windows``: start and verdict of each; empty where none did."""
    failed = [start for start, verdict in windows if verdict == "fail"]
    if not failed:
        return ""
    names = ", ".join(failed[:SHOWN]) + (f" and {len(failed) - SHOWN} more" if len(failed) > SHOWN else "")
    return f"{len(failed)} of {plural(len(windows), word)} failed: {names}"


def _documents(group: Sequence[Finding]) -> str:
    """The documents gone, those that filled most of the lists first."""
    gone = next((f.measured for f in group if f.measured.test == "documents_gone"), None)
    if gone is None:
        return ""
    ids = [row["document_id"] for row in gone.where]
    return f"; {plural(gone.extra['n'], 'document')} gone ({', '.join(ids[:SHOWN])}{', …' if len(ids) > SHOWN else ''})"


def _has_moved(group: Sequence[Finding]) -> bool:
    return any(finding.verdict in MOVED for finding in group)


def _rank(finding: Finding) -> tuple[int, int, float]:
    return rank(finding.to_row())


def _lacks(groups: Mapping[str, Sequence[Finding]]) -> list[str]:
    """Why families could not be tested, those with one reason together: what the first test of each over everything lacks."""
    reasons: dict[str, list[str]] = {}
    for family, group in groups.items():
        first = min(
            (finding for finding in group if finding.verdict == "insufficient"), key=lambda finding: bool(finding.measured.segment)
        )
        reasons.setdefault(first.measured.lack or _unseen(first), []).append(family)
    return [f"{', '.join(names)}: too little data ({why})" for why, names in reasons.items()]


def _unseen(finding: Finding) -> str:
    return f"{_size(finding.measured, finding.mde or 0.0)} would have gone unseen"


def _family_text(family: str, group: list[Finding]) -> str:
    first = group[0]
    text = f"{finding_name(first.to_row())} {change_text(first.measured)}"
    if family == "answers":
        return f"answers changed: {text}{_documents(group)}"
    if first.measured.test == "quality_traffic":
        return "; ".join([text, *first.measured.notes])
    if "worse" in first.measured.extra and family == "quality":
        e = first.measured.extra
        text += f"; {e['worse']} of {e['queries']} queries worse, {e['better']} better"
        if first.extra.get("lost"):
            text += f"; lost ids {', '.join(first.extra['lost'][:SHOWN])}" + (", …" if len(first.extra["lost"]) > SHOWN else "")
        if first.extra.get("segment"):
            text += f"; most of it in {first.extra['segment']}"
    carrier = next((row for row in first.measured.where if row["kind"] == "stage"), None)
    if carrier and (carrier["share_of_change"] or 0) >= MOST:
        ms = f"{_ms(carrier['reference_ms'])} → {_ms(carrier['current_ms'])} ms"
        text += f"; {carrier['stage']} {ms} carries {share(carrier['share_of_change'])} of it"
    others = [f for f in group[1:] if f.measured.test == "stage"]
    return text + "".join(f"; {n}" for f in others for n in f.measured.notes)
