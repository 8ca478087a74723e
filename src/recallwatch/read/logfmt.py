"""Lines of logfmt, ``level=info query="a b" ranked_ids=x,y``, as JSON records; a line that is no recall is another program's."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import lines
from .aliases import is_recall
from .cells import list_of
from .several import LISTS

MALFORMED = "malformed logfmt"
_PAIR = re.compile(r'([A-Za-z_@][\w.@-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)')
_START = re.compile(r"(?:^|(?<=\s))[A-Za-z_@][\w.@-]*=")  # a time, a level or words may stand before
_LINE = re.compile(rf"\s*(?:{_PAIR.pattern}){{2,}}")


def is_there(head: bytes) -> bool:
    """Whether one of a file's first lines is such a line with a result list."""
    return any(LISTS & record(line).keys() for line in head.decode("utf-8", errors="replace").split("\n") if "=" in line)


def records(path: Path) -> Iterator[tuple[int, bytes, str | None]]:
    """(line, JSON, problem) of each line."""
    for batch in lines.batches([path]):
        yield from _records(zip(*(batch.column(n).to_pylist() for n in (1, 2, 3)), strict=True))


def _records(rows: Iterable[tuple[int, str, str | None]]) -> Iterator[tuple[int, bytes, str | None]]:
    for line, text, problem in rows:
        if problem in (None, lines.TAIL) and (found := as_json(text)):
            yield line, found.encode(), None
        elif text.strip():
            yield line, text.encode(), problem or (MALFORMED if any(f"{key}=" in text for key in LISTS) else lines.OTHER)


def as_json(line: str) -> str:
    """A line that is a recall as a JSON record; empty where it is none."""
    pairs = record(line)
    return json.dumps(pairs, ensure_ascii=False) if is_recall(pairs) else ""


def record(line: str) -> dict[str, object]:
    """The pairs of a line; none where it is no logfmt."""
    start = _START.search(line)
    if start is None or _LINE.fullmatch(line, start.start()) is None:
        return {}
    pairs: dict[str, object] = {}
    for key, value in _PAIR.findall(line, start.start()):
        text = _unquoted(value)
        pairs[key] = _listed(text) if key in LISTS else text
    return pairs


def _listed(text: str) -> object:
    """The list that a value is; what is none stays a text, which is a reject."""
    try:
        return json.loads(list_of(text) or "[]")
    except ValueError:
        return text


def _unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value[1:-1]
