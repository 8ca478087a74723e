"""A label adapter and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...base.engine import Engine
from ...read.profile import Rule


@dataclass(frozen=True)
class Adapter:
    """One public data set's label file.

    Args:
        name: the name users type.
        meaning: one line for people.
        read: engine, file, file of query texts (or None) -> the tables adapter_questions, adapter_segments, and adapter_hops where
            questions have several steps; or, for a plain ``is_qrels`` form, the table ``labels``.
        granularities: name -> rules that turn a reference as written into a document id; the first is the default.
        reference_level: granularity that references are written in.
        is_qrels: the file names documents already: no references to normalise.
    """

    name: str
    meaning: str
    read: Callable[[Engine, Path, Path | None], None]
    granularities: Mapping[str, tuple[Rule, ...]] = field(default_factory=lambda: {"document": ()})
    reference_level: str = "document"
    is_qrels: bool = False


@dataclass(frozen=True)
class Made:
    """Labels an adapter made.

    Args:
        labels: query_id, query_text, query_class, document_id (null = nothing is right), grade, judged_by, and hop where questions have several steps;
            by query, document.
        counts: questions, with_evidence, abstention, scored, references, malformed_references, unresolved, segments, oracle_coverage …
        types: query_class -> number of questions.
        segments: granularity -> how many the corpus holds; empty = the file does not hold the corpus.
        malformed: references that are no id of the corpus: query_id, reference, document_id (what its first part names, or None).
        granularity: of the document ids.
    """

    labels: pa.Table
    counts: Mapping[str, Any]
    types: Mapping[str, int]
    segments: Mapping[str, int]
    malformed: tuple[Mapping[str, Any], ...]
    granularity: str
