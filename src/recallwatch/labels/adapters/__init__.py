"""ADAPTERS: public data sets' label files to our labels. One file and one line each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...base.engine import Engine, quoted
from ...base.errors import InputError, UsageError
from ...base.registry import index, known
from ...read.id_rules import ruled
from ...read.profile import Rule
from . import locomo, longmemeval, multihop, qrels
from .adapter import Adapter, Made

__all__ = ["ADAPTERS", "Adapter", "Made", "make"]

ADAPTERS = index(longmemeval.ADAPTER, locomo.ADAPTER, multihop.ADAPTER, qrels.BEIR, qrels.TREC)


def make(
    adapter: Adapter,
    path: str | Path,
    *,
    granularity: str | None = None,
    rules: tuple[Rule, ...] | None = None,
    queries: str | Path | None = None,
) -> Made:
    """A data set's file -> labels at one granularity, and their anomalies.

    Args:
        adapter: an entry of ADAPTERS.
        path: the data set's own file or folder.
        granularity: of the document ids; None = the adapter's first.
        rules: reference -> document id, in place of the adapter's own.
        queries: file of query texts, for qrels.

    Raises:
        UsageError: a granularity the adapter does not know.
        InputError: no such file, or a file of another form.
    """
    level = granularity or next(iter(adapter.granularities))
    if level not in adapter.granularities:
        raise UsageError(
            f"{adapter.name} has no granularity {level!r}", where="--granularity", fix=known(level, adapter.granularities)
        )
    if not Path(path).exists():
        raise InputError("no such file", where=str(path), fix=f"Name the file of {adapter.meaning.split(':')[0]}")
    with Engine(threads=2) as engine:
        engine.file("1_normalise/values.sql")
        engine.run("create table adapter_hops (query_id varchar, reference varchar, hop integer)")
        adapter.read(engine, Path(path), Path(queries) if queries else None)
        if adapter.is_qrels:
            return _of_qrels(engine, adapter, level)
        _bind(engine, adapter, level, adapter.granularities[level] if rules is None else rules)
        engine.file("1_normalise/labels_references.sql")
        return _collected(engine, adapter, level)


def _bind(engine: Engine, adapter: Adapter, level: str, rules: tuple[Rule, ...]) -> None:
    """The protocol's rules as the macro agreed_id."""

    def column(name: str) -> str:
        if name != "conversation":
            raise UsageError(f"compose cannot use {{{name}}}", where="labels.rules", fix="Known: id, conversation")
        return name

    sql = ruled("reference", list(rules), column)
    engine.run(f"create or replace macro agreed_id(reference, conversation) as {sql}", what="the rules of the labels")
    engine.options(agreed_level=level, reference_level=adapter.reference_level)


def _collected(engine: Engine, adapter: Adapter, level: str) -> Made:
    source = quoted(f"{adapter.name}, {level}")
    hops = ", hop" if engine.run("select exists (select 1 from adapter_hops)")[0][0] else ""
    labels = f"""select query_id, query_text, query_class, document_id, if(document_id is null, null, 1.0::double) as grade, {source} as judged_by{hops}
        from adapter_labels left join (
            select r.query_id, r.document_id, min(h.hop) as hop from adapter_references as r
            inner join adapter_hops as h on h.query_id = r.query_id and h.reference = r.reference group by all
        ) using (query_id, document_id) order by query_id, document_id"""
    types = engine.rows("from adapter_types")
    segments = engine.rows("select level, count(*) as n from adapter_segments group by level order by level")
    malformed = engine.rows(
        "select query_id, reference, document_id from adapter_references where is_malformed order by query_id, position"
    )
    return Made(
        engine.arrow(labels),
        engine.rows("from adapter_counts")[0],
        {str(row["query_class"]): row["n"] for row in types},
        {row["level"]: row["n"] for row in segments},
        tuple(malformed),
        level,
    )


def _of_qrels(engine: Engine, adapter: Adapter, level: str) -> Made:
    engine.file("1_normalise/labels_qrels.sql")
    counts: dict[str, Any] = engine.rows("from qrels_counts")[0]
    labels = engine.arrow(f"{qrels.source_of(adapter.name)} order by query_id, document_id, grade")
    return Made(labels, counts, {}, {}, (), level)
