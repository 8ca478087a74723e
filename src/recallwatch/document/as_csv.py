"""Rows as CSV (RFC 4180): numbers in full, and no cell that a spreadsheet would compute."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from ..base.errors import printable
from .outputs import json_text

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def draw(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A header and its rows; null = nothing, lists and objects as JSON."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, header))
    writer.writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        text = printable(value, kept="\n\r\t")
        return f"'{text}" if text.startswith(FORMULA) else text
    if isinstance(value, dict | list | bool):
        return json_text(value, None).rstrip("\n")
    return repr(value) if isinstance(value, float) else value
