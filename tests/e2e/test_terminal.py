"""What a person at a terminal leans on: the next step, help in two levels, completion."""

import os
import re
from pathlib import Path

import pytest
from command_line import ROOT, run, run_process

from recallwatch.commands.start import next_steps


def test_help_in_two_levels() -> None:
    """--help has what everybody needs and an example on one line; --help-all has every option of it and the definitions."""
    short, long = run("evaluate", "--help").stdout, run("evaluate", "--help-all").stdout
    assert "Example: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl\n" in short
    assert "--window" in short and "--help-all" in short
    for rare in ("--gain", "--ties", "--threads", "--max-rejects", "--engine"):
        assert rare not in short and rare in long
    assert "--help-all" not in run("sql", "--help").stdout  # nothing is hidden there
    assert short.startswith("Usage: recallwatch evaluate [OPTIONS] [LOGS…|STORE]\n")
    assert not re.search(r"<\w+(\[\w+\])?>", long)  # no names of Python's types


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("recallwatch ev", "evaluate"),
        ("recallwatch evaluate --window d", "day"),
        ("recallwatch drift -f j", "json"),
        ("recallwatch store i", "info"),
    ],
)
def test_completion(words: str, wanted: str) -> None:
    """A shell is told commands, their flags' values and those of groups."""
    asked = {"_RECALLWATCH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = run_process(env={**os.environ, **asked})
    assert (done.returncode, done.stdout.split()) == (0, [wanted])


def test_the_next_step(tmp_path: Path) -> None:
    """Alone, the command names what there is in this folder and what to type: logs, then a store, then a configuration."""
    assert "recallwatch evaluate LOGS --labels FILE" in run(cwd=tmp_path).stdout
    logs = tmp_path / "my logs"
    logs.mkdir()
    (logs / "a-1.jsonl").touch()
    (logs / "a-2.jsonl.gz").touch()
    assert next_steps(tmp_path)[1][0] == "recallwatch check 'my logs'"
    (tmp_path / "labels.jsonl").touch()
    done = run(cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert "recallwatch evaluate 'my logs' --labels labels.jsonl\nrecallwatch init 'my logs' --labels labels.jsonl\n" in done.stdout
    (logs / "labels.jsonl").touch()  # beside the logs it must not be read as one
    assert next_steps(logs)[1][0] == "recallwatch evaluate a-* --labels labels.jsonl"
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "recall.duckdb").touch()
    assert next_steps(tmp_path)[1][0] == "recallwatch evaluate store"
    (tmp_path / "recallwatch.toml").touch()
    assert run(cwd=tmp_path).stdout.endswith("recallwatch --help lists all commands, recallwatch COMMAND --help shows one.\n")
    assert next_steps(tmp_path)[1] == ["recallwatch run recallwatch.toml"]


def test_the_sample_s_next_step_is_the_readme_s_command() -> None:
    """In a clone the first suggestion is the command that the README starts with."""
    assert "recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl\n" in run(cwd=ROOT).stdout
