"""docs/metrics.md shows what its command prints on the sample agent, and drift names the step that got worse."""

import re
from pathlib import Path

import pytest
from command_line import run

import recallwatch

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "sample_logs" / "agent"
BLOCK = re.compile(r"```text\n\$ recallwatch (?P<arguments>.*) \| head -(?P<lines>\d+)\n(?P<shown>(?:.*\n)*?)```")


def test_the_page_shows_what_its_command_prints() -> None:
    """The command under the heading: its first lines are those of the page, to the last digit."""
    shown = BLOCK.search((ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").split("### Questions of several searches")[1])
    assert shown
    done = run(*shown["arguments"].split())
    assert done.returncode == 0, done.stderr
    assert "".join(done.stdout.splitlines(keepends=True)[: int(shown["lines"])]) == shown["shown"]


def test_drift_names_the_step_that_got_worse() -> None:
    """The third hop fails most, wasted searches are worse when they are more, and the first hop stays as it was."""
    metrics = ("hop_recall(hop=3)@10", "hop_recall(hop=1)@10", "wasted")
    windows = {"reference": "2026-11-01..2026-11-05", "current": "2026-11-05..2026-11-08"}
    result = recallwatch.drift(AGENT / "searches.jsonl", AGENT / "labels.jsonl", unit="trace", metrics=metrics, **windows).to_dict()
    verdicts = {row["metric"]: row["verdict"] for row in result["findings"] if row["family"] == "quality" and not row["segment"]}
    assert "hop recall(hop=3)@10 (same queries) 0.802 → 0.375" in result["headline"]
    assert verdicts["hop_recall(hop=3)"] == verdicts["wasted"] == "fail"
    assert verdicts["hop_recall(hop=1)"] != "fail"


@pytest.mark.wide
def test_the_report_says_which_hop(tmp_path: Path) -> None:
    """The figures of questions stand beside those of the reference and of the newest window, and counts speak of questions."""
    page = tmp_path / "report.md"
    log, labels = str(AGENT / "searches.jsonl"), str(AGENT / "labels.jsonl")
    done = run("report", log, "--labels", labels, "--unit", "trace", "-f", "markdown", "-o", str(page))
    assert done.returncode in (0, 4), done.stderr
    told = page.read_text(encoding="utf-8")
    assert "| recall of hop 3 @10 | 168 | 0.619 | 0.802 | 0.333 |" in told
    assert told.splitlines()[-1].startswith("168 questions in 638 recalls ·")
