"""Reads a log by a profile: its paths, units and id rules become the view ``raw_flat``, then flat.sql does the rest."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError
from . import aliases
from .condition import Condition
from .durations import as_intervals
from .flat import json_keys, parquet_relation
from .flat_views import NO_ID, create, select_of
from .id_rules import carried_labels, mapped_ids
from .json_line import PROBLEM, lines_of
from .lines import OTHER
from .log_format import Read
from .long_rows import INNER, are_lists, document_of, grouped, is_long
from .paths import is_parquet
from .profile import Between, Profile, factor_of, parts_of, paths_of
from .profile_values import Values
from .record_paths import steps_of
from .tables import is_table, relation_of
from .typed_columns import ID_LISTS, is_scalar

CARRIED = {
    "relevant": "rw:labels",
    "expected_texts": "rw:texts",
    "gold_answers": "rw:gold",
}  # the attributes a carried label travels in, from record to spool
LISTS = ("ranked_ids", "candidate_ids", "scores")


def columns_of(profile: Profile, values: Values, where: str) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """column -> SQL, and column -> the paths used, of a profile's events that this log has.

    Raises:
        InputError: the log has none of the paths named for the result list.
    """
    columns: dict[str, str] = {}
    used: dict[str, tuple[str, ...]] = {}
    for column, spec in profile.events.items():
        if column == "stage_ms" and isinstance(spec, dict):
            columns[column] = stages_sql(spec, values)
            used[column] = tuple(path for stage in spec.values() for path in paths_of(stage))
            continue
        there = [path for path in paths_of(spec) if values.has(path)]
        if isinstance(spec, Between):
            if len(there) == 2:
                columns[column], used[column] = values.duration(spec), tuple(there)
        elif there:
            choices = [_value(column, path, spec, values) for path in there]
            columns[column] = _first_list(choices) if column in LISTS else _coalesced(choices)
            if column in ID_LISTS and (elements := values.elements(there)):
                columns[column] = _coalesced([f"ids_of({choices[0]}, {elements})", *values.ids_in_one(there[0])])
            used[column] = tuple(there)
    if not {"ranked_ids", "texts"} & set(columns):
        wanted = ", ".join(paths_of(profile.events.get("ranked_ids", profile.events.get("texts"))))
        raise InputError(
            f"no {wanted} (has: {', '.join(values.keys)})", where=where, fix=f"See the profile {profile.name!r}: events.ranked_ids"
        )
    return columns, used


def _value(column: str, path: str, spec: Any, values: Values) -> str:
    kind = aliases.TYPES.get(column, "VARCHAR")
    if "{" not in path and kind in ("DOUBLE[]", "MAP(VARCHAR, DOUBLE)"):
        return values.numbers(path, kind)
    if kind.endswith("[]"):
        return values.listed(path, kind)
    if column == "total_ms":
        return values.timed(path, factor_of(spec))
    if kind == "DOUBLE" and column != "top_k":
        return values.number(path)
    return values.text(path) if kind == "VARCHAR" else values.leaf(path, kind)


def stages_sql(stages: Mapping[str, Any], values: Values) -> str:
    """A map of the stages that are there, in ms."""
    entries = [
        f"{{'key': {quoted(name)}, 'value': {values.duration(spec)}}}"
        for name, spec in stages.items()
        if all(map(values.has, paths_of(spec)))
    ]
    return f"map_from_entries(list_filter([{', '.join(entries)}]::struct(key varchar, value double)[], lambda rw_e: rw_e.value is not null))"


def _first_list(values: list[str]) -> str:
    """The first list of plain values that holds any, or that is empty; one of objects, or of nothing but nulls, stands aside for the next path."""
    asides = [f"if((len({v}) > 0 and list_count({v}) = 0) or may_nest({v}::varchar[]), null, {v})" for v in values]
    return values[0] if len(values) == 1 else f"coalesce({', '.join(asides)})"


def _coalesced(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"coalesce({', '.join(values)})"


def view(engine: Engine, profile: Profile, values: Values, source: Callable[[], tuple[str, str, str]], where: str) -> Read:
    """Create ``raw_flat`` and ``flat_events`` of a log; labels it carries travel in an attribute of their own.

    Args:
        engine: where the views go.
        profile: what names the paths.
        values: SQL of this log's values.
        where: the log's name, for an error.
        source: called when all paths are known: relation (with file and line), SQL of a record's problem, SQL of its text.
    """
    columns, used = columns_of(profile, values, where)
    carried = {column: [path for path in paths_of(profile.labels.get(column, [])) if values.has(path)] for column in CARRIED}
    own = {path for paths in carried.values() for path in paths}
    roots = {
        path if path in values.keys else steps_of(path)[0]
        for paths in used.values()
        for template in paths
        for path in parts_of(template)
    }
    extra = [
        key for key in values.keys if key not in roots and key not in own and (values.types is None or is_scalar(values.types[key]))
    ]
    pairs = [f"{{'key': {quoted(key)}, 'value': {_scalar(values, key)}}}" for key in extra]
    for column, paths in carried.items():
        if paths:
            value = _coalesced([f"nullif({values.json(path)}::varchar, 'null')" for path in paths])
            pairs.append(f"{{'key': {quoted(CARRIED[column])}, 'value': {value}}}")
    columns["attributes"] = (
        f"map_from_entries(list_filter([{', '.join(pairs)}]::struct(key varchar, value varchar)[], lambda rw_e: rw_e.value is not null))"
    )
    conditions = {
        key: Condition(text, f"profile {profile.name}: {key}")
        for key in ("where", "empty")
        if (text := getattr(profile, key)) is not None
    }
    places = {key: {name: values.field(name) for name in condition.columns(engine)} for key, condition in conditions.items()}
    elements = values.elements(used.get("ranked_ids", ()))
    relation, problem, text = source()
    if elements:
        listed = values.listed(used["ranked_ids"][0], "VARCHAR[]")
        problem = f"if(r is not null and has_no_id({listed}, {elements}), {quoted(NO_ID)}, {problem})"
    passes = {key: condition.sql(engine, relation, places[key]) for key, condition in conditions.items()}
    if "where" in passes:
        is_record = "r is not null" if values.types is None else "true"
        problem = f"if({is_record} and not {passes['where']}, {quoted(OTHER)}, {problem})"
    if "empty" in passes and "ranked_ids" in columns:
        columns["ranked_ids"] = f"coalesce({columns['ranked_ids']}, if({passes['empty']}, []::varchar[], null))"
    piece = "piece" if values.types is None else None
    create(engine, [select_of(columns, "", "", source=relation, problem=problem, text=text, piece=piece)])
    engine.file("1_normalise/facts.sql")
    engine.file("1_normalise/flat.sql")
    return spooled(engine, profile, used, tuple(extra), has_labels=bool(carried["relevant"] or carried["expected_texts"]))


def _scalar(values: Values, key: str) -> str:
    if values.types is not None:
        return f"{identifier(key)}::varchar"
    return f"if(json_type({values.leaf(key, 'JSON')}) in ('OBJECT', 'ARRAY'), null, {values.leaf(key, 'JSON')} ->> '$')"


def spooled(
    engine: Engine, profile: Profile, used: dict[str, tuple[str, ...]], extra: tuple[str, ...], *, has_labels: bool
) -> Read:
    """The events on disk, their ids by the profile's rules, the labels apart from them."""
    spool = engine.folder / f"profiled-{len(list(engine.folder.glob('profiled-*')))}.parquet"
    engine.run(f"copy flat_events to {quoted(str(spool))} (format parquet)", what="reading the log by its profile")
    return Read(
        events_relation(profile, f"read_parquet({quoted_paths(spool)})"),
        used,
        extra,
        bool({"event_id"} & set(used)) or {"trace_id", "span_id"} <= set(used),
        labels=carried_labels(profile, f"read_parquet({quoted_paths(spool)})", CARRIED) if has_labels else None,
    )


def events_relation(profile: Profile, spool: str) -> str:
    """The spool without the carried labels, ids mapped."""
    ids = (
        "".join(f", {mapped_ids(column, profile.ids.events)} as {column}" for column in ("ranked_ids", "candidate_ids"))
        if profile.ids.events
        else ""
    )
    own = f"map_from_entries(list_filter(map_entries(attributes), lambda e: not list_contains({quoted(list(CARRIED.values()))}, e.key)))"
    return f"(select * replace ({own} as attributes{ids}) from {spool})"


def read_json(engine: Engine, profile: Profile, files: list[Path]) -> Read:
    """JSON in any container."""
    values = Values(json_keys(engine, files, profile.unwrap))

    def source() -> tuple[str, str, str]:
        return values.line.relation(lines_of(engine, files, unwrap=profile.unwrap)), PROBLEM, "line_text"

    return view(engine, profile, values, source, str(files[0]))


def read_parquet(engine: Engine, profile: Profile, files: list[Path]) -> Read:
    """Parquet; schemas may differ from file to file."""
    stages = profile.events.get("stage_ms")
    specs = [profile.events.get("total_ms"), *(stages.values() if isinstance(stages, dict) else [])]
    times = [path for spec in specs if spec is not None for path in paths_of(spec)]
    relation = as_intervals(engine, files, parquet_relation(engine, files), times)
    with engine.reading(str(files[0])):
        types = {name: kind for name, kind in engine.types(relation).items() if name not in INNER}
    source = f"(select *, rw_file as file, file_row_number + 1 as line from {relation})"
    return view(engine, profile, Values(list(types), types), lambda: (source, "null::varchar", "null::varchar"), str(files[0]))


def read_tables(engine: Engine, profile: Profile, files: list[Path]) -> Read:
    """CSV files and databases, one row a recall or one row a document."""
    plain = {column: path for column, path in profile.events.items() if isinstance(path, str)}
    relation = relation_of(engine, files, plain)
    types = engine.types(relation)
    if is_long(types, plain) and not are_lists(engine, relation, document := str(document_of(types, plain)), types[document]):
        relation = grouped(engine, relation, plain, where=str(files[0]), file="rw_file", line="rw_line")
        lists = {column: column for column in ("ranked_ids", "scores") if column in plain}
        profile = profile.model_copy(update={"events": {**profile.events, **lists}})
        types = engine.types(relation)
    columns = {name: kind for name, kind in types.items() if name not in INNER}
    source = f"(select *, rw_file as file, rw_line as line from {relation})"
    problem = "rw_problem" if "rw_problem" in types else "null::varchar"
    return view(engine, profile, Values(list(columns), columns), lambda: (source, problem, "null::varchar"), str(files[0]))


def read(engine: Engine, profile: Profile, files: list[Path]) -> list[Read]:
    """All files of a log, text, Parquet and other tables apart."""
    readers = {read_json: list[Path](), read_parquet: list[Path](), read_tables: list[Path]()}
    for path in files:
        readers[read_parquet if is_parquet(path) else read_tables if is_table(path) else read_json].append(path)
    return [reader(engine, profile, paths) for reader, paths in readers.items() if paths]
