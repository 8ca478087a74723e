"""People read times of their zone, programs read UTC."""

from __future__ import annotations

import json
from pathlib import Path

from recallwatch.nightly.run import run
from recallwatch.report.night import Night

ROOT = Path(__file__).parents[2]
BEFORE, AFTER = (
    "2026-10-31T04:00:00Z",
    "2026-11-01T04:00:00Z",
)  # midnights of New York; the next one is at five, for the clocks go back
LATER = "2026-11-02T05:00:00Z"


def night(timezone: str) -> Night:
    """Three days, the last one judged; texts of the log that look like times of ours, and one that looks like another."""
    rows = [{"window": window, "segment": {"window": BEFORE}} for window in (None, BEFORE, AFTER, LATER)]
    drift = {
        "verdict": "fail",
        "headline": f"Since {LATER} (index 2026-01-01T01:00:00Z → {LATER[:10]}): recall fell",
        "current": {"from": LATER, "to": "2026-11-03T05:00:00Z"},
        "findings": [{"since": AFTER, "where": [{"at": AFTER}]}],
    }
    evaluation = {"metrics": rows, "queries": [{"query_text": LATER, "from": LATER}]}
    return Night(evaluation, drift, marks=[{"at": LATER, "text": "index"}], notes=[f"no recalls from {AFTER}"], timezone=timezone)


def test_moments_of_windows_become_dates() -> None:
    """Whichever the clock is that day; what the log said stays as it was."""
    shown = night("America/New_York").local
    assert [row["window"] for row in shown.evaluation["metrics"]] == [
        None,
        *(f"2026-{day}T00:00:00Z" for day in ("10-31", "11-01", "11-02")),
    ]
    assert (
        shown.headline
        == night("UTC").headline.replace(LATER, "2026-11-02")
        == "Since 2026-11-02 (index 2026-01-01T01:00:00Z → 2026-11-02): recall fell"
    )
    assert shown.drift is not None
    assert shown.drift["findings"] == [{"since": "2026-11-01T00:00:00Z", "where": [{"at": AFTER}]}]
    assert (shown.marks[0]["at"], shown.notes[0]) == ("2026-11-02T00:00:00Z", "no recalls from 2026-11-01T00:00:00Z")
    assert shown.evaluation["queries"] == night("UTC").evaluation["queries"]
    assert shown.evaluation["metrics"][0]["segment"] == {"window": BEFORE}
    assert night("UTC").local == night("UTC")


def test_a_run_in_another_zone(tmp_path: Path) -> None:
    """Page and summary name the day as it is called there, the JSON its moment."""
    path = tmp_path / "recallwatch.toml"
    logs = [str(file) for file in sorted((ROOT / "sample_logs" / "recalls").iterdir())[5:9]]
    path.write_text(
        f"""logs = {json.dumps(logs)}
labels = {json.dumps(str(ROOT / "sample_logs" / "labels.jsonl"))}
timezone = "Asia/Kolkata"
[outputs]
write = ["html", "json", "markdown", "junit"]
""",
        encoding="utf-8",
    )
    found = {file.name: file.read_text(encoding="utf-8") for file in run(path).files}
    moments = {row["window"] for row in json.loads(found["report.json"])["evaluation"]["metrics"] if row["window"]}
    assert "2026-11-07T18:30:00Z" in moments
    for name in ("report.html", "report.md", "junit.xml"):
        assert "2026-11-08" in found[name]
        assert "T18:30" not in found[name]
    assert "Asia/Kolkata" in found["report.md"]
