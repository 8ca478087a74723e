"""One function on one screen: read, normalise, judge, score, aggregate, read out."""

from __future__ import annotations

from typing import Any

from ..base.definition import Definition
from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.options import Reading
from ..read import Logs, map_labels, read_carried_labels, read_label_table, read_labels, read_log_table, read_logs
from ..read.log_labels import columns_of as own_columns
from ..read.log_labels import read_own_labels
from ..scoring import relations
from ..scoring.plan import paths_of, plan_of
from ..scoring.readout import accept, at_work, score_events
from ..scoring.result import Evaluation


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
        labels: path or list of paths; or an Arrow table, Polars frame, DuckDB relation; None = those the logs carry.
        store: folder of a store: the logs, if any, are added to it and all it holds is scored; no labels = those it was last scored with.
        compat: a preset: trec_eval, course, codemem, longmemeval.
        definition: a ready definition, instead of single options.
        options: fields of :class:`Reading` and of :class:`~recallwatch.base.definition.Definition`; ``k`` also as ``"1,3,10"``.

    Returns:
        Evaluation: Arrow tables ``metrics``, ``latency``, ``cost``, ``queries``; ``.to_dict()`` is the JSON of the command.

    Raises:
        UsageError: unknown option, metric or value (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    plan = plan_of(compat, definition, options)
    if store is not None:
        from ..store import evaluate_store

        return evaluate_store(store, plan, logs=logs, labels=labels, take_labels=take_labels)
    if logs is None:
        raise UsageError("no logs named", where="evaluate", fix="Name LOGS… and --labels, or a --store that has them")
    with at_work(plan, "recallwatch.evaluate") as (engine, steps):
        with steps("read"):
            read, label_form = read_both(engine, logs, labels, plan.reading)
            rejects = accept(engine, read, plan.reading, plan.period, needs_time=plan.needs_time)
        with steps("once"):
            duplicates = relations.once(engine, has_ids=read.has_ids)
        result = score_events(engine, plan, read, label_form, steps, rejects=rejects, duplicates=duplicates)
        steps.done(result.counts)
        return result


def read_both(engine: Engine, logs: Any, labels: Any, reading: Reading, *, is_check: bool = False) -> tuple[Logs, str]:
    """Labels (those given, else those the logs carry) and logs; returns where the labels came from.

    ``is_check``: logs without recalls or labels are what is looked for: no error then, and "" for no labels.
    """
    form = take_labels(engine, labels, reading) if labels is not None else ""
    read = take_logs(engine, logs, reading, empty_ok=is_check)
    if not form and read.labels is None and set(read.formats) == {"flat"}:
        columns = own_columns(read.attributes, read.names, reading.mapped)
        form = read_own_labels(engine, paths_of(logs), columns) if columns is not None else ""
    if not form and (read.labels is not None or not is_check):
        form = read_carried_labels(engine, read)
    return read, form


def take_labels(engine: Engine, labels: Any, reading: Reading) -> str:
    """What a caller gave as labels -> the table ``labels``; returns the form it came in.

    Raises:
        UsageError: nothing given.
        InputError: labels out of contract.
    """
    if labels is None:
        raise UsageError("no labels given", where="--labels", fix="Name the file that says which ids should come back")
    sources = paths_of(labels)
    if sources is not None:
        form = read_labels(engine, sources, mapped=dict(reading.mapped))
    else:
        form = "table"
        engine.register("given_labels", labels)
        read_label_table(engine, "given_labels", mapped=dict(reading.mapped))
    if reading.profile is not None:
        map_labels(engine, reading.profile)
    return form


def take_logs(engine: Engine, logs: Any, reading: Reading, *, empty_ok: bool = False) -> Logs:
    """What a caller gave as logs -> the relation ``normalised``.

    Raises:
        InputError: logs out of contract; none, without ``empty_ok``.
    """
    sources = paths_of(logs)
    if sources is not None:
        return read_logs(
            engine, sources, log_format=reading.log_format, mapped=reading.mapped, profile=reading.profile, empty_ok=empty_ok
        )
    engine.register("given_logs", logs)
    return read_log_table(engine, "given_logs", mapped=reading.mapped)
