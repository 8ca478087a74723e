"""`recallwatch` alone: what to type next in this folder, told from the names of its files; none is opened."""

from __future__ import annotations

import os
import re
import shlex
from itertools import islice
from pathlib import Path

LOGS = re.compile(r"\.(jsonl|ndjson|json|parquet|csv|tsv)(\.gz|\.zst)?$", re.IGNORECASE)
LABELS = re.compile(r"(labels?|qrels|golden)\b.*", re.IGNORECASE)
NO_DATA = {"node_modules", "__pycache__", "site-packages", "src", "tests", "charts", "earlier"}
DEPTH, LOOKED_AT = 2, 2_000  # folders below this one, files in all: a word must not take a second
CONFIG = "recallwatch.toml"


def command() -> None:
    """Print the next step, as commands to paste."""
    from ..document.model import Document
    from ..document.outputs import show

    said, lines = next_steps(Path())
    show(
        Document(said, paste="\n".join(lines)),
        Document("recallwatch --help lists all commands, recallwatch COMMAND --help shows one."),
    )


def next_steps(folder: Path) -> tuple[str, list[str]]:
    """What is in a folder, and the commands that go on from there; paths are as seen from it."""
    files = list(islice(_files(folder), LOOKED_AT))
    stores = sorted({file.parent for file in files if file.name == "recall.duckdb"})
    if any(file == Path(CONFIG) for file in files):
        return f"This folder has a configuration, {CONFIG}. Next, by hand or by cron:", [f"recallwatch run {CONFIG}"]
    if stores:
        store = shlex.quote(str(stores[0]))
        return f"This folder has a store, {stores[0]}. Next:", [f"recallwatch evaluate {store}", f"recallwatch report {store}"]
    labels = [file for file in files if LOGS.search(file.name) and LABELS.match(file.name)]
    logs = [file for file in files if LOGS.search(file.name) and not LABELS.match(file.name)]
    if not logs:
        return "This folder has no recall logs. Next, in a folder that has, or here:", ["recallwatch evaluate LOGS --labels FILE"]
    places = [file.parent for file in logs]
    place = max(dict.fromkeys(places), key=lambda one: (places.count(one), -len(one.parts)))
    labels.sort(key=lambda file: (file.parent not in (place, place.parent), len(file.parts), file))
    named, n = _named(place, [file for file in logs if file.parent == place], labels), places.count(place)
    with_labels = f" --labels {shlex.quote(str(labels[0]))}" if labels else ""
    steps = [f"recallwatch {'evaluate' if labels else 'check'} {named}{with_labels}", f"recallwatch init {named}{with_labels}"]
    what = f"{n} file{'s' if n > 1 else ''} in {place} may be recall logs{f', {labels[0]} their labels' if labels else ''}."
    return f"{what} Next, to see what they hold and to watch them every night:", steps


def _named(place: Path, logs: list[Path], labels: list[Path]) -> str:
    """The folder; where labels stand in it too, what the logs' names begin with."""
    if place not in {file.parent for file in labels}:
        return shlex.quote(str(place))
    start = os.path.commonprefix([str(file) for file in logs])  # noqa: RUF071 -- of the names' characters, as a shell's glob has it
    others = any(str(file).startswith(start) for file in labels)
    return " ".join(shlex.quote(str(file)) for file in logs) if len(logs) == 1 or others else f"{shlex.quote(start)}*"


def _files(folder: Path) -> list[Path]:
    met: list[Path] = []
    for here, folders, names in os.walk(folder):
        place = Path(here).relative_to(folder)
        folders[:] = sorted(f for f in folders if not f.startswith((".", "_")) and f not in NO_DATA and len(place.parts) < DEPTH)
        met += [place / name for name in sorted(names) if not name.startswith(".")]
    return met
