"""The command ``recallwatch``, called in this process: what it writes and how it ends, without a new Python for each call."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from recallwatch.cli import main

ROOT = Path(__file__).parents[1]


class Pipe(io.TextIOWrapper):
    """Standard output or error as a process sees it when it is read by another: text over bytes, no terminal."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.bytes = self.buffer

    def content(self) -> bytes:
        """All that was written."""
        held = self.buffer
        assert isinstance(held, io.BytesIO)
        return held.getvalue()


def run_bytes(*arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """The command's exit code and the bytes of its two streams; an error that is not caught ends the test as it is."""
    words = [str(argument) for argument in arguments]
    out, err, code = Pipe(), Pipe(), 0
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, env or {}, clear=env is not None),
        mock.patch.object(sys, "argv", ["recallwatch", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    return subprocess.CompletedProcess(words, code, out.content(), err.content())


def run(*arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """:func:`run_bytes`, its streams as text."""
    done = run_bytes(*arguments, cwd=cwd, env=env)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_process(*arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own: for what only a process shows (start, signals, warnings, its own time zone)."""
    command = [sys.executable, "-m", "recallwatch", *map(str, arguments)]
    known = (
        dict(os.environ) if env is None else env
    )  # not what C code added beside it: readline, which pytest loads, sets COLUMNS=80
    return subprocess.run(command, cwd=cwd, env=known, capture_output=True, text=True, check=False)
