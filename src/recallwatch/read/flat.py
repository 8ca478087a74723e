"""The flat form: one record a recall, in JSON lines or Parquet, under any of the declared aliases."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError
from ..base.registry import known
from . import aliases, lines, records
from .log_format import Format, Read
from .record_paths import expression, json_shape, steps_of
from .typed_columns import are_whole, coalesced, is_scalar, know, look, typed_value

LINEAGE = ("source", "source_line", "flags")  # only a canonical file (of `convert` or a store) speaks of these


@dataclass(frozen=True)
class Paths:
    """Which path of a log feeds which column.

    Args:
        used: column -> paths in order of preference, those only that the log has.
        stages: top-level column -> (stage, factor to ms).
        extra: the other scalar top-level columns: they become attributes.
    """

    used: Mapping[str, tuple[str, ...]]
    stages: Mapping[str, tuple[str, float]]
    extra: tuple[str, ...]


def resolve(keys: list[str], mapped: Mapping[str, str], *, where: str) -> Paths:
    """Match a log's top-level names with the declared aliases and the caller's own ``--map``.

    Raises:
        InputError: nothing there that could be a result list.
    """
    for column, path in mapped.items():
        if column in aliases.LABELS and column not in aliases.LOG:
            continue  # of the labels: read/labels.py looks for it
        if column not in aliases.LOG:
            raise InputError(f"--map {column}=…: no such column", fix=known(column, {**aliases.LOG, **aliases.LABELS}))
        if steps_of(path)[0] not in keys and path not in keys:
            raise InputError(f"--map {column}={path}: no {steps_of(path)[0]!r} there (has: {', '.join(keys)})", where=where)
    wanted = {**aliases.LOG, **{column: (path,) for column, path in mapped.items() if column in aliases.LOG}}
    if not all(name in keys for name in LINEAGE):
        wanted = {column: paths for column, paths in wanted.items() if column not in LINEAGE}
    used = {column: found for column, paths in wanted.items() if (found := tuple(p for p in paths if root_of(p, keys)))}
    if not any(column in used for column in ("ranked_ids", "texts")):
        raise InputError(
            f"no column 'ranked_ids' (has: {', '.join(keys)}; looked for: {', '.join(aliases.LOG['ranked_ids'])})",
            where=where,
            fix="Rename it, or pass --map ranked_ids=<path>, for example --map 'ranked_ids=hits[].id'",
        )
    roots = {root_of(path, keys) for paths in used.values() for path in paths}
    stages = {key: stage for key in keys if key not in roots and (stage := aliases.stage_of(key))}
    return Paths(used, stages, tuple(key for key in keys if key not in roots and key not in stages))


def root_of(path: str, keys: list[str]) -> str | None:
    """The top-level name a path starts at, if the log has it; a literal name with dots counts as itself."""
    if path in keys:
        return path
    root = steps_of(path)[0]
    return root if root in keys and root != path else None


def json_keys(engine: Engine, files: list[Path]) -> list[str]:
    """Every top-level key that occurs in JSON lines, sorted."""
    engine.register("key_lines", records.reader(files))
    sql = "select distinct unnest(try(json_keys(line))) as key from key_lines where opens_object(line) order by key"
    found = engine.run(sql, what="reading the logs' keys")
    return [row[0] for row in found]


def json_view(engine: Engine, files: list[Path], paths: Paths) -> None:
    """Create the view ``raw_flat`` over a stream of JSON lines; it can be read once."""
    wanted = {path: element_type(column, path) for column, found in paths.used.items() for path in found}
    both = set(paths.used.get("stage_ms", ())) & set(paths.used.get("total_ms", ()))
    wanted |= dict.fromkeys(both, "JSON") | dict.fromkeys(paths.stages, "DOUBLE")
    odd = odd_names(paths)
    wanted |= {key: "JSON" for key in paths.extra if key not in odd}
    literal = set(wanted) & {*paths.extra, *paths.stages} | {p for p in wanted if "." in p and "[]" not in p}
    shape = json_shape(wanted, literal=literal)
    engine.register("line_stream", records.reader(files))
    engine.register("line_sources", lines.sources(files))
    columns = {
        column: coalesced([_json_value(column, path, path in both) for path in found]) for column, found in paths.used.items()
    }
    stages = [
        f"{{'key': {quoted(stage)}, 'value': r.{identifier(key)} * {factor}}}" for key, (stage, factor) in paths.stages.items()
    ]
    values = {
        key: f"json_extract(line_text, {quoted(pointer(key))})" if key in odd else f"r.{identifier(key)}" for key in paths.extra
    }
    extra = [f"{{'key': {quoted(key)}, 'value': if(r is null, null, scalar_text({value}))}}" for key, value in values.items()]
    _create(
        engine,
        columns,
        stages,
        extra,
        source=f"""(select file as rw_at_file, source_line as rw_at_line, line as line_text, problem, r from (
            select source_no, source_line, line, problem,
                case when opens_object(line) and problem is distinct from {quoted(lines.NOT_UTF8)} then try(json_transform(line, {quoted(shape)})) end as r
            from line_stream where not is_blank(line) or problem is distinct from null) inner join line_sources using (source_no))""",
        problem="""case when r is not null then null when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end""",
        text="line_text",
    )


def odd_names(paths: Paths) -> set[str]:
    """Keys no struct can hold beside the others: empty, or alike but for case. They are read from the line's text."""
    seen = {steps_of(path)[0].casefold() for found in paths.used.values() for path in found} | {
        key.casefold() for key in paths.stages
    }
    odd = set()
    for key in paths.extra:
        if not key or key.casefold() in seen:
            odd.add(key)
        seen.add(key.casefold())
    return odd


def pointer(key: str) -> str:
    """The JSON pointer of a top-level key, whatever it holds; a path cannot name an empty key."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def element_type(column: str, path: str) -> str:
    """The type of what a path's last step holds: of ``results[].id`` one id, though the column is a list."""
    return aliases.TYPES.get(column, "VARCHAR").removesuffix("[]" * path.count("[]"))


def _json_value(column: str, path: str, is_both: bool) -> str:
    sql = expression(path, "r", literal="." in path and "[]" not in path)
    if not is_both:
        return sql
    return f"try_cast({sql} as double)" if column == "total_ms" else f"""try(json_transform({sql}, '"MAP(VARCHAR, DOUBLE)"'))"""


def parquet_view(engine: Engine, relation: str, paths: Paths, *, file: str, line: str) -> None:
    """Create the view ``raw_flat`` over a typed relation (Parquet, Arrow, a DuckDB table)."""
    types = engine.types(relation)
    columns = {}
    for column, found in paths.used.items():
        values = [value for path in found if (value := typed_value(column, path, types))]
        if values:
            columns[column] = coalesced(values)
    stages = [
        f"{{'key': {quoted(stage)}, 'value': try_cast({identifier(key)} as double) * {factor}}}"
        for key, (stage, factor) in paths.stages.items()
    ]
    extra = [f"{{'key': {quoted(key)}, 'value': {identifier(key)}::varchar}}" for key in paths.extra if is_scalar(types[key])]
    source = f"(select *, {file} as rw_at_file, {line} as rw_at_line from {relation})"
    _create(engine, columns, stages, extra, source=source, problem="null::varchar", text="null::varchar")


def _create(
    engine: Engine, columns: dict[str, str], stages: list[str], extra: list[str], *, source: str, problem: str, text: str
) -> None:
    """The view ``raw_flat``: every canonical column, absent ones as typed nulls."""
    select = []
    for column in aliases.LOG:
        value = columns.get(column, f"null::{aliases.TYPES.get(column, 'VARCHAR')}")
        if column == "timestamp":
            is_typed = value.endswith("::timestamptz")
            moment, as_text = (value, "null") if is_typed else (f"as_timestamp({value})", value)
            select.append(f"{moment} as {identifier(column)}, {as_text}::varchar as timestamp_text")
            continue
        if column == "stage_ms" and stages:
            value = f"nullif({_with_entries(value, stages, 'double')}, map([]::varchar[], []::double[]))"
        if column == "attributes" and extra:
            value = _with_entries(value, extra, "varchar")
        select.append(f"{value} as {identifier(column)}")
    lineage = f"rw_at_file as file, rw_at_line as line, {text} as line_text, {problem} as problem"
    engine.run(f"create or replace view raw_flat as select {', '.join(select)}, {lineage} from {source}", what="the logs' columns")


def _with_entries(value: str, entries: list[str], kind: str) -> str:
    """SQL of a map with more entries: those whose value is not null."""
    more = f"map_from_entries(list_filter([{', '.join(entries)}], lambda e: e.value is not null))"
    return f"map_concat(coalesce({value}, map([]::varchar[], []::{kind}[])), {more})"


def sniff(head: list[str]) -> bool:
    """JSON objects, one a line."""
    return any(line.lstrip().startswith("{") for line in head)


def sniff_columns(columns: list[str]) -> bool:
    """A Parquet file with a column that may be a result list."""
    roots = {steps_of(path)[0] for path in (*aliases.LOG["ranked_ids"], *aliases.LOG["texts"])}
    return bool(roots & set(columns))


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """JSON lines: one pass for the names there are, one for the values."""
    paths = resolve(json_keys(engine, files), mapped, where=str(files[0]))
    json_view(engine, files, paths)
    return _read(engine, paths)


def read_parquet(engine: Engine, files: list[Path], mapped: Mapping[str, str], *, facts: Mapping[str, int] | None = None) -> Read:
    """Parquet files whose schemas may differ; folders such as ``tenant=001`` are columns of text. ``facts``: as of read_relation."""
    place = {"where": str(files[0]), "file": "rw_file", "line": "file_row_number + 1"}
    return read_relation(engine, parquet_relation(files), mapped, **place, files=_names(files), facts=facts)


def parquet_relation(files: list[Path]) -> str:
    """SQL of the files together, with ``rw_file`` and ``file_row_number`` of each row."""
    hive = str(any("=" in part for f in files for part in f.parent.parts)).lower()
    lineage = "filename = 'rw_file', file_row_number = true"
    return (
        f"read_parquet({_names(files)}, union_by_name = true, {lineage}, hive_partitioning = {hive}, hive_types_autocast = false)"
    )


def _names(files: list[Path]) -> str:
    return quoted_paths(files)


def read_relation(
    engine: Engine,
    relation: str,
    mapped: Mapping[str, str],
    *,
    where: str,
    file: str,
    line: str,
    files: str | None = None,
    facts: Mapping[str, int] | None = None,
) -> Read:
    """Any typed relation: Parquet (``files``: their names as a SQL list), Arrow, a DuckDB table.

    ``facts``: what a look at all parts of the log together found, where this is one of them; None = look now.
    """
    with engine.reading(where):
        keys = [name for name in engine.types(relation) if name not in ("rw_file", "file_row_number")]
    paths = resolve(keys, mapped, where=where)
    parquet_view(engine, relation, paths, file=file, line=line)
    read = _read(engine, paths)
    if facts is not None:
        know(engine, facts)
        return replace(read, facts=facts)
    with engine.reading(where):
        for fact, column in (("lists", "ranked_ids"), ("texts", "texts")):
            used = paths.used.get(column, ())
            if files is not None and len(used) == 1:
                engine.options(**{f"fact_whole_{fact}": are_whole(engine, files, used[0])})
        return replace(read, facts=look(engine))


def _read(engine: Engine, paths: Paths) -> Read:
    engine.file("1_normalise/facts.sql")
    engine.file("1_normalise/flat.sql")
    return Read("flat_events", paths.used, paths.extra, "event_id" in paths.used or {"trace_id", "span_id"} <= set(paths.used))


FLAT = Format("flat", "one JSON object or Parquet row a recall", sniff, read, sniff_columns, read_parquet)
