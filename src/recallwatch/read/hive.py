"""Folders such as ``tenant=acme/`` are columns of the files below them, in JSON lines as in Parquet."""

import re
from collections.abc import Iterable
from pathlib import Path

from ..base.engine import quoted


def hive_keys(files: Iterable[Path]) -> list[str]:
    """The names that folders give a value, sorted."""
    return sorted({part.partition("=")[0] for file in files for part in file.parent.parts if "=" in part[1:]})


def disagrees(own: str, folder: str) -> str:
    """SQL of whether a record's own value and its folder's are two; a time of the day that the folder names is none."""
    return f"coalesce({own} <> {folder} and not (try_cast({folder} as date) is not null and starts_with({own}, {folder})), false)"


def hive_value(key: str, file: str) -> str:
    """SQL of a folder's value for one key, as text; null where the file's path has none. ``file``: SQL of the path."""
    folder = f"(?:^|/){re.escape(key)}=([^/]*)/"
    return f"nullif(nullif(url_decode(regexp_extract({file}, {quoted(folder)}, 1)), ''), '__HIVE_DEFAULT_PARTITION__')"
