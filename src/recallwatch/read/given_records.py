"""Dicts of a notebook in place of a log: written as the JSON lines they stand for, so that a list and a file of it say the same."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import UUID

from ..base.errors import InputError, UsageError
from ..base.held import scratch

GIVEN = "recallwatch-given"  # the folder such a file stands in
_FOLDER = re.compile(rf"\S*/{GIVEN}/(logs|labels|other)\.(?:jsonl|parquet)")


def are_records(given: Any) -> bool:
    """Whether it is a list of dicts."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, Mapping) for one in given)


def written(given: Sequence[Mapping[Any, Any]], where: str, files: ExitStack) -> str:
    """The path of a file with one record a line, gone when ``files`` closes.

    Raises:
        UsageError: a value that JSON does not have.
    """
    lines = []
    for number, record in enumerate(given, 1):
        try:
            lines.append(json.dumps(plain(record), ensure_ascii=False))
        except (TypeError, ValueError) as error:
            raise UsageError(str(error), where=f"{where}:{number}", fix="Give texts, numbers, lists and dicts") from error
    path = files.enter_context(scratch()) / GIVEN / f"{where}.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")
    return str(path)


def given_parquet(folder: Path) -> Path:
    """A place for logs that were given as a table."""
    path = folder / GIVEN / "logs.parquet"
    path.parent.mkdir(exist_ok=True)
    return path


def place(path: str | PathLike[str]) -> str:
    """A file as people know it: ``logs`` and ``labels`` for what was given as dicts."""
    text = str(path)  # a remote path is no path of this machine
    return Path(text).stem if Path(text).parent.name == GIVEN else text


@contextmanager
def given_files() -> Iterator[ExitStack]:
    """Where files of dicts stand until all is read; an error about one names it as people know it."""
    with ExitStack() as files:
        try:
            yield files
        except InputError as error:
            error.where, error.args = _FOLDER.sub(r"\1", error.where), (_FOLDER.sub(r"\1", str(error)),)
            raise


def plain(value: Any) -> Any:
    """A value as JSON has it; NaN, as pandas has what is missing, is null; bytes that are no text are hex."""
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else plain(_of_type(value))


def _of_type(value: Any) -> Any:
    if isinstance(value, dt.date | dt.time):
        return None if str(value) == "NaT" else value.isoformat()  # pandas' time that is missing
    if isinstance(value, bytes):
        return value.decode() if value.isascii() else value.hex()
    if isinstance(value, UUID | PathLike):
        return str(value)
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    raise TypeError(f"expected a value of JSON, saw {type(value).__name__}")
