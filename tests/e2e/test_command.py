"""The command as people and jobs use it: stdout is data, stderr is narration, exit codes are a contract."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, run_process
from command_line import run_bytes as run

SAMPLE = ("sample_logs/recalls", "--labels", "sample_logs/labels.jsonl")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The JSON of evaluate on the sample, with slices and queries."""
    done = run("evaluate", *SAMPLE, "-f", "json", "--window", "week", "--by", "query_class", "--per-query")
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def test_json_has_the_contract_s_blocks(document: dict[str, Any]) -> None:
    """Keys, in their order, and the sample's own facts."""
    blocks = [
        "tool",
        "definition",
        "state_key",
        "read",
        "counts",
        "coverage",
        "answered",
        "labels",
        "warnings",
        "metrics",
        "latency",
        "cost",
        "queries",
    ]
    assert list(document) == blocks
    assert document["counts"]["events"] == 4242
    assert document["counts"]["duplicate_events"] == 12
    assert document["counts"]["incomplete_tail"] == 1
    assert re.fullmatch("[0-9a-f]{64}", document["definition"]["fingerprint"])
    assert len(document["queries"]) == 60
    assert all(row["window"] is None or row["window"].endswith("T00:00:00Z") for row in document["metrics"])


def test_the_sample_holds_what_its_readme_says() -> None:
    """Nights 8 to 10 lose recall at every query class mix, 12 and 13 are slow in rerank, the rest are neither."""
    done = run("evaluate", *SAMPLE, "-f", "json", "--window", "day", "--k", "10", "--unit", "query")
    found = json.loads(done.stdout)
    recall = {int(row["window"][8:10]): row["value"] for row in found["metrics"] if row["metric"] == "recall" and row["window"]}
    rerank = {
        int(row["window"][8:10]): row["p50_ms"]
        for row in found["latency"]
        if row["stage"] == "rerank" and row["cache"] == "miss" and row["window"]
    }
    assert all((value < 0.7) == (night in (8, 9, 10)) for night, value in recall.items())
    assert all((value > 2) == (night in (12, 13)) for night, value in rerank.items())


def test_csv_agrees_with_json_cell_for_cell(document: dict[str, Any]) -> None:
    """Each row of the JSON's tables stands in the CSV, in order, floats in full."""
    done = run("evaluate", *SAMPLE, "-f", "csv", "--window", "week", "--by", "query_class")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    for table in ("metrics", "latency", "cost"):
        mine = [row for row in rows if row["table"] == table]
        assert len(mine) == len(document[table])
        for row, cells in zip(mine, document[table], strict=True):
            for name, value in cells.items():
                shown = json.loads(row[name]) if name == "segment" else row[name]
                expected = (
                    ""
                    if value is None
                    else str(value).lower()
                    if isinstance(value, bool)
                    else value
                    if name == "segment"
                    else str(value)
                )
                assert shown == expected, (table, name)


def test_markdown_and_text_show_the_same_figures(document: dict[str, Any]) -> None:
    """The headline recall of the JSON, rounded, stands in both."""
    value = next(
        row["value"]
        for row in document["metrics"]
        if row["metric"] == "recall" and row["k"] == 10 and not row["segment"] and not row["window"]
    )
    for name in ("text", "markdown"):
        assert f"{value:.3f}" in run("evaluate", *SAMPLE, "-f", name).stdout.decode()


def test_a_file_gets_the_bytes_of_stdout(tmp_path: Path) -> None:
    """-o FILE and > FILE are the same bytes, and nothing else is left behind."""
    run("evaluate", *SAMPLE, "-f", "json", "-o", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_bytes() == run("evaluate", *SAMPLE, "-f", "json").stdout
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("evaluate", *SAMPLE, "--k", "0"), 2, "whole numbers >= 1"),
        (("evaluate", *SAMPLE, "-m", "recal"), 2, "Did you mean 'recall'?"),
        (("evaluate", *SAMPLE, "--unit", "events"), 2, "Did you mean 'event'?"),
        (("evaluate", *SAMPLE, "--compat", "trec"), 2, "Known: trec_eval"),
        (("evaluate", *SAMPLE, "-f", "jason"), 2, "Did you mean 'json'?"),
        (("evaluate", *SAMPLE, "--by", "query_clas"), 2, "Did you mean 'query_class'?"),
        (("evaluate", *SAMPLE, "--timezone", "Mars/Olympus"), 2, "IANA"),
        (("evaluate", *SAMPLE, "--window", "dayly"), 2, "Did you mean 'day'?"),
        (("evaluate", *SAMPLE, "--map", "ranked_ids"), 2, "expected column=path"),
        (("evaluate", *SAMPLE, "--max-rejects", "lots"), 2, "expected a share"),
        (("evaluate", *SAMPLE, "--from", "yesterday-ish"), 2, "--from"),
        (("evaluate", *SAMPLE, "--from", "2030-01-01"), 3, "no events"),
        (("evaluate", "nowhere", "--labels", "sample_logs/labels.jsonl"), 3, "no such log file"),
        (("evaluate", "sample_logs/recalls", "--labels", "nowhere.jsonl"), 3, "no such labels file"),
        (("stability", "sample_logs/recalls"), 2, "--labels"),
        (("list", "metrix"), 2, "Did you mean 'metrics'?"),
        (("nothing",), 2, ""),
    ],
)
def test_a_mistake_is_one_line_and_its_exit_code(arguments: tuple[str, ...], code: int, says: str) -> None:
    """Nothing on stdout, no traceback, what to do on stderr."""
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == b""
    text = done.stderr.decode()
    assert "Traceback" not in text
    assert says in text
    if text.startswith("recallwatch: "):
        assert len(text.strip().splitlines()) == 1


def test_hostile_ids_and_queries_steer_nothing(tmp_path: Path) -> None:
    """Escapes, quotes, pipes, newlines and HTML in ids and queries: shown as text in every output."""
    nasty = "\x1b[31m'\"|<script>alert(1)</script>\n`rm`\u202e"
    log = [
        {"event_id": f"e{n}", "query_text": nasty, "query_id": nasty + str(n % 7), "ranked_ids": [nasty, "a"], "tenant_id": nasty}
        for n in range(20)
    ]
    labels = [{"query_id": nasty + str(n), "query": nasty, "relevant": [nasty + "|", "a"]} for n in range(7)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log))
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    shown = {}
    for name in ("text", "markdown", "json", "csv"):
        done = run(
            "evaluate",
            tmp_path / "log.jsonl",
            "--labels",
            tmp_path / "labels.jsonl",
            "--by",
            "tenant_id",
            "-f",
            name,
            "--per-query",
        )
        assert done.returncode == 0, done.stderr
        shown[name] = done.stdout.decode()
    assert json.loads(shown["json"])["queries"][0]["missed_ids"] == [nasty + "|"]
    assert all("\x1b" not in text and "\u202e" not in text for name, text in shown.items() if name in ("text", "markdown"))
    assert "<script>" not in shown["markdown"]
    widths = {line.count("|") - line.count("\\|") for line in shown["markdown"].splitlines() if line.startswith("| q")}
    assert len(widths) <= 2


def test_a_closed_pipe_is_no_error() -> None:
    """`… | head -1` ends quietly."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m recallwatch evaluate {' '.join(SAMPLE)} -f csv | head -1"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    assert done.stderr == b""


def test_version() -> None:
    """--version prints name and version."""
    assert re.fullmatch(rb"recallwatch \d+\.\d+\.\d+\S*\n", run("--version").stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", *SAMPLE, "--k", "10", "-m", "recall"),
        ("check", *SAMPLE),
        ("drift", *SAMPLE, "--reference", "2026-11-01..2026-11-08", "--current", "2026-11-08..2026-11-11", "--fail-on", "fail"),
        ("list", "formats"),
        ("list", "metrix"),
        ("evaluate", "nowhere", "--labels", "sample_logs/labels.jsonl"),
        ("evaluate", *SAMPLE, "--no-such-flag"),
    ],
    ids=lambda words: "-".join(words[:2]),
)  # fmt: skip
def test_a_process_of_its_own_says_the_same(arguments: tuple[str, ...]) -> None:
    """What tests call in their own process is what a shell gets: exit code, stdout and stderr to the last byte."""
    done, shell = run(*arguments), run_process(*arguments)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (shell.returncode, shell.stdout, shell.stderr)
