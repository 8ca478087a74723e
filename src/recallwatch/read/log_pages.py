"""Answers of log services whose records stand deeper than in a page, to a line each: Grafana Loki, CloudWatch Insights, Elasticsearch.

Loki: ``{status, data: {resultType: "streams", result: [{stream, values: [[ns, line]]}]}}``. Insights: ``{results: [[{field, value}]], …}``.
Elasticsearch, of an index that holds the log: ``{took, hits: {hits: [{_source: {query, ranked_ids}}]}}``.
"""

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .aliases import QUERIES, RANKED
from .pages import keys_of
from .wrapped import Wrapper, wrapper_of

_LOKI = re.compile(rb'\s*\{[^\[]*"resultType"\s*:\s*"streams"|\s*\{\s*"streams"\s*:\s*\[\s*\{\s*"stream"\s*:')
_INSIGHTS = re.compile(rb'\s*\{[^\[]*"results"\s*:\s*\[\s*\[\s*\{\s*"field"\s*:')
_SEARCH = frozenset(
    b"_scroll_id pit_id took timed_out terminated_early num_reduce_phases _shards _clusters hits aggregations profile status".split()
)
_SOURCE = re.compile(rb'"_source"\s*:\s*(?=\{)')
_VALUES = (re.compile(r'\[\s*"\d+"\s*,\s*("(?:[^"\\]|\\.)*")'), re.compile(r'"@message"\s*,\s*"value"\s*:\s*("(?:[^"\\]|\\.)*")'))
_SHOWN = 20  # records that tell how the others are wrapped


def is_page(head: bytes) -> bool:
    """Whether a file starts as such an answer, or as what is pushed to Loki."""
    return any(form.match(head) for form in (_LOKI, _INSIGHTS)) or wrapper_of(_sources(head)) is not None


def wrapper_in(head: bytes) -> Wrapper | None:
    """Where the records stand in the lines."""
    if _LOKI.match(head):
        return wrapper_of(_texts(head, _VALUES[0], "line")) or Wrapper(("line",))
    return wrapper_of(_texts(head, _VALUES[1], "@message") if _INSIGHTS.match(head) else _sources(head))


def _texts(head: bytes, form: re.Pattern[str], name: str) -> Iterator[str]:
    """The lines in the beginning of an answer, each as a record that holds it."""
    return (json.dumps({name: json.loads(text)}) for text in form.findall(head.decode("utf-8", errors="replace")))


def _sources(head: bytes) -> list[str]:
    """The first hits of an answer that are recalls themselves, or another program's lines; documents that were found are none."""
    keys = keys_of(head)
    if b"hits" not in keys or not keys.keys() <= _SEARCH:  # a question beside it: the hits are what was found
        return []
    found, text = [], head.decode("utf-8", errors="replace")
    for place in itertools.islice(_SOURCE.finditer(head), _SHOWN):
        try:
            source = json.JSONDecoder().raw_decode(text, len(head[: place.end()].decode("utf-8", errors="replace")))[0]
        except (ValueError, RecursionError):  # the beginning ends in it
            break
        is_recall = RANKED & source.keys() and QUERIES & source.keys()
        if is_recall or wrapper_of([json.dumps(source)]) is not None:
            found.append(json.dumps({"_source": source}))
    return found


def lines_of(pages: Iterable[tuple[int, bytes, str | None]]) -> Iterator[tuple[int, bytes, str | None]]:
    """(line of the file, JSON, problem) of each line; what is no page stays as it is, for the format to refuse."""
    for at, data, problem in pages:
        wrong = problem
        try:
            entries = list(_entries(json.loads(data))) if problem is None else []
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            entries = []
            wrong = problem or "not a page of a log service"
        for entry in entries:
            yield at, json.dumps(entry, ensure_ascii=False).encode(), None
        if not entries and wrong is not None:
            yield at, data, wrong


def _entries(page: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "hits" in page:
        yield from page["hits"]["hits"]
    elif "results" in page:
        for row in page["results"]:
            yield {cell["field"]: cell["value"] for cell in row}
    else:
        for stream in page["streams"] if "streams" in page else page["data"]["result"]:
            for time, line, *_more in stream["values"]:
                yield {"ts": time, "line": line}
