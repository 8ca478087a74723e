"""Sentences of a comparison: the headline that names the reasons of the verdict, and the notes a reader needs first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.verdicts import CERTAIN
from ..document.numbers import NONE, p_equals, plural, points, ratio, ratio4, significant
from ..monitor.settings import Settings
from ..report.finding_rows import rank
from ..scoring.columns import segment_name
from ..scoring.document import column_name
from ..scoring.unlabelled import NO_LABELS
from .arms import STAGE, TIME, Arm
from .comparison_rows import counted

Row = Mapping[str, Any]
WORDS = {"fail": "worse", "improved": "better"}


def headline(a: str, b: str, rows: Sequence[Row], untimed: str = "") -> str:
    """Better, worse or both, by the rows that say so; then every family that did not move or could not be tested, by name.

    ``untimed``: why there are no rows of latency where one arm has times.
    """
    groups = {family: [row for row in rows if row["family"] == family] for family in ("quality", "latency")}
    moved = {family: [row for row in group if row["verdict"] in CERTAIN] for family, group in groups.items()}
    words = {family: _direction(group) for family, group in moved.items() if group}
    still = [_still(family, group) for family, group in groups.items() if group and not moved[family]]
    still += [f"latency: not compared ({untimed})"] if untimed else []
    if not words:
        return f"{b} against {a}: {'; '.join(still) or 'no metric in common'}"
    head = f"{b} against {a}: {', '.join(f'{family} {word}' for family, word in words.items())}"
    if set(words.values()) in ({"better"}, {"worse"}):
        is_whole = any(not row["segment"] for group in moved.values() for row in group)
        head = f"{b} is {next(iter(words.values()))} than {a}{'' if is_whole else ' in some classes only'}"
    return "; ".join([f"{head}: {'; '.join(_moved(moved[family]) for family in words)}", *still])


def untimed(a: Arm, b: Arm) -> str:
    """Why times that one arm has are not compared; empty where both have one of the same kind, or none has any."""
    mine, yours = _times(a), _times(b)
    if mine & yours or not mine | yours:
        return ""
    if mine and yours:
        return "no time of one kind is in both arms"
    without = b if mine else a
    if without.n_error == without.n_recalls:
        return f"every recall of {without.name} failed"
    return f"no recall of {without.name} has a time{' above 0' if without.n_ms else ''}"


def _times(arm: Arm) -> set[str]:
    return {name for name in arm.sums if name == TIME or name.startswith(STAGE)}


def unlabelled(a: str, b: str, rows: Sequence[Row], alike: Row | None, untimed: str = "") -> str:
    """What can be said without labels: how alike the lists are, and what :func:`headline` says of times; never better or worse as a whole."""
    times = headline(a, b, rows).partition(": ")[2] if rows else untimed or "no times in both"
    if alike is None:
        return f"{b} against {a}: {NO_LABELS}; no query has a list in both; {times}"
    other = alike["n_queries"] - alike["n_same_list"]
    lists = f"{other} of {plural(alike['n_queries'], 'query', 'queries')} got another list (overlap@{alike['k']} {ratio(alike['overlap'])})"
    return f"{b} against {a}: {NO_LABELS}; {lists}; times: {times}"


def _direction(moved: Sequence[Row]) -> str:
    """better, worse or mixed."""
    words = {WORDS[row["verdict"]] for row in moved}
    return "mixed" if len(words) == 2 else words.pop()


def _moved(moved: Sequence[Row]) -> str:
    """The gravest row of each direction, the worse first."""
    first: dict[str, Row] = {}
    for row in sorted(moved, key=rank):  # of equals the one that was named first
        first.setdefault(row["verdict"], row)
    return "; ".join(_row_text(first[verdict]) for verdict in WORDS if verdict in first)


def _still(family: str, group: Sequence[Row]) -> str:
    """A family that did not move: no difference where it was tested, none that unjudged documents leave certain, else that it could not be."""
    first = group[0]
    if first["verdict"] == "insufficient":
        return f"{family}: too little to tell ({row_name(first)}: {first['reason']})"
    if first.get("tipping_point") is not None:  # it was one, until unjudged documents were asked
        return f"{family}: no certain difference ({row_name(first)} {change_of(first)}: {first['reason']})"
    return f"{family}: no difference that matters ({_row_text(first)})"


def row_name(row: Row) -> str:
    """``recall@10 (lookup)``, ``total ms``, ``rerank ms``."""
    base = f"{row['stage']} ms" if row["stage"] else "total ms" if row["family"] == "latency" else column_name(row)
    return f"{base} ({segment_name(row['segment'])})" if row["segment"] else base


def change_of(row: Row) -> str:
    """The difference in the unit people use: points of a ratio, times as a ratio of both."""
    if row["effect"] is None:
        return NONE
    return f"× {significant(math.exp(row['effect']))}" if row["unit"] == "log_ratio" else points(row["effect"], 2)


def _row_text(row: Row) -> str:
    if row["a"] is None or row["b"] is None:
        return f"{row_name(row)} has no query in one of them"
    before, after = (significant(row[side], 4) if row["unit"] == "log_ratio" else ratio4(row[side]) for side in ("a", "b"))
    p = f", {p_equals(row['p_value'])}" if row["p_value"] is not None else ""
    counts = counted(row["n_queries"], row["losses"], row["wins"], is_paired=row["method"] != "welch")
    return f"{row_name(row)} {before} → {after} ({change_of(row)}{p}; {counts})"


def notes(
    a: Arm, b: Arm, rows: Sequence[Row], similarity: Mapping[str, Any] | None, settings: Settings, *, errors: str
) -> list[str]:
    """What a reader must know before the numbers: arms that cannot be compared like with like."""
    sentences = [*dict.fromkeys((*a.told, *b.told)), *(note for arm in (a, b) for note in _of_arm(arm, settings, errors))]
    for one, other in ((a, b), (b, a)):
        if not one.n_ms and other.n_ms and one.n_error < one.n_recalls:
            sentences.append(f"{one.name}: no recall has a time, or one that can be one; times are not compared")
        if alone := _stages_alone(one, other):
            sentences.append(f"only {one.name} has times of {', '.join(alone)}: not compared")
    mine, yours = (set(arm.classes) or set(arm.rankings) for arm in (a, b))
    verb, noun = ("is", "") if a.classes or b.classes else ("has a list", " with a list")  # without labels only answers are known
    if not mine & yours:
        sentences.append(f"no query {verb} in both arms ({len(mine)} only in {a.name}, {len(yours)} only in {b.name})")
    elif mine ^ yours:
        apart = plural(len(mine - yours), "query", "queries")
        sentences.append(f"{apart}{noun} only in {a.name}, {len(yours - mine)} only in {b.name}: left out")
    if any(row["method"] == "welch" for row in rows):
        sentences.append(
            "arms without a common query are compared unpaired (Welch's t on query means): weaker, and other queries may be harder"
        )
    if similarity and similarity["n_same_list"] == similarity["n_queries"]:
        sentences.append(_identical(a, b, similarity["n_queries"]))
    return sentences


def _stages_alone(one: Arm, other: Arm) -> list[str]:
    """The stages that the other arm, which has times, does not have."""
    names = _times(one) - _times(other) if _times(other) else set()
    return sorted(name.removeprefix(STAGE) for name in names if name != TIME)


def _identical(a: Arm, b: Arm, n: int) -> str:
    """Equal lists are one run twice only where both arms answered everything."""
    failed = a.n_error + b.n_error
    if not any(ids for ids in a.rankings.values()):
        return "every list is empty in both arms"
    if failed:
        return f"both arms returned the same list for each of the {n} queries that both answered; {failed} recalls failed"
    is_twice = all(a.sums.get(name) == b.sums.get(name) for name in {*a.sums, *b.sums})
    return f"both arms returned the same list for every query{': is it the same run twice?' if is_twice else ''}"


def _of_arm(arm: Arm, settings: Settings, errors: str) -> list[str]:
    sentences, n = [], arm.n_recalls
    if arm.n_error and arm.n_error >= settings.floor_rate * n:
        what = "they count as lists without a hit" if errors == "zero" else "they are left out"
        sentences.append(f"{arm.name}: {arm.n_error:,} of {n:,} recalls failed; {what}, and their times and lists are not compared")
    if arm.n_empty and arm.n_empty == n - arm.n_error:
        sentences.append(f"{arm.name} returned an empty list for every recall ({arm.n_empty:,})")
    if arm.n_zero_ms:
        every = "every time" if arm.n_zero_ms == arm.n_ms else f"{arm.n_zero_ms:,} of {arm.n_ms:,} times"
        sentences.append(f"{arm.name}: {every} is 0 ms; a time of 0 is not compared")
    if 0 < arm.n_ms < n - arm.n_error:
        sentences.append(
            f"{arm.name}: {n - arm.n_error - arm.n_ms:,} of {n - arm.n_error:,} recalls have no time; those of the others are compared"
        )
    return sentences
