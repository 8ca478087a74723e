"""Records that answer several queries at once (Chroma, Milvus, Qdrant, `_msearch`): to a record a query; answers that are JSON in a text: to objects.

A list of lists is one list a query where the queries stand beside it; fields that are lists of lists too (scores, documents) run along. What
the call cost stands at its first query, so that sums are right; how long it took stands at each, since each waited for it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from . import aliases, reranked
from .cells import python_dict

NESTED = ("response", "result", "results", "output")  # an object that may hold the answer, beside the query
# a list of lists of objects with ids
OBJECTS = ("results", "result", "data", "hits", "matches", "neighbors", "documents", "chunks", "memories")
# a list of objects, and where each has its hits
HITS = {"result": "points", "nearestNeighbors": "neighbors", "nearest_neighbors": "neighbors"}
LISTS = {path.partition("[")[0] for column in ("ranked_ids", "candidate_ids", "scores", "texts") for path in aliases.LOG[column]}
UNPARTED = "several result lists"  # and it is not known whose they are
ANSWERS = "responses"  # of `_msearch`
IDS = tuple(
    path for path in aliases.LOG["ranked_ids"] if "[]" not in path
)  # need their queries beside them: an id may be a pair there
ONCE = tuple(name for column in ("input_tokens", "output_tokens", "cost_usd") for name in aliases.LOG[column])
OWN = ("event_id", "request_id", "span_id")  # of a call: each of its queries is told apart
# a text that may be JSON: an answer, or a list of results
TEXTS_OF_ANSWERS = ("response", "result", "results", "answer")
_ANSWERS = {
    "hits", "value", "retrievalResults", "citations", "nearestNeighbors", "nearest_neighbors", "contexts", "matches", "ids", "responses",
    "points", "data", *OBJECTS, *LISTS,
}  # fmt: skip
_TEXTS = frozenset((*TEXTS_OF_ANSWERS, *LISTS))
_IN_TEXT = re.compile(rf'(?:{"|".join(sorted(_TEXTS))})\\*"\s*:\s*\\*"\s*[\[{{]'.encode())
_OPENS = re.compile(rb'"\s*:\s*\\*"\s*[\[{]')
# each starts with a letter of its own: found in a tenth of the time of all of them in one
_FORMS = (rb"\[\s*\[", rb'responses\\*"\s*:', rb'points\\*"\s*:', rb'neighbors\\*"\s*:', rb"\{'")
_MAY_BE = (*map(re.compile, _FORMS), reranked.MAY_BE)
_SINGLE = {name: column for column, names in aliases.LOG.items() if column not in aliases.TYPES for name in names}
_PER_QUERY = {
    **_SINGLE,
    **{re.sub("y$", "ie", name) + "s": column for name, column in _SINGLE.items()},
}  # `queries` is query_text, one each
_QUERIES = ("query_id", "query_text")


def may_be_there(head: bytes) -> bool:
    """Whether a file's first bytes may hold such a record."""
    return any(one.search(head) for one in _MAY_BE) or bool(_OPENS.search(head) and _IN_TEXT.search(head))


def apart(rows: Iterable[tuple[int, str, str | None]]) -> Iterator[tuple[int, str, str | None]]:
    """(line, text, problem) of each record, those that answer several queries as one a query."""
    for line, text, problem in rows:
        pieces = _pieces(text) if problem is None and may_be_there(text.encode()) else None
        if isinstance(pieces, str):
            yield line, text, pieces
        elif pieces is None:
            yield line, text, problem
        else:
            yield from ((line, json.dumps(piece, ensure_ascii=False), None) for piece in pieces)


def answers_several(text: str) -> bool:
    """Whether a record is rewritten."""
    return may_be_there(text.encode()) and _pieces(text) is not None


def has_answer(text: str) -> bool:
    """Whether a record holds an answer as JSON in a text."""
    record = json.loads(text)
    return any(str(record.get(key)).lstrip().startswith("{") for key in TEXTS_OF_ANSWERS) and _parsed(record) is not record


def _pieces(text: str) -> list[dict[str, Any]] | str | None:
    """A record's queries, what is wrong with it, or None: it answers one."""
    try:
        given = json.loads(text)
        printed = None
    except (ValueError, RecursionError):
        given = printed = python_dict(text)
    if not isinstance(given, dict):
        return None
    record = reranked.ranked(_parsed(given))
    if isinstance(record, str):
        return record
    for key in NESTED:
        if isinstance(record.get(key), dict) and _axis(record[key], record) is not None:
            record = {**record.pop(key), **record}
            break
    name = _axis(record, record)
    if name is None:
        return None if record is given and printed is None else [record]
    n = len(record[name])
    per_query = {key: _PER_QUERY[key] for key, value in record.items() if key in _PER_QUERY and isinstance(value, list)}
    lengths = {len(record[key]) for key, column in per_query.items() if column in _QUERIES}
    if lengths - {n}:
        return f"{UNPARTED} ({n}), and {min(lengths - {n})} queries"
    if n > 1 and not lengths:
        return f"{UNPARTED}, and no list of queries beside them"
    return [_piece(record, name, per_query, number) for number in range(n)]


def _parsed(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its answers and lists that are JSON in a text as what they say; the record itself where there are none."""
    found, has_list = {}, bool(LISTS & record.keys())
    for key in _TEXTS & record.keys():
        value = record[key]
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                continue
            is_answer = isinstance(inner, dict) and key in TEXTS_OF_ANSWERS and not has_list and _ANSWERS & inner.keys()
            if is_answer or (isinstance(inner, list) and key in LISTS):
                found[key] = inner
    return {**record, **found} if found else record


def _axis(record: dict[str, Any], beside: dict[str, Any]) -> str | None:
    """The field that holds one result list a query; None = there is none."""
    if _all(record.get(ANSWERS), lambda one: isinstance(one, dict) and ("hits" in one or "error" in one)):
        return ANSWERS
    has_queries = any(isinstance(beside.get(key), list) for key, column in _PER_QUERY.items() if column in _QUERIES)
    for key in ("ids", *(IDS if has_queries else ())):
        if _all(record.get(key), lambda one: _all(one, _is_id, may_be_empty=True)):
            return key
    for key in OBJECTS:
        value = record.get(key)
        if _all(value, _is_hits) and value and (has_queries or any(value)):
            return key
    for key, inner in HITS.items():
        if (has_queries or key != "result") and _all(record.get(key), lambda one, inner=inner: isinstance(_of(one, inner), list)):
            return key
    return None


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _all(value: Any, fits: Any, *, may_be_empty: bool = False) -> bool:
    return isinstance(value, list) and (may_be_empty or bool(value)) and all(map(fits, value))


def _is_id(value: Any) -> bool:
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _is_hits(value: Any) -> bool:
    return _all(value, lambda hit: isinstance(hit, dict), may_be_empty=True)


def _piece(record: dict[str, Any], name: str, per_query: dict[str, str], number: int) -> dict[str, Any]:
    """One query's part of a record."""
    n, piece = len(record[name]), dict[str, Any]()
    for key, value in record.items():
        if key == name:
            continue
        if key in per_query and len(value) == n:
            piece[key if key in _SINGLE else per_query[key]] = value[number]
        elif isinstance(value, list) and len(value) == n and all(one is None or isinstance(one, list) for one in value):
            piece["texts" if key == "documents" else key] = value[number]  # Chroma's documents are texts
        elif key in OWN and n > 1 and isinstance(value, str | int):
            piece[key] = f"{value}#{number + 1}"
        elif key not in ONCE or number == 0:
            piece[key] = value
    own = record[name][number]
    if name == ANSWERS:
        return {**piece, **({"status": "error"} if "error" in own else {}), "response": own}
    hits = [_datapoint(hit) for hit in own[HITS[name]]] if isinstance(own, dict) else own
    return {**piece, ("results" if name in (*OBJECTS, *HITS) else "ranked_ids"): hits}


def _datapoint(hit: Any) -> Any:
    """A hit with its id; Vertex AI's Vector Search has it inside."""
    point = _of(hit, "datapoint")
    return {**hit, "id": _of(point, "datapointId") or _of(point, "datapoint_id")} if isinstance(point, dict) else hit
