"""The return value of a search function, of any shape, as ids, scores and texts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

ID_NAMES = ("id", "document_id", "doc_id", "chunk_id", "memory_id", "node_id", "id_")
SCORE_NAMES = ("score", "relevance_score", "similarity")
TEXT_NAMES = ("text", "content", "page_content", "memory")
WRAPPERS = ("document", "node", "metadata")  # where a hit keeps its id if not in itself
LISTS = ("ids", "ranked_ids", "results", "documents", "memories", "matches", "hits")


@dataclass(frozen=True, slots=True)
class Hits:
    """A ranking, best first.

    Args:
        ids: document ids; None = unknown id at that rank.
        scores: one a rank, finite or None; or no scores at all.
        texts: contents, one a rank; or none.
    """

    ids: list[str | None]
    scores: list[float | None] | None = None
    texts: list[str | None] | None = None


def as_id(value: Any) -> str | None:
    """An id as text: 7, numpy's 7 and "7" are one id; None stays unknown."""
    if value is None or isinstance(value, str):
        return str(value) if value is not None else None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def as_score(value: Any) -> float | None:
    """A finite number or None."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def validity_of(valid_from: Iterable[Any] | None = None, valid_to: Iterable[Any] | None = None) -> dict[str, str]:
    """When each returned fact began and ceases to hold, one a rank, as attributes: JSON lists of texts, null = not known."""
    given = {"valid_from": valid_from, "valid_to": valid_to}
    return {
        name: json.dumps([None if t is None else t.isoformat() if hasattr(t, "isoformat") else str(t) for t in times])
        for name, times in given.items()
        if times is not None
    }


def hits_of(found: Any) -> Hits:
    """Ids and scores of a retriever's return value, best first.

    Args:
        found: ids (text or whole numbers), in a list, tuple, generator, numpy array, Polars, pandas or Arrow column; ``(id, score)`` pairs;
            mappings or objects with an id (LangChain documents, LlamaIndex nodes, …), or a table of such rows; ``(ids, scores)``;
            a mapping that holds such a list under one of its usual names; a mapping id -> score in the order of its scores; or :class:`Hits`.

    Raises:
        TypeError: None, text, a set (it has no order), FAISS' ``(distances, ids)``, ids that are neither text nor whole numbers.
    """
    if isinstance(found, Hits):
        return found
    if isinstance(found, Mapping):
        return _of_mapping(found)
    both = _ids_and_scores(found)
    if both is not None:
        return both
    hits = [_hit(value) for value in listed(found)]
    scores, texts = [score for _, score, _ in hits], [text for _, _, text in hits]
    is_scored, has_text = any(s is not None for s in scores), any(t is not None for t in texts)
    return Hits([i for i, _, _ in hits], scores if is_scored else None, texts if has_text else None)


def listed(value: Any) -> list[Any]:
    """The values of whatever Python people keep a list in, in its order; rows of a table as mappings.

    Raises:
        TypeError: no list, or one without an order.
    """
    if isinstance(value, set | frozenset):
        raise TypeError("expected a list, best first, saw a set, which has no order")
    if callable(fetch := getattr(value, "fetchall", None)) and (names := getattr(value, "columns", None)):  # DuckDB's relations
        return [row[0] if len(names) == 1 else dict(zip(names, row, strict=True)) for row in fetch()]
    if (
        value is None
        or isinstance(value, str | bytes | Mapping)
        or not (isinstance(value, Iterable) or hasattr(value, "to_pylist"))
    ):
        raise TypeError(f"expected a list of results, saw {type(value).__name__}")
    for name in ("to_pylist", "to_dicts", "tolist", "to_list"):  # Arrow, Polars' tables, numpy and pandas, Polars' columns
        if callable(method := getattr(value, name, None)):
            return list(method())
    if hasattr(value, "columns") and callable(rows := getattr(value, "to_dict", None)):  # pandas' tables
        return list(rows("records"))
    return list(value)


def is_list(value: Any) -> bool:
    """Whether it is a list of something, and not one value, a mapping or a set."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | set | frozenset)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ids_and_scores(result: Any) -> Hits | None:
    """``(ids, scores)``; None = something else, such as two ``(id, score)`` pairs.

    Raises:
        TypeError: two lists that are neither, or may be both.
    """
    if not (isinstance(result, tuple) and len(result) == 2 and all(is_list(part) for part in result)):
        return None
    first, second = (listed(part) for part in result)
    if any(isinstance(value, list) for value in first) or (first and all(isinstance(value, float) for value in first)):
        raise TypeError(
            "expected (ids, scores) of one query, saw two tables of numbers, as FAISS returns (distances, ids). Return ids[0]"
        )
    if not all(value is None or _is_number(value) for value in second):
        return None
    are_pairs = all(isinstance(part, tuple) and _is_pair(part) for part in result)
    are_columns = len(first) == len(second) and not any(isinstance(value, float) for value in first)
    if are_pairs and are_columns:
        raise TypeError("two (id, score) pairs or (ids, scores)? Return a list of pairs")
    if are_pairs:
        return None
    if not are_columns:
        raise TypeError(f"expected (ids, scores), one score an id, saw {len(first)} and {len(second)}")
    return Hits([id_of(value) for value in first], [as_score(value) for value in second])


def _is_pair(value: Sequence[Any]) -> bool:
    return len(value) == 2 and not isinstance(value[0], float | list) and (value[1] is None or _is_number(value[1]))


def _of_mapping(result: Mapping[Any, Any]) -> Hits:
    name = next((name for name in LISTS if name in result), None)
    if name is None:
        return _of_scores(result)
    values = listed(result[name])
    if len(values) == 1 and isinstance(values[0], list):  # a list of results a query (Chroma), of one query
        values = values[0]
    hits, scores = hits_of(values), result.get("scores")
    return hits if scores is None else Hits(hits.ids, [as_score(s) for s in listed(scores)], hits.texts)


def _of_scores(result: Mapping[Any, Any]) -> Hits:
    scores = [as_score(value) for value in result.values() if _is_number(value) or type(value).__module__ == "numpy"]
    if len(scores) < len(result) or None in scores or not scores:
        raise TypeError(f"expected a list of results, saw a mapping without any of {', '.join(LISTS)}")
    if any(after > before for before, after in pairwise(scores)):  # type: ignore[operator]  # None was refused
        raise TypeError(
            "a mapping id -> score that is not in the order of its scores. Return a list of (id, score) pairs, best first"
        )
    return Hits([id_of(key) for key in result], list(scores))


def id_of(value: Any) -> str | None:
    """An id as text; None = unknown at that rank.

    Raises:
        TypeError: neither text nor a whole number: 10.0 and "10" would never meet.
    """
    plain = value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value
    if isinstance(plain, bool | float | list | tuple | Mapping | set | frozenset):
        raise TypeError(f"an id is text or a whole number, saw {plain!r:.80}")
    return as_id(plain)


def _hit(value: Any) -> tuple[str | None, float | None, str | None]:
    if isinstance(value, tuple | list):
        if not _is_pair([v.item() if type(v).__module__ == "numpy" and hasattr(v, "item") else v for v in value]):
            raise TypeError(f"expected an id, an (id, score) pair or a document, saw {value!r:.80}")
        inner = _hit(value[0])
        return inner[0], as_score(value[1]), inner[2]
    if value is None or isinstance(value, str | bytes | int | float) or type(value).__module__ == "numpy":
        return id_of(value), None, None
    places = [value, *(place for name in WRAPPERS if (place := _field(value, name)) is not None)]
    text = _first(places, TEXT_NAMES)
    return id_of(_first(places, ID_NAMES)), as_score(_first(places, SCORE_NAMES)), text if isinstance(text, str) else None


def _first(places: list[Any], names: tuple[str, ...]) -> Any:
    return next((value for place in places for name in names if (value := _field(place, name)) is not None), None)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
