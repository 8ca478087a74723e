"""Conditions on a log or store before its recalls are judged: few rejects, times where windows need them, events in the period."""

from __future__ import annotations

from typing import Any

from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.options import Period, Reading
from ..read import Logs
from ..read.lines import NO_REJECTS, OTHER

EVER = Period()
NO_LIST = "Mend the log, leave out the files that are none (labels are named with --labels)"
NO_TIME = "Leave out --window, --from and --to, or pass --map timestamp=<path>"


class RejectsError(InputError):
    """More bad lines than agreed."""


def accept(
    engine: Engine, logs: Logs, reading: Reading, period: Period = EVER, *, needs_time: bool = False, empty_ok: bool = False
) -> list[dict[str, Any]]:
    """The relation `normalised` -> `events` (sql/1_normalise/events.sql); returns the rejects by reason.

    Raises:
        InputError: more bad lines than agreed; windows or a period of events without times; no event in the period.
    """
    facts = logs.facts
    cut_to(engine, period)
    is_clean = facts is not None and not facts["n_problems"] and not facts["n_maybe_without_list"]
    rejects = [] if is_clean else rejects_by_reason(engine)
    total = facts["n_records"] if facts else engine.run("select count(*) from normalised")[0][0]
    refuse_rejects(rejects, total, reading, empty_ok=empty_ok)
    if needs_time or period.is_dated:
        missing = engine.run('select count(*) from normalised where reject_reason is null and "timestamp" is null')[0][0]
        bound_no_time(engine, missing, total, reading)
    if period and not engine.run("select exists (select 1 from events)")[0][0]:
        refuse_no_period(period, engine.run('select min("timestamp"), max("timestamp") from normalised')[0])
    return rejects


def cut_to(engine: Engine, period: Period) -> None:
    """The view `events` of `normalised`, in a period.

    Raises:
        UsageError: --from or --to is no time; raised before any log is scanned.
    """
    set_period(engine, period)
    engine.file("1_normalise/events.sql")


def set_period(engine: Engine, period: Period) -> None:
    """What in_period() of sql/ is true of."""
    for flag, name, at in (("--from", "opt_from", period.start), ("--to", "opt_to", period.end)):
        if at and engine.run(f"select try_cast({quoted(at)} as timestamptz) is null")[0][0]:
            fix = "Write ISO 8601, for example 2026-11-01 or 2026-11-01T06:00:00Z"
            raise UsageError(f"not a time: {at!r}", where=flag, fix=fix)
        engine.run(f"create or replace macro {name}() as {quoted(at)}::timestamptz")


def rejects_by_reason(engine: Engine) -> list[dict[str, Any]]:
    """Of the view `source_rejects`: reason, n, and where and what the first one is; the most frequent first."""
    engine.file("6_report/rejects.sql")
    return engine.rows("from rejects_by_reason", what="reading the rejects")


def lack_times(missing: int, total: int, reading: Reading) -> bool:
    """Whether too many of some events have no time for windows: more than one and than the share of bad lines, or half of them."""
    return missing > 0 and (missing > max(1, reading.max_rejects * total) or 2 * missing >= total)


def bound_no_time(engine: Engine, missing: int, total: int, reading: Reading, *, where: str = "logs", fix: str = NO_TIME) -> None:
    """Events without a time are in no window; where they are few they are counted, in the table `without_time`.

    Raises:
        InputError: there are more.
    """
    if lack_times(missing, total, reading):
        limit = f"limit {100 * reading.max_rejects:g} %, or one"
        raise InputError(f"{missing} of {total} events have no timestamp ({limit}), so there are no windows", where=where, fix=fix)
    engine.values("without_time", {"n": "bigint"}, [(missing,)])


def refuse_no_period(period: Period, span: tuple[Any, ...], *, where: str = "logs") -> None:
    """The error of a period or condition without events, with the first and last time of the logs."""
    if period.where is not None:
        within = " in the period asked for" if period.is_dated else ""
        raise InputError(
            f"no event{within} passes {period.where!r}", where="--where", fix="See `recallwatch check` for the columns"
        )
    what = f"no events in the period asked for (the logs reach from {span[0]} to {span[1]})"
    raise InputError(what, where=where, fix="Mend --from and --to")


def refuse_rejects(rejects: list[dict[str, Any]], total: int, reading: Reading, *, empty_ok: bool = False) -> None:
    """An unfinished last line is counted but no error: the log may still be written. Other programs' lines are no part of the log.

    Raises:
        RejectsError: more bad lines than agreed.
        InputError: one, where each is to stop the run; nothing but lines of others.
    """
    bad = [row for row in rejects if row["reason"] not in NO_REJECTS]
    others = sum(row["n"] for row in rejects if row["reason"] == OTHER)
    total -= others
    if others and not total:
        if empty_ok:
            return
        what = f"no recalls in there ({others:,} lines of other programs, or left out by the profile's where)"
        raise InputError(what, where=rejects[0]["where"], fix="Mend where or unwrap in the profile, or name another log")
    n_bad = sum(row["n"] for row in bad)
    if bad and reading.on_bad_line == "stop":
        fix = "Mend the line, or pass --on-bad-line skip"
        raise InputError(f"{bad[0]['reason']} (saw {bad[0]['excerpt']!r})", where=bad[0]["where"], fix=fix)
    if rejects and total == sum(row["n"] for row in rejects if row["reason"] != OTHER):
        what = f"all rejected: {bad[0]['reason']}" if bad else "no whole line"
        fix = "See `recallwatch list formats`"
        raise RejectsError(f"no recalls in there ({total} records, {what})", where=bad[0]["where"] if bad else "logs", fix=fix)
    if n_bad > reading.max_rejects * total:
        raise RejectsError(
            f"{bad[0]['reason']} (saw {bad[0]['excerpt']!r}). {n_bad} of {total} records "
            f"({100 * n_bad / total:.1f} %) rejected, limit {100 * reading.max_rejects:g} %",
            where=bad[0]["where"],
            fix=f"{NO_LIST if bad[0]['reason'].startswith('no result list') else 'Mend the log'}, or raise --max-rejects",
        )


def drop_duplicates(engine: Engine, *, has_ids: bool) -> int:
    """Events -> events_once; returns the number of duplicate events dropped."""
    if has_ids:
        engine.file("1_normalise/duplicate_hashes.sql")
    if not has_ids or not engine.run("select exists (select 1 from duplicate_hashes)")[0][0]:
        engine.file("1_normalise/no_duplicates.sql")
        return 0
    engine.file("1_normalise/duplicates.sql")
    dropped = engine.run(
        "select (select count(*) from events where hash(event_id) in (select h from duplicate_hashes)) - (select count(*) from duplicates_resolved)"
    )
    return int(dropped[0][0])
