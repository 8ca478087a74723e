"""The script that draws a page's charts: Vega, Vega-Lite and Vega-Embed in one, made once for each version of vl-convert."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import platformdirs

from ..base.errors import RecallwatchError
from ..base.files import write_whole

SNIPPET = "window.draw = vegaEmbed;"
COMMAND = f"import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle({SNIPPET!r}).encode())"


@cache
def begin() -> Future[str]:
    """Start making the script: it takes a second and holds Python's lock, so in a process of its own."""
    return ThreadPoolExecutor(1, "vega").submit(_kept_or_made)


def script() -> str:
    """What was begun, or made here where no process can be had; a closing tag inside a string of theirs must not end our script."""
    try:
        made = begin().result()
    except (OSError, subprocess.SubprocessError):
        import vl_convert

        made = str(vl_convert.javascript_bundle(SNIPPET))
    return made.replace("</script", "<\\/script")


def _kept_or_made() -> str:
    """From the user's cache folder, where an earlier page left it."""
    place = _place()
    if place.is_absolute() and (kept := _kept(place)):
        return kept
    command = [sys.executable, "-P", "-c", COMMAND]
    made = subprocess.run(command, capture_output=True, check=True).stdout.decode()  # noqa: S603  # a constant of ours
    if place.is_absolute():  # else this user has no home
        with suppress(RecallwatchError):  # it cannot be written to: the next page makes the script again
            write_whole(place, f"{_digest(made)}\n{made}".encode(), parents=True)
    return made


def _kept(place: Path) -> str:
    """What stands there; empty where that is nothing, or nothing whole."""
    try:
        digest, _, text = place.read_bytes().decode().partition("\n")
    except (OSError, ValueError):
        return ""
    return text if digest == _digest(text) else ""


def _place() -> Path:
    name = _digest(f"{version('vl-convert-python')} {COMMAND}")[:16]
    return platformdirs.user_cache_path("recallwatch", appauthor=False) / f"vega-{name}.js"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
