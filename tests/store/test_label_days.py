"""Labels that change over time in a store: only the days that a validity touches are judged again."""

from __future__ import annotations

import json
from pathlib import Path

import recallwatch

DAYS = [f"2026-01-{day:02d}" for day in range(1, 9)]


def test_days_that_a_validity_touches(tmp_path: Path) -> None:
    """A new version that says otherwise from the seventh day on makes sums of two days anew, for evaluate and for drift; all numbers are those of the logs."""
    log, old, new = (tmp_path / f"{name}.jsonl" for name in ("log", "old", "new"))
    queries = [f"q{n}" for n in range(6)]
    events = [
        {"query_id": query, "timestamp": f"{day}T0{n}:00:00Z", "ranked_ids": ["a", "x", "b"], "event_id": f"{day}{query}"}
        for day in DAYS
        for n, query in enumerate(queries)
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in events))
    rows = [{"query_id": query, "document_id": "a"} for query in queries]
    old.write_text("".join(json.dumps(row) + "\n" for row in rows))
    changed = [
        {"query_id": "q0", "document_id": "a", "valid_to": "2026-01-07"},
        {"query_id": "q0", "document_id": "b", "valid_from": "2026-01-07"},
    ]
    new.write_text("".join(json.dumps(row) + "\n" for row in [*changed, *rows[1:]]))

    def sums(labels: Path) -> dict[str, set[str]]:
        """What both commands make of the store, compared with the logs; the days' files that were written, by kind."""
        options = {"metrics": ("recall@1", "mrr", "stale@3"), "window": "day"}
        before = {path.name for path in (tmp_path / "store/aggregates").glob("*.parquet")}
        stored = recallwatch.evaluate(log, labels, store=tmp_path / "store", **options).to_dict()
        assert stored["metrics"] == recallwatch.evaluate(log, labels, **options).to_dict()["metrics"]
        windows = {"reference": "2026-01-01..2026-01-05", "current": "2026-01-05..2026-01-09"}
        drift = recallwatch.drift(store=tmp_path / "store", **windows).to_dict()
        assert drift == recallwatch.drift(log, labels, **windows).to_dict()
        after = {path.name for path in (tmp_path / "store/aggregates").glob("*.parquet")} - before
        is_drift = {name: name[11:].startswith("drift") for name in after}
        return {kind: {name[:10] for name in after if is_drift[name] == (kind == "drift")} for kind in ("evaluate", "drift")}

    assert sums(old) == {"evaluate": set(DAYS), "drift": set(DAYS)}
    assert sums(new) == {"evaluate": set(DAYS[6:]), "drift": set(DAYS[6:])}
    assert sums(old) == {"evaluate": set(), "drift": set()}
