"""Files as they really lie around: odd names, links, pipes, damage, no permission. Each is read, counted, or named in an error."""

import gzip
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.engine import Engine, quoted_paths
from recallwatch.base.errors import InputError, UsageError
from recallwatch.read import lines
from recallwatch.read.paths import expand
from recallwatch.store import ingest
from recallwatch.store.sql_query import ask

LABELS = pa.table({"query_id": ["q1"], "document_id": ["d1"]})
ODD_NAMES = ["run[1]", "a*b", "q?", "[!a]", "**", "it's", "{x,y}", "a b", "[[]", "#1%41"]


def line(event: str) -> str:
    """One recall that has the labelled document first."""
    return json.dumps({"event_id": event, "query_id": "q1", "timestamp": "2026-03-01T10:00:00Z", "ranked_ids": ["d1"]}) + "\n"


def test_a_name_means_its_own_file(tmp_path: Path) -> None:
    """Characters that a pattern would read stand for themselves: look-alikes are not read."""
    with closing(Engine(threads=1)) as engine:
        for name in (*ODD_NAMES, "run1", "axb", "qq", "a"):
            pq.write_table(pa.table({"name": [name]}), tmp_path / f"{name}.parquet")
        for name in ODD_NAMES:
            assert engine.run(f"select name from read_parquet({quoted_paths(tmp_path / f'{name}.parquet')})") == [(name,)]


def test_odd_names_of_logs_labels_and_stores(tmp_path: Path) -> None:
    """The same through the doors that people use."""
    place = tmp_path / "x[1]"
    place.mkdir()
    for stem, query in (("run[1]", "q1"), ("run1", "other")):
        pq.write_table(pa.table({"query_id": [query], "ranked_ids": [["d1"]]}), place / f"{stem}.parquet")
    pq.write_table(LABELS, place / "labels*.parquet")
    ingest(place / "run[1].parquet", store=place / "store[1]")
    for given in ({"logs": place / "run[1].parquet"}, {"store": place / "store[1]"}):
        result = recallwatch.evaluate(labels=place / "labels*.parquet", metrics="recall@1", **given)
        assert (result.counts["events"], result.to_dict()["metrics"][0]["value"]) == (1, 1.0)
    with pytest.raises(UsageError, match="a question mark"):
        ingest(place / "run[1].parquet", store=tmp_path / "store?")


def test_one_file_by_two_names_is_one_file(tmp_path: Path) -> None:
    """Another spelling, a link, a folder that holds it: read once, and one source of a store."""
    (tmp_path / "conf").mkdir()
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_text('{"query_id": "q1", "ranked_ids": ["d1"]}\n')
    (tmp_path / "link.jsonl").symlink_to(logs / "a.jsonl")
    detour = tmp_path / "conf" / ".." / "logs"
    given = [str(detour / "a.jsonl"), str(logs), str(tmp_path / "link.jsonl")]
    assert [os.path.realpath(path) for path in expand(given, kind="log")] == [str(logs / "a.jsonl")]
    for one in given:
        ingest(one, store=tmp_path / "store")
    assert ask(tmp_path / "store", "select count(*) as n from events").to_pylist() == [{"n": 1}]


@pytest.mark.skipif(sys.platform == "win32", reason="a backslash parts folders there")
def test_a_name_that_the_engine_cannot_take(tmp_path: Path) -> None:
    """A backslash alone is read; beside a sign of a pattern it is refused by name, not called damage."""
    for name in ("a\\b.parquet", "a\\b[1].parquet"):
        pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": [["d1"]]}), tmp_path / name)
    assert recallwatch.evaluate(tmp_path / "a\\b.parquet", LABELS).counts["events"] == 1
    with pytest.raises(InputError, match="has a backslash and one of"):
        recallwatch.evaluate(tmp_path / "a\\b[1].parquet", LABELS)


def test_linked_folders_are_read_once(tmp_path: Path) -> None:
    """A folder that is a link belongs to the log; one that leads back is no endless way."""
    elsewhere, logs = tmp_path / "elsewhere", tmp_path / "logs"
    elsewhere.mkdir()
    logs.mkdir()
    (elsewhere / "b.jsonl").write_text(line("b"))
    (logs / "linked").symlink_to(elsewhere)
    (elsewhere / "back").symlink_to(logs)
    assert [path.name for path in expand([str(logs)], kind="log")] == ["b.jsonl"]


@pytest.mark.parametrize("damage", ["wrong checksum", "cut short"])
def test_a_damaged_file_is_never_empty(damage: str, tmp_path: Path) -> None:
    """Beside a good file, one whose data are cut or wrong is named or counted; its events do not vanish in silence."""
    whole = gzip.compress(line("b").encode())
    packed = whole[:-8] + b"abcdefgh" if damage == "wrong checksum" else whole[:12]
    (tmp_path / "a.jsonl").write_text(line("a"))
    (tmp_path / "b.jsonl.gz").write_bytes(packed)
    try:
        result = recallwatch.evaluate(tmp_path, LABELS, max_rejects=1.0)
    except InputError as error:
        assert "b.jsonl.gz" in str(error)
        assert lines.CUT_SHORT in str(error)
    else:
        assert result.counts["rejected_lines"] == 1


@pytest.mark.parametrize("place", ["logs", "labels"])
@pytest.mark.parametrize("damage", ["cut", "footer", "page", "encrypted", "text", "own column"])
def test_a_damaged_parquet_file_is_named(damage: str, place: str, tmp_path: Path) -> None:
    """What is wrong with it stands in our words beside its name, wherever the engine stumbled; the file beside it is not blamed."""
    good, bad = tmp_path / "a.parquet", tmp_path / "b.parquet"
    rows = {"query_id": ["q1"] * 99, "ranked_ids": [["d1"]] * 99, "relevant": [["d1"]] * 99}
    for path in (good, bad):
        pq.write_table(pa.table(rows | ({"file_row_number": [1] * 99} if path == bad and damage == "own column" else {})), path)
    whole = bad.read_bytes()
    broken = {
        "cut": (whole[:-8], "cut short (no PAR1 at its end)"),
        "footer": (whole[:-8] + b"\xff\xff\xff\x7fPAR1", "its footer cannot be read"),
        "page": (whole[:30] + b"\xff" * 40 + whole[70:], "its data cannot be read"),
        "encrypted": (b"PARE" + whole[4:-4] + b"PARE", "an encrypted Parquet file"),
        "text": (b"hello there", "not a Parquet file"),
        "own column": (whole, "a column is called file_row_number"),
    }
    data, what = broken[damage]
    bad.write_bytes(data)
    with pytest.raises(InputError) as caught:
        recallwatch.evaluate([good, bad] if place == "logs" else good, LABELS if place == "logs" else [good, bad])
    assert str(caught.value).startswith(f"{bad}: ") and what in str(caught.value)


def test_what_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file that unpacks to a flood of the same is no log: an error, not gigabytes."""
    monkeypatch.setattr(lines, "UNPACKED", 1 << 20)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b" " * (64 << 20)))
    with pytest.raises(InputError, match="unpacks to over"):
        recallwatch.evaluate(tmp_path / "a.jsonl.gz", LABELS)


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line larger than any recall is an error that names the file."""
    monkeypatch.setattr(lines, "LONGEST", 9 << 20)
    (tmp_path / "a.jsonl").write_text(line("a") + "x" * (20 << 20))
    with pytest.raises(InputError, match="a line of over 9 MiB"):
        recallwatch.evaluate(tmp_path / "a.jsonl", LABELS)


@pytest.mark.skipif(sys.platform == "win32", reason="file names are bytes there no longer")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """A file name that is not UTF-8 is named in the error, readably."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.jsonl")).write_text(line("a"))
    with pytest.raises(InputError, match=r"a\\xff\.jsonl: the file name is not UTF-8"):
        recallwatch.evaluate(tmp_path, LABELS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_read_is_named(what: str, tmp_path: Path) -> None:
    """A file or folder without permission is an error, not a smaller log."""
    (tmp_path / "good.jsonl").write_text(line("a"))
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "b.jsonl").write_text(line("b"))
    barred = closed if what == "folder" else closed / "b.jsonl"
    barred.chmod(0)
    try:
        with pytest.raises(InputError, match=r"closed.*cannot be read \(Permission denied\)"):
            recallwatch.evaluate(tmp_path, LABELS)
    finally:
        barred.chmod(0o755)


@pytest.mark.parametrize("how", ["cat {0} | {1} evaluate - --labels {2} -f json", "{1} evaluate <(cat {0}) --labels {2} -f json"])
def test_pipes_are_read(how: str, tmp_path: Path) -> None:
    """A log may come through a pipe or from stdin, whatever its first look needs."""
    log, labels = tmp_path / "a.jsonl", tmp_path / "l.jsonl"
    log.write_text(line("a") + line("b"))
    labels.write_text('{"query_id": "q1", "relevant": ["d1"]}\n')
    command = how.format(log, f"{sys.executable} -m recallwatch", labels)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["events"] == 2


def test_a_store_takes_no_pipe(tmp_path: Path) -> None:
    """What a store keeps has a name it can be found by again."""
    with pytest.raises(InputError, match="a pipe, where log files are kept by name"):
        ingest("-", store=tmp_path / "store")
