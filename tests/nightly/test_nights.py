"""The nightly run on the sample logs, night by night, with a store; and what it leaves when something goes wrong."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import command_line
import pytest

from recallwatch.base.errors import ExitCode, InputError, UsageError
from recallwatch.base.verdicts import exit_code
from recallwatch.nightly.configuration import Config
from recallwatch.nightly.freshness import skipped
from recallwatch.nightly.run import run
from recallwatch.report.night import Night

SAMPLE = Path(__file__).parents[2] / "sample_logs"
CONFIG = """
logs = "logs"
labels = "labels.jsonl"
store = "store"
max_age = "never"
[read]
threads = 2
[gates]
presets = ["no-regression", "clean-logs"]
[outputs]
write = ["json", "markdown"]
"""


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """Night -> its report.json and exit code; nights 2 to 6 arrive together, as after a weekend without cron."""
    folder = tmp_path_factory.mktemp("nights")
    config = home(folder)
    found: dict[int, dict[str, Any]] = {}
    for number, path in enumerate(sorted((SAMPLE / "recalls").iterdir()), 1):
        shutil.copy(path, folder / "logs")
        if 2 <= number <= 6:
            continue
        done = run(config)
        found[number] = {
            **json.loads((folder / "recallwatch-report" / "report.json").read_text(encoding="utf-8")),
            "exit": done.exit_code,
        }
    return found


def home(folder: Path) -> Path:
    """A folder with a configuration, labels and no logs yet."""
    (folder / "logs").mkdir()
    shutil.copy(SAMPLE / "labels.jsonl", folder)
    path = folder / "recallwatch.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_a_first_night_has_nothing_to_compare_with(nights: dict[int, dict[str, Any]]) -> None:
    """It says so, and exits 0."""
    assert nights[1]["headline"].startswith("Nothing to compare with yet")
    assert nights[1]["drift"] is None
    assert nights[1]["exit"] == ExitCode.FINE


@pytest.mark.parametrize("night", [8, 9, 10])
def test_the_lost_shard_is_named(nights: dict[int, dict[str, Any]], night: int) -> None:
    """Nights 8 to 10: quality, since the 8th, with the index version, in the first sentence; ongoing after the first; exit 4."""
    found = nights[night]
    assert found["headline"].startswith("Since 2026-11-08 (index v1 → v2): recall@10 (same queries) ")
    assert "12 of 49 queries worse, 0 better" in found["headline"]
    assert "latency, mix, labels, health unchanged" in found["headline"]
    assert found["state"] == ("new" if night == 8 else "ongoing")
    assert (found["verdict"], found["exit"]) == ("fail", ExitCode.ALARM)
    assert {"at": "2026-11-08T00:00:00Z", "kind": "index", "text": "index v1 → v2"} in found["marks"]


@pytest.mark.parametrize("night", [12, 13])
def test_the_slow_reranker_is_named(nights: dict[int, dict[str, Any]], night: int) -> None:
    """Nights 12 and 13: latency, since the 12th, with the stage, in the first sentence; exit 4."""
    found = nights[night]
    assert found["headline"].startswith("Since 2026-11-12: total p50 ")
    assert "rerank" in found["headline"].split(";")[1]
    assert "quality, answers, mix, labels, health unchanged" in found["headline"]
    assert found["state"] == ("new" if night == 12 else "ongoing")
    assert (found["verdict"], found["exit"]) == ("fail", ExitCode.ALARM)
    assert [gate["name"] for gate in found["gates"] if gate["verdict"] == "fail"] == ["p95:total"]


@pytest.mark.parametrize("night", [7, 11, 14])
def test_clean_nights_are_clean(nights: dict[int, dict[str, Any]], night: int) -> None:
    """The others are not flagged, gates included; the first after a fault says that it is over."""
    found = nights[night]
    assert (found["verdict"], found["exit"]) == ("ok", ExitCode.FINE)
    assert "nothing moved that matters" in found["headline"].lower()
    assert found["state"] == (None if night == 7 else "recovered")


def test_what_changed_since_the_last_run_is_told(nights: dict[int, dict[str, Any]]) -> None:
    """Verdict, gates, metrics and counts beside those of the run before."""
    told = nights[8]["changes"]
    assert "verdict ok → fail" in told
    assert any(line.startswith("newest window, by traffic: recall@10 0.799 → 0.649") for line in told)
    assert told[-1] == "recalls: 2,112 → 2,417"


def test_twice_is_once_and_the_store_changes_nothing(tmp_path: Path) -> None:
    """A second run over the same data says so, and a third leaves every file as it was; a report without a store says the same."""
    config = home(tmp_path)
    for number in (1, 2):
        shutil.copy(SAMPLE / "recalls" / f"recalls-2026-11-0{number}.parquet", tmp_path / "logs")
    run(config)
    first = run(config)
    assert first.night.headline.startswith("No new recalls since the run of ")
    assert (first.night.verdict, first.exit_code) == ("insufficient", ExitCode.FINE)
    before = {path: path.read_bytes() for path in (*first.files, first.record)}
    second = run(config)
    assert {path: path.read_bytes() for path in (*second.files, second.record)} == before
    plain = tmp_path / "plain.toml"
    plain.write_text(CONFIG.replace('store = "store"\n', "").replace("[outputs]", '[outputs]\nfolder = "plain"'), encoding="utf-8")
    run(plain)
    found, kept = (
        json.loads((tmp_path / folder / "report.json").read_text(encoding="utf-8")) for folder in ("plain", "recallwatch-report")
    )
    for name in ("gates", "marks", "drift", "sides"):
        assert found[name] == kept[name], name
    for name in ("metrics", "latency", "counts", "queries"):
        assert found["evaluation"][name] == kept["evaluation"][name], name


def test_what_is_done_stays_done(tmp_path: Path) -> None:
    """A run that fails at a bad file has committed the good ones; the next run reads only what is left."""
    config = home(tmp_path)
    shutil.copy(SAMPLE / "recalls" / "recalls-2026-11-01.parquet", tmp_path / "logs")
    (tmp_path / "logs" / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"bad\.parquet"):
        run(config)
    assert len(list((tmp_path / "store" / "commits").glob("*.json"))) == 1
    (tmp_path / "logs" / "bad.parquet").unlink()
    assert run(config).exit_code == ExitCode.FINE


@pytest.mark.parametrize(
    ("verdict", "fail_on", "code"),
    [
        ("fail", "fail", 4),
        ("warn", "fail", 0),
        ("warn", "warn", 4),
        ("insufficient", "insufficient", 4),
        ("insufficient", "warn", 0),
        ("fail", "never", 0),
        ("improved", "insufficient", 0),
    ],
)
def test_exit_codes_follow_fail_on(verdict: str, fail_on: str, code: int) -> None:
    """4 from the verdict on that the configuration names, else 0."""
    assert exit_code(verdict, fail_on) == code


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, where a job would stand."""
    return command_line.run(*words, cwd=folder, env=os.environ | {"RECALLWATCH_SALT": "s"})


def test_the_command_says_the_verdict_and_where_the_files_are(tmp_path: Path) -> None:
    """`run`: verdict on stdout, steps and files on stderr, exit code from the verdict; `report` of the store it leaves writes a page."""
    home(tmp_path)
    for number in (7, 8):
        shutil.copy(SAMPLE / "recalls" / f"recalls-2026-11-0{number}.parquet", tmp_path / "logs")
    done = command("run", "recallwatch.toml", folder=tmp_path)
    assert done.returncode == 4, done.stderr
    assert done.stdout.startswith("FAIL  Since 2026-11-08 (index v1 → v2): recall@10 (same queries) ")
    assert "ingest: " in done.stderr
    assert "report.json" in done.stderr
    page = command("report", "store", "--redact", "-o", "page.html", folder=tmp_path)
    assert page.returncode == 0, page.stderr
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "index v1 → v2" in text
    assert "before they go out" not in text


def test_a_mistake_is_one_line_and_exit_2(tmp_path: Path) -> None:
    """No traceback for a wrong configuration."""
    (tmp_path / "recallwatch.toml").write_text("logs = 'x'\nstor = 'y'\n", encoding="utf-8")
    done = command("run", "recallwatch.toml", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("recallwatch: recallwatch.toml: unknown key 'stor'. Did you mean 'store'?")
    assert done.stderr.count("\n") == 1


def test_an_empty_logs_folder_is_no_error_to_a_full_store(tmp_path: Path) -> None:
    """A night whose logs folder is empty judges what the store holds, and says so; an empty store has nothing to judge."""
    config = home(tmp_path)
    with pytest.raises(InputError, match="no log files there"):
        run(config)
    log = shutil.copy(sorted((SAMPLE / "recalls").iterdir())[0], tmp_path / "logs")
    before = run(config).night.evaluation["counts"]
    Path(log).unlink()
    after = run(config).night
    assert after.evaluation["counts"] == before
    assert any("No log files in" in note for note in after.notes)


def small(folder: Path, *days: int, answer: str = "a") -> Path:
    """A configuration without drift, and a log of some days of November 2026."""
    (folder / "logs").mkdir(exist_ok=True)
    for day in days:
        rows = [
            {
                "event_id": f"{day}-{n}",
                "timestamp": f"2026-11-{day:02}T0{n % 10}:00:00Z",
                "query_id": f"q{n % 5}",
                "ranked_ids": [answer],
                "total_ms": 1,
            }
            for n in range(25)
        ]
        (folder / "logs" / f"{day:02}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    labels = [{"query_id": f"q{n}", "document_id": "a"} for n in range(5)]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), encoding="utf-8")
    path = folder / "small.toml"
    text = 'logs = "logs"\nlabels = "labels.jsonl"\nstore = "store"\nby = []\ndrift = false\n[gates]\n"recall@10" = ">= 0.5"\n'
    text += '[outputs]\nwrite = ["json", "html", "markdown", "junit"]\n'
    path.write_text(text, encoding="utf-8")
    return path


def at(day: int) -> dt.datetime:
    """Noon of a day of November 2026."""
    return dt.datetime(2026, 11, day, 12, tzinfo=dt.UTC)


def test_nights_that_cron_skipped_are_judged_each(tmp_path: Path) -> None:
    """Windows between the last run's and this one's are judged, each is told, and the worst of them is the run's verdict."""
    run(small(tmp_path, 1, 2), now=at(3))
    small(tmp_path, 3, 4, answer="b")
    done = run(small(tmp_path, 5), now=at(6))
    assert [(row["window"][:10], row["verdict"]) for row in done.night.skipped] == [("2026-11-03", "fail"), ("2026-11-04", "fail")]
    assert done.night.headline.startswith(
        "Before this window, 2 windows had been judged by no run, or got recalls since: 2 fail. 2026-11-03 fail: 1 of 1 gates fails"
    )
    assert (done.night.verdict, done.exit_code) == ("fail", ExitCode.ALARM)
    assert "2026-11-04 fail" in (tmp_path / "recallwatch-report" / "report.md").read_text(encoding="utf-8")
    again = run(tmp_path / "small.toml", now=at(6))
    assert again.night.skipped == []


@pytest.mark.parametrize(("seen", "verdict", "told"), [(25, "ok", ["fail"]), (50, "ok", []), (25, "fail", []), (None, "ok", [])])
def test_recalls_that_came_late_are_told(seen: int | None, verdict: str, told: list[str]) -> None:
    """A window before the last one judged is told where it got recalls and is worse for it; not again, and not of records without windows."""
    days = [f"2026-11-0{day}T00:00:00Z" for day in (1, 2, 3)]
    bodies = [{"current": {"from": day}, "verdict": "fail" if day == days[0] else "ok", "headline": "Lost."} for day in days]
    shares = [{"window": day, "events": 50} for day in days]
    night = Night({"metrics": [], "latency": []}, {**bodies[2], "windows": bodies}, {"window_shares": shares})
    before = {"window": days[1], **({"windows": {days[0]: seen, days[1]: 50}, "verdicts": {days[0]: verdict}} if seen else {})}
    assert [row["verdict"] for row in skipped(Config(logs=("x",)), [], night, [before])] == told


def test_the_first_sentence_says_what_the_verdict_rests_on() -> None:
    """The gravest first: gates that warn, skipped windows, a log that stopped; each verdict is counted by its own name."""
    drift = {"verdict": "insufficient", "headline": "Too little data to judge the window."}
    gates = [
        {"verdict": verdict, "name": f"g{i}", "seen": "0.1", "limit": ">= 0.2"}
        for i, verdict in enumerate(("pass", "warn", "warn"))
    ]
    missed = [
        {"window": f"2026-11-0{i}T00:00:00Z", "verdict": verdict, "headline": "Lost."}
        for i, verdict in enumerate(("ok", "warn", "insufficient"), 1)
    ]
    fresh = [{"verdict": "fail", "headline": "The newest recall is old."}]
    unseen = {
        "verdict": "fail",
        "name": "g",
        "seen": "0.9",
        "limit": ">= 0.2",
        "reason": "cannot be judged: 5 recalls, 20 are needed",
    }
    assert (
        "1 of 1 gates fails: g cannot be judged: 5 recalls, 20 are needed (wanted >= 0.2)."
        in Night({}, drift, gates=[unseen]).headline
    )
    night = Night({}, drift, gates=gates, skipped=missed, freshness=fresh)
    assert night.verdict == "fail"
    assert night.headline == (
        "The newest recall is old. Before this window, 3 windows had been judged by no run, or got recalls since: 1 warns, 1 has too little data. "
        "2026-11-02 warn: Lost. 2 of 3 gates warn: g1 0.1 (wanted >= 0.2); g2 0.1 (wanted >= 0.2). Too little data to judge the window."
    )


def test_a_log_that_stopped_is_told(tmp_path: Path) -> None:
    """A newest recall older than two windows is a warning, or what the file says; an empty folder of logs beside a full store is no error."""
    config = small(tmp_path, 1, 2)
    assert run(config, now=at(3)).night.freshness == []
    for path in (tmp_path / "logs").iterdir():
        path.unlink()
    done = run(config, now=at(9))
    told = [(row["verdict"], row["headline"].partition(" of ")[0]) for row in done.night.freshness]
    assert told == [("insufficient", "No new recalls since the run"), ("warn", "The newest recall is")]
    config.write_text('timezone = "Asia/Kolkata"\n' + (first := config.read_text(encoding="utf-8")), encoding="utf-8")
    assert " is of 2026-11-02 14:30 Asia/Kolkata, more than " in run(config, now=at(9)).night.local.headline
    config.write_text(first, encoding="utf-8")
    assert done.night.notes[0].startswith("No log files in ")
    assert done.exit_code == ExitCode.FINE
    small(tmp_path, 20)  # one recall of a wrong clock hides no log that stopped
    told = [(row["verdict"], row["headline"].partition(",")[0]) for row in run(config, now=at(9)).night.freshness]
    assert told == [
        ("warn", "The newest recall is of 2026-11-20 09:00 UTC"),
        ("warn", "The newest other recall is of before 2026-11-03 00:00 UTC"),
    ]
    shutil.rmtree(tmp_path / "store")
    (tmp_path / "logs" / "20.jsonl").unlink()
    small(tmp_path, 1, 2)
    config.write_text('stale = "fail"\nmax_age = "36h"\n' + config.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(config, now=at(9)).exit_code == ExitCode.ALARM
    config.write_text(
        'max_age = "soon"\n' + config.read_text(encoding="utf-8").partition("\n")[2].partition("\n")[2], encoding="utf-8"
    )
    with pytest.raises(UsageError, match="max_age: not an age: 'soon'"):
        run(config)


def test_no_older_page_passes_for_that_of_a_run_that_failed(tmp_path: Path) -> None:
    """Where a run cannot be finished its files say so; those of the last result are moved aside, however many such runs follow."""
    config = small(tmp_path, 1, 2)
    run(config, now=at(3))
    (tmp_path / "logs" / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError):
        run(config, now=at(3))
    folder = tmp_path / "recallwatch-report"
    for name in ("report.json", "report.html", "report.md", "junit.xml"):
        assert "could not be finished" in (text := (folder / name).read_text(encoding="utf-8")) or name == "junit.xml"
        assert "bad.parquet" in text
        assert (folder / "earlier" / name).exists()
    good = (folder / "earlier" / "report.html").read_bytes()
    with pytest.raises(InputError):
        run(config, now=at(3))
    assert (folder / "earlier" / "report.html").read_bytes() == good  # that of a second such night does not take its place
    (tmp_path / "logs" / "bad.parquet").unlink()
    run(config, now=at(3))
    assert not (folder / ".no-result").exists()
