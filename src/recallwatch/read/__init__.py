"""Reading: files to the relations `events` and `rejects`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.remote import reach
from . import lines, records
from .detection import FORMATS, chosen, may_hold_records, of_columns
from .flat import FLAT, read_parquet, read_relation
from .given_records import given_parquet
from .json_line import NEW_KEY
from .labels import read_label_table, read_labels
from .log_format import EmptyLogsError, Format, Read, hold
from .paths import expand, is_parquet
from .servers import copy_servers
from .spans import LOOKED_FOR, pick_recalls

__all__ = [
    "FORMATS", "LOOKED_FOR", "Logs", "map_labels", "read_carried_labels", "read_label_table", "read_labels", "read_log_table",
    "read_logs",
]  # fmt: skip

MANY, SMALL = 16, 256 << 10  # files, bytes a file: from there on opening them for every pass costs more than keeping them in one
FEW = 5_000  # records: planning takes longer than reading them, and with all their texts they are still small


@dataclass(frozen=True)
class Logs:
    """Summary of the logs; their rows are the views ``normalised`` (events and rejects together) and ``rejects``.

    Args:
        formats: format name -> number of files.
        names: a log's own name -> canonical column, for ``--by``.
        attributes: names of the fields stored as attributes.
        has_ids: whether events can be duplicates.
        facts: counts of one look at the log, where that is all there is to read (see :class:`Read`).
        labels: SQL of the labels the logs carry themselves (shape raw_labels), if they do.
        spans: spans the recalls were picked from, where a log is a trace.
        repeated_spans: number of duplicate spans.
        are_few: whether there are so few records that they are held as tables.
    """

    formats: Mapping[str, int]
    names: Mapping[str, str]
    attributes: tuple[str, ...]
    has_ids: bool
    facts: Mapping[str, int] | None = None
    labels: str | None = None
    spans: int = 0
    repeated_spans: int = 0
    are_few: bool = False


def read_logs(
    engine: Engine,
    sources: list[str],
    *,
    log_format: str = "auto",
    mapped: Mapping[str, str] | None = None,
    profile: str | None = None,
    empty_ok: bool = False,
    facts: Mapping[str, int] | None = None,
) -> Logs:
    """Find the files, tell their format, normalise them.

    Text is read once and kept, as Parquet in the engine's folder where it is large, and so are many small Parquet files; other
    Parquet of the flat form is read in place. ``facts``: counts of a survey of flat Parquet, where these files are some of the surveyed.

    Raises:
        InputError: no files, a file of no known format, a damaged file.
    """
    mapped = copy_servers(engine, sources, mapped or {})
    paths = expand(sources, kind="log", spool=engine.folder)
    reach(engine, paths)
    if profile is not None:
        return _by_profile(engine, sources, paths, profile)
    groups: dict[tuple[Format, bool], list[Path]] = {}
    for path in paths:
        entry = chosen(engine, path, log_format)
        if entry is not None and (log_format == "auto" or entry.sniff_bytes or not _is_empty(path)):
            groups.setdefault((entry, is_parquet(path)), []).append(path)
    if not groups:
        raise _all_empty(sources)
    reads = []
    in_order = sorted(groups.items(), key=lambda group: (group[0][0] == FLAT, group[0][0].name, group[0][1]))
    for number, ((entry, parquet), files) in enumerate(in_order):  # flat ones last: the view of the last must stay as it is
        is_last = number == len(groups) - 1
        reads.append(_normalised(engine, entry, files, mapped or {}, number, parquet=parquet, facts=facts, is_last=is_last))
    traces = [read.relation for read in reads if read.is_spans]
    if traces:
        reads = [
            *(read for read in reads if not read.is_spans),
            pick_recalls(engine, traces, mapped or {}, must_be_there=not empty_ok),
        ]
        if not empty_ok:
            _refuse_no_recalls(engine, reads, sources)
    names = [entry.name for (entry, _), files in groups.items() for _ in files]
    return _joined(engine, reads, {name: names.count(name) for name in names})


def _is_empty(path: Path) -> bool:
    """Whether a text has no record: no byte, blank lines, or that compressed."""
    return not is_parquet(path) and not records.first_records(path)


def _all_empty(sources: list[str]) -> EmptyLogsError:
    return EmptyLogsError("every file is empty", where=", ".join(sources), fix="Name files that hold recalls")


def _by_profile(engine: Engine, sources: list[str], files: list[Path], profile: str) -> Logs:
    """Every file by the caller's own profile, whatever it looks like."""
    from .profile import load
    from .profile_reader import read

    chosen = load(profile)
    files = [path for path in files if not _is_empty(path)]
    if not files:
        raise _all_empty(sources)
    return _joined(engine, read(engine, chosen, files), {f"profile {chosen.name}": len(files)})


def read_carried_labels(engine: Engine, logs: Logs) -> str:
    """Create the table ``labels`` from what the logs carry themselves; returns where they came from.

    Raises:
        UsageError: the logs carry none.
    """
    from .id_rules import take_carried
    from .label_contract import finish

    if logs.labels is None:
        raise UsageError(
            "no labels given, and the logs carry none", where="--labels", fix="Name the file that says which ids should come back"
        )
    take_carried(engine, logs.labels)
    finish(engine)
    return "the log itself"


def map_labels(engine: Engine, profile: str) -> None:
    """The ids of the table ``labels`` by a profile's rules."""
    from .id_rules import map_labels as ruled
    from .profile import load

    ruled(engine, load(profile))


def _refuse_no_recalls(engine: Engine, reads: list[Read], sources: list[str]) -> None:
    """Traces without a retrieval are no log of recalls: say what was there and what was looked for."""
    if len(reads) > 1 or engine.run(f"select 1 from {reads[0].relation} where reject_reason is null limit 1"):
        return
    picked = engine.run("select count(*) from picked_spans")[0][0]
    why = (
        f"{picked} retrieval spans, none with a list of documents"
        if picked
        else f"no retrieval spans with ids; looked for {LOOKED_FOR}"
    )
    rejects = engine.run(f"select reject_reason, count(*) from {reads[0].relation} group by 1 order by 2 desc, 1 limit 1")
    bad = f" ({rejects[0][1]} records rejected: {rejects[0][0]})" if rejects and not picked else ""
    fix = "Say which spans retrieve (--map retrieval=NAME), log the ids a retrieval returns, or name another log"
    raise InputError(f"{reads[0].spans} spans, 0 recalls: {why}{bad}", where=", ".join(sources), fix=fix)


def read_log_table(
    engine: Engine,
    relation: str,
    *,
    mapped: Mapping[str, str] | None = None,
    line: str = "row_number() over ()",
    files: str | None = None,
    facts: Mapping[str, int] | None = None,
) -> Logs:
    """The same for a relation DuckDB can see: an Arrow table, a Polars frame, a DuckDB relation.

    ``line``: SQL of a row's number; ``files``: names of the Parquet files it is of, as a SQL list; ``facts``: as of :func:`read_logs`.
    """
    if files is None and may_hold_records(types := engine.types(relation)):
        engine.write(f"from {relation}", path := given_parquet(engine.folder), what="reading the logs")
        if (entry := of_columns(types, path)) is not FLAT:
            return _joined(engine, [_normalised(engine, entry, [path], mapped or {}, 0, parquet=True, facts=None)], {entry.name: 1})
    read = read_relation(engine, [relation], mapped or {}, where="logs", file="'logs'", line=line, files=files, facts=facts)
    return _joined(engine, [read], {"flat": 1})


def _normalised(
    engine: Engine,
    entry: Format,
    files: list[Path],
    mapped: Mapping[str, str],
    number: int,
    *,
    parquet: bool,
    facts: Mapping[str, int] | None,
    is_last: bool = True,
) -> Read:
    """One format's files as a relation that can be read many times."""
    reader = entry.read_parquet if parquet else entry.read
    if reader is None:
        raise InputError(f"format {entry.name} is not read from {'Parquet' if parquet else 'text'}", where=str(files[0]))
    is_flat = parquet and entry is FLAT
    read = read_parquet(engine, files, mapped, facts=facts) if is_flat else reader(engine, files, mapped)
    if (is_flat and not are_many_small(files)) or (is_last and read.is_kept):
        return read
    is_held = not parquet and lines.are_held(files)
    try:
        return _kept(engine, read, number, is_held=is_held, what=f"reading {files[0]}")
    except InputError as error:
        if read.otherwise is None or error.what != NEW_KEY:
            raise
        return _kept(engine, read.otherwise(), number, is_held=is_held, what=f"reading {files[0]}")


def _kept(engine: Engine, read: Read, number: int, *, is_held: bool, what: str) -> Read:
    """The rows as a table, or as a file."""
    return replace(read, relation=hold(engine, f"from {read.relation}", f"normalised_{number}", as_table=is_held, what=what))


def are_many_small(files: list[Path]) -> bool:
    """Whether opening the files is most of reading them (a writer that closes a file every minute)."""
    return len(files) > MANY and sum(file.stat().st_size for file in files) < SMALL * len(files)


def _joined(engine: Engine, reads: list[Read], formats: Mapping[str, int]) -> Logs:
    union = " union all by name ".join(f"select * from {read.relation}" for read in reads)
    n_records = sum(
        read.facts["n_records"] if read.facts else engine.run(f"select count(*) from {read.relation}")[0][0] for read in reads
    )
    if n_records <= FEW:
        engine.run(f"create or replace table few_records as {union}", what="reading the logs")
        union = "from few_records"
    engine.run(f"create or replace view normalised as {union}")
    names = {path: column for read in reads for column, paths in read.used.items() for path in paths}
    attributes = tuple(dict.fromkeys(name for read in reads for name in read.attributes))
    carried = [read.labels for read in reads if read.labels]
    return Logs(
        formats,
        names,
        attributes,
        any(read.has_ids for read in reads),
        reads[0].facts if len(reads) == 1 else None,
        labels=" union all by name ".join(f"select * from {labels}" for labels in carried) or None,
        spans=sum(read.spans for read in reads),
        repeated_spans=sum(read.repeated_spans for read in reads),
        are_few=n_records <= FEW,
    )
