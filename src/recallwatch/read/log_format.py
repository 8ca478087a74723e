"""A log format and the result of its reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.engine import Engine, quoted, quoted_paths
from ..base.errors import InputError


class EmptyLogsError(InputError):
    """There are files, and no line in any of them."""


class UnknownLogError(InputError):
    """A log that can be read, and in which nobody knows where a recall's columns stand: a profile would say so."""


@dataclass(frozen=True)
class Read:
    """The result of reading some files of one format.

    Args:
        relation: SQL of a relation with the columns of contract.events, and reject_reason, excerpt.
        used: column -> the log's own paths that feed it.
        attributes: names of the fields stored as attributes.
        has_ids: whether events carry ids of their own (only then can a delivery be a duplicate).
        facts: counts of 1_normalise/inspect.sql, where the relation was looked at once; None = not known.
        labels: SQL of a relation of the shape 1_normalise/labels.sql reads (raw_labels), where the log carries its own labels.
        is_spans: whether the relation is contract.spans (of a trace format), from which recalls are still to be picked.
        spans: spans the recalls were picked from.
        repeated_spans: number of duplicate spans.
        is_kept: whether the rows behind the relation are a table or file of ours by now, so that it can be read many times at no more cost.
        otherwise: how to read instead, should the relation end at a line with a key that the first records lack (json_line.NEW_KEY).
    """

    relation: str
    used: Mapping[str, tuple[str, ...]]
    attributes: tuple[str, ...] = ()
    has_ids: bool = False
    facts: Mapping[str, int] | None = None
    labels: str | None = None
    is_spans: bool = False
    spans: int = 0
    repeated_spans: int = 0
    is_kept: bool = False
    otherwise: Callable[[], "Read"] | None = None


def hold(engine: Engine, select: str, name: str, *, as_table: bool, what: str) -> str:
    """SQL of the rows of a query, read once: as a table of this name, or as a file where they are many."""
    if as_table:
        engine.run(f"create or replace table {name} as {select}", what=what)
        return name
    path = engine.folder / f"{name}.parquet"
    engine.run(f"copy ({select}) to {quoted(str(path))} (format parquet)", what=what)
    return f"read_parquet({quoted_paths(path)})"


@dataclass(frozen=True)
class Format:
    """A log format.

    Args:
        name: as in ``--log-format``.
        meaning: one line for people.
        sniff: whether the first lines of a text file are of this format; None = never text.
        read: files (text ones) and the caller's ``--map`` -> Read.
        sniff_columns: whether a Parquet file with these columns is of this format; None = never Parquet.
        read_parquet: the same as ``read`` for Parquet files.
        sniff_bytes: whether a file with these first bytes is of this format; None = it is text or Parquet.
    """

    name: str
    meaning: str
    sniff: Callable[[list[str]], bool] | None
    read: Callable[[Engine, list[Path], Mapping[str, str]], Read] | None
    sniff_columns: Callable[[list[str]], bool] | None = None
    read_parquet: Callable[[Engine, list[Path], Mapping[str, str]], Read] | None = None
    sniff_bytes: Callable[[bytes], bool] | None = None
