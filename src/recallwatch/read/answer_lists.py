"""Answers of search engines and vector stores that were logged with the question beside them: where their list, its ids and the question stand.

Only declared places are looked at, and only where a record has one such list: of two it is not known which is the result.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.engine import Engine
from . import flat, records
from .aliases import QUERIES, RANKED
from .log_format import Format, Read
from .record_paths import at
from .spans import objects

HOLDERS = ("", "response.", "result.", "results.", "output.", "answer.", "retrieval.", "search.")
# lists and the ids of their elements, of one list the first that is there
IDS = (
    "matches[].id", "points[].id", "result.points[].id", "result[].id", "objects[].uuid", "root.children[].id", "docs[].id", "data.Get.*[]._additional.id",
    "hits[].objectID", "hits[].document.id", "hits[].id", "hits[]._id", "hits[].document_id", "hits[].doc_id", "ResultItems[].DocumentId",
    "data[].file_id", "data[].id", "edges[].uuid", "nodes[].node.id_", "nodes[].id", "output[].id", "output[].document_id", "output[].doc_id",
    *(f"{name}[].{key}" for name in ("results", "documents", "chunks", "memories", "search_results", "retrieved", "sources", "items")
      for key in ("id", "document_id", "doc_id", "chunk_id", "metadata.id")),
    "ids", "ranked_ids", "document_ids", "doc_ids", "result_ids",
)  # fmt: skip
SCORES = ("score", "_score", "relevance", "relevance_score", "similarity")
QUESTIONS = (
    *(f"{holder}.{name}" for holder in ("request", "input", "params", "body") for name in ("query", "question", "q", "text")),
    "input", "q", "search_query", "prompt",
)  # fmt: skip


def places(head: list[str]) -> dict[str, str]:
    """Column -> path, of the first records; empty where they are no such answers."""
    found, roots = dict[str, str](), set[str]()
    for value in objects(head):
        if any(_is_result(value.get(name)) for name in RANKED):
            return {}
        paths = [path for path in _paths(value) if _at(value, path) is not None]
        roots |= {path.partition("[")[0] for path in paths}
        question = _question(value)
        if paths and question is not None:
            found = found or _columns(value, paths[0], question)
    return found if len(roots) == 1 else {}


def _is_result(value: Any) -> bool:
    """Whether a value under a usual name is a result list that flat logs may have."""
    is_map = isinstance(value, dict) and all(isinstance(score, int | float) for score in value.values())
    return isinstance(value, list | str) or is_map


def _paths(value: Mapping[str, Any]) -> list[str]:
    """The declared paths, in their order; a class of Weaviate under its name."""
    classes = [key for holder in ("", "response.") for key in _keys(value, f"{holder}data.Get")]
    named = [path.replace("*", key) for path in IDS for key in (classes if "*" in path else [""])]
    return [f"{holder}{path}" for path in named for holder in HOLDERS]


def _keys(value: Mapping[str, Any], path: str) -> list[str]:
    inner = at(value, path)
    return list(inner) if isinstance(inner, dict) and len(inner) == 1 else []


def _at(value: Mapping[str, Any], path: str) -> str | int | None:
    """The first id at a path."""
    found = at(value, path if "[]" in path else f"{path}[]")
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _question(value: Mapping[str, Any]) -> str | None:
    """Where the question stands; empty = under a usual name, None = nowhere."""
    if any(isinstance(value.get(name), str | int) for name in QUERIES):
        return ""
    return next((path for path in QUESTIONS if isinstance(at(value, path), str)), None)


def _columns(value: Mapping[str, Any], path: str, question: str) -> dict[str, str]:
    columns = {"ranked_ids": path, **({"query_text": question} if question else {})}
    if "[]" in path:
        root = path.partition("[")[0]
        scored = [f"{root}[].{name}" for name in SCORES if isinstance(at(value, f"{root}[].{name}"), int | float)]
        columns |= {"scores": scored[0]} if scored else {}
    return columns


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """As a flat log whose columns somebody mapped; what the caller maps stands where they say."""
    of_files = (places(records.first_records(file)) for file in files if "ranked_ids" not in mapped)
    found = next(filter(None, of_files), {})
    return flat.read(engine, files, {**found, **mapped})


SEARCH_ANSWER = Format(
    "search_answer", "answers of vector stores and search engines (Pinecone, Qdrant, Weaviate, Vespa, Solr, Algolia …) beside the question",
    lambda head: bool(places(head)), read,
)  # fmt: skip
