"""A recall from the future (a wrong clock) hides nothing: no gate judges its window, and runs stand in the order they ran."""

import json
from pathlib import Path

from recallwatch.nightly import run_record
from recallwatch.nightly.run import run

CONFIG = """
logs = "logs"
labels = "labels.jsonl"
max_age = "never"
drift = false
metrics = ["recall"]
[gates]
"recall@1" = ">= 0.5"
[outputs]
write = ["json", "prometheus"]
"""


def test_a_recall_from_the_future(tmp_path: Path) -> None:
    """Each night's own window is judged, and compared with the run before, however the names of the records sort."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps({"query_id": f"q{i}", "relevant": ["a"]}) + "\n" for i in range(30)))
    (tmp_path / "r.toml").write_text(CONFIG)
    nights = []
    for day in range(1, 6):
        at = f"2026-03-0{day}T12:00:00Z"
        rows = [{"timestamp": at, "query_id": f"q{i}", "ranked_ids": ["a" if i >= 4 * day else "b"]} for i in range(30)]
        rows += [{**rows[0], "timestamp": "2099-01-01T00:00:00Z"}] if day == 2 else []
        (tmp_path / "logs" / f"{day}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        nights.append(run(tmp_path / "r.toml").night)
    assert [night.gates[0]["verdict"] for night in nights] == ["pass", "pass", "pass", "fail", "fail"]
    assert [night.window for night in nights] == [f"2026-03-0{day}T00:00:00Z" for day in range(1, 6)]
    assert [night.changes[-1] for night in nights[1:]] == [
        f"recalls: {a} → {b}" for a, b in ((30, 61), (61, 91), (91, 121), (121, 151))
    ]
    records = run_record.read_all(tmp_path / "recallwatch-report" / "nights")
    assert [one["counts"]["events"] for one in records] == [30, 61, 91, 121, 151]
    again = run(tmp_path / "r.toml").night
    assert (again.changes, again.skipped) == (nights[-1].changes, [])
