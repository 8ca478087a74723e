"""Labels inside a flat log's records: the columns of label files, beside the result list."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..base.engine import Engine, identifier
from ..base.errors import InputError
from ..base.remote import reach
from . import Logs, aliases, read_carried_labels
from .flat import parquet_relation
from .label_contract import finish, note
from .labels import json_select, typed_select
from .paths import expand, is_parquet
from .spans import lines_view

LISTS = ("relevant", "expected_texts")  # what makes a record a label, by one of its usual names
NOT_HERE = ("document_id", "grade", "is_relevant")  # of one row a document; in a log these names mean other things
SHARED = ("query_id", "query_text", "tenant_id", "query_class")  # read from where the log's events have them

# each label once, at its first place: a log repeats it with every recall of the query. Records that say different things keep theirs, so that
# it can be told; where only a text names the query, each record does
EACH_ONCE = """select * exclude (record, said, place), place[1] as source, place[2] as source_line
    from (select * exclude (source, source_line), min((source, source_line)) as place
        from (select *, if(query_id is null, (source, source_line), null) as record,
            bit_xor(hash(document_id, grade, is_relevant)) over (partition by query_id, tenant_id, source, source_line) as said from labels) group by all)"""


def take_own_labels(engine: Engine, sources: list[str] | None, logs: Logs, mapped: Mapping[str, str]) -> str:
    """The table ``labels`` of what logs carry themselves; where it came from, "" = they carry none.

    Args:
        engine: holds what was read.
        sources: the logs; None = the relation ``given_logs``.
        logs: what was read of them.
        mapped: ``--map``.

    Raises:
        InputError: a label out of contract, with its line.
    """
    if logs.labels is not None:
        return read_carried_labels(engine, logs)
    columns = columns_of(logs.attributes, logs.names, mapped) if set(logs.formats) == {"flat"} else None
    return read_own_labels(engine, sources, columns) if columns is not None else ""


def columns_of(attributes: tuple[str, ...], names: Mapping[str, str], mapped: Mapping[str, str]) -> dict[str, str] | None:
    """Column of labels -> name in the log, "" = none; None where the log carries no labels.

    Args:
        attributes: what the log has beside its events' columns.
        names: the log's own name -> column of an event.
        mapped: ``--map``. A log's `answer` is usually the system's answer: right answers need another name.
    """
    columns = {column: next((n for n in aliases.LABELS[column] if n in attributes), "") for column in LISTS}
    columns["gold_answers"] = next((n for n in ("gold_answers", "gold_answer") if n in attributes), "")
    columns |= {column: path for column, path in mapped.items() if column in aliases.LABELS and column not in aliases.LOG}
    if not any(columns[column] for column in (*LISTS, "gold_answers")) or (
        not any(columns[column] for column in LISTS) and not mapped
    ):
        return None
    own = {column: path for path, column in reversed(list(names.items())) if column in SHARED}
    return dict.fromkeys(NOT_HERE, "") | columns | own


def read_own_labels(engine: Engine, sources: list[str] | None, columns: dict[str, str]) -> str:
    """The table ``labels`` of a flat log's own records; ``sources`` None = the relation ``given_logs``.

    A record without any of the columns is an unlabelled recall, and a bad line is counted where the log is read.

    Raises:
        InputError: a label out of contract, with its line; none at all.
    """
    if sources is None:
        selects = [typed_select(engine, "given_logs", "'logs'", "row_number() over ()", columns)]
    else:
        paths = expand(sources, kind="log", spool=engine.folder)
        reach(engine, paths)
        tables, texts = [p for p in paths if is_parquet(p)], [p for p in paths if not is_parquet(p)]
        selects = []
        if tables:
            selects.append(
                typed_select(engine, parquet_relation(engine, tables), identifier("rw_file"), "file_row_number + 1", columns)
            )
        if texts:
            selects.append(_json(engine, texts, columns))
    union = " union all by name ".join(selects)
    there = " or ".join(f"coalesce(json_type({column}), 'NULL') <> 'NULL'" for column in (*LISTS, "gold_answers"))
    known = "if(list_contains(label_kinds(), lower(trim(kind))), {0}, null) as {0}"  # else the names mean other things in a log
    kinds = f"replace ({known.format('kind')}, {known.format('judge')})"
    engine.run(f"create or replace table raw_labels as select * {kinds} from ({union}) where {there}", what="the labels of the log")
    finish(engine)
    return "the log itself"


def _json(engine: Engine, files: list[Path], columns: dict[str, str]) -> str:
    lines_view(engine, files)
    engine.file("1_normalise/own_records.sql")
    return json_select(engine, "own_records", str(files[0]), columns)


def tell_united(engine: Engine) -> None:
    """Queries whose records carry different labels, counted: all of a query's labels hold for each of its records."""
    engine.file("1_normalise/own_united.sql")
    queries = [row[0] for row in engine.run("select query_id from own_united order by query_id, tenant_id")]
    if queries:
        what = "queries whose records carry different labels: what any record of a query names is relevant for all of them"
        note(engine, "labels_united", what, len(queries), queries[:3])


def refuse_shared_texts(engine: Engine) -> None:
    """A log read piece by piece joins its own labels by text: records of one text that say different things need an id.

    Raises:
        InputError: there are such records.
    """
    tell_united(engine)
    engine.file("1_normalise/own_queries.sql")
    places = [row[0] for row in engine.run("select record from own_queries order by source, source_line")]
    if places:
        what = f"{len(places)} records share a query text and carry different labels, and nothing else says which is meant"
        raise InputError(what, where=places[0], fix="Give each record a query_id, or evaluate the logs without a store or Spark")


def by_record(engine: Engine, logs: Logs) -> Logs:
    """A log without query ids whose records carry labels: those of one text that say different things are queries of their own, counted."""
    tell_united(engine)
    if "query_id" in logs.names.values():
        return logs
    engine.file("1_normalise/own_queries.sql")
    rows = engine.run("select record from own_queries order by source, source_line")
    if not rows:
        return logs
    engine.file("1_normalise/own_labels.sql")
    what = "records that share a query text and carry different labels: each is scored by its own"
    note(engine, "labels_by_record", what, len(rows), [row[0] for row in rows[:3]])
    return replace(logs, names={**logs.names, "record": "query_id"})
