"""What a result can be written as: one shape of entry for every registry of outputs, and the entries that all commands share."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import INVISIBLE, UsageError
from ..base.files import cannot_write, write_whole
from ..base.registry import index, pick
from . import as_markdown, as_page, as_text
from .model import Document

UNSEEN = re.compile(
    f"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f{''.join(INVISIBLE)}]"
)


@dataclass(frozen=True)
class Output:
    """An output format of a command.

    Args:
        name: as in ``-f``.
        meaning: one line for people.
        write: result -> text, the same on every machine.
        suffix: ending of a file that is written so.
    """

    name: str
    meaning: str
    write: Callable[[Any], str]
    suffix: str = ""


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON as every file of ours has it, its texts whole: what a terminal would obey stands as an escape of JSON's; NaN is an error."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text) + "\n"


TEXT = Output("text", "tables for people", lambda result: as_text.draw(result.document(), as_text.screen(is_file=True)), ".txt")
JSON = Output("json", "everything, full floats, stable key order", lambda result: json_text(result.to_dict()), ".json")
MARKDOWN = Output("markdown", "short tables for a pull request", lambda result: as_markdown.draw(result.document()), ".md")
HTML = Output(
    "html",
    "a page that needs no network",
    lambda result: as_page.render(result.document(), getattr(result, "figures", list)()[:1]),
    ".html",
)
OUTPUTS = index(TEXT, JSON, MARKDOWN, HTML)


def chosen(name: str | None, outputs: Mapping[str, Output] = OUTPUTS, path: Path | None = None) -> Output:
    """The output of a name, before any data is read; without one it is that of the file's name, else the first.

    Raises:
        UsageError: there is none.
    """
    if name is None:
        entries = list(outputs.values())
        return next((entry for entry in entries if path and entry.suffix == path.suffix.lower()), entries[0])
    return pick(outputs, "output format", name)


def show(*documents: Document) -> None:
    """Documents on stdout, a line between them."""
    screen = as_text.screen(is_styled=True)
    emit("\n".join(as_text.draw(document, screen) for document in documents), None)


def emit(text: str, path: Path | None) -> None:
    """The same bytes to stdout or to a file; a file appears whole or not at all."""
    data = text.encode("utf-8", "backslashreplace")
    if path is not None:
        write_whole(path, data)
        return
    if sys.stdout is None:
        raise UsageError("closed", where="stdout", fix="Name a file with -o")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        with contextlib.suppress(OSError):  # what is left in the buffer would fail once more at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader that went away (… | head) has what it wanted
            raise cannot_write("stdout", error) from error
