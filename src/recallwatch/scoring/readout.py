"""From the relation `normalised` to the result: what a log and a store share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.options import Period, Reading
from ..base.tracing import Steps
from ..read import Logs
from . import relations, segments
from .plan import Plan
from .result import Evaluation

EVER = Period()
READ_OUT = ("event_groups", "quality", "latency", "latency_interval")  # files of 4_aggregate/ that make values of the sums


@contextmanager
def at_work(plan: Plan, name: str) -> Iterator[tuple[Engine, Steps]]:
    """An engine of its own for a plan, options bound, and its steps; ``name`` is the span's, e.g. ``recallwatch.evaluate``."""
    engine = plan.engine()
    steps = Steps(name, engine, plan.watcher)
    try:
        with steps("bind"):
            relations.bind(engine, plan.definition, plan.cut)
        yield engine, steps
    finally:
        engine.close()


def score_events(
    engine: Engine, plan: Plan, read: Logs, label_form: str, steps: Steps, *, rejects: list[dict[str, Any]], duplicates: int
) -> Evaluation:
    """events_once and labels -> the result: what a log and a store share."""
    with steps("judge"):
        relations.join_labels(engine, log_columns=set(read.names.values()), facts=read.facts)
        segments.segment(engine, plan.cut.by, plan.cut.window, names=dict(read.names), attributes=read.attributes)
    with steps("score"):
        relations.map_quality(engine, plan.definition, plan.cut.columns)
    with steps("aggregate"):
        map_rest(engine)
        count_lists(engine, read, plan.period, duplicates=duplicates)
    return read_out(engine, plan, read, label_form, steps, rejects=rejects, duplicates=duplicates)


def map_rest(engine: Engine) -> None:
    """judged_events and keyed -> the other sums that merge over sources and days."""
    for name in ("found", "match", "events", "latency_values", "latency_map"):
        engine.file(f"4_aggregate/{name}.sql")


def read_out(
    engine: Engine, plan: Plan, read: Logs, label_form: str, steps: Steps, *, rejects: list[dict[str, Any]], duplicates: int
) -> Evaluation:
    """The sums -> what people read."""
    with steps("aggregate"):
        for name in ("found_documents", *READ_OUT):
            engine.file(f"4_aggregate/{name}.sql")
    with steps("report"):
        for name in ("metrics", "latency", "cost", "queries", "summary", *(("match",) if plan.definition.match != "id" else ())):
            engine.file(f"6_report/{name}.sql")
        refuse_no_match(engine)
        result = Evaluation.collect(
            engine,
            plan.definition,
            read,
            label_form,
            preset=plan.preset,
            rejects=rejects,
            duplicates=duplicates,
            per_query=plan.per_query,
        )
        if plan.then is not None:
            plan.then(engine)
        return result


def accept(
    engine: Engine, read: Logs, reading: Reading, period: Period = EVER, *, needs_time: bool = False
) -> list[dict[str, Any]]:
    """Normalised -> events; refuses a log with more bad lines than agreed. Returns rejects by reason."""
    is_clean = read.facts is not None and not read.facts["n_problems"] and not read.facts["n_maybe_without_list"]
    rejects = [] if is_clean else engine.rows(REJECTS, what="reading the logs")
    total = read.facts["n_records"] if read.facts else engine.run("select count(*) from normalised")[0][0]
    conditions = [*(["reject_reason is null"] if rejects else []), *period_of(period)]
    where = f"where {' and '.join(conditions)}" if conditions else ""
    refuse_period(engine, period)
    engine.run(f"create or replace view events as select * exclude (reject_reason, excerpt) from normalised {where}")
    refuse_rejects(rejects, total, reading)
    if needs_time or period:
        missing = engine.run('select count(*) from normalised where reject_reason is null and "timestamp" is null')[0][0]
        refuse_no_time(missing, total)
    if period and not engine.run("select exists (select 1 from events)")[0][0]:
        refuse_no_period(engine.run('select min("timestamp"), max("timestamp") from normalised')[0])
    return rejects


def period_of(period: Period) -> list[str]:
    """SQL conditions of --from and --to, as far as they are asked for."""
    return [f'"timestamp" {sign} {quoted(at)}::timestamptz' for sign, at in ((">=", period.start), ("<", period.end)) if at]


def refuse_no_time(missing: int, total: int) -> None:
    """Windows need a time on every event."""
    if missing:
        raise InputError(
            f"{missing} of {total} events have no timestamp, so there are no windows",
            where="logs",
            fix="Leave out --window, --from and --to, or pass --map timestamp=<path>",
        )


def refuse_no_period(span: tuple[Any, ...]) -> None:
    """A period without events, beside the first and last time there are."""
    raise InputError(
        f"no events in the period asked for (the logs reach from {span[0]} to {span[1]})", where="logs", fix="Mend --from and --to"
    )


def refuse_period(engine: Engine, period: Period) -> None:
    """--from and --to must be times, told before any log is scanned for them."""
    for flag, at in (("--from", period.start), ("--to", period.end)):
        if at and engine.run(f"select try_cast({quoted(at)} as timestamptz) is null")[0][0]:
            raise UsageError(
                f"not a time: {at!r}", where=flag, fix="Write ISO 8601, for example 2026-11-01 or 2026-11-01T06:00:00Z"
            )


REJECTS = """select reject_reason as reason, count(*) as n, min((source, source_line))[1] || ':' || min((source, source_line))[2] as "where",
    arg_min(left(excerpt, 80), (source, source_line)) as excerpt
    from normalised where reject_reason is not null group by reject_reason order by n desc, reason"""


def refuse_rejects(rejects: list[dict[str, Any]], total: int, reading: Reading) -> None:
    """An unfinished last line is counted, and never held against a log that is still being written."""
    bad = [row for row in rejects if row["reason"] != "incomplete_tail"]
    n_bad = sum(row["n"] for row in bad)
    if bad and reading.on_bad_line == "stop":
        raise InputError(
            f"{bad[0]['reason']} (saw {bad[0]['excerpt']!r})",
            where=bad[0]["where"],
            fix="Mend the line, or pass --on-bad-line skip",
        )
    if total == sum(row["n"] for row in rejects):
        what = f"all rejected: {bad[0]['reason']}" if bad else "no whole line"
        raise InputError(
            f"no recalls in there ({total} records, {what})",
            where=bad[0]["where"] if bad else "logs",
            fix="See `recallwatch list formats`",
        )
    if n_bad > reading.max_rejects * total:
        raise InputError(
            f"{bad[0]['reason']} (saw {bad[0]['excerpt']!r}). {n_bad} of {total} records "
            f"({100 * n_bad / total:.1f} %) rejected, limit {100 * reading.max_rejects:g} %",
            where=bad[0]["where"],
            fix="Mend the log, or raise --max-rejects",
        )


KNOWN_LISTS = (
    "select if(by_id_only(), n_missing_ids = 0, has_whole_texts = 1) from flat_facts"  # a list with texts may be judged by them
)


def are_lists_known(engine: Engine, facts: Mapping[str, int] | None, period: Period, *, duplicates: int) -> bool:
    """Whether the one look at the log (the table flat_facts) counted what lists.sql would count."""
    unknown = facts is None or duplicates or period or facts["n_problems"]
    return not unknown and bool(engine.run(KNOWN_LISTS)[0][0])


def count_lists(engine: Engine, read: Logs, period: Period, *, duplicates: int) -> None:
    """list_counts and flag_counts: from the one look at the log where that saw the same events, else from a pass of their own."""
    if not are_lists_known(engine, read.facts, period, duplicates=duplicates):
        engine.file("4_aggregate/lists.sql")
        engine.file("4_aggregate/list_counts.sql")
    else:
        count_known_lists(engine)


def count_known_lists(engine: Engine) -> None:
    """The same from the table flat_facts alone."""
    engine.run(
        """create or replace table list_counts as
        select n_empty, if(by_id_only(), n_unscorable, 0) as n_unscorable, if(by_id_only(), n_null_ids, 0) as n_null_ids from flat_facts"""
    )
    engine.run(
        """create or replace table flag_counts as select flag, n from (
            select unnest(['latency_invalid', 'cost_invalid']) as flag, unnest([n_broken_time, n_broken_cost]) as n from flat_facts) where n > 0"""
    )


def refuse_no_match(engine: Engine) -> None:
    """A join that found nothing is an error with examples of both sides, never a zero."""
    if engine.run("select count(*) from quality_sums")[0][0]:
        return
    column = {"query_id": "query_id", "query_text": "query_text", "both": "coalesce(query_id, query_text)"}[
        engine.run("select opt_join()")[0][0]
    ]
    seen = [row[0] for row in engine.run(f"select distinct {column} as q from events_once where q is not null order by q limit 2")]
    known = [
        row[0] for row in engine.run(f"select distinct {column} as q from labelled_queries where q is not null order by q limit 2")
    ]
    raise InputError(
        f"no event matches any label: the logs have {seen}, the labels have {known}",
        where="labels",
        fix="Check that both speak of the same queries, or pass --map query_id=<path>",
    )
