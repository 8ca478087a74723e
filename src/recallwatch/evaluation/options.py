"""The options of a check of logs and labels."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition
from ..base.options import Limits, Measures, Period, Reading
from ..base.takes import Takes


@dataclass(frozen=True)
class Pool(Owned):
    """The pool of documents a search chooses from."""

    pool_size: int | None = option(None, "Documents a search chooses from, for the chance level.", check=o.whole())
    corpus: str | None = option(None, "File of the ids there are: one a line, JSON lines or Parquet.", metavar="FILE")


SCORE = Takes("score", Measures, Limits, Definition)
CHECK = Takes("check", Measures, Pool, Period, Reading, Limits, Definition, label_conflicts="max")
