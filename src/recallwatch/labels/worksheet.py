"""The worksheet between `suggest-labels` and `ingest-labels`: JSON lines that a person fills in, and the labels they become."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import InputError

MARK = "task"  # a line that has it is a line of a worksheet
ABOUT = ("kind", "judge", "judged_at", "judged_by", "inclusion_probability")  # of every label of a line, where the line says it
HOW = (
    "Fill in `relevant`: a list of ids, ids with grades {id: grade}, or [] where the right answer is to return nothing; leave null what you "
    "did not judge. Take out of `similar` what is another question. Then: recallwatch ingest-labels FILE --store DIR --judged-by NAME"
)


@dataclass(frozen=True)
class Filled:
    """The content of a filled worksheet.

    Args:
        rows: one a judgement: the columns of labels, and source, source_line: its place.
        n_lines: lines of the worksheet.
        n_open: lines not filled in.
    """

    rows: list[dict[str, Any]]
    n_lines: int
    n_open: int


def worksheet(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Tasks of :class:`~recallwatch.labels.suggestions.Suggestions` as JSON lines, with ``relevant`` null."""
    return "".join(json.dumps(_line(task), ensure_ascii=False) + "\n" for task in tasks)


def _line(task: Mapping[str, Any]) -> dict[str, Any]:
    names = ("task", "reasons", "query_id", "query_text", "tenant_id", "query_class")
    author = {} if task["asked_by"] is None or task["tenant_id"] is not None else {"asked_by": task["asked_by"]}
    documents = [{name: value for name, value in document.items() if value is not None} for document in task["documents"]]
    like = {} if task["like_labelled"] is None else {"like_labelled": task["like_labelled"]}
    probability = task.get("inclusion_probability")
    labelled = {label["document_id"]: label["gain"] for label in task["labelled"]}
    return {
        **{name: task[name] for name in names},
        **author,
        "n": task["n"],
        "adds_traffic": task["adds_traffic"],
        "similar": [{name: value for name, value in one.items() if value is not None} for one in task["similar"]],
        **like,
        **({"labelled": labelled} if task["is_labelled"] else {}),
        "documents": documents,
        **({} if probability is None else {"inclusion_probability": probability}),
        "relevant": labelled if probability is not None and task["is_labelled"] else None,  # a new sample weighs old labels anew
    }


def is_worksheet(path: Path) -> bool:
    """Whether the file's first line is one of ours."""
    try:
        with path.open("rb") as stream:
            first = json.loads(next((line for line in stream if line.strip()), b""))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and MARK in first and "relevant" in first


def read_worksheet(path: Path, *, others: str = "unjudged") -> Filled:
    """A filled-in worksheet as raw labels: each line for its query and for every similar one it still names.

    Args:
        path: the file.
        others: what documents that a line shows and does not name are: unjudged, or not-relevant (grade 0).

    Raises:
        InputError: a line out of contract; nothing filled in.
    """
    rows: list[dict[str, Any]] = []
    n_lines = n_open = 0
    for number, line in _lines(path):
        n_lines += 1
        if line["relevant"] is None:
            n_open += 1
            continue
        where = f"{path}:{number}"
        grades = _grades(line["relevant"], where)
        shown = _shown(line, where)
        if others == "not-relevant":
            grades |= {document: 0.0 for document in shown if document not in grades}
        about = {name: str(line[name]) for name in ABOUT if line.get(name) is not None}
        context = {"query_class": line.get("query_class"), "source": str(path), "source_line": number, **about}
        for query in _queries(line, where):
            rows += [
                {**query, **context, "document_id": document, "grade": grade}
                for document, grade in (grades or {None: None}).items()
            ]
    if not rows:
        raise InputError(f"none of {n_lines} lines is filled in (all have relevant null)", where=str(path), fix=HOW)
    return Filled(rows, n_lines, n_open)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, text in enumerate(path.read_bytes().split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except ValueError as error:
            raise InputError(f"not JSON ({error})", where=f"{path}:{number}", fix="Mend the line") from error
        if not isinstance(line, dict) or "relevant" not in line:
            raise InputError("no 'relevant' in it", where=f"{path}:{number}", fix="Write null where you did not judge")
        yield number, line


def _grades(relevant: Any, where: str) -> dict[str | None, float | None]:
    """Document -> grade (None = relevant, not graded); empty = nothing is right."""
    if isinstance(relevant, Mapping):
        for document, grade in relevant.items():
            if isinstance(grade, bool) or not isinstance(grade, int | float) or not math.isfinite(grade):
                raise InputError(f"grade {grade!r} of {document!r} is not a finite number", where=where, fix="Write a number")
        return {str(document): float(grade) for document, grade in relevant.items()}
    if not isinstance(relevant, list):
        raise InputError(f"'relevant' is neither a list nor an object (saw {relevant!r})", where=where, fix=HOW)
    for document in relevant:
        if isinstance(document, bool) or not isinstance(document, str | int) or document == "":
            raise InputError(f"'relevant' holds something that is no id ({document!r})", where=where, fix="Write ids as text")
    return dict.fromkeys(map(str, relevant))


def _shown(line: Mapping[str, Any], where: str) -> list[str]:
    documents = line.get("documents") or []
    if not isinstance(documents, list) or not all(isinstance(d, dict) and "document_id" in d for d in documents):
        raise InputError("'documents' is not as suggest-labels wrote it", where=where, fix="Leave it alone; fill in 'relevant'")
    return [str(document["document_id"]) for document in documents]


def _queries(line: Mapping[str, Any], where: str) -> Iterable[dict[str, Any]]:
    """The query of a line and its declared equivalents; one with an id also matches events of its text without an id."""
    queries: dict[tuple[Any, ...], dict[str, Any]] = {}
    similar = line.get("similar") or []
    if not isinstance(similar, list) or not all(isinstance(one, dict) for one in similar):
        raise InputError("'similar' is not a list of queries", where=where, fix="Take whole entries out, or leave it alone")
    named = {one.get("query_text") for one in (line, *similar) if one.get("query_id") is not None}
    for one in (line, *similar):
        query_id, text = one.get("query_id"), one.get("query_text")
        if query_id is None and text is None:
            raise InputError("neither query_id nor query_text", where=where, fix="Leave the line as suggest-labels wrote it")
        if query_id is None and text in named:
            continue
        query = {"query_id": query_id, "query_text": text, "tenant_id": line.get("tenant_id")}
        queries[(query_id, text)] = query
    return queries.values()
