"""The flat form: one record a recall, in JSON lines or Parquet, under any of the declared aliases."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError
from . import aliases, records
from .durations import as_intervals
from .flat_paths import Paths, resolve
from .flat_views import create, json_select, rank_of, typed_selects
from .hive import disagrees, hive_keys, hive_value
from .json_line import PROBLEM, JsonLine, can_be_fields, lines_of, of_folder
from .lines import are_held
from .log_format import Format, Read, hold
from .long_rows import INNER, RANKS, are_lists, document_of, grouped, is_long
from .record_paths import at, steps_of
from .spans import objects
from .typed_columns import are_whole, is_list, know, look
from .usual_lines import usual_of, usual_select


def json_keys(engine: Engine, files: list[Path], unwrap: str | None = None) -> list[str]:
    """Every top-level key that occurs in JSON lines, sorted; beside it ``results[]`` where some record's list lacks a usual field, or is a map."""
    usual = _first_keys(engine, files[0], unwrap)  # most records have the very same: they need no second look
    engine.register("key_lines", records.reader(files, unwrap))
    return _keys_in(engine, "key_lines", usual)


def _keys_in(engine: Engine, relation: str, usual: Sequence[str]) -> list[str]:
    """The usual keys, and those of the lines (column ``line``) of a relation, as :func:`json_keys` has them."""
    firsts = [
        f"if(list_contains(keys, '{name}'), try(first_result(line, '$.{name}[0]')), null) as {name}" for name in aliases.RESULTS
    ]
    is_odd = "if({0}[4] is null, try(json_type(line, '$.{0}')) = 'OBJECT', is_odd_result({0}))"  # without a first element it may be a map
    odd = [f"if({name} is null, null, if({is_odd.format(name)}, '{name}[]', null))" for name in aliases.RESULTS]
    sql = f"""select distinct unnest(list_concat(keys, [{", ".join(odd)}])) as key from (select line, keys, {", ".join(firsts)}
        from (select line, try(json_keys(line)) as keys from {relation} where opens_object(line))
        where keys is distinct from {quoted(usual)}::varchar[])"""
    return sorted({*usual, *(key for (key,) in engine.run(sql, what="reading the logs' keys") if key is not None)})


def _first_keys(engine: Engine, file: Path, unwrap: str | None) -> list[str]:
    """The keys of a file's first record; none where it is no object, or has a list of results (each is looked at)."""
    first = next((batch.column(2)[0].as_py() for batch in records.reader([file], unwrap) if len(batch)), "")
    rows = engine.run("select try(json_keys(line)) from (select ? as line) where opens_object(line)", [first])
    keys = rows[0][0] if rows and rows[0][0] else []
    return [] if set(keys) & set(aliases.RESULTS) else keys


def sniff(head: list[str]) -> bool:
    """JSON objects, one a line."""
    return any(line.lstrip().startswith("{") for line in head)


def sniff_columns(columns: list[str]) -> bool:
    """A Parquet file with a column that may be a result list."""
    roots = {steps_of(path)[0] for path in (*aliases.LOG["ranked_ids"], *aliases.LOG["texts"])}
    return bool(roots & set(columns))


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """JSON lines: as a table, where the first records are simple; by their keys, where all that is looked for is among them; else by those of all."""
    if (table := _as_table(engine, files, mapped)) is not None:
        return table
    usual = _usual_keys(engine, files)
    own = sorted({key for keys in usual for key in keys})
    if not own or is_long(own, mapped):
        return _read_lines(engine, files, mapped)
    try:
        paths = resolve(own, mapped, where=str(files[0]), hive=hive_keys(files))
    except InputError:
        return _read_lines(engine, files, mapped)
    _create(engine, files, paths, own, usual)
    return replace(_read(engine, paths), otherwise=lambda: _read_lines(engine, files, mapped))


def _as_table(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read | None:
    """Lines like the first ones as a table, read as Parquet is, with the others beside it; None where only the general reader knows their form."""
    found = usual_of(files, mapped)
    if found is None:
        return None
    paths, hive = found.paths, sorted(found.paths.hive)
    select = usual_select(engine, files, found.fields, hive)
    table = hold(engine, select, "lines_read", as_table=are_held(files), what=f"reading {files[0]}")
    own, others = found.own, f"{table} where rw_text is not null"
    is_all = not engine.run(f"select exists (from {others})")[0][0]
    if not is_all:
        own = _keys_in(engine, f"(select rw_text as line from {others})", own)
        if is_long(own, mapped):
            return None
        paths = resolve(own, mapped, where=str(files[0]), hive=hive)
    there = [*(field.name for field in found.fields if field.kind), *hive]
    new = [] if {*paths.extra} & {*there} else [key for key in paths.extra if can_be_fields([key, *there])][:1]
    # attributes are there, if empty, where any record has one
    no_more = "".join(f", null::varchar as {identifier(key)}" for key in new)
    usual = f"(select * exclude (rw_text, rw_problem, rw_piece){no_more} from {table}{'' if is_all else ' where rw_text is null'})"
    selects = typed_selects(engine, [usual], paths, file="rw_file", line="rw_line")
    if not is_all:
        folders = "".join(f", {identifier(key)} as {of_folder(key)}" for key in hive)
        names = "rw_file as file, rw_line as line, rw_text as line_text, rw_problem as problem, rw_piece as piece"
        selects.append(json_select(engine, f"(select {names}{folders} from {others})", paths, own=own, sample=found.sample))
    create(engine, selects)
    may_look = is_all and "texts" not in paths.used  # a text without a list is an unknown id, which no fact counts
    return replace(_read(engine, paths), facts=look(engine) if may_look else None, is_kept=is_all)


def _create(engine: Engine, files: list[Path], paths: Paths, own: Sequence[str], usual: Sequence[Sequence[str]] = ()) -> None:
    """The view ``raw_flat`` of JSON lines, which can be read once; the first records say which lists have ranks, and how a record looks."""
    head = list(objects(records.first_records(files[0])))
    ranks = filter(None, map(rank_of, paths.used.get("ranked_ids", ())))
    ranked = {rank for rank in ranks if any(isinstance(at(value, rank), int) for value in head)}
    there = lines_of(engine, files, sorted(paths.hive))
    create(engine, [json_select(engine, there, paths, own=own, sample=next(iter(head), {}), usual=usual, ranked=ranked)])


def _usual_keys(engine: Engine, files: list[Path]) -> list[list[str]]:
    """The keys of the first record of the first file and of the last one; empty where a record has to be looked at by itself."""
    usual = [_first_keys(engine, file, None) for file in dict.fromkeys((files[0], files[-1]))]
    return usual if all(usual) else []


def _read_lines(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """JSON lines: one pass for the names there are, one for the values."""
    own = json_keys(engine, files)
    if is_long(own, mapped) and {*RANKS, *aliases.LOG["timestamp"]} & {*own}:  # else it may be a file of labels
        return read_relation(engine, [_rows(engine, files, own)], mapped, where=str(files[0]), file="rw_file", line="rw_line")
    paths = resolve(own, mapped, where=str(files[0]), hive=hive_keys(files))
    _create(engine, files, paths, own)
    return _read(engine, paths)


def _rows(engine: Engine, files: list[Path], own: Sequence[str]) -> str:
    """JSON lines as a table of texts, with ``rw_file``, ``rw_line`` and ``rw_problem``: one row a document."""
    line = JsonLine(own)
    names = {key.casefold(): key for key in sorted(own) if key}.values()  # no two columns differ by case alone
    columns = [f"{line.value(key, 'VARCHAR')} as {identifier(key)}" for key in names]
    source = line.relation(lines_of(engine, files))
    path = engine.folder / "rows-of-documents.parquet"
    select = f"select {', '.join(columns)}, file as rw_file, line as rw_line, {PROBLEM} as rw_problem from {source}"
    engine.write(select, path, what=f"reading {files[0]}")
    return f"read_parquet({quoted_paths(path)})"


def read_parquet(engine: Engine, files: list[Path], mapped: Mapping[str, str], *, facts: Mapping[str, int] | None = None) -> Read:
    """Parquet files whose schemas may differ; folders such as ``tenant=001`` are columns of text. ``facts``: as of read_relation."""
    place = {"where": str(files[0]), "file": "rw_file", "line": "file_row_number + 1"}
    times = [mapped["total_ms"]] if "total_ms" in mapped else []
    relations = [as_intervals(engine, group, parquet_relation(engine, group), times) for group in _of_one_type(engine, files)]
    return read_relation(engine, relations, mapped, **place, files=quoted_paths(files), facts=facts)


def parquet_relation(engine: Engine, files: list[Path]) -> str:
    """SQL of the files together, with ``rw_file`` and ``file_row_number`` of each row; a file's own column wins over its folder's name."""
    read = f"read_parquet({quoted_paths(files)}, union_by_name = true, filename = 'rw_file', file_row_number = true, hive_partitioning = "
    keys = hive_keys(files)
    if not keys:
        return f"{read}false)"
    with engine.reading(str(files[0])):
        own = engine.types(f"{read}false)")
    if not set(keys) & set(own):
        return f"{read}true, hive_types_autocast = false)"
    there = [key for key in keys if key in own]
    both = [f"coalesce({identifier(key)}::varchar, {hive_value(key, 'rw_file')}) as {identifier(key)}" for key in there]
    either = " or ".join(disagrees(f"{identifier(key)}::varchar", hive_value(key, "rw_file")) for key in there)
    more = "".join(f", {hive_value(key, 'rw_file')} as {identifier(key)}" for key in keys if key not in own)
    return f"(select * replace ({', '.join(both)}){more}, {either} as rw_disagrees from {read}false))"


def _of_one_type(engine: Engine, files: list[Path]) -> list[list[Path]]:
    """The files in groups whose ids have one type: 7 beside 7.0 in another file stays 7, and no digit of a large one is lost."""
    if len(files) == 1:
        return [files]
    with engine.reading(str(files[0])):
        rows = engine.run(
            f"""select file_name, string_agg(name || ' ' || coalesce(type, 'GROUP'), ',' order by name, type)
                filter (type in ('INT32', 'INT64', 'FLOAT', 'DOUBLE') or num_children > 0)
            from parquet_schema({quoted_paths(files)}) group by file_name""",
            what="reading the files' columns",
        )
    kinds = dict(rows)
    groups: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        groups[kinds.get(str(file)) or ""].append(file)
    return list(groups.values())


def read_relation(
    engine: Engine,
    relations: Sequence[str],
    mapped: Mapping[str, str],
    *,
    where: str,
    file: str,
    line: str,
    files: str | None = None,
    facts: Mapping[str, int] | None = None,
) -> Read:
    """Typed relations: Parquet (``files``: their names as a SQL list), Arrow, a DuckDB table.

    ``facts``: what a look at all parts of the log together found, where this is one of them; None = look now.
    """
    with engine.reading(where):
        types = {name: kind for relation in relations for name, kind in engine.types(relation).items()}
        if is_long(types, mapped) and not are_lists(
            engine, relations[0], document := str(document_of(types, mapped)), types[document]
        ):
            relations = [grouped(engine, relation, mapped, where=where, file=file, line=line) for relation in relations]
            types = {name: kind for relation in relations for name, kind in engine.types(relation).items()}
            mapped = {column: path for column, path in mapped.items() if column not in ("ranked_ids", "scores")}
            file, line, files = "rw_file", "rw_line", None
    paths = resolve([name for name in types if name not in INNER], mapped, where=where)
    create(engine, typed_selects(engine, relations, paths, file=file, line=line))
    read = _read(engine, paths)
    if facts is not None:
        know(engine, facts)
        return replace(read, facts=facts)
    with engine.reading(where):
        for fact, column in (("lists", "ranked_ids"), ("texts", "texts")):
            used = paths.used.get(column, ())
            if files is not None and len(used) == 1 and is_list(types.get(used[0])):
                engine.options(**{f"fact_whole_{fact}": are_whole(engine, files, used[0])})
        return replace(read, facts=look(engine))


def _read(engine: Engine, paths: Paths) -> Read:
    engine.file("1_normalise/facts.sql")
    engine.file("1_normalise/flat.sql")
    return Read("flat_events", paths.used, paths.extra, "event_id" in paths.used or {"trace_id", "span_id"} <= set(paths.used))


FLAT = Format("flat", "one JSON object or Parquet row a recall", sniff, read, sniff_columns, read_parquet)
