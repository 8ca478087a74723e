"""The options of an explanation."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition
from ..base.options import Limits, Period, Reading
from ..base.takes import Takes


@dataclass(frozen=True)
class Question(Owned):
    """What of the log is looked at, and against what."""

    k: int = option(10, "Cutoff k: ranks that count as returned.", check=o.whole())
    against: str | None = option(
        None, "A date or an index version: what was before it against what came from it on.", metavar="DATE|VERSION"
    )
    recalls: int = option(100, "Single recalls that are listed, the newest.", check=o.whole())
    trace_url: str | None = option(None, "Link of a trace, with {trace_id}: https://… or http://….", metavar="URL")


EXPLAIN = Takes("explain", Question, Period, Reading, Limits, Definition)
