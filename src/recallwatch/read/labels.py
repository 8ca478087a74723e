"""Labels in JSON lines, CSV/TSV, Parquet, TREC qrels or BEIR form, or an Arrow-like table, to the relation ``labels``."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.engine import Engine, EngineError, identifier, quoted, quoted_paths
from ..base.errors import InputError
from ..base.remote import reach
from . import aliases, label_documents, lines, records
from .csv_rows import delimiter_of
from .given_records import place
from .label_cells import TEXTS, csv_table, with_lists
from .label_columns import columns_of, is_of_log, json_path, understood, with_flags
from .label_contract import finish, one_value, two_grades
from .paths import expand, is_parquet
from .record_paths import expression
from .typed_columns import is_scalar

JSON_COLUMNS = ("relevant", "grades", "expected_texts", "gold_answers", "pool")
COLUMNS = tuple(column for column in aliases.LABELS if column not in JSON_COLUMNS)
SCALARS = tuple(column for column in COLUMNS if column not in ("grade", "is_relevant"))
FLAGS = {"grade": "has_grade", "is_relevant": "has_relevance"}  # whether a row has such a column: empty there = not judged
LINEAGE = {
    "source": pa.string(),
    "source_line": pa.int64(),
}  # of labels that were read or made before: a null grade there = none was given
_QRELS = re.compile(r"^\S+\s+\S+\s+\S+\s+-?\d+(\.\d+)?\s*$")


def read_labels(engine: Engine, sources: list[str], *, mapped: dict[str, str] | None = None) -> str:
    """Create the table ``labels`` from files; returns the name of the form they are in.

    Raises:
        InputError: no such file, a form nobody knows, a bad line (labels are strict: a wrong label is a wrong number).
    """
    forms, selects = [], []
    paths = expand(sources, kind="labels", spool=engine.folder)
    reach(engine, paths)
    for number, path in enumerate(paths):
        form, select = _select(engine, path, f"label_file_{number}", mapped or {})
        forms.append(form)
        selects.append(select)
    engine.run(f"create or replace table raw_labels as {' union all by name '.join(selects)}", what="reading labels")
    finish(engine)
    return ", ".join(dict.fromkeys(forms))


def read_label_table(
    engine: Engine,
    relation: str,
    *,
    mapped: dict[str, str] | None = None,
    file: str = "'labels'",
    line: str = "row_number() over ()",
) -> None:
    """Create the table ``labels`` from a relation DuckDB can see (Arrow, Polars, a table); ``file``, ``line``: SQL of where a row stood."""
    select = typed_select(engine, relation, file, line, mapped or {})
    try:
        engine.run(f"create or replace table raw_labels as {select}", what="reading labels")
    except EngineError as error:
        if "duplicate key" not in error.what:
            raise
        raise InputError(
            "an id stands twice in a map", where=file.strip("'"), fix="Name each id once, or give a list of rows"
        ) from error
    finish(engine)


def _select(engine: Engine, path: Path, name: str, mapped: dict[str, str]) -> tuple[str, str]:
    if is_parquet(path):
        relation = f"read_parquet({quoted_paths(path)}, file_row_number = true)"
        return "Parquet", typed_select(engine, relation, quoted(str(path)), "file_row_number + 1", mapped)
    head = records.first_records(path)
    if not head:
        raise InputError("empty file", where=str(path), fix="Name the file that holds the labels")
    engine.register(name + "_lines", records.reader([path]))
    body = f"source_line as line, rtrim(line, e'\\r') as text, problem from {name}_lines where trim(line, e' \\t\\r') <> ''"
    engine.run(f"create or replace table {name} as select {body}", what=f"reading {path}")
    bad = engine.run(f"select line, problem from {name} where problem <> {quoted(lines.TAIL)} order by line limit 1")
    if bad:
        fix = "Save the file as UTF-8" if bad[0][1] == lines.NOT_UTF8 else "Write the file again"
        raise InputError(bad[0][1], where=f"{path}:{bad[0][0]}", fix=fix)
    first = next((line for line in head if not line.startswith("#")), head[0])
    if first.lstrip().startswith("{"):
        return "JSON lines", _json(engine, name, path, mapped)
    if _QRELS.match(first):
        return "TREC qrels", _qrels(engine, name, path)
    if (delimiter := delimiter_of(first) or next((sign for sign in "\t," if sign in first), "")) != "":
        return ("TSV" if delimiter == "\t" else "CSV"), _delimited(engine, name, path, delimiter, mapped)
    fix = "Known: JSON lines, CSV/TSV with a header, Parquet, TREC qrels"
    raise InputError(f"no label form known (first line: {first[:80]!r})", where=str(path), fix=fix)


def _qrels(engine: Engine, name: str, path: Path) -> str:
    fields = f"(select line, text, string_split_regex(trim(text), '\\s+') as f from {name} where text not like '#%')"
    bad = engine.run(f"select line, text from {fields} where len(f) <> 4 or try_cast(f[4] as double) is null order by line limit 1")
    if bad:
        raise InputError(f"not a qrels line (topic iteration document relevance): {bad[0][1][:80]!r}", where=f"{path}:{bad[0][0]}")
    return _shaped(
        {"query_id": "f[1]", "document_id": "f[3]", "grade": "f[4]"}, f"(select *, {quoted(str(path))} as file from {fields})"
    )


def _json(engine: Engine, name: str, path: Path, mapped: dict[str, str]) -> str:
    bad = engine.run(f"select line, text from {name} where ltrim(text)[1] <> '{{' or not json_valid(text) order by line limit 1")
    if bad:
        fix = "Labels are read strictly: mend or remove the line"
        raise InputError(f"not a JSON object (saw {bad[0][1][:60]!r})", where=f"{path}:{bad[0][0]}", fix=fix)
    _refuse_twice(engine, name, path)
    label_documents.unpack(engine, name, str(path))
    _refuse_twice(engine, name, path)
    return json_select(engine, f"(select *, {quoted(place(path))} as file from {name})", str(path), mapped)


def _refuse_twice(engine: Engine, name: str, path: Path) -> None:
    """Refuse an object with one key twice: which of its values holds is not known."""
    twice = "list_filter(json_keys(text), lambda k: len(list_filter(json_keys(text), lambda o: o = k)) > 1)[1]"
    bad = engine.run(
        f"select line, {twice} as key from {name} where len(json_keys(text)) > len(list_distinct(json_keys(text))) order by line limit 1"
    )
    if bad:
        raise InputError(f"{bad[0][1]!r} stands twice in it", where=f"{path}:{bad[0][0]}", fix="Keep the right one")


def json_select(engine: Engine, relation: str, where: str, mapped: dict[str, str]) -> str:
    """SQL of raw_labels from JSON objects (file, line, text), by the names of columns or ``mapped`` ones ("" = not there)."""
    keys = [row[0] for row in engine.run(f"select distinct unnest(json_keys(text)) as key from {relation} order by key")]
    values = {}
    texts = {key: f"(text ->> {quoted(json_path(key, keys))})" for key in keys}
    wanted = with_flags(engine, columns_of(engine, keys, mapped, where), mapped, relation, texts)
    for column, names in wanted.items():
        at = [quoted(json_path(name, keys)) for name in names]
        arrow = "->" if column in JSON_COLUMNS else "->>"
        values[column] = (
            f"coalesce({', '.join(understood(name, f'text {arrow} {path}') for name, path in zip(names, at, strict=True))})"
        )
        if "[]" in names[0]:  # a list on the way is a list of values
            values[column] = f"to_json(text -> {at[0]})"
        if column in FLAGS:
            values[FLAGS[column]] = " or ".join(f"json_exists(text, {path})" for path in at)
        if column in SCALARS and not is_of_log(mapped):
            _refuse_nested(engine, relation, column, at)
        if column == "grade" and len(at) > 1:
            both = " + ".join(f"json_exists(text, {path})::integer" for path in at)
            bad = engine.run(f"select file, line from {relation} where {both} > 1 order by line limit 1")
            if bad:
                raise two_grades(f"{bad[0][0]}:{bad[0][1]}", names)
    there = {
        column: " or ".join(f"json_exists(text, {quoted(json_path(n, keys).partition('[*]')[0])})" for n in names)
        for column, names in wanted.items()
    }
    is_list = f"({there.get('relevant', 'false')}) or not ({there.get('document_id', 'false')})"
    return _shaped(values, relation, is_list=is_list)


def _refuse_nested(engine: Engine, relation: str, column: str, at: list[str]) -> None:
    """Refuse a list or an object where one value is expected: its text would be read as an id."""
    nested = " or ".join(f"json_type(text, {path}) in ('ARRAY', 'OBJECT')" for path in at)
    bad = engine.run(f"select file, line from {relation} where {nested} order by line limit 1")
    if bad:
        raise one_value(f"{bad[0][0]}:{bad[0][1]}", column)


def _delimited(engine: Engine, name: str, path: Path, delimiter: str, mapped: dict[str, str]) -> str:
    table = csv_table(path, delimiter)
    wanted = columns_of(engine, table.column_names, mapped, str(path))
    engine.register(f"{name}_rows", with_lists(table, wanted))
    return typed_select(engine, f"{name}_rows", quoted(str(path)), "rw_line", mapped, wanted=wanted)


def typed_select(
    engine: Engine, relation: str, file: str, line: str, mapped: dict[str, str], *, wanted: dict[str, tuple[str, ...]] | None = None
) -> str:
    """SQL of raw_labels from a typed relation; ``file``, ``line``: SQL of a row's place, ``wanted``: its columns where they are known."""
    types = engine.types(relation)
    values = {}
    place = file.strip("'")
    own = columns_of(engine, list(types), mapped, place) if wanted is None else dict(wanted)
    texts = {name: f"{identifier(name)}::varchar" for name, kind in types.items() if is_scalar(kind)}
    wanted = with_flags(engine, own, mapped, relation, texts)
    for column, names in wanted.items():
        if names[0] not in types:
            value = expression(names[0], "")
            values[column] = f"to_json({value})" if column in JSON_COLUMNS else f"{value}::varchar"
            continue
        if column in JSON_COLUMNS:
            is_text = column in (*TEXTS, "pool")
            read = [
                f"to_json({identifier(key)})" if is_text else _as_json(engine, relation, key, types[key], place) for key in names
            ]
            values[column] = f"coalesce({', '.join(read)})"
            continue
        if not all(is_scalar(types[key]) for key in names):
            if is_of_log(mapped):
                continue
            raise one_value(place, column)
        if column == "grade" and len(names) > 1:
            raise two_grades(place, names)
        values[column] = f"coalesce({', '.join(understood(key, f'{identifier(key)}::varchar') for key in names)})"
        if column in FLAGS and not set(LINEAGE) <= set(types):
            values[FLAGS[column]] = "true"
    return _shaped(
        values,
        f"(select *, {file} as file, {line} as line from {relation})",
        is_list=quoted("relevant" in wanted or "document_id" not in wanted),
    )


def _as_json(engine: Engine, relation: str, name: str, kind: Any, where: str) -> str:
    if kind.id != "varchar":
        return f"to_json({identifier(name)})"
    bad = engine.run(
        f"select {identifier(name)} from {relation} where {identifier(name)} is not null and not json_valid({identifier(name)}) limit 1"
    )
    if bad:
        fix = "Write a list, or a JSON list in the text"
        raise InputError(f"{name!r} is text that is no JSON list (saw {bad[0][0][:60]!r})", where=where, fix=fix)
    return f"{identifier(name)}::json"


def _shaped(values: dict[str, str], relation: str, *, is_list: str = "false") -> str:
    """``is_list``: SQL of whether a row is a query's complete label: a list of ids, or texts or right answers without an id."""
    select = [f"{values.get(column, 'null')}::varchar as {column}" for column in COLUMNS]
    select += [f"coalesce({values.get(flag, 'false')}, false) as {flag}" for flag in FLAGS.values()]
    select += [f"{values.get(column, 'null')}::json as {column}" for column in JSON_COLUMNS if column != "relevant"]
    select.append(f"relevant_in({values.get('relevant', 'null')}::json) as relevant")
    return f"select {', '.join(select)}, {is_list} as is_list, file, line from {relation}"
