"""Finds sql/ in a checkout and in an installed wheel."""

import hashlib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

_PACKAGED = resources.files("recallwatch") / "sql"  # in a wheel
_CHECKOUT = Path(__file__).parents[3] / "sql"  # editable install: the repository's own
SQL: Traversable = _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


@cache
def text_of(name: str) -> str:
    """The text of one SQL file, e.g. ``2_judge/judge.sql``."""
    return SQL.joinpath(*name.split("/")).read_text(encoding="utf-8")


def names_in(folder: str) -> list[str]:
    """The SQL files of one folder, sorted, as names for :func:`text_of`."""
    return sorted(f"{folder}/{entry.name}" for entry in SQL.joinpath(folder).iterdir() if entry.name.endswith(".sql"))


@cache
def every_name() -> tuple[str, ...]:
    """The names of all SQL files, sorted: state keys hash them in this order."""
    top = [entry.name for entry in SQL.iterdir()]
    files = sorted(name for name in top if name.endswith(".sql"))
    return (*files, *(name for folder in sorted(top) if SQL.joinpath(folder).is_dir() for name in names_in(folder)))


@cache
def sql_hash() -> str:
    """sha256 of all SQL files: the definition of the numbers."""
    return hashlib.sha256("".join(map(text_of, every_name())).encode()).hexdigest()
