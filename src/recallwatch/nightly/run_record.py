"""What each run saw and decided: one JSON file a run, so that the next one can say what changed."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.files import write_whole
from ..document.numbers import ms
from ..document.numbers import ratio as number
from ..document.outputs import json_text
from ..report.night import Night
from ..scoring.columns import headline_columns
from ..scoring.document import column_name

NEEDED = {"key", "metrics", "gates", "verdict", "counts", "period", "ran_at"}  # without these it is no record
MOVED = 0.0005  # a metric that shows other digits


def record_of(night: Night, seconds: Mapping[str, float]) -> dict[str, Any]:
    """The run in short; ``key`` is the same for the same data, labels and options."""
    evaluation, drift = night.evaluation, night.drift
    window = night.window
    names = headline_columns(evaluation)
    rows = [row for row in evaluation["metrics"] if row["window"] == window and not row["segment"]]
    times = [
        row
        for row in evaluation["latency"]
        if row["window"] == window and not row["segment"] and row["cache"] == "all" and row["stage"] == "total"
    ]
    content = {
        "window": window,
        "period": evaluation["read"]["period"],
        "verdict": night.verdict,
        "headline": night.headline,
        "state": night.state,
        "state_key": evaluation["state_key"],
        "fingerprint": evaluation["definition"]["fingerprint"],
        "labels": night.sides.get("labels_hash"),
        "counts": evaluation["counts"],
        "metrics": {column_name(row): row["value"] for row in rows if column_name(row) in names},
        "latency": {name: times[0][name] for name in ("p50_ms", "p95_ms")} if times else {},
        "gates": {gate["name"]: gate["verdict"] for gate in night.gates},
    }
    key = hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8", "backslashreplace")).hexdigest()
    return {
        "key": key,
        **content,
        "windows": {row["window"]: row["events"] for row in night.sides.get("window_shares", [])},
        "verdicts": {body["current"]["from"]: body["verdict"] for body in (drift or {}).get("windows") or []},
        "seconds": dict(seconds),
        "ran_at": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }


def path_of(folder: Path, record: Mapping[str, Any]) -> Path:
    """By the newest event it saw and its key: the same run again has the same file."""
    end = str(record["period"]["to"] or "none").replace("-", "").replace(":", "").replace(".", "")
    return folder / f"{end}-{record['key'][:12]}.json"


def earlier(records: list[dict[str, Any]], record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The records before this one, oldest first; of a run that was there before, those before it was."""
    own = next((one for one in records if one["key"] == record["key"]), record)
    return [one for one in records if one["key"] != record["key"] and _order(one) < _order(own)]


def _order(record: Mapping[str, Any]) -> tuple[float, float, str]:
    """By the newest event it saw, no later than the run itself (a clock may be wrong), then by when it ran."""
    ran_at = dt.datetime.fromisoformat(record["ran_at"]).timestamp()
    end = record["period"]["to"]
    return min(ran_at, dt.datetime.fromisoformat(end).timestamp()) if end else 0.0, ran_at, str(record["key"])


def read_all(folder: Path) -> list[dict[str, Any]]:
    """Every record, oldest first; one that cannot be read is left out."""
    records = []
    for path in folder.glob("*.json"):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if set(record) >= NEEDED and "events" in record["counts"] and "to" in record["period"]:
                _order(record)
                records.append(record)
        except (OSError, ValueError, TypeError):
            continue
    return sorted(records, key=_order)


def keep(folder: Path, record: Mapping[str, Any]) -> Path:
    """Write the record; the same run again leaves the first one."""
    path = path_of(folder, record)
    if not path.exists():
        write_whole(path, json_text(record, 1).encode("utf-8", "backslashreplace"), parents=True)
    return path


def changes(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """What is different from the run before, one sentence each."""
    sentences = []
    if now["verdict"] != before["verdict"]:
        sentences.append(f"verdict {before['verdict']} → {now['verdict']}")
    broken = [name for name, verdict in now["gates"].items() if verdict == "fail" and before["gates"].get(name) != "fail"]
    mended = [name for name, verdict in now["gates"].items() if verdict == "pass" and before["gates"].get(name) == "fail"]
    sentences += [f"gates that fail now: {', '.join(broken)}"] if broken else []
    sentences += [f"gates that pass again: {', '.join(mended)}"] if mended else []
    if before.get("fingerprint") != now["fingerprint"]:
        return [*sentences, "the definition of the metrics is another one: values are not compared"]
    if before.get("labels") != now["labels"]:
        sentences.append("the labels changed")
    pairs = [(name, before["metrics"].get(name), value) for name, value in now["metrics"].items()]
    moved = [
        f"{name} {number(old)} → {number(new)}"
        for name, old, new in pairs
        if old is not None and new is not None and abs(new - old) >= MOVED
    ]
    sentences += [f"newest window, by traffic: {', '.join(moved)}"] if moved else []
    old, new = before.get("latency", {}).get("p95_ms"), now["latency"].get("p95_ms")
    sentences += [f"total p95 {ms(old)} → {ms(new)} ms"] if old is not None and new is not None and ms(old) != ms(new) else []
    counts = [one["counts"]["events"] for one in (before, now)]
    same = f"{'the same' if sentences else 'nothing: the same'} {counts[1]:,} recalls"
    return [*sentences, same if counts[0] == counts[1] else f"recalls: {counts[0]:,} → {counts[1]:,}"]


def label_marks(records: list[dict[str, Any]], now: Mapping[str, Any]) -> list[dict[str, str]]:
    """Windows at which another version of the labels was used for the first time."""
    marks, last = [], None
    for one in [*records, now]:
        version = one.get("labels")
        if version and last and version != last and one.get("window"):
            marks.append({"at": str(one["window"]), "kind": "labels", "text": f"labels {last[:8]} → {version[:8]}"})
        last = version or last
    return marks
