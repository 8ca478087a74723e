"""The options that many functions share: reading, period, definition, grouping, limits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from . import declared as o
from .declared import Owned, option
from .definition import DEFAULT_K, Column, columns_of, parse_k
from .errors import UsageError

WINDOWS = ("hour", "day", "week", "month", "all")


@dataclass(frozen=True)
class Reading(Owned):
    """How logs are read."""

    log_format: str = option("auto", "Format of the logs; auto = detected from their content.")
    mapped: Mapping[str, str] = option(
        {},
        "Where a column stands in the log, e.g. ranked_ids=hits[].id.",
        check=o.pairs,
        flag="--map",
        is_many=True,
        metavar="COLUMN=PATH",
    )
    profile: str | None = option(
        None, "TOML file that names the paths of a log of any other shape, and its id rules.", metavar="FILE"
    )
    # 1 %: a log that is worse is another format
    max_rejects: float = option(0.01, "Share of bad lines a log may have, e.g. 1%.", check=o.share, shown="1%", is_rare=True)
    on_bad_line: str = option("skip", "A bad line is skipped and counted, or stops the run.", ("skip", "stop"), is_rare=True)
    allow_unmatched: bool = option(
        False, "Go on where next to no labelled id was ever returned and the ids look different.", check=o.yes_or_no, is_rare=True
    )


@dataclass(frozen=True)
class Period(Owned):
    """Which events count: start <= timestamp < end, and those that pass a condition."""

    start: str | None = option(None, "Only events from this time on (ISO 8601; no zone = UTC).", check=o.moment, flag="--from")
    end: str | None = option(None, "Only events before this time.", check=o.moment, flag="--to")
    where: str | None = option(
        None, "Only events that pass a condition over their columns, e.g. \"tenant_id = 'acme'\".", metavar="CONDITION"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start is not None and self.end is not None and not _utc(self.start) < _utc(self.end):
            raise UsageError(
                f"{self.end} is not after {self.start}", where="--to", fix="Name a later time, or leave one of both out"
            )

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return self.is_dated or self.where is not None

    @property
    def is_dated(self) -> bool:
        """Whether events need a time."""
        return bool(self.start or self.end)


def _utc(at: str) -> dt.datetime:
    moment = dt.datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


@dataclass(frozen=True)
class Grouping(Owned):
    """What results are grouped by."""

    by: tuple[str, ...] = option(
        (), "Columns or attributes to group by, each for itself; a*b = their cross product.", check=o.names
    )


@dataclass(frozen=True)
class Windows(Owned):
    """How time is cut; windows are half-open."""

    window: str = option("all", "Length of the windows: hour, day, week, month or all.", WINDOWS)
    timezone: str = option("UTC", "IANA time zone of the windows.", check=o.zone)


@dataclass(frozen=True)
class Measures(Owned):
    """Which metrics are computed, at which cutoffs k."""

    metrics: tuple[str, ...] = option(
        (),
        "Metrics, e.g. recall,mrr@10,P(rel=2)@5. Default: recall to judged.",
        check=o.specs,
        flag="--metric",
        short="-m",
        is_many=True,
    )
    k: tuple[int | None, ...] = option(
        DEFAULT_K,
        "Cutoffs k, e.g. 1,3,10; 'all' = the whole list.",
        check=lambda value, _: parse_k(value),
        shown="1,3,5,10",
        metavar="LIST",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        columns_of(self.metrics, self.k)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Each metric at each of its cutoffs."""
        return tuple(columns_of(self.metrics, self.k))


@dataclass(frozen=True)
class Limits(Owned):
    """How much of the machine may be used."""

    RARE: ClassVar[bool] = True

    threads: int | None = option(None, "Worker threads. Default: all cores.", check=o.whole(1, o.MOST_THREADS))
    memory_limit: str | None = option(
        None, "Memory to use, e.g. 4GB: the engine has what Python leaves of it; beyond that data go to disk.", check=o.size
    )


@dataclass(frozen=True)
class Detail(Owned):
    """The parts of a result beside the means."""

    per_query: bool = option(
        False, "Each query's values, the relevant ids it missed, the ranks of those it returned.", check=o.yes_or_no
    )
    then: Callable[[Any], None] | None = option(
        None, "Called with the engine once the result is read out: further views of sql/6_report.", check=o.anything, is_live=True
    )


@dataclass(frozen=True)
class Watching(Owned):
    """Who looks on."""

    watcher: Any = option(None, "Told each step and the engine at work: a progress bar.", check=o.anything, is_live=True)
