"""Answers of rerank services (Cohere, Jina, Voyage, TEI): each result names its document by the place in the list that was sent."""

import re
from typing import Any

ANSWERS = ("results", "data")
HOLDERS = ("response", "result", "output", "answer")
SENT = ("documents", "document_ids", "doc_ids", "documentIds", "docIds", "candidate_ids", "candidateIds")
OWN = ("id", "_id", "document_id", "doc_id", "chunk_id")
_INDEX, _SCORE = rb'\\*"index\\*"\s*:\s*\d+', rb'\\*"(?:relevance_)?score\\*"\s*:\s*[\d.eE+-]+'
MAY_BE = re.compile(rb"\{\s*(?:" + _INDEX + rb"\s*,\s*(?:\\*\"document|" + _SCORE + rb")|" + _SCORE + rb"\s*,\s*" + _INDEX + rb")")
OUTSIDE = "a result's index is outside of the documents that were sent"


def ranked(record: dict[str, Any]) -> dict[str, Any] | str:
    """A record with its results as documents in their order; the record itself where it is none; what is wrong with it."""
    holder = next((key for key in HOLDERS if isinstance(record.get(key), dict)), "")
    answer = record[holder] if holder else record
    key = next((key for key in ANSWERS if _are_places(answer.get(key))), None)
    name = next((name for name in SENT if isinstance(record.get(name), list)), None)
    if key is None or name is None or "ranked_ids" in record:
        return record
    sent, hits = record[name], answer[key]
    if any(hit["index"] >= len(sent) for hit in hits):
        return OUTSIDE
    rest = {other: value for other, value in record.items() if other not in (name, holder or key)}
    return {**rest, "results": [_hit(sent[hit["index"]], hit.get("relevance_score", hit.get("score"))) for hit in hits]}


def _are_places(hits: Any) -> bool:
    return isinstance(hits, list) and bool(hits) and all(map(_is_place, hits))


def _is_place(hit: Any) -> bool:
    if (
        not isinstance(hit, dict)
        or not isinstance(hit.get("index"), int)
        or hit["index"] < 0
        or not {"score", "relevance_score"} & hit.keys()
    ):
        return False
    document = hit.get("document")
    return not any(key in hit or (isinstance(document, dict) and key in document) for key in OWN)


def _hit(document: Any, score: Any) -> dict[str, Any]:
    """A document that was sent, with its score; a text with white space is a text, any other an id."""
    if isinstance(document, dict):
        return {**document, "score": score}
    is_text = isinstance(document, str) and bool(re.search(r"\s", document))
    return {"text" if is_text else "id": document, "score": score}
