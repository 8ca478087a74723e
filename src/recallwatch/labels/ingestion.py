"""`ingest_labels`: judgements into a store, as a new label version with who judged and when."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.definition import Definition, columns_of
from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.options import Reading
from ..document.model import Document
from ..document.numbers import plural, share
from ..document.result import Result
from ..read import read_label_table, read_labels
from ..scoring import state_key
from ..scoring.document import relabelled
from ..scoring.plan import Plan, paths_of, takes
from ..store import evaluate_store, label_versions, open_store
from ..store.layout import Store
from ..store.lock import writing
from .options import INGEST_LABELS, Judgements
from .worksheet import ABOUT, Filled, is_worksheet, read_worksheet

TEXTS = ("query_id", "query_text", "tenant_id", "query_class", "document_id", *ABOUT, "source")


@dataclass(frozen=True)
class LabelsAdded(Result):
    """What became of the judgements.

    Args:
        counts: n_given, n_new, n_replaced, n_unchanged judgements, n_queries; n_lines and n_open of worksheets.
        before: label version before; None = the store had none.
        after: the one that holds now.
        coverage: of the store's events under the new labels, as in an evaluation.
        relabelled: means under the old and the new version, over the same events; None = nothing to compare.
    """

    counts: dict[str, int]
    before: str | None
    after: str
    coverage: dict[str, Any]
    relabelled: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch ingest-labels -f json``."""
        return self.stated("counts", "before", "after", "coverage", "relabelled")

    def document(self) -> Document:
        """What was added, then the means under old and new labels."""
        c = self.counts
        left = f" · {c['n_open']:,} of {plural(c['n_lines'], 'line')} not filled in" if c["n_open"] else ""
        version = f"version {self.after[:12]}" if self.before != self.after else f"still version {self.after[:12]}"
        judgements = plural(c["n_new"], "judgement")
        return Document(
            f"{judgements} new, {c['n_replaced']:,} changed, {c['n_unchanged']:,} as before, on {plural(c['n_queries'], 'query', 'queries')}{left}",
            [relabelled(self.relabelled)] if self.relabelled else [],
            lead=[f"{version} · {share(self.coverage['traffic_labelled'])} of recalls have labels"],
        )


@takes(INGEST_LABELS)
def ingest_labels(files: Any, *, store: Any, judgements: Judgements, plan: Plan) -> LabelsAdded:
    """Add judgements to a store's labels: a new version, over which its events are scored at once.

    Args:
        files: worksheets of ``suggest-labels`` that somebody filled in, or labels in any form ``evaluate --labels`` takes.
        store: the store's folder; it must hold events.
        {options}

    Raises:
        UsageError: another writer is at work, the folder cannot be written, a wrong option.
        InputError: a file or the store out of contract; judgements that contradict each other.
    """
    paths = paths_of(files)
    if not paths:
        raise UsageError("no label files named", where="ingest-labels", fix="Name FILE…")
    home = open_store(store)
    taker = _Taker(home, [Path(path) for path in paths], judgements)
    taker.look()
    with writing(home):  # told before anything is computed; evaluate_store takes it again
        before = label_versions.current(home)
    result = evaluate_store(home.folder, _last_plan(home, plan), logs=None, labels=files, take_labels=taker)
    after = label_versions.current(home)
    if after is None or after != taker.version:
        raise UsageError("another writer took the store meanwhile", where=str(home.folder), fix="Run it again")
    return LabelsAdded(taker.counts, before, after, result.head["coverage"], result.head.get("relabelled"))


def _last_plan(home: Store, plan: Plan) -> Plan:
    """As the store was last scored; else the defaults."""
    last = label_versions.request(home)
    if not last:
        return plan
    columns = tuple(columns_of(last["columns"], (None,)))
    return dataclasses.replace(plan, definition=Definition(**last["options"]), cut=dataclasses.replace(plan.cut, columns=columns))


class _Taker:
    """Gives an evaluation of the store its labels: the current version with the new judgements in it."""

    def __init__(self, home: Store, paths: list[Path], judgements: Judgements) -> None:
        self.home, self.judgements = home, judgements
        self.filled: list[Filled] = []
        self.plain: list[str] = []
        self._paths = paths
        self.counts: dict[str, int] = {}
        self.version = ""

    def look(self) -> None:
        """Read the worksheets: their errors are raised before any event is read."""
        for path in self._paths:
            if is_worksheet(path):
                self.filled.append(read_worksheet(path, others=self.judgements.others))
            else:
                self.plain.append(str(path))

    def __call__(self, engine: Engine, _: Any, reading: Reading) -> str:
        """The table ``labels``; returns the form."""
        version = label_versions.current(self.home)
        if version is not None:
            label_versions.load(engine, self.home, version)
        else:
            engine.file("2_judge/no_labels.sql")
        engine.file("7_store/given_labels.sql")
        self._given(engine, reading)
        engine.file("2_judge/labels.sql")  # for its macros
        engine.file("7_store/add_labels.sql")
        self._refuse(engine)
        (self.counts,) = engine.rows("from added_labels")
        self.counts |= {name: sum(getattr(one, name) for one in self.filled) for name in ("n_lines", "n_open")}
        self.version = state_key.labels_hash(engine)
        return "store and new judgements"

    def _given(self, engine: Engine, reading: Reading) -> None:
        """Every file -> given_labels, each row with who judged and when."""
        said = self.judgements
        engine.options(default_kind=said.kind or ("judge" if said.judge else "human"))
        if self.filled:
            _take(engine, [row for one in self.filled for row in one.rows])
            engine.run("insert into given_labels by name select * from labels")
        if self.plain:
            read_labels(engine, self.plain, mapped=dict(reading.mapped))
            engine.run("insert into given_labels by name select * from labels")
        judged_at = said.judged_at
        at = f"{quoted(judged_at)}::timestamptz" if judged_at else "date_trunc('second', now())"
        if judged_at and engine.run(f"select try_cast({quoted(judged_at)} as timestamptz) is null")[0][0]:
            raise UsageError(f"not a time: {judged_at!r}", where="--judged-at", fix="Write ISO 8601, for example 2026-11-01")
        engine.run(
            f"""update given_labels set judged_at = coalesce(judged_at, {at}),
                judged_by = coalesce(judged_by, {quoted(said.judged_by)}::varchar),
                judge = coalesce(judge, if(kind = 'judge', {quoted(said.judge)}::varchar, null))"""
        )

    def _refuse(self, engine: Engine) -> None:
        rows = engine.rows("from contradicted_labels limit 1")
        if rows:
            what = f"makes {rows[0]['query']!r} a no-answer query, but it has {rows[0]['n']} labelled documents"
            raise InputError(what, where=rows[0]["given_at"], fix="Grade those documents 0, or leave the line open")


def _take(engine: Engine, rows: list[dict[str, Any]]) -> None:
    """Rows of worksheets -> the table ``labels``, each with the file and line it stood in."""
    kinds = [*((name, pa.string()) for name in TEXTS), ("grade", pa.float64()), ("source_line", pa.int64())]
    engine.register("worksheet_rows", pa.Table.from_pylist(rows, schema=pa.schema(kinds)))
    read_label_table(engine, "worksheet_rows", file="source", line="source_line")
