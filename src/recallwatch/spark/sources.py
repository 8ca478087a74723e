"""Which task reads which files. The driver looks at heads and footers only; the rows are the tasks' business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.engine import Engine, quoted, quoted_paths
from ..base.errors import InputError
from ..base.options import Reading
from ..base.remote import reach
from ..read.detection import chosen
from ..read.flat import FLAT
from ..read.log_format import Format
from ..read.paths import expand, is_parquet
from ..read.spans import TRACES
from .shipment import Part, dealt

TRACE_NAMES = frozenset(entry.name for entry in TRACES)


@dataclass(frozen=True)
class Sources:
    """Files by how tasks take them.

    Args:
        formats: format name -> number of files.
        direct: parts read anew by every job: Parquet of the flat form, of which a job reads only the columns it needs.
        spooled: parts read once and kept by Spark as Parquet: everything else.
    """

    formats: Mapping[str, int]
    direct: tuple[Part, ...]
    spooled: tuple[Part, ...]


def find(engine: Engine, sources: Sequence[str], reading: Reading, *, tasks: int) -> Sources:
    """Find the files, detect their formats, divide them among tasks.

    Files of trace formats go to one task: a recall's spans may be spread over several files.

    Raises:
        InputError: no files, a file of no known format.
    """
    files = expand(list(sources), kind="log")
    reach(engine, files)
    if reading.profile is not None:
        return Sources({"profile": len(files)}, (), tuple(_parts(files, "auto", tasks)))
    groups: dict[tuple[Format, bool], list[Path]] = {}
    for path in files:
        entry = chosen(engine, path, reading.log_format)
        if entry is not None:
            groups.setdefault((entry, is_parquet(path)), []).append(path)
    if not groups:
        raise InputError("every file is empty", where=", ".join(sources), fix="Name files that hold recalls")
    direct: list[Part] = []
    spooled: list[Part] = []
    for (entry, parquet), paths in sorted(groups.items(), key=lambda group: (group[0][0].name, group[0][1])):
        if (entry, parquet) == (FLAT, True):
            direct += _with_schema(engine, paths, _parts(paths, entry.name, tasks))
        elif entry.name not in TRACE_NAMES:
            spooled += _parts(paths, entry.name, tasks)
    traces = [str(path) for (entry, _), paths in groups.items() if entry.name in TRACE_NAMES for path in paths]
    if traces:
        spooled.append(Part(reading.log_format, tuple(sorted(traces))))
    names = sorted(entry.name for (entry, _), paths in groups.items() for _ in paths)
    return Sources({name: names.count(name) for name in names}, tuple(direct), tuple(spooled))


def _parts(files: Sequence[Path], log_format: str, tasks: int) -> list[Part]:
    """Parts of similar size, the same in every run."""
    sized = sorted(((path.stat().st_size, path) for path in files), key=lambda pair: (-pair[0], pair[1]))
    return [Part(log_format, tuple(sorted(map(str, group)))) for group in dealt(sized, tasks)]


def _with_schema(engine: Engine, files: Sequence[Path], parts: list[Part]) -> list[Part]:
    """Parts with every column of all files, in its widest type."""
    if len(parts) == 1:
        return parts
    path = engine.folder / "schema.parquet"
    select = f"select * from read_parquet({quoted_paths(files)}, union_by_name = true, hive_partitioning = false) limit 0"
    with engine.reading(str(files[0])):
        engine.run(f"copy ({select}) to {quoted(str(path))} (format parquet)")
    schema = path.read_bytes()
    return [replace(part, schema=schema) for part in parts]


def with_keys(parts: Sequence[Part], keys: Sequence[str]) -> tuple[Part, ...]:
    """Parts of flat JSON logs with the names of all of them."""
    return tuple(replace(part, keys=tuple(keys)) if part.log_format == FLAT.name else part for part in parts)
