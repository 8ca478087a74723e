"""The pages say what the program does, and the README's commands give the output shown."""

import re
from pathlib import Path

import readme
from command_line import run

ROOT = Path(__file__).parents[2]


def test_generated_tables_are_fresh() -> None:
    """The tables of metrics, options and presets are those of the registries (python tests/readme.py refresh)."""
    for page, text in readme.fresh().items():
        assert page.read_text(encoding="utf-8") == text, f"{page.name} is stale"


def test_every_command_has_an_example_that_runs() -> None:
    """--help of each command shows an example, and the example exits with 0."""
    top = run("--help").stdout
    names = re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", top.split("\nMeasure:")[1], re.MULTILINE)
    assert {"evaluate", "run", "labels", "sql", "list"} <= set(names) and len(names) == len(set(names)) >= 24
    assert "..." not in top.split("Options:")[1]  # no sentence is cut
    for name in names:
        text = " ".join(run(name, "--help").stdout.split())
        assert "Example: recallwatch " in text, name
    example = re.search(r"Example: recallwatch (evaluate \S+ --labels \S+)", " ".join(top.split()))
    assert example
    assert run(*example[1].split()).returncode == 0


def test_the_first_command_shows_what_the_readme_shows() -> None:
    """Evaluate on sample_logs: the very output in the README (its set-up, in a fresh clone: tests/package/test_newcomer.py)."""
    command, shown = readme.main_command()
    done = run(*command.rsplit("&& .venv/bin/recallwatch ", 1)[1].split())
    assert (done.returncode, done.stdout) == (0, shown)


def test_the_closing_line_of_the_suite_is_one_of_the_runner() -> None:
    """What the README shows under the test command has the form that .ci/run compares the suite's own line with."""
    assert readme.closing(readme.suite_command()[1]) == "N passed"
    assert readme.closing("..... [100%]\n3 passed, 1 skipped, 2 deselected in 4.20s\n") == "N passed"
    assert readme.closing("1 failed, 3 passed in 4.20s") == "N failed"
