"""Runs as one JSON object, ``{query id: {document id: score}}``: what ranx, pytrec_eval and BEIR write."""

from collections.abc import Mapping
from pathlib import Path

from ..base.engine import Engine
from . import aliases
from .flat import read_relation
from .log_format import Format, Read
from .spans import lines_view, objects

_KNOWN = frozenset(path.partition("[")[0] for paths in aliases.LOG.values() for path in paths)  # names of a record, not of queries


def sniff(head: list[str]) -> bool:
    """One object, none of whose keys is a column's name, of objects of numbers."""
    values = objects(head)
    return (
        len(values) == len(head) == 1
        and bool(values[0])
        and not _KNOWN & values[0].keys()
        and all(map(_is_scores, values[0].values()))
    )


def _is_scores(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in value.values())


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """One recall a query, the highest score first."""
    lines_view(engine, files)
    engine.file("1_normalise/json_run.sql")
    return read_relation(engine, ["json_runs"], mapped, where=str(files[0]), file="rw_file", line="rw_line")


JSON_RUN = Format("json_run", "a run as JSON: {query id: {document id: score}} (ranx, BEIR)", sniff, read)
