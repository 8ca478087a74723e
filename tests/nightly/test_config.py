"""recallwatch.toml: what is wrong with it is told in one line, before any log is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recallwatch.base.errors import ExitCode, InputError, RecallwatchError, UsageError
from recallwatch.nightly.configuration import load
from recallwatch.nightly.run import run
from recallwatch.nightly.starter import starter, write_starter

ROOT = Path(__file__).parents[2]


def written(folder: Path, text: str) -> Path:
    """A configuration file."""
    path = folder / "recallwatch.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("logs = 'x'\nlables = 'y'", r"unknown key 'lables'\. Did you mean 'labels'\?"),
        ("logs = 'x'\n[outputs]\nfolders = 'y'", r"unknown key 'outputs\.folders'\. Did you mean 'folder'\?"),
        ("logs = 'x'\nwindow = 'days'", r"window: expected 'day', 'week' or 'all', saw 'days'\. See docs/nightly.md"),
        ("logs = 'x'\nk = 1.5", r"k: expected a list, saw 1\.5"),
        ("labels = 'x'", "logs is missing"),
        ("logs = [3]", r"logs\.0: expected a text, saw 3"),
        ("logs = 'x", "not TOML"),
        ("logs = '${RECALLWATCH_NOT_SET}'", "the environment has no RECALLWATCH_NOT_SET"),
        ("logs = 'x'\n[gates]\nmin_n = -1", r"gates\.min_n: expected a number >= 0, saw -1"),
        ("logs = 'x'\n[gates]\n'recall@10' = 0.7", r"gates\.limits\.recall@10: expected a text or a table, saw 0\.7"),
        ("logs = 'x'\n[gates]\n'recall@10' = {limit = 3}", r"gates\.limits\.recall@10\.limit: expected a text, saw 3"),
        (
            "logs = 'x'\n[gates]\n'recall@10' = {limits = '1'}",
            r"unknown key 'gates\.limits\.recall@10\.limits'\. Did you mean 'limit'",
        ),
        ("logs = 'x'\n[read]\nmap = 'x'", r"read\.map: expected column=path, saw 'x'\. For example"),
        ("logs = 'x'\n[read]\nmax_rejects = 'x'", r"read\.max_rejects: expected a share"),
        ("logs = 'x'\n[definition]\nunit = 3", r"definition\.unit: unknown value 3\. .*event, query"),
        ("logs = 'x'\n[drift]\nlevel_quality = '2'", r"drift\.level_quality: must lie between 0 and 1"),
        ("logs = 'x'\n[drift]\naccepted = '2026-11-01'", r"drift\.accepted: expected a list"),
        ("logs = []", r"logs: no logs named"),
        ("logs = 'x'\nk = [0]", r"k: k must be whole numbers >= 1"),
        ("logs = 'x'\ntimezone = '3'", r"timezone: unknown time zone '3'"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """Unknown keys (with the nearest), wrong types, missing keys and variables: where, what was seen, what to do; exit 2."""
    with pytest.raises(UsageError, match=message) as told:
        load(written(tmp_path, text))
    assert "\n" not in str(told.value)
    assert told.value.exit_code == ExitCode.USAGE


def test_no_file(tmp_path: Path) -> None:
    """A missing file names the command that makes one."""
    with pytest.raises(UsageError, match=r"cannot be read .*recallwatch init"):
        load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("more", "message", "kind"),
    [
        ("labels = 'none.jsonl'", "labels: .*none.jsonl: no such file", UsageError),
        ("[outputs]\nwrite = ['pdf']", r"unknown output 'pdf'\. Known: html", UsageError),
        ("[outputs]\nredact = true", "redacting needs a salt", UsageError),
        ("[gates]\n'recal@10' = '>= 0.7'", "unknown metric 'recal@10'", UsageError),
        ("[read]\nthread = 2", r"unknown key 'thread'\. Did you mean 'threads'\?", UsageError),
        ("[definition]\nunits = 'query'", r"unknown option 'units'\. Did you mean 'unit'\?", UsageError),
        ("[drift]\nfloor_metrics = 0.1", r"unknown option 'floor_metrics'", UsageError),
        ("labels = '{labels}'\nlogs = 'nothing/*.jsonl'", "nothing", InputError),
        ("timezone = 'Mars/X'", r"recallwatch\.toml: timezone: unknown time zone 'Mars/X'", UsageError),
        ("by = 'nope'", r"recallwatch\.toml: by: no column or attribute 'nope'", UsageError),
        ("by = 'a*'", r"recallwatch\.toml: by: not a column", UsageError),
        ("k = [0]", r"recallwatch\.toml: k: k must be whole numbers", UsageError),
        ("metrics = ['recal']", r"recallwatch\.toml: unknown metric 'recal'", UsageError),
        ("max_age = 'soon'", r"recallwatch\.toml: max_age: not an age", UsageError),
        ("[gates]\n'recall@10' = 'x'", r"recallwatch\.toml: gates\.'recall@10': not a limit", UsageError),
        ("[read]\nwhere = 'nope = 1'", r"recallwatch\.toml: read\.where: no column 'nope'", UsageError),
        ("[read]\nfrom = '2027-01-01'", r"Mend read\.from and read\.to$", InputError),
        ("[read.map]\nranked_ids = 'hits[].id'", r"read\.map ranked_ids=hits\[\]\.id: no 'hits' there", InputError),
    ],
)
def test_what_a_run_cannot_use_is_told_first(tmp_path: Path, more: str, message: str, kind: type[RecallwatchError]) -> None:
    """Names that do not exist, files that are not there: told with their place, never a traceback."""
    labels = ROOT / "sample_logs" / "labels.jsonl"
    logs = ROOT / "sample_logs" / "recalls" / "recalls-2026-11-01.parquet"
    text = more.replace("{labels}", str(labels))
    head = ("" if "logs =" in text else f"logs = '{logs}'\n") + ("" if "labels =" in text else f"labels = '{labels}'\n")
    with pytest.raises(kind, match=message):
        run(written(tmp_path, head + text))


def test_which_recalls_count_by_a_store(tmp_path: Path) -> None:
    """``where`` and ``from`` under [read] cut what is judged; the store takes everything."""
    lines = [
        {"query_id": "q", "ranked_ids": [name], "timestamp": f"2026-11-0{day}"} for day, name in ((1, "a"), (2, "b"), (3, "a"))
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "l.jsonl").write_text('{"query_id": "q", "relevant": ["a"]}')
    text = "logs = 'log.jsonl'\nlabels = 'l.jsonl'\nstore = 's'\nwindow = 'all'\nby = []\nmetrics = ['success']\nk = [1]\n[read]\n"
    for read, expected in (("from = '2026-11-02'", (0.5, 2)), ("where = \"timestamp < '2026-11-02'\"", (1.0, 1))):
        (row,) = run(written(tmp_path, text + read)).night.evaluation["metrics"]
        assert (row["value"], row["n"]) == expected


def test_paths_are_seen_from_the_file_and_variables_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths start at the configuration's folder; ${NAME} and ${NAME:-default} come from the environment."""
    monkeypatch.setenv("NIGHT_LOGS", "logs/today")
    found = load(
        written(tmp_path, "logs = '${NIGHT_LOGS}'\nlabels = '${NIGHT_LABELS:-l.jsonl}'\nstore = 'kept'\n[outputs]\nfolder = '/abs'")
    )
    assert found.logs == (str(tmp_path / "logs/today"),)
    assert found.labels == (str(tmp_path / "l.jsonl"),)
    assert found.store == str(tmp_path / "kept")
    assert found.outputs.folder == "/abs"


def test_init_writes_what_run_reads(tmp_path: Path) -> None:
    """The starter names the detected format, finds the labels beside the logs and loads without a change."""
    path = write_starter([str(ROOT / "sample_logs" / "recalls")], [], tmp_path / "recallwatch.toml")
    found = load(path)
    assert "flat, 14 files" in path.read_text(encoding="utf-8")
    assert Path(found.labels[0]).resolve() == ROOT / "sample_logs" / "labels.jsonl"
    assert found.by == ("query_class", "tenant_id")
    assert found.gates.presets == ("no-regression",)


def test_init_of_logs_that_carry_their_labels(tmp_path: Path) -> None:
    """The store keeps them and its nights are scored; where no labels are anywhere, the line says so."""
    for no in (1, 2):
        rows = [
            {"event_id": f"e{no}-{i}", "timestamp": f"2026-03-0{no}T0{i}:00:00Z", "query_id": f"q{i}", "ranked_ids": ["a", "b"]}
            for i in range(9)
        ]
        for folder, more in (("carry", {"relevant": ["b"]}), ("bare", {})):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{no}.jsonl").write_text("".join(json.dumps(row | more) + "\n" for row in rows))
    found = run(write_starter([str(tmp_path / "carry")], [], tmp_path / "recallwatch.toml")).night.evaluation
    recall = next(row for row in found["metrics"] if (row["metric"], row["k"], row["window"]) == ("recall", 1, None))
    assert (recall["value"], recall["n"]) == (0.0, 18)
    assert next(row for row in found["metrics"] if (row["metric"], row["k"], row["window"]) == ("recall", 3, None))["value"] == 1.0
    assert 'presets = ["same-answers"]' in starter([str(tmp_path / "bare")], [], tmp_path / "recallwatch.toml")


def test_init_replaces_nothing(tmp_path: Path) -> None:
    """A file that is there stays unless --force is given."""
    path = written(tmp_path, "mine")
    with pytest.raises(UsageError, match="is there already"):
        write_starter([str(ROOT / "sample_logs" / "recalls")], [], path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_init_names_a_file_among_the_logs_that_holds_none(tmp_path: Path) -> None:
    """Labels in the folder of the logs would stop each run: told when the file is written."""
    for name, row in (("log", {"query_id": "q", "ranked_ids": ["a"]}), ("golden", {"query_id": "q", "relevant": ["a"]})):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match=r"golden\.jsonl: holds no recall \(1 record: no result list.* --labels"):
        starter([str(tmp_path)], [], tmp_path / "recallwatch.toml")


def test_init_of_logs_that_are_not_there(tmp_path: Path) -> None:
    """No logs: told, nothing written."""
    with pytest.raises(InputError):
        starter([str(tmp_path / "none")], [], tmp_path / "recallwatch.toml")
