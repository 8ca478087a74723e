"""Folders such as ``tenant=acme/`` are columns of the files below them, in JSON lines as in Parquet."""

import re
from collections.abc import Iterable
from pathlib import Path

from ..base.engine import quoted


def hive_keys(files: Iterable[Path]) -> list[str]:
    """The names that folders give a value, sorted."""
    return sorted({part.partition("=")[0] for file in files for part in file.parent.parts if "=" in part[1:]})


def hive_value(key: str, file: str) -> str:
    """SQL of a folder's value for one key, as text; null where the file's path has none. ``file``: SQL of the path."""
    folder = f"(?:^|/){re.escape(key)}=([^/]*)/"
    return f"nullif(nullif(url_decode(regexp_extract({file}, {quoted(folder)}, 1)), ''), '__HIVE_DEFAULT_PARTITION__')"
