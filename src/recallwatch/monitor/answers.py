"""Answers, without a label: do the same queries still get the same documents? Numbers come from sql/5_drift/answers.sql."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.verdicts import MOVED
from ..stats.closed_forms import one_sided, p_of, predicted, weighted_mean
from .measurement import BOTH, Measured, too_few

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides
    from .windows import Unit

Row = dict[str, Any]
Pair = tuple[tuple[int, ...], ...]  # days of a window, then of each window it is compared with
K = 10  # opt_answer_depth() of sql/0_options.sql
FIRST = 3  # windows before a reference window, for it to show what is usual
LEFT_OUT = 0.1  # overlap below the usual by more than one of ten documents: another answer
QUERIES, DOCUMENTS = 10, 5000  # named
SHARES = {"documents_gone": "gone", "documents_new": "new"}  # test -> column
ONCE_A_YEAR = 1 / 365  # p over queries: as rare must it be that so few of them make the change
KNOWN = {"documents_gone": 7.0}  # its least spread is from more windows than a log shows: docs/answers.md
SIDES = {"list_length": "length", "top_score": "top", "score_margin": "margin", "concentration": "concentration"}
LEAST = {"list_length": 0.1, "top_score": 0.05, "score_margin": 0.05, "concentration": 0.05}  # smallest spread a reference is given


def measure(sides: Sides) -> list[Measured]:
    """Overlap of the answers; with history also documents gone and new, list length, scores and concentration."""
    past, now = _rows(sides)
    alike = past[
        -max(len(sides.refs) - min(sides.settings.answer_windows, len(sides.refs) // 2), 0) :
    ]  # compared with about as many windows as now
    overlap = Measured("overlap", "overlap", K, blocks="queries", lack=sides.other_lists(K) or _lack(sides, now))
    if now is None:
        return [overlap]
    overlap.extra.update(queries=now["n_queries"], traffic=now["n_traffic"] / max(sides.state.total("n", sides.after), 1))
    if not sides.has_history or len(alike) < 2:  # one shows no spread
        return [_provisional(overlap, sides, [row["overlap"] for row in past], now)]
    tau = sides.settings.tau_answers
    _predict(overlap, now["overlap"], [row["overlap"] for row in past], tau, worse=-1)
    _spread_over(overlap, now, "overlap")
    tests = [overlap]
    for name, column in SHARES.items():
        test = Measured(
            name,
            name,
            lack=overlap.lack,
            extra={"n": now[f"n_{column}"], "usual": float(np.mean([row[f"n_{column}"] for row in alike]))},
        )
        _predict(test, now[column], [row[column] for row in alike], tau / 2, worse=1, known=KNOWN.get(name, 0.0))
        _spread_over(test, now, column)
        tests.append(test)
    return [*tests, *(one for name in SIDES if (one := _compared(name, now, alike, overlap.lack)) is not None)]


def _spread_over(test: Measured, now: Row, column: str) -> None:
    """p, no smaller than the spread over questions allows: one question of much traffic that got another list is no new index."""
    n, se = now[f"{column}_n"], now[f"{column}_se"]
    if test.p is None or test.effect is None or se is None:
        return
    by_question = one_sided(abs(test.effect), se, n - 1) if n > 1 else 1.0
    if by_question > ONCE_A_YEAR:
        test.p = max(test.p, by_question)


def _rows(sides: Sides) -> tuple[list[Row], Row | None]:
    """Rows of `answer_measures`: reference windows against the windows before each, and the current window against the last of them."""
    n, engine, known = sides.settings.answer_windows, sides.state.engine, sides.state.lazy.measured
    refs = sides.refs
    first = FIRST if sides.has_history else 1
    pairs = [_pair(unit, refs[max(0, i - n) : i]) for i, unit in enumerate(refs) if i >= first]
    current = _pair(sides.current, refs[-n:])
    missing = [*(pair for pair in pairs if pair not in known), current]  # last, and always: its tables say what is behind a change
    sides.state.lazy.ensure("answers", {day for pair in missing for days in pair for day in days})
    rows = [
        (no, "reference" if unit else "current", unit, day)
        for no, pair in enumerate(missing)
        for unit, days in enumerate(pair)
        for day in days
    ]
    engine.values("answer_pairs", {"pair_no": "integer", "side": "varchar", "unit_no": "integer", "day_no": "integer"}, rows)
    engine.options(opt_kappa=sides.settings.kappa, answer_judged=len(missing) - 1)
    engine.file("5_drift/answers.sql")
    found = {row.pop("pair_no"): row for row in engine.rows("from answer_measures", what="the answers")}
    known.update({pair: found.get(no) for no, pair in enumerate(missing)})
    return [row for pair in pairs if (row := known[pair]) is not None], known[current]


def _pair(unit: Unit, before: Sequence[Unit]) -> Pair:
    return (unit.numbers, *(other.numbers for other in before))


def _lack(sides: Sides, now: Row | None) -> str:
    """Why these queries cannot carry a verdict; empty where they can."""
    settings = sides.settings
    if sides.all_failed:
        return sides.all_failed
    if now is None or now["n_queries"] < settings.min_queries:
        return too_few(now["n_queries"] if now else 0, settings.min_queries, BOTH, "query", "queries")
    if now["effective"] < settings.min_effective:
        return f"traffic leans on so few queries that they weigh like {now['effective']:.1f}, {settings.min_effective:g} are needed"
    return ""


def _predict(test: Measured, now: float, past: Sequence[float], least: float, *, worse: int, known: float = 0.0) -> None:
    """The prediction t of a value among those of reference windows; only a move to the ``worse`` side counts."""
    test.effect, test.se, test.df = predicted(now, past, least, known)
    test.reference, test.current, test.blocks = now - test.effect, now, "days"
    test.p = one_sided(test.effect * worse, test.se, test.df)


def _provisional(test: Measured, sides: Sides, past: Sequence[float], now: Row) -> Measured:
    """Few windows: against what reference windows have in common, or one alone with itself; paired by query, with an assumed spread of windows."""
    test.provisional = True
    sql = "select w, change from answer_queries where pair_no = answer_judged() and change is not null order by query"
    w, change = (np.array(column, np.float64) for column in zip(*sides.state.engine.run(sql) or [((), ())], strict=True))
    if len(change) < sides.settings.min_queries:
        test.lack = test.lack or too_few(len(change), sides.settings.min_queries, "asked twice in a window", "query", "queries")
        return test
    mean = weighted_mean(change, w)
    test.effect = now["overlap"] - float(np.mean(past)) if past else mean.mean
    tau = sides.settings.tau if past else sides.settings.tau_pair  # within a window lists are more alike than between windows
    test.se, test.df = math.sqrt(mean.variance + 2 * tau**2), mean.df
    test.reference, test.current = now["overlap"] - test.effect, now["overlap"]
    test.p = one_sided(-test.effect, test.se, test.df)
    return test


def _compared(name: str, now: Row, past: Sequence[Row], lack: str) -> Measured | None:
    """A mean over the same queries on both sides, and by how much its change differs from those of reference windows; None = not logged."""
    changes = [_change(name, row) for row in (now, *past)]
    if None in changes:
        return None
    test = Measured(name, name, blocks="days", lack=lack)
    values = [float(change) for change in changes if change is not None]
    test.effect, test.se, test.df = predicted(values[0], values[1:], LEAST[name])
    test.reference, test.current = now[f"{SIDES[name]}_r"], now[f"{SIDES[name]}_c"]
    test.p = p_of(test.effect, test.se, test.df)
    return test


def _change(name: str, row: Row) -> float | None:
    """Current against reference: documents, standard deviations between queries, or a log ratio."""
    before, after = row[f"{SIDES[name]}_r"], row[f"{SIDES[name]}_c"]
    if before is None or after is None:
        return None
    if name == "concentration":
        return math.log(after / before)
    deviation = 1.0 if name == "list_length" else row[f"{SIDES[name]}_sd"]
    return (after - before) / deviation if deviation else None


def locate(findings: Sequence[Finding], sides: Sides) -> None:
    """Write what is behind findings that moved: the most asked queries with other answers, documents gone and new."""
    moved = {
        finding.measured.test: finding.measured for finding in findings if finding.family == "answers" and finding.verdict in MOVED
    }
    others = [
        finding for finding in findings if finding.family == "quality" and finding.verdict in MOVED and finding.measured.where
    ]
    if not sides.refs or (not moved and not others):
        return
    engine = sides.state.engine
    overlap = next(finding.measured for finding in findings if finding.measured.test == "overlap")
    engine.options(opt_changed_overlap=(overlap.reference or 1.0) - LEFT_OUT)
    engine.file("5_drift/answers_where.sql")
    gone = [{"kind": "gone", **row} for row in engine.rows(f"from gone_documents limit {DOCUMENTS}")]
    if "overlap" in moved:
        queries = [{"kind": "answer", **row} for row in engine.rows(f"from changed_answers limit {QUERIES}")]
        overlap.extra["changed"] = engine.run("select count(*) from changed_answers")[0][0]
        overlap.where = [*queries, *gone[:QUERIES]]
    if "documents_gone" in moved:
        moved["documents_gone"].where = gone
    if "documents_new" in moved:
        moved["documents_new"].where = [{"kind": "new", **row} for row in engine.rows(f"from new_documents limit {DOCUMENTS}")]
    _name_causes(others, {row["document_id"] for row in gone})


def _name_causes(findings: Sequence[Finding], gone: set[str]) -> None:
    """A verdict of quality names documents that no list shows any more among those its queries lost."""
    for finding in findings:
        for row in finding.measured.where:
            if row["kind"] == "document":
                row["is_unseen"] = row["document_id"] in gone
        if causes := [row["document_id"] for row in finding.measured.where if row.get("is_unseen")]:
            finding.reason += f"; no list shows {', '.join(causes[:5])}{', …' if len(causes) > 5 else ''} any more"
