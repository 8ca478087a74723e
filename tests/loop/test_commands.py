"""The commands of the loop: their examples run, stdout is data, a mistake is one line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recallwatch.base.errors import InputError, UsageError
from recallwatch.cli import app

ROOT = Path(__file__).parents[2]
SAMPLE = ["sample_logs/recalls", "--labels", "sample_logs/labels.jsonl"]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def command(*arguments: str) -> Result:
    """The command in this process."""
    return CliRunner().invoke(app, list(arguments))


def example_of(name: str) -> list[str]:
    """The example its --help starts with."""
    text = " ".join(command(name, "--help").stdout.split())
    return shlex.split(text.split("Example: recallwatch ")[1].split(" Options:")[0].split(" Arguments:")[0].split("╭")[0])


@pytest.mark.parametrize("name", ["suggest-labels", "emit"])
def test_the_example_of_the_help_runs(name: str) -> None:
    """As a reader would copy it."""
    done = command(*example_of(name))
    assert done.exit_code == 0, done.stderr
    assert "recalls have labels" in done.stdout if name == "suggest-labels" else "gauges handed to OpenTelemetry" in done.stderr


def test_the_form_follows_the_name_of_the_file(tmp_path: Path) -> None:
    """-o x.jsonl is a worksheet whose documents show the corpus' texts, -o x.md markdown; -f says otherwise."""
    more = ["-n", "3", "--corpus", "sample_logs/memories.jsonl"]
    assert command("suggest-labels", *SAMPLE, *more, "-o", str(tmp_path / "todo.jsonl")).stdout == ""
    lines = [json.loads(line) for line in (tmp_path / "todo.jsonl").read_text().splitlines()]
    assert len(lines) == 3 and all(line["relevant"] is None for line in lines)
    assert all(document["text"] for line in lines for document in line["documents"])
    command("suggest-labels", *SAMPLE, *more, "-f", "markdown", "-o", str(tmp_path / "x.txt"))
    assert (tmp_path / "x.txt").read_text().startswith("**3,640 of 4,242 recalls")


def test_labels_go_back_by_the_command(tmp_path: Path) -> None:
    """ingest, suggest, fill in, ingest-labels: each by its command; the JSON names both versions."""
    log, store = tmp_path / "log.jsonl", str(tmp_path / "store")
    log.write_text('{"event_id": "e", "timestamp": "2026-11-01", "query": "where?", "ranked_ids": ["a", "b"]}\n')
    assert command("ingest", str(log), "--store", store).exit_code == 0
    todo = tmp_path / "todo.jsonl"
    command("suggest-labels", store, "-o", str(todo))
    todo.write_text(todo.read_text().replace('"relevant": null', '"relevant": ["b"]'))
    done = command("ingest-labels", str(todo), "--store", store, "--judged-by", "ada", "-f", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["before"], found["counts"]["n_new"], found["coverage"]["traffic_labelled"]) == (None, 1, 1.0)
    again = command("ingest-labels", str(todo), "--store", store)
    assert "0 judgements new, 0 changed, 1 as before" in again.stdout and "still version" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (["suggest-labels", *SAMPLE, "-f", "xml"], UsageError, "unknown output format 'xml'"),
        (["suggest-labels", *SAMPLE, "--corpus", "nowhere.jsonl"], InputError, "no such corpus file"),
        (["ingest-labels", "x.jsonl", "--store", "nowhere"], InputError, "no store there"),
        (["emit", *SAMPLE, "--what", "evaluations"], UsageError, "Name the period, or pass --everything"),
        (["emit", *SAMPLE, "--what", "gauges", "--everything"], UsageError, "unknown option 'everything'"),
        (["emit", *SAMPLE, "--what", "gauge"], UsageError, "Did you mean 'gauges'"),
        (["lift", *SAMPLE, "-f", "csv"], UsageError, "unknown output format 'csv'"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], error: type[Exception], says: str) -> None:
    """Told before or instead of any output."""
    done = command(*arguments)
    assert isinstance(done.exception, error) and says in str(done.exception) and done.stdout == ""
