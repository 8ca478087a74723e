"""What a command's result can be written as, where it is no evaluation (those are report/'s)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Written:
    """An output format of a command.

    Args:
        name: as in ``-f``.
        meaning: one line for people.
        write: result -> text.
    """

    name: str
    meaning: str
    write: Callable[[Any], str]


def as_json(result: Any) -> str:
    """The contract's JSON: full floats, keys in the contract's order."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
