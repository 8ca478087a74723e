"""Runs the command in a process of its own whose calls of the operating system end it, or fail, at a chosen one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CALLS = ("open", "replace", "unlink", "mkdir", "fsync", "truncate", "write")
PROGRAM = f"""
import errno, os, signal, sys
from recallwatch.__main__ import main
kind, number, seen = sys.argv[1], int(sys.argv[2]), 0

def wrapped(call):
    def counted(*arguments, **named):
        global seen
        seen += 1
        if seen == number and kind == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))
        if seen == number:
            os.kill(os.getpid(), getattr(signal, kind))
        return call(*arguments, **named)
    return counted

for name in {CALLS!r}:
    setattr(os, name, wrapped(getattr(os, name)))
sys.argv = ["recallwatch", *sys.argv[3:]]
main()
"""


def disturbed(kind: str, number: int, *words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, disturbed.

    Args:
        kind: a signal's name, or ``full``: the call finds no space.
        number: of the call, from 1; 0 = nothing happens.
        words: the command's.
        folder: where it runs; its temporary folders are in ``tmp`` there.
    """
    (folder / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, "-c", PROGRAM, kind, str(number), *map(str, words)]
    env = {**os.environ, "TMPDIR": str(folder / "tmp")}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def left_over(folder: Path) -> list[str]:
    """What no run should leave: temporary files and folders, locks."""
    return [
        str(p.relative_to(folder))
        for p in folder.rglob("*")
        if ".tmp" in p.name or p.name == "writer.lock" or p.parent == folder / "tmp"
    ]
