"""The macros of sql/ that no run changes, in a database in the user's cache folder: made once a version, attached by each engine.

Making them is a tenth of the work on a small log. Options, facts of a log and whatever else a run says itself stay macros of its own
engine, which come first; what is kept asks for them by name when it is used.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import platformdirs

from . import sqlfiles

NAME = "kept_macros"
OPTIONS = "0_options.sql"  # the bodies ask for them; each engine makes its own all the same


@cache
def files() -> frozenset[str]:
    """The files of sql/ that hold nothing but such macros."""
    single = (
        "1_normalise/values", "1_normalise/spans_values", "2_judge/judge", "2_judge/ranking", "2_judge/windows", "4_aggregate/exact",
        "7_store/days",
    )  # fmt: skip
    return frozenset((*(f"{name}.sql" for name in single), *sqlfiles.names_in("3_score")))


def attach(connection: Any, connect: Callable[[str], Any]) -> bool:
    """Make the macros known to a connection; False = this user has no folder for them.

    Args:
        connection: of an engine whose own database is called ``memory``.
        connect: opens a database file.

    Raises:
        OSError, duckdb.Error: the folder cannot be written, or the file cannot be read; it is made again the next time.
    """
    place = _place()
    if not place.is_absolute():
        return False
    if not place.exists():
        _make(place, connect)
    escaped = str(place).replace("'", "''")
    try:
        connection.execute(f"attach '{escaped}' as {NAME} (read_only)")
    except Exception:
        place.unlink(missing_ok=True)
        raise
    connection.execute(f"set search_path = 'memory,{NAME}'")
    return True


def _make(place: Path, connect: Callable[[str], Any]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="making-", dir=place.parent) as folder:
        made = Path(folder) / place.name
        with connect(str(made)) as connection:
            for name in (OPTIONS, *sorted(files())):
                connection.execute(sqlfiles.text_of(name))
        made.replace(place)


@cache
def _place() -> Path:
    from importlib.metadata import version

    texts = "".join(map(sqlfiles.text_of, (OPTIONS, *sorted(files()))))
    key = hashlib.sha256(f"{version('duckdb')} {texts}".encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("recallwatch", appauthor=False) / f"macros-{key}.duckdb"
