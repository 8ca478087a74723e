"""Places that take nothing: a full disk, a read-only one; devices and links as outputs."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .disturbing import disturbed, left_over

EVALUATE = ("evaluate", "logs", "--labels", "labels.jsonl", "-m", "mrr")
may_mount = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="root alone can mount")


@contextlib.contextmanager
def mounted(place: Path, *how: str) -> Iterator[Path]:
    """A file system at a folder, as long as it is needed; skips where this root may not mount."""
    place.mkdir(exist_ok=True)
    if subprocess.run(["mount", *how, str(place)], capture_output=True, check=False).returncode:
        pytest.skip("no mounts here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def refused(world: Path, *words: object) -> str:
    """A command that finds no place: one line, exit 2, nothing left over."""
    done = disturbed("", 0, *words, folder=world)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert left_over(world) == []
    return done.stderr


@pytest.mark.wide
@may_mount
def test_a_full_disk(world: Path) -> None:
    """Wherever the space runs out (output, store, page, database, temporary folder), it is one exit code, and what was there stays."""
    with mounted(world / "full", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as full:
        (full / "kept.json").write_text("mine")
        (full / "filler").write_bytes(b"x" * 60_000)
        assert "No space left" in refused(world, *EVALUATE, "-f", "json", "-o", full / "kept.json")
        assert "No space left" in refused(world, "convert", "logs", "-o", full / "events.parquet")
        assert "No space left" in refused(world, "ingest", "logs", "--store", full / "store")
        assert (full / "kept.json").read_text() == "mine"
        assert [path.name for path in full.iterdir() if path.is_file()] in (["kept.json", "filler"], ["filler", "kept.json"])
    with mounted(world / "tmp", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "tmpfs"):
        refused(world, *EVALUATE)


@pytest.mark.wide
@may_mount
def test_a_read_only_mount(world: Path) -> None:
    """A store that may only be read is read; whatever would be written there is refused in one line."""
    assert disturbed("", 0, "run", "nightly.toml", folder=world).returncode in (0, 4)
    with mounted(world, "--bind", str(world)) as place:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        for words in (("--store", "store"), ("store",)):
            done = disturbed_read_only(world, "evaluate", *words, "--labels", "labels.jsonl", "-m", "mrr")
            assert done.returncode == 0, done.stderr
        for words in (
            ("ingest", "logs", "--store", "store"), ("run", "nightly.toml"), ("accept", "store", "2026-03-01"), ("store", "gc", "store"),
            ("attach", "store"), (*EVALUATE, "-o", "x.txt"), ("init", "logs", "-o", "x.toml"), ("report", "store", "-o", "x.html"),
            ("ingest", "logs", "--store", "new"), ("convert", "logs", "-o", "x.parquet"),
        ):  # fmt: skip
            done = disturbed_read_only(world, *words)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), (words, done.stderr)
            assert "Read-only file system" in done.stderr


def disturbed_read_only(world: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """A command in a folder that takes nothing; its temporary folders are elsewhere."""
    import sys

    command = [sys.executable, "-m", "recallwatch", *map(str, words)]
    return subprocess.run(command, cwd=world, capture_output=True, text=True, check=False)


def test_links_and_devices_as_outputs(world: Path) -> None:
    """Through a link its target is written, a pipe (or device) is written to and stays one, and nobody's NAME.tmp is touched."""
    os.mkfifo(world / "pipe")
    assert "cannot be written" in refused(world, "convert", "logs", "-o", "pipe")
    (world / "link.json").symlink_to("target.json")
    (world / "target.json.tmp").write_text("mine")
    reader = subprocess.Popen(["cat", "pipe"], cwd=world, stdout=subprocess.PIPE, text=True)
    for out in ("link.json", "pipe"):
        done = disturbed("", 0, *EVALUATE, "-f", "json", "-o", out, folder=world)
        assert done.returncode == 0, done.stderr
    assert reader.communicate()[0] == (world / "target.json").read_text()
    assert (world / "link.json").is_symlink()
    assert (world / "pipe").is_fifo()
    assert (world / "target.json").stat().st_size > 1000
    assert (world / "target.json.tmp").read_text() == "mine"
