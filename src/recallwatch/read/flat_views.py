"""The view ``raw_flat``: every canonical column of a flat log, of JSON lines or of typed relations, absent ones as typed nulls."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..base.engine import Engine, identifier, quoted
from . import aliases
from .flat_paths import Paths, element_type, odd_names, root_of
from .hive import disagrees
from .json_line import NO_LIST, PROBLEM, JsonLine, can_be_fields, numbers_of, of_folder
from .record_paths import steps_of
from .typed_columns import ID_LISTS, coalesced, first_named, is_scalar, no_list, number, typed_value

MANY = 200  # names; each is an expression of its own, and the engine's time grows with their square
LISTED = {"ranked_ids": "listed_ids", "scores": "listed_scores", "texts": "listed_texts"}  # of sql/1_normalise/document_lists.sql
NO_ID = "an id is a list, or an object without an id"


def json_select(
    engine: Engine,
    lines_there: str,
    paths: Paths,
    *,
    own: Collection[str],
    sample: Mapping[str, Any],
    usual: Sequence[Sequence[str]] = (),
    ranked: Collection[str] = (),
) -> str:
    """SQL of every canonical column of JSON lines (json_line.lines_of), for the view ``raw_flat``.

    ``own``: the keys that the lines have; ``sample``: one of the records: those like it are read fastest.
    ``ranked``: paths to ranks that the elements of a list say.
    ``usual``: the keys of records as far as was looked: reading ends at a line with a key beside them (NEW_KEY).
    """
    line = JsonLine(paths.keys, is_usual=bool(usual))
    _load(engine, paths)

    def value(column: str, path: str) -> str:
        """A path of the record; a folder's value where the record has none."""
        folder = f"try_cast({of_folder(path)} as {aliases.TYPES.get(column, 'VARCHAR')})"
        if not root_of(path, own):
            return folder
        sql = measured(path, element_type(column, path), column)
        sql = f"ids_beside({sql}, {nested_in(path, sql)})" if column in ID_LISTS else sql
        sql = f"by_rank({sql}, {line.value(rank_of(path), 'DOUBLE')})" if rank_of(path) in ranked else sql
        return f"coalesce({sql}, {folder})" if path in paths.hive else sql

    def measured(path: str, kind: str, column: str = "") -> str:
        """A value of the record; text, and true, where a number is expected are no measurement (NaN)."""
        if kind == "DOUBLE" and column not in ("top_k", "scores"):
            is_read = path in paths.used.get("stage_ms", ())  # once for both
            return f"number_of({line.value(path, 'JSON')} ->> '$')" if is_read else f"number_of({line.value(path, 'VARCHAR')})"
        if column == "stage_ms":
            numbers, texts = numbers_of(line.value(path, "JSON"), sample.get(path))
            numbers = line.once(numbers)
            return f"if(may_be_texts(map_values({numbers})), numbers_in({texts}), {numbers})"
        sql = line.value(path, kind)
        if column == "scores":
            texts = line.apart(path, kind.replace("DOUBLE", "VARCHAR"))
            return f"if(may_be_texts({sql}), list_transform({texts}, lambda rw_n: number_of(rw_n)), {sql})"
        return sql

    def elements(path: str) -> str:
        return line.apart(path, "JSON" if "[]" in path else "JSON[]")

    def nested_in(path: str, texts: str) -> str:
        return line.once(f"if(may_nest({texts}), {elements(path)}, null)")

    def listed(path: str) -> str:
        """And no id under another name of its list."""
        root = path.partition("[")[0]
        return f" and names_none(listed_ids({line.apart(root, 'JSON')}))" if root in paths.odd_lists else ""

    def as_json(key: str) -> str:
        if key not in own:
            return f"to_json({of_folder(key)})"
        return f"json_extract(line_text, {quoted(pointer(key))})" if key in odd else line.value(key, "JSON")

    def as_text(key: str) -> str:
        return of_folder(key) if key not in own and key not in aliases.LISTS else f"{_entry(key)}({as_json(key)})"

    odd = odd_names(paths)
    columns = {}
    for column, given in paths.used.items():
        lists = [
            f"{LISTED[column]}({line.apart(root, 'JSON')})" for root in _result_lists(column, given) if root in paths.odd_lists
        ]
        values = [value(column, path) for path in given]
        if lists:  # each list once: what is looked at before it is passed on would be made twice
            values = [line.once(sql) for sql in values]
        columns[column] = (first_named if lists else coalesced)([*values, *lists])
        if column in ID_LISTS:  # made of no record that has a list
            whole = [path for path in given if root_of(path, own) and "[]" not in steps_of(path)]
            columns[column] = coalesced([columns[column], *(line.in_one_value(path) for path in whole)])
    stages = _stages(paths, lambda key: measured(key, "DOUBLE") if key in own else f"number_of({of_folder(key)})")
    texts = [(key, f"if(r is null, null, {as_text(key)})") for key in paths.extra]
    extra = _map_of(texts, "varchar") if len(texts) <= MANY else _by_record(paths, own)
    if aliases.STAGE_LISTS in paths.extra and "candidate_ids" not in columns:
        columns["candidate_ids"] = f"last_stage_ids(stage_text({as_json(aliases.STAGE_LISTS)}))"
    both = [
        disagrees(f"({line.value(path, 'JSON')} ->> '$')", of_folder(path))
        for given in (*paths.used.values(), paths.extra)
        for path in given
        if path in paths.hive and path in own
    ]
    _disagree(columns, " or ".join(both))
    lists = [path for path in paths.used.get("ranked_ids", ()) if root_of(path, own)]
    nested = " or ".join(
        f"no_id_among({nested_in(path, line.value(path, element_type('ranked_ids', path)))})" + listed(path) for path in lists
    )
    problem = f"if(r is not null and ({nested or 'false'}), {quoted(NO_ID)}, {PROBLEM})"
    problem = line.no_list_problem([path for path in lists if path in own], problem)
    source = line.relation(lines_there, sorted(paths.hive), usual)
    return select_of(columns, stages, extra, source=source, problem=problem, text="line_text", piece="piece")


def _by_record(paths: Paths, own: Collection[str]) -> str:
    """SQL of the ``attributes`` that each record has: where names are many, most records lack most of them."""
    others = quoted([key for key in own if key not in set(paths.extra)])
    folders = [f"{{'key': {quoted(key)}, 'value': {of_folder(key)}}}" for key in paths.extra if key not in own]
    keys = f"list_filter(list_distinct(json_keys(line_text)), lambda rw_k: not list_contains({others}::varchar[], rw_k))"
    at = "'/' || replace(replace(rw_k, '~', '~0'), '/', '~1')"
    value = f"json_extract(line_text, {at})"
    each = f"scalar_text({value})"
    if lists := sorted(aliases.LISTS & set(paths.extra)):  # else their macro is not there
        each = f"if(list_contains({quoted(lists)}, rw_k), stage_text({value}), {each})"
    entries = f"list_transform({keys}, lambda rw_k: {{'key': rw_k, 'value': {each}}})"
    return _map_from(f"if(r is null, [], list_concat({entries}, [{', '.join(folders)}]))")


def _entry(key: str) -> str:
    """The macro that makes an attribute's text of a JSON value."""
    return "stage_text" if key in aliases.LISTS else "scalar_text"


def _disagree(columns: dict[str, str], condition: str) -> None:
    """Flag records whose folder and own column disagree; ``condition``: SQL of that, empty = no folder could."""
    if condition:
        flags = columns.get("flags", "null::varchar[]")
        columns["flags"] = f"if({condition}, list_append(coalesce({flags}, []), 'folder_disagrees'), {flags})"


def pointer(key: str) -> str:
    """The JSON pointer of a top-level key, whatever it holds; a path cannot name an empty key."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _load(engine: Engine, paths: Paths) -> None:
    """The rules for lists between stages, and for a list of results whose elements lack the usual field, where there is such a list."""
    if aliases.LISTS & set(paths.extra):
        engine.file("1_normalise/stage_lists.sql")
    if any(_result_lists(column, given) for column, given in paths.used.items()):
        engine.file("1_normalise/document_lists.sql")


def _result_lists(column: str, given: Collection[str]) -> list[str]:
    """The names of the lists of results behind some paths; a path that was mapped is read as it is."""
    if column not in LISTED or not set(given) <= set(aliases.LOG[column]):
        return []
    return [name for name in aliases.RESULTS if any(path.startswith(f"{name}[].") for path in given)]


def _json_of(name: str, kind: Any) -> str:
    return f"try({identifier(name)}::json)" if kind.id == "varchar" else f"to_json({identifier(name)})"


def typed_selects(engine: Engine, relations: Sequence[str], paths: Paths, *, file: str, line: str) -> list[str]:
    """SQL of the same of typed relations (Parquet, Arrow, a DuckDB table); each is cast before they are united."""
    _load(engine, paths)
    sources = {relation: f"(select *, {file} as rw_at_file, {line} as rw_at_line from {relation})" for relation in relations}
    return [_of_types(engine.types(relation), paths, source) for relation, source in sources.items()]


def _of_types(types: Mapping[str, Any], paths: Paths, source: str) -> str:
    columns = {}
    for column, given in paths.used.items():
        values = {
            path: _by_rank(path, value, types)
            for path in given
            if root_of(path, types) and (value := typed_value(column, path, types))
        }
        roots = [root for root in _result_lists(column, given) if f"{root}[]" not in {path.rpartition(".")[0] for path in values}]
        lists = [f"{LISTED[column]}({_json_of(root, types[root])})" for root in roots if root in types]
        if values or lists:
            columns[column] = (first_named if lists else coalesced)([*values.values(), *lists])
    _disagree(columns, "rw_disagrees" if "rw_disagrees" in types else "")
    numbers = {
        key: number(identifier(key), types[key]) + (f" / {paths.stages[key][1]}" if types[key].id == "interval" else "")
        for key in paths.stages
        if key in types
    }
    names = [key for key in paths.extra if key in types and (is_scalar(types[key]) or key in aliases.LISTS)]
    texts = {key: f"{identifier(key)}::varchar" for key in names}
    texts |= {
        key: f"stage_text({_json_of(key, types[key])})"
        for key in names
        if key == aliases.STAGE_LISTS or (key == aliases.TEAMS and not is_scalar(types[key]))
    }
    if aliases.STAGE_LISTS in texts:
        columns.setdefault("candidate_ids", f"last_stage_ids({texts[aliases.STAGE_LISTS]})")
    extra = _map_of([*texts.items()], "varchar")
    wrong = coalesced([sql for path in paths.used.get("ranked_ids", ()) if (sql := no_list(path, types))] or ["null::varchar"])
    problem = f"if({wrong} is null, null, if(try(json_type({wrong})) = 'ARRAY', {quoted(NO_ID)}, {quoted(NO_LIST)}))"
    problem = f"coalesce(rw_problem, {problem})" if "rw_problem" in types else problem
    place = {"file": "rw_at_file", "line": "rw_at_line"}
    return select_of(columns, _stages(paths, numbers.get), extra, source=source, problem=problem, text=wrong, **place)


def rank_of(path: str) -> str:
    """The path to the ranks beside the values of a path into a list; empty = it is none."""
    root, is_list, _ = path.partition("[].")
    return f"{root}[].rank" if is_list else ""


def _by_rank(path: str, value: str, types: Mapping[str, Any]) -> str:
    """SQL of a value of each result, in the order of the ranks that they say."""
    rank = rank_of(path)
    ranks = typed_value("scores", rank, types) if root_of(rank, types) else None
    return f"by_rank({value}, {ranks})" if ranks else value


def _stages(paths: Paths, value: Callable[[str], str | None]) -> str:
    """SQL of a map of ``stage_ms`` from columns of their own, empty = there are none; ``value``: name of a column -> SQL of its number."""
    columns: dict[str, dict[str, str]] = {}
    for key, (stage, factor) in paths.stages.items():
        if sql := value(key):
            columns.setdefault(stage, {})[key] = f"{sql} * {factor}"
    return _map_of([(stage, _one_of(stage, named)) for stage, named in columns.items()], "double")


def _one_of(stage: str, named: Mapping[str, str]) -> str:
    """SQL of the time of a stage that has several columns (a name that was changed one day): the one that is there."""
    if len(named) == 1:
        return next(iter(named.values()))
    times = ", ".join(named.values())
    what = f"rw:{' and '.join(named)} are two times of the stage {stage} in one record. Leave one out, or write a profile"
    return f"if(list_unique([{times}]) > 1, error({quoted(what)}), coalesce({times}))"


def create(engine: Engine, selects: Sequence[str]) -> None:
    """The view ``raw_flat`` of some sources."""
    engine.run(f"create or replace view raw_flat as {' union all by name '.join(selects)}", what="the logs' columns")


def select_of(
    columns: dict[str, str],
    stages: str,
    extra: str,
    *,
    source: str,
    problem: str,
    text: str,
    file: str = "file",
    line: str = "line",
    piece: str | None = None,
) -> str:
    """Every canonical column of one source, absent ones as typed nulls."""
    select = []
    if piece is not None:
        columns = {**columns, "event_id": _event_id(columns, file, line, piece)}
    for column in aliases.LOG:
        value = columns.get(column, f"null::{aliases.TYPES.get(column, 'VARCHAR')}")
        if column == "timestamp":
            is_typed = value.endswith("::timestamptz")
            moment, as_text = (value, "null") if is_typed else (f"as_timestamp({value})", value)
            select.append(f"{moment} as {identifier(column)}, {as_text}::varchar as timestamp_text")
            continue
        if column == "stage_ms" and stages:
            timed = _with_entries(value, stages, "double")
            value = f"nullif({timed}, map([]::varchar[], []::double[]))"
        if column == "attributes" and extra:
            value = _with_entries(value, extra, "varchar")
        select.append(f"{value} as {identifier(column)}")
    lineage = f"{file} as file, {line} as line, {text} as line_text, {problem} as problem"
    return f"select {', '.join(select)}, {lineage} from {source}"


def _event_id(columns: Mapping[str, str], file: str, line: str, piece: str) -> str:
    """SQL of an event's id; records that start at one line (an array, an answer to several queries) are told apart by their number there."""
    own, trace, span = (columns.get(column, "null::varchar") for column in ("event_id", "trace_id", "span_id"))
    return f"if({piece} is null, {own}, coalesce({own}, {trace} || ':' || {span}, {file} || ':' || {line} || '#' || {piece}))"


def _with_entries(value: str, more: str, kind: str) -> str:
    """SQL of a map with the entries of another."""
    return more if value.startswith("null::") else f"map_concat(coalesce({value}, map([]::varchar[], []::{kind}[])), {more})"


def _map_of(entries: Sequence[tuple[str, str]], kind: str) -> str:
    """SQL of a map of (key, SQL of its value) without those that are null; empty = no entries. A struct becomes a map in a tenth of a list's time."""
    if not entries or not can_be_fields([key for key, _ in entries]):
        pairs = ", ".join(f"{{'key': {quoted(key)}, 'value': {value}}}" for key, value in entries)
        return _map_from(f"[{pairs}]") if entries else ""
    struct = ", ".join(f"{quoted(key)}: {value}" for key, value in entries)
    return f"without_nulls({{{struct}}}::map(varchar, {kind}))"


def _map_from(entries: str) -> str:
    """SQL of a map of a list of entries, those whose value is not null."""
    return f"map_from_entries(list_filter({entries}, lambda rw_e: rw_e.value is not null))"
