"""Where it moved: the queries that carry a quality change with the ids they lost, the stages that carry a change of the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.engine import quoted
from ..base.verdicts import MOVED
from ..stats.closed_forms import among
from . import attribution, quality

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides
    from .state import State

SHOWN = 10  # queries, ids or hours a finding names
Documents = dict[int, dict[str, dict[str, tuple[float, int]]]]  # label -> document -> window -> share of recalls, rank
Examples = dict[int, dict[str, Any]]  # label -> event and trace ids
MIN_RETURNED_SHARE = 0.5  # a document counts as returned in a window when half of the query's recalls returned it


def fill(findings: Sequence[Finding], sides: Mapping[str, Sides]) -> None:
    """Write ``where`` of every finding that says something moved; ``sides`` by family."""
    moved_findings = [finding for finding in findings if finding.verdict in MOVED]
    quality_findings = [finding for finding in moved_findings if finding.family == "quality"]
    if quality_findings:
        pairs = [quality.paired_of(sides["quality"], finding.measured) for finding in quality_findings]
        looked_up = _documents(sides["quality"], sorted({int(x) for p in pairs for x in p.label[p.d != 0]}))
        for finding, pair in zip(quality_findings, pairs, strict=True):
            _queries(sides["quality"], finding, pair, looked_up)
    slow_stages = [finding for finding in moved_findings if finding.measured.test == "latency"]
    if slow_stages:
        slowest = _slowest(sides["latency"], sorted({str(finding.measured.stage) for finding in slow_stages}))
        for finding in slow_stages:
            carried = _stages(sides["latency"]) if finding.measured.stage == "total" else []
            finding.measured.where = carried + slowest.get(str(finding.measured.stage), [])


def _queries(sides: Sides, finding: Finding, pairs: quality.Paired, looked_up: tuple[Documents, Examples]) -> None:
    """Segments, documents and queries that carry a quality change, each kind with the largest first."""
    state = sides.state
    test = finding.measured
    carried = pairs.w * pairs.d
    moved = np.nonzero(carried * np.sign(test.effect or 0.0) > 0)[0]
    order = sorted(moved.tolist(), key=lambda i: (-abs(carried[i]), int(pairs.label[i])))
    within = {int(pairs.label[i]) for i in order}
    documents, examples = {label: d for label, d in looked_up[0].items() if label in within}, looked_up[1]
    rows = []
    for i in order[:SHOWN]:
        label = int(pairs.label[i])
        rows.append(
            {
                "kind": "query",
                "query_id": state.labels[label]["query_id"],
                "query_text": state.labels[label]["query_text"],
                "query_class": state.labels[label]["query_class"],
                "tenant_id": state.labels[label]["tenant_id"],
                "reference": float(pairs.before[i]),
                "current": float(pairs.after[i]),
                "effect": float(pairs.d[i]),
                "carries": float(carried[i]),
                **_changed(documents.get(label, {}), test.k),
                **examples.get(label, {"event_ids": [], "trace_ids": []}),
            }
        )
    segments = attribution.segments(sides, test.column) if not test.segment else []
    lost = _most_lost(documents, test.k)
    finding.extra["lost"] = [row["document_id"] for row in lost]
    if segments and segments[0]["excess"] >= attribution.MIN_EXCESS:
        finding.extra["segment"] = ", ".join(f"{key} {value}" for key, value in segments[0]["segment"].items())
    test.where = [*segments, *lost, *rows]


def _documents(sides: Sides, labels: list[int]) -> tuple[Documents, Examples]:
    """label -> document -> side -> (share of recalls that returned it, median rank); label -> example ids of the current window."""
    sides.tell_engine()
    state = sides.state
    state.lazy.ensure("found", [*sides.before, *sides.after])
    state.engine.values("drift_moved", {"label_no": "integer"}, [(no,) for no in labels])
    state.engine.file("5_drift/found.sql")
    documents: Documents = {}
    for row in state.engine.rows("from drift_found"):
        documents.setdefault(row["label_no"], {}).setdefault(row["document_id"], {})[row["side"]] = (
            row["found_share"],
            row["rank"],
        )
    examples = state.engine.rows("from drift_examples where side = 'current'")
    return documents, {row["label_no"]: {"event_ids": row["event_ids"], "trace_ids": row["trace_ids"] or []} for row in examples}


def _is_in(place: tuple[float, int] | None, k: int | None) -> bool:
    return place is not None and place[0] >= MIN_RETURNED_SHARE and (k is None or place[1] <= k)


def _changed(documents: dict[str, dict[str, tuple[float, int]]], k: int | None) -> dict[str, Any]:
    """The relevant ids a query lost and gained, with the ranks they came from and fell to (null = not returned)."""
    out: dict[str, list[dict[str, Any]]] = {"lost": [], "gained": []}
    for document, places in sorted(documents.items()):
        was, now = places.get("reference"), places.get("current")
        if _is_in(was, k) == _is_in(now, k):
            continue
        entry = {
            "document_id": document,
            "from_rank": was[1] if was else None,
            "to_rank": now[1] if now and now[0] >= MIN_RETURNED_SHARE else None,
        }
        out["lost" if _is_in(was, k) else "gained"].append(entry)
    return out


def _most_lost(documents: Documents, k: int | None) -> list[dict[str, Any]]:
    """The documents that most queries lost, first; each with how many, and whether any event still returned it."""
    queries: dict[str, int] = {}
    returned: dict[str, bool] = {}
    for places in documents.values():
        for entry in _changed(places, k)["lost"]:
            queries[entry["document_id"]] = queries.get(entry["document_id"], 0) + 1
            returned[entry["document_id"]] = returned.get(entry["document_id"], False) or entry["to_rank"] is not None
    order = sorted(queries, key=lambda d: (returned[d], -queries[d], d))
    return [{"kind": "document", "document_id": d, "queries": queries[d], "is_gone": not returned[d]} for d in order[:SHOWN]]


def _stages(sides: Sides) -> list[dict[str, Any]]:
    """How much of the total's change each stage carries, in mean ms a recall."""
    first, then = (_means(sides.state, days) for days in sides.days)
    change = then.get("total", 0.0) - first.get("total", 0.0)
    moved = {name: then.get(name, 0.0) - first.get(name, 0.0) for name in {*first, *then} - {"total"}}
    return [
        {
            "kind": "stage",
            "stage": name,
            "reference_ms": first.get(name, 0.0),
            "current_ms": then.get(name, 0.0),
            "share_of_change": moved[name] / change if change else None,
        }
        for name in sorted(moved, key=lambda name: (-abs(moved[name]), name))
    ]


def _slowest(sides: Sides, stages: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The three slowest events of the current window in each stage."""
    sides.tell_engine()
    sides.state.lazy.ensure("slowest", sides.after)
    rows = sides.state.engine.rows(
        f"""select stage, max(event, 3) as slow
        from (select stage, unnest(slow) as event from held_slowest inner join drift_sides using (day_no)
            where side = 'current' and list_contains({quoted(stages)}, stage))
        group by stage order by stage"""
    )
    return {
        row["stage"]: [{"kind": "event", **{name: event[name] for name in ("event_id", "trace_id", "ms")}} for event in row["slow"]]
        for row in rows
    }


def _means(state: State, days: list[int]) -> dict[str, float]:
    """Mean ms a recall spends in each stage, recalls without it counted as 0; cache misses without error."""
    keep = among(state.stages["day_no"], days)
    names = state.values["stage"]
    ms = np.bincount(state.stages["stage"][keep], state.stages["sum_ms"][keep], len(names))
    n = max(state.total("n_timed", days), 1)
    return {name: float(ms[i] / n) for i, name in enumerate(names) if ms[i] > 0}
