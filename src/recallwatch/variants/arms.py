"""The two arms of a comparison: exact sums per query, from logs or from results that `evaluate` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.definition import Column, Definition
from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.registry import known
from ..document.numbers import query_name
from ..evaluation.source import Either
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring import segments
from ..scoring.funnel import funnel
from ..scoring.plan import Plan
from ..scoring.quality import counted_sql
from ..scoring.warnings import of_reading

SCALE = 2**62  # sums are whole numbers of 2^-62 (sql/4_aggregate/exact.sql)
TIME = "total_ms"
STAGE = "stage_ms:"  # and the stage's name
OVERLAP_K = 10
DIFFERING = 25  # queries named
RBO = 0.9  # the first ten ranks carry 86 % of the weight


def time_name(stage: str | None) -> str:
    """The name of a stage's times among the sums of an arm; None = the total."""
    return TIME if stage is None else STAGE + stage


@dataclass
class Arm:
    """One variant.

    Args:
        name: as a person calls it.
        fingerprint: of the definition its numbers have; None = made here.
        sums: metric -> query -> (count, exact sum in 1e-12); ``total_ms`` and ``stage_ms:<stage>`` hold natural logs of ms.
        minutes: its times by minute (sql/5_drift/arm_times.sql); None = not known.
        lists: what it showed for each labelled query, with the query's label (sql/5_drift/arm_lists.sql); None = not known.
        classes: query -> class; kinds: query -> kind of its label.
        rankings: query -> ids of its first recall; texts, traffic: query -> its text, its recalls without error.
        events: recalls without error.
        funnel: rows of its loss funnel (scoring/funnel.py); empty where no list before the final one is logged.
        n_recalls, n_error, n_empty: recalls of all kinds, failed ones, empty lists without error.
        n_ms, n_zero_ms: times logged, those of 0 ms.
        told: what the reading of the labels has to say.
    """

    name: str
    fingerprint: str | None = None
    sums: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    classes: dict[str, str | None] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    minutes: pa.Table | None = None
    lists: pa.Table | None = None
    rankings: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str | None] = field(default_factory=dict)
    traffic: dict[str, int] = field(default_factory=dict)
    events: int = 0
    funnel: list[dict[str, Any]] = field(default_factory=list)
    n_recalls: int = 0
    n_error: int = 0
    n_empty: int = 0
    n_ms: int = 0
    n_zero_ms: int = 0
    told: list[str] = field(default_factory=list)


@on_one_state
def of_logs(source: Either, labels: Any, names: Mapping[str, str | None], *, by: str | None, plan: Plan) -> dict[str, Arm]:
    """Score a log; one arm a value of ``by``, or the whole log as one arm (``by`` None).

    Args:
        source: logs or a store.
        labels: as in :func:`recallwatch.evaluate`.
        names: arm (a, b) -> value of ``by``.
        by: column or attribute; None = the one arm in ``names`` is the whole log.
        plan: metrics, what they mean, how to read.

    Raises:
        UsageError: a value of ``by`` that the log does not hold.
    """
    with recalls_of("recallwatch.compare", source, labels, plan) as (engine, steps, events):
        arm = quoted(next(iter(names)))
        if by is not None:
            value = segments.by_expression(engine, by, dict(events.logs.names), events.logs.attributes)
            _refuse_unknown(engine, value, by, names)
            arm = f"case {value}::varchar {' '.join(f'when {quoted(v)} then {quoted(k)}' for k, v in names.items())} end"
        engine.run(
            f"create or replace view compare_events as select * from (select *, {arm} as arm from recalls) where arm is not null"
        )
        with steps("score"):
            made = _collect(engine, names, plan.cut.columns, plan.definition)
        told = [f"{row['n']:,} {row['message']}" for row in of_reading(engine)]
        return {key: replace(one, told=told) for key, one in made.items()}


def _refuse_unknown(engine: Engine, value: str, by: str, names: Mapping[str, str | None]) -> None:
    seen = [row[0] for row in engine.run(f"select distinct {value}::varchar as v from recalls where v is not null order by v")]
    for name in names.values():
        if name not in seen:
            raise UsageError(f"no recall has {by} {name!r}", where=f"--by {by}", fix=known(str(name), seen[:20]))


def _collect(
    engine: Engine, names: Mapping[str, str | None], columns: tuple[Column, ...], definition: Definition
) -> dict[str, Arm]:
    values = [counted_sql(definition, c) for c in columns]
    sums = ", ".join(f"count(v{i}) as n_{i}, exact_sum(v{i})::hugeint as s_{i}" for i in range(len(values)))
    each = ", ".join(f"{value} as v{i}" for i, value in enumerate(values))
    engine.run(
        f"""create or replace table compare_sums as select arm, label_no, query_class, {sums} from (
            select arm, label_no, query_class, {each} from compare_events where is_labelled) group by arm, label_no, query_class""",
        what="scoring the variants",
    )
    engine.file("5_drift/arms.sql")
    arms = {key: Arm(str(name or key), definition.fingerprint) for key, name in names.items()}
    scored = engine.rows(
        """select coalesce(q.tenant_id || '/', '') || coalesce(q.query_id, q.query_text) as query, q.kind, c.*
        from compare_sums as c inner join labelled_queries as q using (label_no) order by arm, label_no, c.query_class"""
    )
    for row in scored:
        arm = arms[row["arm"]]
        arm.classes[row["query"]], arm.kinds[row["query"]] = row["query_class"], row["kind"]
        for i, column in enumerate(columns):
            n, s = arm.sums.setdefault(str(column), {}).get(row["query"], (0, 0))
            arm.sums[str(column)][row["query"]] = (n + row[f"n_{i}"], s + int(row[f"s_{i}"] or 0))
    for row in engine.rows("select arm, query, query_text, n, ids from compare_rankings order by arm, query"):
        arm = arms[row["arm"]]
        arm.events += row["n"]
        arm.rankings[row["query"]], arm.texts[row["query"]], arm.traffic[row["query"]] = row["ids"], row["query_text"], row["n"]
    engine.file("5_drift/arm_times.sql")
    for row in engine.rows("select arm, query, stage, n, log_ms from arm_times order by arm, query, stage"):
        arms[row["arm"]].sums.setdefault(time_name(row["stage"]), {})[row["query"]] = (row["n"], int(row["log_ms"]))
    for key, arm in arms.items():
        arm.minutes = engine.arrow(f"select * exclude (arm) from arm_minutes where arm = {quoted(key)} order by all")
    if engine.run("select by_id_only()")[0][0]:  # a text may be judged without its id in the labels
        engine.file("5_drift/arm_lists.sql")
        for key, arm in arms.items():
            arm.lists = engine.arrow(f"select * exclude (arm) from arm_lists where arm = {quoted(key)} order by query")
    for row in funnel(engine, "compare_events", side="arm"):
        arms[row["side"]].funnel.append(row)
    for row in engine.rows("from compare_counts"):
        arm = arms[row.pop("arm")]
        for name, count in row.items():
            setattr(arm, name, count)
    return arms


def of_result(path: Path) -> Arm:
    """An arm from the JSON of ``recallwatch evaluate --per-query -f json``.

    Raises:
        InputError: another JSON, or one without the values of each query.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        queries, fingerprint = result["queries"], result["definition"]["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fix = "Write it with `recallwatch evaluate … --per-query -f json`"
        raise InputError(f"no result with the values of each query ({error})", where=str(path), fix=fix) from error
    counts = result["counts"]
    sizes = {"n_recalls": counts["events"], "n_error": counts.get("error_events", 0), "n_empty": counts.get("empty_rankings", 0)}
    arm = Arm(path.stem, fingerprint, events=counts["events"], **sizes)
    for query in queries:
        key = query_name(query)
        arm.classes[key] = query["query_class"]
        for name, value in query["values"].items():
            if value is not None:
                arm.sums.setdefault(name, {})[key] = (query["n"], round(value * query["n"] * SCALE))
    return arm


def similarity(a: Arm, b: Arm) -> dict[str, Any] | None:
    """How alike the two arms' rankings are, and the queries that differ, the first to label first; None where no query has both."""
    shared = sorted(set(a.rankings) & set(b.rankings))
    if not shared:
        return None
    texts, numbers = pa.array([a.texts[q] for q in shared], pa.string()), pa.array([a.traffic[q] + b.traffic[q] for q in shared])
    lists = {name: pa.array([arm.rankings[q] for q in shared], pa.list_(pa.string())) for name, arm in (("a", a), ("b", b))}
    with Engine(threads=1) as engine:
        engine.register("pairs", pa.table({"query": pa.array(shared, pa.string()), "query_text": texts, "n": numbers, **lists}))
        engine.options(opt_overlap_k=OVERLAP_K, opt_rbo_p=RBO)
        for name in ("overlap", "differing"):
            engine.file(f"5_drift/{name}.sql")
        return {**engine.rows("from similarity")[0], "queries": engine.rows(f"from differing limit {DIFFERING}")}
