"""Texts of a log steer no terminal, no page and no spreadsheet; and where texts are to be hidden, no error shows one."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from command_line import run

from recallwatch.base.errors import printable

from .conftest import event, write

HOSTILE = "=x\x1b[31m\u202e\u200b\x9b\u2066\u3164|<b>"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff]")


def hostile(folder: Path) -> None:
    """A log whose every text is hostile, its labels, and a bad line."""
    rows = [
        event(
            n, 1 + n % 3, event_id=f"e{n}{HOSTILE}", query_id=f"q{n % 4}{HOSTILE}", query_text=HOSTILE, tenant_id=f"t{n % 2}{HOSTILE}",
            query_class=HOSTILE, variant="ab"[n % 2] + HOSTILE, ranked_ids=[f"d{n % 5}{HOSTILE}", "d1"], stage_ms={HOSTILE: n}, **{HOSTILE: HOSTILE},
        )
        for n in range(150)
    ]  # fmt: skip
    write(folder / "logs" / "a.jsonl", [*rows, '{"x": "' + HOSTILE])
    labels = [{"query_id": f"q{q}{HOSTILE}", "relevant": [f"d{q}{HOSTILE}", f"never{HOSTILE}"]} for q in range(4)]
    write(folder / "labels.jsonl", labels)


EVALUATE = ("evaluate", "logs", "--labels", "labels.jsonl", "--by", "tenant_id", "--per-query", "-f")
COMMANDS = [
    *((*EVALUATE, form) for form in ("text", "json", "csv", "markdown")),
    ("check", "logs", "--labels", "labels.jsonl"),
    ("check", "logs", "--labels", "labels.jsonl", "-f", "markdown"),
    ("drift", "logs", "--labels", "labels.jsonl", "--window", "day"),
    ("compare", "logs", "--labels", "labels.jsonl", "--by", "variant", "--a", f"a{HOSTILE}", "--b", f"b{HOSTILE}"),
    ("suggest-labels", "logs", "--labels", "labels.jsonl", "-n", "5"),
    ("report", "logs", "--labels", "labels.jsonl", "--by", "tenant_id", "-f", "html", "-o", "page.html"),
    ("report", "logs", "--labels", "labels.jsonl", "-f", "junit"),
    ("report", "logs", "--labels", "labels.jsonl", "-f", "prometheus"),
    ("evaluate", HOSTILE, "--labels", "labels.jsonl"),
    ("evaluate", "logs", "--labels", HOSTILE),
    ("evaluate", "logs", "--labels", "labels.jsonl", "--by", HOSTILE * 2),
    ("evaluate", "logs", "--labels", "labels.jsonl", "--max-rejects", "0"),
    ("evaluate", "logs", "--labels", "labels.jsonl", f"--{HOSTILE}"),
    (HOSTILE,),
]


@pytest.mark.wide
def test_no_output_steers_anything(tmp_path: Path) -> None:
    """Escape codes, turned text and characters without width are escapes in every output, on stderr, and in a page's labels."""
    hostile(tmp_path)
    for words in COMMANDS:
        done = run(*words, cwd=tmp_path)
        page = (tmp_path / "page.html").read_text() if "page.html" in words else ""
        shown = page.partition("<script nonce")[0] if page else done.stdout
        assert done.returncode in (0, 2, 3, 4), (words, done.stderr)
        for text in (shown, done.stderr):
            assert not (seen := UNSEEN.search(text.replace("\n", ""))), (words, text[max(seen.start() - 60, 0) : seen.end() + 20])
        if words[-1] == "json":
            assert f"q1{HOSTILE}" in {row["query_id"] for row in json.loads(done.stdout)["queries"]}


def test_a_cell_is_no_formula(world: Path) -> None:
    """A text that a spreadsheet would compute is quoted in CSV, a number is not; columns of one name keep their cells."""
    write(world / "log.jsonl", [event(1, 1, stage_ms={"=1+1": 3, "+x": 2, "@y": 1, "-z": 1})])
    table = run("evaluate", "log.jsonl", "--labels", "labels.jsonl", "-f", "csv", cwd=world).stdout
    stages = {row["stage"] for row in csv.DictReader(io.StringIO(table)) if row["table"] == "latency"}
    assert stages == {"'=1+1", "'+x", "'@y", "'-z", "total"}
    assert run("ingest", "log.jsonl", "--store", "store", cwd=world).returncode == 0
    query = """select 1 as a, 2 as a, -1.5 as a_1, '-1' as "=b" """
    assert run("sql", "store", query, "-f", "csv", cwd=world).stdout == "a,a,a_1,'=b\n1,2,-1.5,'-1\n"
    assert [list(row.items()) for row in json.loads(run("sql", "store", query, "-f", "json", cwd=world).stdout)] == [
        [("a", 1), ("a_2", 2), ("a_1", "-1.5"), ("=b", "-1")]
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200db", "a\\u200db"), ("👩\u200d💻", "👩\u200d💻"), ("می\u200cخواهم", "می\u200cخواهم"), ("a\u200d", "a\\u200d"),
        ("\u3164", "\\u3164"), ("\u2800x", "\\u2800x"), ("tab\tend", "tab\\tend"), ("\udc80", "\\udc80"),
    ],
)  # fmt: skip
def test_what_is_seen(text: str, shown: str) -> None:
    """Joiners stay between letters of scripts and emoji that are written with them, and nowhere else."""
    assert printable(text) == shown


SECRET = "zebra"  # noqa: S105  # a text that must not be seen
GOOD = [{"query_id": f"{SECRET}q{q}", "relevant": [f"{SECRET}d{q}", f"{SECRET}d1"]} for q in range(4)]
LOG = [
    event(n, 1 + n % 3, query_id=f"{SECRET}q{n % 4}", query_text=f"{SECRET} it's {n}", tenant_id=f"{SECRET}t{n % 2}", event_id=f"{SECRET}e{n}",
          ranked_ids=[f"{SECRET}d{n % 5}", f"{SECRET}d{n % 5 + 9}"])
    for n in range(60)
]  # fmt: skip
FAULTS = {
    "bad line": ([*LOG, '{"query_text": "zebra'], GOOD, ""),
    "no log": (["zebra line", "more zebra"], GOOD, ""),
    "bad label": (LOG, [*GOOD, '{"query_id": "zebra'], ""),
    "conflict": (LOG, [*GOOD, {"query_id": "zebraq0", "relevant": []}], '[definition]\nlabel_conflicts = "error"\n'),
    "never meet": (LOG, [{"query_id": f"zebraq{q}", "relevant": [f"doc:zebrad{q}"]} for q in range(4)], ""),
    "no query": (LOG, [{"query_id": "zebrax", "relevant": ["zebrad1"]}], ""),
    "odd grade": (LOG, [*GOOD, {"query_id": "zebraq1", "document_id": "zebrad2", "grade": "zebra"}], ""),
    "repeats": ([{**LOG[0], "ranked_ids": ["zebrad1", "zebrad1"]}, *LOG[1:]], GOOD, '[definition]\nduplicates = "error"\n'),
    "no relevant": (
        LOG,
        [*GOOD, {"query_id": "zebraq9", "document_id": "zebrad1", "grade": 0}],
        '[definition]\nno_relevant = "error"\n',
    ),
    "gate": (LOG, GOOD, '[gates]\n"recall@2[tenant_id=bolt]" = ">= 0.1"\n'),
    "fine": (LOG, GOOD, ""),
}


@pytest.mark.wide
@pytest.mark.parametrize("fault", FAULTS)
def test_errors_hide_what_a_redacted_run_hides(tmp_path: Path, fault: str) -> None:
    """stderr is mailed by cron: no text, id or tenant of log or labels stands there or in any file; what is wrong, and where, does."""
    rows, labels, more = FAULTS[fault]
    write(tmp_path / "logs" / "a.jsonl", rows)
    write(tmp_path / "labels.jsonl", labels)
    by = '["tenant_id"]' if fault == "gate" else "[]"
    (tmp_path / "nightly.toml").write_text(
        f'logs = ["logs"]\nlabels = ["labels.jsonl"]\nstore = "store"\nmax_age = "never"\nby = {by}\n'
        f'[outputs]\nwrite = ["html", "json", "markdown", "junit", "csv"]\nredact = true\nredact_ids = true\nsalt = "x"\n{more}'
    )
    done = run("run", "nightly.toml", cwd=tmp_path)
    assert done.returncode == {"fine": 0, "gate": 2}.get(fault, 3), done.stderr
    files = [path.read_text() for path in (tmp_path / "recallwatch-report").rglob("*") if path.is_file()]
    assert not [text for text in (done.stdout, done.stderr, *files) if SECRET in text]
    assert fault == "fine" or len(done.stderr.splitlines()[-1]) > 40
