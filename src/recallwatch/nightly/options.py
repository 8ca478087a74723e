"""The options of a page, of a configuration to start from, and of the section [read] of recallwatch.toml."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition, parse_k
from ..base.options import Limits, Period, Reading
from ..base.takes import Takes


@dataclass(frozen=True)
class Page(Owned):
    """What a page shows."""

    by: tuple[str, ...] | None = option(
        None,
        "Columns or attributes to group by, each for itself; a*b = their cross product. Default: of a store, those it was last scored by; else none.",
        check=o.names,
    )
    k: tuple[int | None, ...] | None = option(
        None,
        "Cutoffs k, e.g. 1,3,5,10. Default: of a store, those it was last scored at; else 1,3,5,10.",
        check=lambda value, _: parse_k(value),
        metavar="LIST",
    )
    window: str = option("day", "Length of the windows; all = nothing is compared.", ("day", "week", "all"))
    timezone: str = option("UTC", "IANA time zone of the windows.", check=o.zone)
    title: str = option("recallwatch", "Of the page.")
    trace_url: str | None = option(None, "Link of a trace, e.g. https://traces.example/t/{trace_id}.")
    redact: bool = option(False, "Replace query texts by salted hashes; the salt is read from RECALLWATCH_SALT.", check=o.yes_or_no)
    redact_ids: bool = option(False, "Replace query and document ids as well.", check=o.yes_or_no)


READ = Takes("read", Period, Reading, Limits)
STARTER = Takes("init", Reading, Limits)
REPORT = Takes("report", Page, Period, Reading, Limits, Definition)
NAMES = {"map": "mapped", "from": "start", "to": "end"}  # key in [read] -> option
KEYS = {option: key for key, option in NAMES.items()}
