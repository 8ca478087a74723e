"""What a search function returns, whatever its shape, as ids, scores and texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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


def hits_of(found: Any) -> Hits:
    """Ids and scores of what a retriever returned.

    Args:
        found: ids; ``(id, score)`` pairs; mappings or objects with an id (LangChain documents, LlamaIndex nodes, …);
            a mapping that holds such a list; ``(ids, scores)``; or :class:`Hits`.

    Raises:
        TypeError: None, or anything that is no list.
    """
    if isinstance(found, Hits):
        return found
    if isinstance(found, Mapping):
        return _of_mapping(found)
    if found is None or isinstance(found, str | bytes):
        raise TypeError(f"expected a list of results, saw {type(found).__name__}")
    if isinstance(found, tuple) and len(found) == 2 and all(_is_list(part) for part in found):
        return Hits([as_id(i) for i in found[0]], [as_score(s) for s in found[1]])
    hits = [_hit(value) for value in found]
    scores, texts = [score for _, score, _ in hits], [text for _, _, text in hits]
    is_scored, has_text = any(s is not None for s in scores), any(t is not None for t in texts)
    return Hits([i for i, _, _ in hits], scores if is_scored else None, texts if has_text else None)


def _of_mapping(found: Mapping[Any, Any]) -> Hits:
    name = next((name for name in LISTS if name in found), None)
    if name is None:
        raise TypeError(f"expected a list of results, saw a mapping without any of {', '.join(LISTS)}")
    hits, scores = hits_of(list(found[name])), found.get("scores")
    return hits if scores is None else Hits(hits.ids, [as_score(s) for s in scores], hits.texts)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _hit(value: Any) -> tuple[str | None, float | None, str | None]:
    if isinstance(value, tuple) and len(value) == 2:
        inner = _hit(value[0])
        return inner[0], as_score(value[1]), inner[2]
    if value is None or isinstance(value, str | bytes | int | float) or type(value).__module__ == "numpy":
        return as_id(value), None, None
    places = [value, *(place for name in WRAPPERS if (place := _field(value, name)) is not None)]
    text = _first(places, TEXT_NAMES)
    return as_id(_first(places, ID_NAMES)), as_score(_first(places, SCORE_NAMES)), text if isinstance(text, str) else None


def _first(places: list[Any], names: tuple[str, ...]) -> Any:
    return next((value for place in places for name in names if (value := _field(place, name)) is not None), None)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
