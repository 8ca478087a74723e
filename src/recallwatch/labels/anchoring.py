"""`re_anchor`: labels whose documents got other ids, or left; and the labels again, under the ids that lists show now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted_paths
from ..base.errors import InputError
from ..base.files import written
from ..document.model import COUNT, NAME, Column, Document, Section
from ..document.numbers import plural
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring.plan import Plan, takes
from .options import RE_ANCHOR, Anchoring

HOW = {  # how an id was met again -> in words
    "mapping": "the mapping names it",
    "text": "the same text",
    "part": "its text is in parts now",
    "whole": "its text is part of another now",
    "": "not met under another id",
}
COLUMNS = (("old_id", "old", "from"), ("new_id", "new", "to"))  # names of the two columns of a mapping


@dataclass(frozen=True)
class Anchored(Result):
    """Labels that name documents no list shows, and where they are now.

    Args:
        documents: one row a document: document_id, n_labels (queries that name it), new_ids, how (mapping, text, part, whole; empty = not met again).
        n_labels: rows of labels that were written; None = nothing was.
    """

    documents: list[dict[str, Any]]
    n_labels: int | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch labels re-anchor -f json``."""
        return {**self.stated("documents"), "labels_written": self.n_labels}

    def document(self) -> Document:
        """How many labels decayed, and each document with its new ids."""
        if not self.documents:
            return Document("Every relevant document of the queries asked is in some list: no label has decayed.", [])
        n, met = len(self.documents), sum(bool(row["how"]) for row in self.documents)
        again = f"; {plural(met, 'has', 'have')} another id now" if met else ""
        headline = f"{plural(n, 'relevant document')} of queries that were asked {'is' if n == 1 else 'are'} in no list{again}."
        columns = (Column("document", NAME), Column("queries", COUNT), Column("now", NAME), Column("how"))
        rows = [(row["document_id"], row["n_labels"], ", ".join(row["new_ids"]), HOW[row["how"]]) for row in self.documents]
        notes = [] if self.n_labels is None else [f"{plural(self.n_labels, 'label')} written"]
        return Document(headline, [Section("Documents", columns, rows).filled()], notes)


@takes(RE_ANCHOR)
@on_one_state
def re_anchor(logs: Any = None, labels: Any = None, *, store: Any = None, anchoring: Anchoring, plan: Plan) -> Anchored:
    """List labels of documents that no list shows any more; write the labels again under the ids of today.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store. A period says since when.
        labels: the labels; None = those the logs carry or the store was last scored with.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option; a file that cannot be written.
        InputError: logs, labels or mapping out of contract.

    Example:
        >>> text = "The gate code is in the safe of the front desk."
        >>> labels = [{"query_id": "q", "document_id": "m1", "document_text": text}]
        >>> re_anchor([{"query_id": "q", "ranked_ids": ["m1#0"], "texts": [text]}], labels).documents[0]["new_ids"]
        ['m1#0']
    """

    with recalls_of("recallwatch.re_anchor", source_of(logs, store), labels, plan, must_have_labels=True, must_meet=False) as (
        engine,
        _,
        _,
    ):
        _read_mapping(engine, anchoring.mapping)
        engine.file("6_report/re_anchor.sql")
        rows = engine.rows(
            """select d.document_id, d.n_labels, coalesce(list(a.new_id order by a.new_id) filter (a.new_id is not null), []) as new_ids,
            coalesce(any_value(a.how), '') as how
            from decayed_documents as d left join anchors as a using (document_id) group by all order by d.n_labels desc, d.document_id"""
        )
        return Anchored(rows, _write(engine, anchoring.write))


def _read_mapping(engine: Engine, path: str | None) -> None:
    """The table `anchor_mapping` of a CSV, JSON or Parquet file; empty where there is none."""
    if path is None:
        engine.values("anchor_mapping", {"old_id": "varchar", "new_id": "varchar"}, [])
        return
    if not Path(path).is_file():
        raise InputError("no such file", where=path, fix="Name a file with the columns old_id and new_id")
    read = {".parquet": "read_parquet({})", ".csv": "read_csv({}, all_varchar = true)", ".tsv": "read_csv({}, all_varchar = true)"}
    with engine.reading(path):
        relation = read.get(Path(path).suffix.lower(), "read_json_auto({})").format(quoted_paths(Path(path)))
        there = engine.columns(f"select * from {relation}")
        names = [next((name for name in known if name in there), None) for known in COLUMNS]
        if None in names:
            what = f"no columns old_id and new_id (seen: {', '.join(there)})"
            fix = "Name them so: one row an old id and an id it has now, which is empty where the document is gone"
            raise InputError(what, where=path, fix=fix)
        old, new = (f"nullif({identifier(str(name))}::varchar, '')" for name in names)
        engine.run(
            f"create or replace table anchor_mapping as select distinct {old} as old_id, {new} as new_id from {relation} where {old} is not null"
        )


def _write(engine: Engine, path: str | None) -> int | None:
    """The labels as a Parquet file; returns their number."""
    if path is None:
        return None
    with written(Path(path)) as target:
        engine.file("1_normalise/labels_again.sql")
        engine.write("from labels_again('anchored_labels')", target, what=f"writing {path}")
    return int(engine.run("select count(*) from anchored_labels")[0][0])
