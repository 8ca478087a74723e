"""recall.duckdb: views and macros over what is committed, built beside and renamed into place."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base import sqlfiles
from ..base.engine import Engine, EngineError, identifier, quoted, quoted_paths
from ..base.errors import InputError, UsageError
from ..base.metrics import metric_of
from ..scoring.binding import Cut, bind
from ..scoring.label_join import join_labels, make_recalls, set_queries
from ..scoring.plan import Plan
from ..scoring.result import Evaluation
from . import label_versions
from .cache import Cache
from .layout import KEPT, Store, read_json, stored, write_json
from .snapshot import ROW, Snapshot, digest, relation

STORAGE = "v1.4.0"  # the oldest that knows typed macro parameters; DuckDB 1.4 and later open it
ALIAS = "built"


def sheet_of(store: Store) -> dict[str, Any]:
    """database.json: what the file was built from, and the parts its views name."""
    try:
        sheet = read_json(store.path("database.json"))
    except InputError:
        return {}
    return sheet if isinstance(sheet, dict) else {}


def key_of(snapshot: Snapshot, plan: Plan) -> str:
    """Equal = the file would come out the same."""
    store = snapshot.store
    sql = [sqlfiles.text_of(name) for name in sqlfiles.every_name()]
    words = [
        snapshot.fingerprint,
        str(label_versions.current(store)),
        str(bool(label_versions.request(store))),
        json.dumps(plan.definition.options()),
        str(store.folder),
        STORAGE,
    ]
    return digest([json.dumps([*words, [*map(str, plan.cut.columns)], *sql])])


def build(snapshot: Snapshot, plan: Plan, result: Evaluation | None, duplicates: Cache) -> None:
    """Make recall.duckdb anew; whoever has the old one open keeps it."""
    store = snapshot.store
    with stored(store.database) as temporary, plan.engine() as engine:
        store.reach(engine)
        _build(engine, temporary, snapshot, plan, result=result, duplicates=duplicates)
    parts = [name for marker in snapshot.markers for name in marker.files] + [
        Path(name).name for name in duplicates.files(duplicates.days)
    ]
    write_json(store.path("database.json"), {"key": key_of(snapshot, plan), "folder": str(store.folder), "parts": sorted(parts)})


def _build(
    engine: Engine, temporary: Path, snapshot: Snapshot, plan: Plan, *, result: Evaluation | None, duplicates: Cache
) -> None:
    """The database as a file of its own."""
    temporary.unlink(missing_ok=True)  # an empty file is no database to DuckDB
    try:
        engine.run(f"attach {quoted(str(temporary))} as {ALIAS} (storage_version {quoted(STORAGE)})", what="building recall.duckdb")
        engine.use(ALIAS)
        engine.run("begin")  # one transaction: else each comment waits for the disk
        _fill(engine, snapshot, plan, result, duplicates)
        engine.run("commit")
        engine.use("memory")
        engine.run(f"checkpoint {ALIAS}")
        engine.run(f"detach {ALIAS}")
    except EngineError as error:
        if "rite" not in error.what:  # a commit that finds no room is no IO error to DuckDB
            raise
        raise UsageError(error.what, where=str(snapshot.store.database), fix=f"Free some space; {KEPT}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.with_name(temporary.name + ".wal").unlink(missing_ok=True)


def _fill(engine: Engine, snapshot: Snapshot, plan: Plan, result: Evaluation | None, duplicates: Cache) -> None:
    engine.file("7_store/old_parser.sql")
    single, columns = plan.definition, plan.cut.columns
    if single.by_question:  # its relation `recalls` is of single recalls all the same
        single, columns = replace(single, unit="event"), tuple(c for c in columns if metric_of(c.metric).of != "searched")
    bind(engine, single, Cut(columns))
    engine.file("0_comments.sql")
    _events(engine, snapshot, duplicates)
    files = [str(snapshot.store.path(marker.rejects)) for marker in snapshot.markers if marker.rejects]
    snapshot.store.reach(engine, files)
    engine.run(f"create view rejects as {f'from read_parquet({quoted_paths(files)})' if files else 'from contract.rejects'}")
    version = label_versions.current(snapshot.store)
    if version is None:
        engine.file("2_judge/no_labels.sql")
        engine.run("create macro opt_join() as 'both'; create macro opt_tenants() as []::varchar[]")
        engine.file("2_judge/labels.sql")
        set_queries(engine)
        make_recalls(engine)
    else:
        label_versions.load(engine, snapshot.store, version)
        join_labels(engine, log_columns=set(snapshot.logs().names.values()))
    engine.file("7_store/results.sql")
    if result is not None:
        for name in ("metrics", "latency"):
            _insert(
                engine,
                name,
                getattr(result, name),
                "cast(\"window\" at time zone 'UTC' as date) as day_utc, ",
                "cardinality(segment) = 0",
            )
        _insert(engine, "queries", result.queries)
    if snapshot.markers:
        _insert(engine, "sources", pa.Table.from_pylist([_source(marker) for marker in snapshot.markers]))
    _runs(engine, snapshot.store)
    _comments(engine)


def _events(engine: Engine, snapshot: Snapshot, duplicates: Cache) -> None:
    """The views `events` (each event once, with its UTC day) and `events_once` (the same, for the SQL of the stages)."""
    files = duplicates.files(snapshot.days)
    source = relation(engine, snapshot, rows=bool(files), day=True)
    engine.run(f"create table dropped ({ROW[0]} varchar, {ROW[1]} bigint)")
    if not files:
        engine.run(f"create view events_once as select * from {source}")
    else:
        columns = ", ".join(f"e.{identifier(name)}" for name in [*engine.columns("contract.events"), "day_utc"])
        engine.run(f"insert into dropped select * from read_parquet({quoted_paths(files)})")
        engine.run(
            f"""create view events_once as select {columns} from {source} as e
            where not exists (select 1 from dropped as d where d.{ROW[0]} = e.{ROW[0]} and d.{ROW[1]} = e.{ROW[1]})"""
        )
    engine.run("create view events as select * from events_once")


def _insert(engine: Engine, name: str, table: pa.Table, extra: str = "", where: str = "true") -> None:
    engine.register("given_rows", table)
    shared = [c for c in engine.columns(name) if c in table.column_names]
    engine.run(f"insert into {name} by name select {extra}{', '.join(map(identifier, shared))} from given_rows where {where}")


def _source(marker: Any) -> dict[str, Any]:
    days = sorted(day for day in marker.days if day != "none") or [None]
    return {
        **{
            name: getattr(marker, name)
            for name in ("source", "log_format", "n_events", "n_rejects", "has_ids", "first_at", "last_at")
        },
        "first_day_utc": days[0],
        "last_day_utc": days[-1],
        "source_bytes": marker.size,
        "stored_bytes": sum(entry["size"] for entry in marker.files.values()),
        "part": marker.events,
    }


RUN = {
    **dict.fromkeys(("number", "n_sources", "n_days", "n_events", "n_rejects"), "BIGINT"),
    **dict.fromkeys(("command", "version"), "VARCHAR"),
    **dict.fromkeys(("new", "changed", "unchanged"), "VARCHAR[]"),
    "at": "TIMESTAMPTZ",
    "failed": "MAP(VARCHAR, VARCHAR)",
}


def _runs(engine: Engine, store: Store) -> None:
    """The view `runs`, over the files themselves."""
    columns = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in RUN.items())
    nulls = ", ".join(f"null::{kind} as {identifier(name)}" for name, kind in RUN.items())
    is_any = any(store.path("runs").glob("*.json"))
    source = (
        f"from read_json({quoted_paths(store.path('runs'))} || '/*.json', columns = {{{columns}}})"
        if is_any
        else f"select {nulls} where false"
    )
    engine.run(f"create view run_files as {source}")
    engine.file("7_store/runs.sql")


MORE = {
    "day_utc": "UTC day of the timestamp; null = no timestamp",
    "label_no": "number of the labelled query; null = no label",
    "label_from": "start of the period whose label judged it; -infinity = the label does not change over time",
    "dated": "ranks of documents that were right before and are not now: what stale_at_k(dated, k) takes; null = not requested",
    "is_graded": "whether the query's labels carry grades",
    "is_labelled": "whether the query has a label",
    "is_scorable": "false = results without any id: in no quality mean",
    "judged_ids": "the list that is judged: [] where status is error",
    "judged": "labelled documents found, by rank: what every metric_at_k(judged, k) takes",
}


INNER = "for the SQL of the stages"
TABLES = ("labels", "labelled_queries", "label_periods", "label_bounds", "label_index", "label_rows", "label_conflicts", "dropped")
RELATIONS = {
    "events": "each recall once, as logged",
    "recalls": "each recall once, joined with its label: judged is what the metric macros take",
    "labels": "the label version the numbers were made with",
    "rejects": "lines that could not become an event",
    "events_once": "the same as events, for the SQL of the stages",
    "labelled_queries": "one row a labelled query, see sql/2_judge/labelled_queries.sql",
    "label_periods": "one row a labelled query and period of its label, see sql/2_judge/labels.sql",
    "label_bounds": "times at which a query's label changes, see sql/2_judge/labels.sql",
    "dated_labels": "labels whose time of validity is said, see sql/2_judge/labels.sql",
    "askings": "what is judged: the recalls, see sql/2_judge/askings.sql",
    "asking_counts": "for the SQL of the stages",
    "label_index": "what recalls joins by, see sql/2_judge/recalls.sql",
    "label_rows": "labels merged, see sql/2_judge/labels.sql",
    "label_conflicts": "labels that contradict each other, see sql/2_judge/labels.sql",
    "dropped": "deliveries that do not count, see sql/7_store/dropped.sql",
}


def _comments(engine: Engine) -> None:
    """The contract's own words on the views' columns."""
    known = f"database_name = '{ALIAS}' and schema_name = 'contract' and comment is not null"
    texts = {**dict(engine.run(f"select column_name, comment from duckdb_columns() where {known}")), **MORE}
    for name, text in RELATIONS.items():
        engine.run(f"comment on {'table' if name in TABLES else 'view'} {name} is {quoted(text)}")
        for column in engine.columns(name):
            engine.run(f"comment on column {name}.{identifier(column)} is {quoted(texts.get(column, INNER))}")
