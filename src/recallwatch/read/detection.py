"""Which format a file has, by its content. FORMATS is the one list of log formats."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..base.engine import Engine, quoted_paths
from ..base.errors import InputError
from ..base.registry import index, pick
from . import records, reranked
from .aliases import LOG, RANKED
from .answer_lists import SEARCH_ANSWER
from .builtin_profiles import ANSWERS, BUILT_IN, TOOLS
from .flat import FLAT
from .json_run import JSON_RUN
from .log_format import Format, UnknownLogError
from .long_rows import is_long
from .paths import is_parquet
from .several import LISTS, TEXTS_OF_ANSWERS
from .spans import TRACES, objects
from .sql_dump import STATEMENTS, refusal
from .tables import CSV, DATABASE
from .trec_run import TREC_RUN
from .wrapped import EVENTS, OBJECTS, TEXTS

FORMATS = index(TREC_RUN, JSON_RUN, *TOOLS, *ANSWERS, *TRACES, *BUILT_IN, CSV, DATABASE, SEARCH_ANSWER, FLAT)


def chosen(engine: Engine, path: Path, log_format: str) -> Format | None:
    """The format that a caller named for a file, or what it is detected as (``auto``)."""
    if log_format == "auto":
        return detect(engine, path)
    entry = pick(FORMATS, "log format", log_format)
    if is_parquet(path) and (found := detect(engine, path)) is not None and found.name == entry.name:
        return found
    return entry


def detect(engine: Engine, path: Path) -> Format | None:
    """The format of a file, by its content; None for an empty file.

    Raises:
        InputError: content that no format knows; a damaged Parquet file.
    """
    if is_parquet(path):
        with engine.reading(str(path)):
            return of_columns(engine.types(f"read_parquet({quoted_paths(path)})"), path)
    with path.open("rb") as stream:
        start = stream.read(16)
    for entry in FORMATS.values():
        if entry.sniff_bytes and entry.sniff_bytes(start):
            return entry
    head = records.first_records(path)
    if not head:
        return None
    if len(head) == 1 and _is_frame(head[0]):
        fix = "Write it a row a line: frame.to_json(FILE, orient='records', lines=True)"
        raise InputError("a frame as one JSON object, column by column (pandas' to_json)", where=str(path), fix=fix)
    if found := _of_records(head):
        return found
    if STATEMENTS.match(head[0]):
        raise refusal(path)
    fix = (
        "`recallwatch list formats` shows the known ones. For another JSON log write a --profile "
        "(`recallwatch check` proposes one), or leave the file out"
    )
    raise UnknownLogError(f"no known log format (first line: {head[0][:80]!r})", where=str(path), fix=fix)


def of_columns(types: Mapping[str, Any], path: Path) -> Format:
    """The format of a Parquet file: by its columns, or by what its rows hold as JSON; such a format reads the rows so."""
    entry = next((f for f in FORMATS.values() if f.sniff_columns and f.sniff_columns(list(types))), FLAT)
    if entry is not FLAT or not may_hold_records(types):
        return entry
    found = _of_records(records.first_records(path)) or FLAT
    return replace(found, read_parquet=found.read) if found is not FLAT or records.are_rewritten(path) else FLAT


def _of_records(head: list[str]) -> Format | None:
    """The first format that knows some records."""
    return next((entry for entry in FORMATS.values() if entry.sniff and entry.sniff(head)), None)


def may_hold_records(types: Mapping[str, Any]) -> bool:
    """Whether a row may hold a record, or lists of several queries."""
    if own := LISTS & types.keys():
        answers = [kind for name, kind in types.items() if name in reranked.HOLDERS and kind.id == "struct"]
        lists = [types[name] for name in own]
        return any(kind.id == "struct" or _nests(kind) for kind in lists) or any(
            _nests(inner) for kind in answers for _, inner in kind.children
        )
    is_any = not RANKED & types.keys() and not is_long(types, {})  # else nothing there could be a result list
    texts = types if is_any else (*TEXTS, *OBJECTS, *EVENTS, *TEXTS_OF_ANSWERS)
    return any(kind.id == "struct" or _nests(kind) or (kind.id == "varchar" and name in texts) for name, kind in types.items())


def _nests(kind: Any) -> bool:
    """Whether a type is of lists of lists, or of results that name their document by a place."""
    if kind.id != "list":
        return False
    fields = dict(kind.child.children) if kind.child.id == "struct" else {}
    return kind.child.id == "list" or ("index" in fields and not set(reranked.OWN) & fields.keys())


def _is_frame(text: str) -> bool:
    """Whether a text is a frame as pandas writes it unless told otherwise, ``{column: {row: value}}``, split, or ``{column: [value]}``."""
    value = next(iter(objects([text])), {})
    if {"columns", "data"} <= value.keys() <= {"columns", "index", "data"}:
        return True
    if any(isinstance(value.get(name), list) for name in (*LOG["event_id"], *LOG["timestamp"])):  # column -> values
        return bool(LISTS & value.keys()) and len({len(v) if isinstance(v, list) else -1 for v in value.values()}) == 1
    keys = [inner.keys() if isinstance(inner, dict) else () for inner in value.values()]
    return (
        bool(LISTS & value.keys())
        and bool(keys[0])
        and all(key == keys[0] for key in keys)
        and set(map(str.isdigit, keys[0])) == {True}
    )
