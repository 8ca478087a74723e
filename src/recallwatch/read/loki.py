"""Pages of Grafana Loki's API, ``{status, data: {resultType: "streams", result: [{stream, values: [[ns, line]]}]}}``: a line each."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .wrapped import Wrapper, wrapper_of

_PAGE = re.compile(rb'\s*\{[^\[]*"resultType"\s*:\s*"streams"|\s*\{\s*"streams"\s*:\s*\[\s*\{\s*"stream"\s*:')
_VALUE = re.compile(rb'\[\s*"\d+"\s*,\s*("(?:[^"\\]|\\.)*")')


def is_page(head: bytes) -> bool:
    """Whether a file starts as an answer with streams, or as what is pushed to Loki."""
    return _PAGE.match(head) is not None


def wrapper_in(head: bytes) -> Wrapper:
    """Where the records stand in the lines."""
    texts = (json.loads(text) for text in _VALUE.findall(head))
    return wrapper_of(json.dumps({"line": text}) for text in texts) or Wrapper(("line",))


def lines_of(pages: Iterable[tuple[int, bytes, str | None]]) -> Iterator[tuple[int, bytes, str | None]]:
    """(line of the file, ``{ts, line}``, problem) of each line of each stream; what is no page stays as it is, for the format to refuse."""
    for at, data, problem in pages:
        wrong = problem
        try:
            entries = list(_entries(json.loads(data))) if problem is None else []
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            entries = []
            wrong = problem or "not a page of Loki's"
        for entry in entries:
            yield at, json.dumps(entry, ensure_ascii=False).encode(), None
        if not entries and wrong is not None:
            yield at, data, wrong


def _entries(page: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for stream in page["streams"] if "streams" in page else page["data"]["result"]:
        for time, line, *_more in stream["values"]:
            yield {"ts": time, "line": line}
