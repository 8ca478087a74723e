"""Errors of a nightly run name the keys of its file, where others name the flags of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ..base.declared import flag_of
from ..base.definition import Definition
from ..base.errors import RecallwatchError
from ..base.options import Grouping, Measures, Windows
from ..base.takes import Takes
from ..monitor.options import DRIFT
from .options import KEYS, READ

_FLAG = re.compile(r"(?<![\w-])--[a-z](?:[a-z-]*[a-z])?\b")
_TOP = Takes("run", Measures, Grouping, Windows)  # keys that stand in no table of the file


@cache
def keys() -> dict[str, str]:
    """Flag -> key, with its table: ``--map`` is ``read.map``."""
    tables = {"drift": DRIFT, "definition": Takes("definition", Definition), "read": READ, "": _TOP}
    named = {
        flag_of(entry): f"{table}.{KEYS.get(name, name)}".removeprefix(".")
        for table, takes in tables.items()
        for name, entry in takes.options.items()
        if "flag" in entry.metadata
    }
    return {**named, "--labels": "labels", "--store": "store"}


def in_keys(text: str) -> str:
    """A text with each flag as the key of the file; other flags stay."""
    return _FLAG.sub(lambda flag: keys().get(flag[0], flag[0]), text)


@contextmanager
def named_by_keys(file: str) -> Iterator[None]:
    """An error in here names keys; where it stands at a key, that of the file.

    Args:
        file: the configuration's; "" = it was made by a program.
    """
    try:
        yield
    except RecallwatchError as error:
        is_key = error.where.startswith("--") or error.where.partition(".")[0] in ("gates", "max_age", "retention")
        where = f"{file}: {in_keys(error.where)}" if is_key and file else in_keys(error.where) or file
        RecallwatchError.__init__(error, in_keys(error.what), where=where, fix=in_keys(error.fix))
        raise
