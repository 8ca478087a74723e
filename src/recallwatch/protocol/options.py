"""The options of a run under a protocol: what its user declares, and how the logs are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base.declared import Owned, option
from ..base.definition import Definition
from ..base.options import Limits, Period, Reading
from ..base.takes import Takes


def _many(flag: str, metavar: str, meaning: str) -> Any:
    """An option that may be repeated."""
    return option((), meaning, check=lambda value, _: tuple(value), flag=flag, metavar=metavar, is_many=True)


@dataclass(frozen=True)
class Declared(Owned):
    """What the user of a run declares, as text; checked against the protocol."""

    corpora: tuple[str, ...] = _many("--corpus", "[NAME=]FILE", "The data set's file: hash, counts and labels come from it.")
    labels: tuple[str, ...] = _many("--labels", "FILE|log", "Other labels than the corpus': files, or log = those the log carries.")
    facts: tuple[str, ...] = _many("--fact", "NAME=VALUE", "A fact the protocol asks for; repeat.")
    deviations: tuple[str, ...] = _many("--deviation", "WHAT: WHY", "A deviation from the protocol, and why; repeat.")
    claims: tuple[str, ...] = _many("--claim", "METRIC=VALUE", "A published figure to check against the recomputed one.")
    artefacts: tuple[str, ...] = _many("--artefact", "NAME=FILE", "A file to keep in the results folder; repeat.")


PROTOCOL = Takes("protocol run", Declared, Period, Reading, Limits, Definition)
