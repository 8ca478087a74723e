"""What a log format is, and what its reader hands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..engine import Engine


@dataclass(frozen=True)
class Read:
    """What a reader made of its files.

    Args:
        relation: SQL of a relation with the columns of contract.events, and reject_reason, excerpt.
        used: column -> the log's own paths that feed it.
        attributes: names of the fields kept as attributes.
        has_ids: whether events carry ids of their own (only then can a delivery be a duplicate).
        facts: counts of 1_normalise/inspect.sql, where the relation was looked at once; None = not known.
    """

    relation: str
    used: Mapping[str, tuple[str, ...]]
    attributes: tuple[str, ...] = ()
    has_ids: bool = False
    facts: Mapping[str, int] | None = None


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
    """

    name: str
    meaning: str
    sniff: Callable[[list[str]], bool] | None
    read: Callable[[Engine, list[Path], Mapping[str, str]], Read] | None
    sniff_columns: Callable[[list[str]], bool] | None = None
    read_parquet: Callable[[Engine, list[Path], Mapping[str, str]], Read] | None = None
