"""From the view `recalls` to the result, for logs and stores alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..base.definition import Definition
from ..base.engine import Engine
from ..base.options import Period
from ..base.tracing import Steps
from ..read import Logs
from . import segments
from .binding import bind
from .meeting import refuse_no_match, refuse_unmet
from .plan import Plan
from .quality import map_quality
from .recalls import Recalls
from .result import Evaluation

SUMS = (  # the tables that merge over sources, days and tasks
    "event_sums", "quality_sums", "latency_map", "found_sums", "example_sums", "match_sums", "shown_lists", "shown_documents",
    "list_sums", "flag_sums",
)  # fmt: skip
QUESTION_SUMS = ("asking_sums", "question_values")  # and, where several searches answer a question, these
READ_OUT = ("event_groups", "quality", "latency", "latency_interval")  # files of 4_aggregate/ that make values of the sums


@contextmanager
def at_work(plan: Plan, name: str) -> Iterator[tuple[Engine, Steps]]:
    """An engine of its own for a plan, options bound, and its steps; ``name`` is the span's, e.g. ``recallwatch.evaluate``."""
    with plan.engine() as engine:
        steps = Steps(name, engine, plan.watcher)
        with steps("bind"):
            bind(engine, plan.definition, plan.cut)
        yield engine, steps


def scored(engine: Engine, plan: Plan, events: Recalls, steps: Steps) -> Evaluation:
    """The view `recalls` -> the result."""
    with steps("score"):
        map_scores(engine, plan, events)
    with steps("aggregate"):
        map_rest(engine, plan.definition)
        count_lists(engine, events.logs, plan.period, duplicates=events.duplicates)
    return read_out(engine, plan, events, steps)


def map_scores(engine: Engine, plan: Plan, events: Recalls) -> None:
    """`recalls` -> `quality_sums`, by window and segment."""
    cut, logs = plan.cut, events.logs
    segments.segment(engine, cut.by, cut.window, names=dict(logs.names), attributes=logs.attributes)
    if logs.are_few:
        engine.file("2_judge/few_keyed.sql")
    map_quality(engine, plan.definition, plan.cut.columns)


def sums_of(definition: Definition) -> tuple[str, ...]:
    """The tables of sums of a definition."""
    return (*SUMS, *QUESTION_SUMS) if definition.by_question else SUMS


def map_rest(engine: Engine, definition: Definition) -> None:
    """judged_events and keyed -> the other sums that merge over sources and days."""
    engine.file("2_judge/answers.sql")
    questions = ("questions",) if definition.by_question else ()
    for name in ("found", "match", "events", "shown", "latency_values", "latency_map", *questions):
        engine.file(f"4_aggregate/{name}.sql")


def read_out(engine: Engine, plan: Plan, events: Recalls, steps: Steps) -> Evaluation:
    """The sums -> what people read."""
    with steps("aggregate"):
        for name in ("found_documents", *READ_OUT):
            engine.file(f"4_aggregate/{name}.sql")
    with steps("report"):
        engine.file("6_report/named_queries.sql")
        engine.run(f"create or replace view named_queries as from labels_to_name({plan.period.where is not None})")
        for name in (
            "metrics",
            "latency",
            "cost",
            "queries",
            "summary",
            "shown",
            *(("question_figures",) if plan.definition.by_question else ()),
            *(("match",) if plan.definition.match != "id" else ()),
        ):
            engine.file(f"6_report/{name}.sql")
        if events.labels:
            if not engine.run("select exists (select 1 from quality_sums)")[0][0]:
                refuse_no_match(engine)
            refuse_unmet(engine, allow=plan.reading.allow_unmatched, from_sums=True)
        result = Evaluation.collect(engine, plan, events)
        if plan.then is not None:
            plan.then(engine)
        return result


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
            select unnest(['latency_invalid', 'cost_invalid', 'folder_disagrees']) as flag,
                unnest([n_broken_time, n_broken_cost, n_folder_disagrees]) as n from flat_facts) where n > 0"""
    )
