"""One function on one screen: read, normalise, judge, score, aggregate, read out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import scoring
from .config import DEFAULT_K, Definition, columns_of, define, parse_k
from .engine import Engine, quoted
from .errors import InputError, UsageError
from .read import Logs, read_label_table, read_labels, read_log_table, read_logs
from .result import Evaluation
from .tracing import Steps, Watcher


@dataclass(frozen=True)
class Request:
    """What one evaluation is asked for; every default has its reason beside it.

    Args:
        metrics: names, ``name`` or ``name@k``; empty = all.
        k: depths.
        by: columns or attributes to slice by.
        window: hour, day, week, month or all.
        timezone: IANA name; windows are half-open in it.
        start, end: ISO times; only events with start <= timestamp < end count.
        log_format: name of a format; auto = told by content.
        mapped: column -> path of the log (``--map``).
        max_rejects: share of lines that may be bad before the result is refused; 1 %: a log that is worse is another format.
        on_bad_line: skip (counted) or stop.
        per_query: whether the result carries each query's values.
        watcher: told each step and the engine at work (a progress bar).
        threads, memory_limit: DuckDB's; None = its defaults.
    """

    metrics: tuple[str, ...] = ()
    k: tuple[int | None, ...] = DEFAULT_K
    by: tuple[str, ...] = ()
    window: str = "all"
    timezone: str = "UTC"
    start: str | None = None
    end: str | None = None
    log_format: str = "auto"
    mapped: Mapping[str, str] = field(default_factory=dict)
    max_rejects: float = 0.01
    on_bad_line: str = "skip"
    per_query: bool = False
    watcher: Watcher | None = None
    threads: int | None = None
    memory_limit: str | None = None


@dataclass(frozen=True)
class Plan:
    """Everything one evaluation was asked, checked.

    Args:
        request: where from, how cut.
        definition: what the numbers mean.
        cut: columns, segments, windows.
        preset: the ``compat`` that was named.
    """

    request: Request
    definition: Definition
    cut: scoring.Cut
    preset: str | None


def plan_of(compat: str | None, definition: Definition | None, options: Mapping[str, Any]) -> Plan:
    """Check every option before any data is read.

    Raises:
        UsageError: unknown option, metric or value.
    """
    request, wanted = _split(options)
    chosen = definition or define(compat, **wanted)
    columns = list(columns_of(request.metrics, request.k))
    if chosen.f1 == "of_means":  # it is made of these two
        depths = [f1.k or "all" for f1 in columns if f1.metric == "f1"]
        parts = [c for k in depths for c in columns_of([f"recall@{k}", f"precision@{k}"], ())]
        columns += [c for c in parts if c not in columns]
    return Plan(request, chosen, scoring.Cut(tuple(columns), request.by, request.window, request.timezone), compat)


def evaluate(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    compat: str | None = None,
    definition: Definition | None = None,
    **options: Any,
) -> Evaluation:
    """Score a recall log against labels.

    Args:
        logs: path, folder, glob or a list of them; or an Arrow table, Polars frame, DuckDB relation.
        labels: path or list of paths; or an Arrow table, Polars frame, DuckDB relation.
        store: folder of a store: the logs, if any, are added to it and all it holds is scored; no labels = those it was last scored with.
        compat: a preset: trec_eval, course, codemem, longmemeval.
        definition: a ready definition, instead of single options.
        options: fields of :class:`Request` and of :class:`~recallwatch.config.Definition`; ``k`` also as ``"1,3,10"``.

    Returns:
        Evaluation: Arrow tables ``metrics``, ``latency``, ``cost``, ``queries``; ``.to_dict()`` is the JSON of the command.

    Raises:
        UsageError: unknown option, metric or value (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    plan = plan_of(compat, definition, options)
    if store is not None:
        from .store import evaluate_store

        return evaluate_store(store, plan, logs=logs, labels=labels)
    if logs is None or labels is None:
        raise UsageError(f"no {'logs' if logs is None else 'labels'} named", where="evaluate", fix="Name LOGS… and --labels, or a --store that has them")
    engine = Engine(threads=plan.request.threads, memory_limit=plan.request.memory_limit)
    steps = Steps("recallwatch.evaluate", engine, plan.request.watcher)
    try:
        with steps("bind"):
            scoring.bind(engine, plan.definition, plan.cut)
        with steps("read"):
            label_form = _labels(engine, labels, plan.request)
            read = _logs(engine, logs, plan.request)
            rejects = accept(engine, read, plan.request)
        with steps("once"):
            duplicates = scoring.once(engine, has_ids=read.has_ids)
        result = score_events(engine, plan, read, label_form, steps, rejects=rejects, duplicates=duplicates)
        steps.done(result.counts)
        return result
    finally:
        engine.close()


def score_events(
    engine: Engine, plan: Plan, read: Logs, label_form: str, steps: Steps, *, rejects: list[dict[str, Any]], duplicates: int
) -> Evaluation:
    """events_once and labels -> the result: what a log and a store share."""
    with steps("judge"):
        scoring.join_labels(engine, log_columns=set(read.names.values()))
        scoring.segment(engine, plan.cut, names=dict(read.names), attributes=read.attributes)
    with steps("score"):
        scoring.map_quality(engine, plan.definition, plan.cut.columns)
    with steps("aggregate"):
        map_rest(engine)
        count_lists(engine, read, plan.request, duplicates=duplicates)
    return read_out(engine, plan, read, label_form, steps, rejects=rejects, duplicates=duplicates)


def map_rest(engine: Engine) -> None:
    """judged_events and keyed -> the other sums that merge over sources and days."""
    for name in ("found", "events", "latency_values", "latency_map"):
        engine.file(f"4_aggregate/{name}.sql")


def read_out(
    engine: Engine, plan: Plan, read: Logs, label_form: str, steps: Steps, *, rejects: list[dict[str, Any]], duplicates: int
) -> Evaluation:
    """The sums -> what people read."""
    with steps("aggregate"):
        for name in ("found_documents", "event_groups", "quality", "latency", "latency_interval"):
            engine.file(f"4_aggregate/{name}.sql")
    with steps("report"):
        for name in ("metrics", "latency", "cost", "queries", "summary"):
            engine.file(f"6_report/{name}.sql")
        _refuse_no_match(engine)
        return Evaluation.collect(
            engine,
            plan.definition,
            plan.cut,
            read,
            label_form,
            preset=plan.preset,
            rejects=rejects,
            duplicates=duplicates,
            per_query=plan.request.per_query,
        )


def _split(options: Mapping[str, Any]) -> tuple[Request, dict[str, Any]]:
    """Options of the request and options of the definition, told by name."""
    fields = Request.__dataclass_fields__
    wanted = {name: value for name, value in options.items() if name not in fields}
    chosen = {name: value for name, value in options.items() if name in fields and value is not None}
    if "k" in chosen:
        chosen["k"] = parse_k(chosen["k"])
    for name in ("metrics", "by"):
        if isinstance(chosen.get(name), str):
            chosen[name] = tuple(part.strip() for part in chosen[name].split(",") if part.strip())
        elif name in chosen:
            chosen[name] = tuple(chosen[name])
    request = Request(**chosen)
    if request.on_bad_line not in ("skip", "stop"):
        raise UsageError(f"unknown value {request.on_bad_line!r}", where="--on-bad-line", fix="Known: skip, stop")
    return request, wanted


def _labels(engine: Engine, labels: Any, request: Request) -> str:
    if labels is None:
        raise UsageError("no labels given", where="--labels", fix="Name the file that says which ids should come back")
    sources = paths_of(labels)
    if sources is not None:
        return read_labels(engine, sources, mapped=dict(request.mapped))
    engine.register("given_labels", labels)
    read_label_table(engine, "given_labels", mapped=dict(request.mapped))
    return "table"


def _logs(engine: Engine, logs: Any, request: Request) -> Logs:
    sources = paths_of(logs)
    if sources is not None:
        return read_logs(engine, sources, log_format=request.log_format, mapped=request.mapped)
    engine.register("given_logs", logs)
    return read_log_table(engine, "given_logs", mapped=request.mapped)


def paths_of(given: Any) -> list[str] | None:
    """The paths a caller gave; None where it gave data."""
    from os import PathLike, fspath

    if isinstance(given, str | PathLike):
        return [fspath(given)]
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | PathLike) for g in given):
        return [fspath(g) for g in given]
    return None


def accept(engine: Engine, read: Logs, request: Request) -> list[dict[str, Any]]:
    """Normalised -> events; refuses a log with more bad lines than agreed. Returns rejects by reason."""
    is_clean = read.facts is not None and not read.facts["n_problems"] and not read.facts["n_missing_ids"]
    rejects = [] if is_clean else engine.rows(REJECTS, what="reading the logs")
    total = read.facts["n_records"] if read.facts else engine.run("select count(*) from normalised")[0][0]
    period = [f'"timestamp" {sign} {quoted(at)}::timestamptz' for sign, at in ((">=", request.start), ("<", request.end)) if at]
    conditions = [*(["reject_reason is null"] if rejects else []), *period]
    where = f"where {' and '.join(conditions)}" if conditions else ""
    _refuse_period(engine, request)
    engine.run(f"create or replace view events as select * exclude (reject_reason, excerpt) from normalised {where}")
    _refuse_rejects(rejects, total, request)
    if request.window != "all" or period:
        missing = engine.run('select count(*) from normalised where reject_reason is null and "timestamp" is null')[0][0]
        if missing:
            raise InputError(
                f"{missing} of {total} events have no timestamp, so there are no windows",
                where="logs",
                fix="Leave out --window, --from and --to, or pass --map timestamp=<path>",
            )
    if period and not engine.run("select exists (select 1 from events)")[0][0]:
        span = engine.run('select min("timestamp"), max("timestamp") from normalised')[0]
        raise InputError(f"no events in the period asked for (the logs reach from {span[0]} to {span[1]})", where="logs", fix="Mend --from and --to")
    return rejects


def _refuse_period(engine: Engine, request: Request) -> None:
    """Times that no clock shows are a usage error."""
    for flag, value in (("--from", request.start), ("--to", request.end)):
        if value and engine.run("select try_cast(? as timestamptz) is null", [value])[0][0]:
            raise UsageError(f"expected a time such as 2026-11-01 or 2026-11-01T06:00+01:00, saw {value!r}", where=flag)


REJECTS = """select reject_reason as reason, count(*) as n, min((source, source_line))[1] || ':' || min((source, source_line))[2] as "where",
    arg_min(left(excerpt, 80), (source, source_line)) as excerpt
    from normalised where reject_reason is not null group by reject_reason order by n desc, reason"""


def _refuse_rejects(rejects: list[dict[str, Any]], total: int, request: Request) -> None:
    """An unfinished last line is counted, and never held against a log that is still being written."""
    bad = [row for row in rejects if row["reason"] != "incomplete_tail"]
    n_bad = sum(row["n"] for row in bad)
    if bad and request.on_bad_line == "stop":
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
    if n_bad > request.max_rejects * total:
        raise InputError(
            f"{bad[0]['reason']} (saw {bad[0]['excerpt']!r}). {n_bad} of {total} records ({100 * n_bad / total:.1f} %) rejected, limit {100 * request.max_rejects:g} %",
            where=bad[0]["where"],
            fix="Mend the log, or raise --max-rejects",
        )


def count_lists(engine: Engine, read: Logs, request: Request, *, duplicates: int) -> None:
    """list_counts and flag_counts: from the one look at the log where that saw the same events, else from a pass of their own."""
    facts = read.facts
    if facts is None or duplicates or request.start or request.end or facts["n_problems"] or facts["n_missing_ids"]:
        engine.file("4_aggregate/lists.sql")
        engine.file("4_aggregate/list_counts.sql")
        return
    engine.run("create or replace table list_counts as select n_empty, n_unscorable, n_null_ids from flat_facts")
    engine.run(
        """create or replace table flag_counts as select flag, n from (
            select unnest(['latency_invalid', 'cost_invalid']) as flag, unnest([n_broken_time, n_broken_cost]) as n from flat_facts) where n > 0"""
    )


def _refuse_no_match(engine: Engine) -> None:
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
