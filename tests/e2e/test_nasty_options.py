"""Whatever is typed or passed as an option: a result, or one line in our words and exit 2 or 3; never a word of the engine, never exit 1."""

from __future__ import annotations

import datetime as dt
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import command_line
import pyarrow as pa
import pytest
from inputs import GOOD, LABELS, jsonl

import recallwatch
from recallwatch.base.errors import ExitCode, RecallwatchError, UsageError
from recallwatch.base.takes import EVALUATE

FOREIGN = re.compile(
    r"(Binder|Catalog|Parser|Conversion|Input|Constraint|Type|Value|Key|IO) ?Error|Traceback|Input should be|_duckdb|pydantic"
)
TEXTS = [
    "", " ", "'", '"', "x'); drop table events; --", 'a"b', "a.b", "[]", "x[].id", "[0]", "{", "}", "(?=d)", "\\", "%", "*", "=", "a=", "=b", "$",
    "nan", "inf", "-1", "0", "1e400", "1e-400", "9" * 25, "1,2", "1=nan", "1=2,1=3", "a*b", "a*", "None", "day", "all", "1,all,0", "x" * 300, "é🙂",
    "2026-13-01", "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00+14:00", "99999999TB", "0.1KB", "rbp(p=2)@10", "recall@0", "recall@@1", "ranked_ids",
    "event_id", "attributes", "source_line", "timestamp", "rank", "select 1", "query_id*query_text*status", "\x1b[31m", "../..", "/dev/null",
]  # fmt: skip
FLAGS = [
    "--by", "--k", "-m", "--window", "--timezone", "--from", "--to", "--gain", "--rel-level", "--match", "--match-threshold", "--max-rejects", "--depth",
    "--memory-limit", "--unit", "--duplicates", "--log-format", "--profile", "--compat", "--where",
]  # fmt: skip
COLUMNS = ["ranked_ids", "query_id", "timestamp", "total_ms", "scores", "stage_ms", "attributes", "nope", "a'b"]
VALUES: list[Any] = [
    3, 1.5, math.nan, -math.inf, 10**400, True, b"x", [], [None], [[]], {}, {"a": 1}, {1: 2}, {"a"}, object(), print, 1j, "\ud800", "a\0b", dt.date(2026, 1, 1),
]  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """A small log with what a path may run into."""
    more = {"timestamp": "2026-03-01T10:00:00Z", "x": [{"id": 1}], "o": {"a": None}}
    return [{**row, **more} for row in GOOD]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log and its labels."""
    folder = tmp_path_factory.mktemp("nasty")
    jsonl(folder / "log.jsonl", rows())
    jsonl(folder / "labels.jsonl", LABELS)
    return folder


def refused_or_fine(folder: Path, *options: str) -> None:
    """The command with these options ends as a command may."""
    metrics = () if "-m" in options else ("-m", "mrr")
    done = command_line.run("evaluate", "log.jsonl", "--labels", "labels.jsonl", "-f", "json", *metrics, *options, cwd=folder)
    assert done.returncode in (ExitCode.FINE, ExitCode.USAGE, ExitCode.INPUT), (options, done.stderr)
    assert not FOREIGN.search(done.stderr), (options, done.stderr)
    if done.returncode:
        assert done.stderr.startswith("recallwatch: "), (options, done.stderr)
        assert done.stderr.count("\n") == 1, (options, done.stderr)
        assert done.stdout == "", options


@pytest.mark.parametrize("flag", FLAGS)
def test_a_nasty_value_of_a_flag(folder: Path, flag: str) -> None:
    """Some of the texts for each flag, by a fixed seed (a sample, for time): exit 0, 2 or 3, one line on stderr in our words."""
    for value in random.Random(f"13 {flag}").sample(TEXTS, 2):
        refused_or_fine(folder, flag, value)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_nasty_path_of_a_column(folder: Path, column: str) -> None:
    """``--map``: any column, any path, of a log that has objects, lists and nulls."""
    for path in random.Random(f"13 {column}").sample([*TEXTS, "x", "o", "o.a", "x[].id", "query_id", "event_id"], 2):
        refused_or_fine(folder, "--map", f"{column}={path}")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("timestamp=x[].id", "--map timestamp=x[].id: timestamp takes one value"),
        ("query_id=x[].id", "--map query_id=x[].id: query_id takes one value"),
        ("ranked_ids=x[].y[].id", "all rejected: no result list"),
    ],
)
def test_a_list_in_the_place_of_a_value(folder: Path, path: str, said: str) -> None:
    """A path through lists feeds a column of lists only, and somebody has to have it: exit 3, and what is wrong."""
    done = command_line.run("evaluate", "log.jsonl", "--labels", "labels.jsonl", "--map", path, cwd=folder)
    assert (done.returncode, done.stdout) == (ExitCode.INPUT, "")
    assert said in done.stderr


def test_columns_may_have_any_short_name() -> None:
    """Attributes called ``e``, ``x`` or ``x0`` are not taken for names inside our SQL, and may be mapped."""
    hits = [{"id": "a", "score": 1.0}, {"id": "b", "score": 0.5}]
    table = pa.Table.from_pylist([{**row, "search_ms": 1.0, **dict.fromkeys(("e", "x", "x0", "n", "d"), hits)} for row in GOOD])
    for path in ("x", "x[].id", "x0[].id"):
        found = recallwatch.evaluate(table, pa.Table.from_pylist(LABELS), metrics="mrr", mapped={"ranked_ids": path}).to_dict()
        assert found["metrics"][0]["value"] == 1.0


@pytest.mark.parametrize("name", [name for name in EVALUATE.options if name not in ("watcher", "then")])
def test_a_wrong_type_in_the_library(name: str) -> None:
    """Values of any type for each option: an error of ours in one line, or a result."""
    logs, labels = pa.Table.from_pylist(rows()).drop_columns(["x", "o"]), pa.Table.from_pylist(LABELS)
    for value in random.Random(f"13 {name}").sample(VALUES, 2):
        try:
            recallwatch.evaluate(logs, labels, **{"metrics": "mrr", name: value})
        except RecallwatchError as error:
            assert error.exit_code != ExitCode.BUG, (name, value, str(error))
            assert not FOREIGN.search(str(error)), (name, value, str(error))
            assert "\n" not in str(error)


@pytest.mark.parametrize("data", [[], {}, 3, object(), [{}], b"x", pa.table({}), [None]], ids=lambda data: type(data).__name__)
def test_data_of_a_wrong_type(data: Any) -> None:
    """Logs or labels that are neither paths nor a table are refused by name."""
    table = pa.Table.from_pylist(LABELS)
    for logs, labels in ((data, table), (pa.Table.from_pylist(GOOD), data)):
        with pytest.raises(RecallwatchError) as caught:
            recallwatch.evaluate(logs, labels, metrics="mrr")
        assert caught.value.exit_code in (ExitCode.USAGE, ExitCode.INPUT), str(caught.value)
        assert not FOREIGN.search(str(caught.value))


@pytest.mark.parametrize(("match", "replace"), [("(?=d)d", "x"), ("(d)\\1", "x"), ("d", "\\1"), ("(", "x"), ("d{5000}", "x")])
def test_a_pattern_the_engine_does_not_have(folder: Path, match: str, replace: str) -> None:
    """A rule of ids that is no expression of RE2 is told when the profile is read: the rule's place, exit 2."""
    (folder / "p.toml").write_text(
        f"[events]\nranked_ids = 'ranked_ids'\n[[ids.events]]\nmatch = '{match}'\nreplace = '{replace}'\n"
    )
    done = command_line.run("evaluate", "log.jsonl", "--labels", "labels.jsonl", "--profile", "p.toml", cwd=folder)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert done.stderr.startswith("recallwatch: p.toml: ids.events.0: not a regular expression of RE2")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("shell", ['"$@" > /dev/full', '"$@" >&-'], ids=["full", "closed"])
def test_stdout_that_takes_nothing(folder: Path, shell: str) -> None:
    """One line, exit 2, no traceback."""
    command = [sys.executable, "-m", "recallwatch", "evaluate", "log.jsonl", "--labels", "labels.jsonl", "-m", "mrr"]
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *command], cwd=folder, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == ExitCode.USAGE, done.stderr
    assert re.fullmatch(r"recallwatch: stdout: .*\n", done.stderr)


@pytest.mark.parametrize("place", ["", ".", "/"])
def test_an_output_that_is_a_folder(folder: Path, place: str) -> None:
    """Nothing can be written there: exit 2, one line."""
    done = command_line.run("convert", "log.jsonl", "-o", place, cwd=folder)
    assert done.returncode == ExitCode.USAGE
    assert "cannot be written (no file). Name a file" in done.stderr


def test_a_grade_with_two_gains() -> None:
    """Which holds is not known, however it is written."""
    for gain in ("1=1,1=2", "1=1,1.0=2"):
        with pytest.raises(UsageError, match="a grade stands twice"):
            recallwatch.evaluate([{"ranked_ids": []}], gain=gain)


def test_a_null_byte_in_a_configuration(folder: Path) -> None:
    """TOML can write what no path can be."""
    for table in ('store = "a\\u0000b"', '[outputs]\nfolder = "a\\u0000b"'):
        (folder / "null.toml").write_text(f'logs = ["{folder}/log.jsonl"]\nlabels = ["{folder}/labels.jsonl"]\n{table}\n')
        command = [sys.executable, "-m", "recallwatch", "run", "-q", str(folder / "null.toml")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, "null byte" in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr
