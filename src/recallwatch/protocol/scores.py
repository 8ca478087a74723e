"""Numbers of a results folder, always by the same way: raw_retrievals.jsonl -> recallwatch.evaluate -> what metrics.json holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.engine import Engine
from ..base.errors import InputError
from ..evaluation.pipeline import evaluate
from . import model
from .files import NOT_ASKED, RAW

KINDS = ("success", "all_found", "recall")  # metrics published as recall@k: to name the one a claimed figure is


@dataclass(frozen=True)
class Scores:
    """What raw retrievals say under a protocol.

    Args:
        overall: column -> measure, k, n, n_queries, mean, ci_low, ci_high, truncated.
        by_type: type of question -> the same.
        answered: questions for which nothing is right, and how often nothing came back.
        ids: what the returned ids and the labels look like: sql/6_report/protocol_ids.sql, protocol_labels.sql.
        counts: recalls, scored questions, questions without a recall.
        others: our own columns, for the claims: column -> mean.
        latency: stage -> n, p50_ms, p95_ms; empty where nothing was timed.
        fingerprint: of the definition.
    """

    overall: Mapping[str, Mapping[str, Any]]
    by_type: Mapping[str, Mapping[str, Mapping[str, Any]]]
    answered: Mapping[str, Any]
    ids: Mapping[str, Any]
    counts: Mapping[str, int]
    others: Mapping[str, float]
    latency: Mapping[str, Mapping[str, Any]]
    fingerprint: str

    def to_dict(self) -> dict[str, Any]:
        """The part of metrics.json that raw retrievals decide."""
        names = ("fingerprint", "counts", "overall", "by_type", "answered", "latency", "ids")
        return {name: getattr(self, name) for name in names}


def label_files(folder: Path) -> list[str]:
    """Files that hold the labels of a results folder."""
    return [str(path) for path in (folder / RAW, folder / NOT_ASKED) if path.is_file() and path.stat().st_size]


def score(folder: Path, protocol: model.Protocol) -> Scores:
    """Score a results folder's raw retrievals.

    Raises:
        InputError: raw retrievals that were cut short or are out of contract.
    """
    columns = protocol.columns()
    others = sorted({f"{kind}@{k}" for name in columns for k in [name.rpartition("@")[2]] for kind in KINDS})
    forms: dict[str, Any] = {}

    def look(engine: Engine) -> None:
        forms.update(_ids(engine, protocol.ids))

    result = evaluate(
        [str(folder / RAW)],
        label_files(folder),
        metrics=tuple(dict.fromkeys((*columns.values(), *others))),
        by=("query_class",),
        definition=protocol.defined(),
        max_rejects=0.0,
        on_bad_line="stop",
        log_format="flat",
        then=look,
    ).to_dict()
    if result["counts"]["incomplete_tail"]:
        raise InputError("the last line is half written", where=str(folder / RAW), fix="Run the protocol again, with --replace")
    cells: dict[str | None, dict[str, dict[str, Any]]] = {}
    for row in result["metrics"]:
        kind = row["segment"]["query_class"] or "(none)" if row["segment"] else None
        cells.setdefault(kind, {})[f"{row['metric']}@{row['k']}"] = row
    whole = cells.pop(None, {})
    deepest, pool = forms["lists"]["deepest"] or 0, protocol.ids.pool
    if pool is not None and deepest >= pool:  # a list of everything there is to find was not cut short
        for row in (*whole.values(), *(row for rows in cells.values() for row in rows.values())):
            row["truncated"] = False
    return Scores(
        _named(columns, whole),
        {str(kind): _named(columns, rows) for kind, rows in sorted(cells.items(), key=lambda pair: str(pair[0]))},
        {name: result["answered"][name] for name in ("no_answer_queries", "no_answer_events", "correctly_empty")},
        forms,
        _counts(result, whole),
        {name: row["value"] for name, row in whole.items()},
        _latency(result["latency"]),
        protocol.fingerprint(),
    )


def _counts(result: Mapping[str, Any], whole: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    seen = result["counts"]
    return {
        "recalls": seen["labelled_events"],
        "labelled_questions": seen["labelled_queries"],
        "questions_asked": seen["queries_seen"],
        "questions_scored": max((row["n_queries"] for row in whole.values()), default=0),
        "errors": seen.get("error_events", 0),
    }


def _named(columns: Mapping[str, str], rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows by the protocol's own names."""
    own = {"k": "k", "n": "n", "n_queries": "n_queries", "mean": "value"} | {n: n for n in ("ci_low", "ci_high", "truncated")}
    there = {name: ours for name, ours in columns.items() if ours in rows}
    return {
        name: {"measure": ours.partition("@")[0], **{key: rows[ours][column] for key, column in own.items()}}
        for name, ours in there.items()
    }


def _latency(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    columns = ("n", "n_missing", "mean_ms", "p50_ms", "p95_ms", "p99_ms", "max_ms", "percentile")
    whole = [row for row in rows if row["window"] is None and not row["segment"] and row["cache"] == "all" and row["n"]]
    return {row["stage"]: {name: row[name] for name in columns} for row in whole}


def _ids(engine: Engine, ids: model.Ids) -> dict[str, Any]:
    """What the gates look at: forms of the returned ids by the protocol's patterns, lists, labels by type."""
    named = [*([("agreed", ids.form)] if ids.form else []), *((wrong.name, wrong.form) for wrong in ids.wrong)]
    table = {
        "position": pa.array(range(len(named)), pa.int32()),
        "name": pa.array([name for name, _ in named], pa.string()),
        "form": pa.array([form for _, form in named], pa.string()),
    }
    engine.register("id_forms", pa.table(table))
    engine.file("6_report/protocol_ids.sql")
    engine.file("6_report/protocol_labels.sql")
    return {
        "forms": engine.rows("from protocol_forms"),
        "lists": engine.rows("from protocol_lists")[0],
        "labels": engine.rows("from protocol_labels")[0],
        "types": {row["query_class"]: row["n"] for row in engine.rows("from protocol_types")},
    }
