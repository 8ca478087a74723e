"""The same small case on every path: a command, a store, a nightly run and the library give one answer or one refusal.

    python -m benchmarks.paths

Each case is a log, labels and options that were once read wrong; `want` is the value, the refusal or the warning that is right. Prints one
table; exits with 1 where a path says anything else.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recallwatch
from recallwatch.base.errors import RecallwatchError
from recallwatch.nightly.run import run

from .paths_cases import BESIDE, Case, Rows, cases


class Place:
    """A case on disk, and what each path says of it.

    Args:
        case: what is odd.
        folder: an empty one.
    """

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.log = self._put(case.log, "log.jsonl")
        self.labels = None if case.labels is None else self._put(case.labels, "labels.jsonl")

    def _put(self, given: Rows | tuple[str, str], name: str) -> Path:
        name, text = given if isinstance(given, tuple) else (name, "".join(json.dumps(row) + "\n" for row in given))
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def command(self) -> Any:
        """`recallwatch evaluate LOG --labels L`, read from its JSON."""
        return self._commands(["evaluate", str(self.log), *self._named()])

    def store(self) -> Any:
        """`recallwatch ingest LOG --store S`, then `recallwatch evaluate --store S --labels L`."""
        store = str(self.folder / "store")
        named = [part for option in self.case.options.get("mapped", {}).items() for part in ("--map", "=".join(option))]
        return self._commands(["ingest", str(self.log), "--store", store, *named], ["evaluate", "--store", store, *self._named()])

    def nightly(self) -> Any:
        """`recallwatch run` with the options in its file; report.json."""
        options = dict(self.case.options)
        top = {
            "logs": str(self.log),
            "store": "nights",
            "window": "all",
            "max_age": "never",
            "k": options.pop("k", "all").split(","),
        }
        top |= {"labels": str(self.labels)} if self.labels else {}
        top |= {"metrics": list(options.pop("metrics"))}
        mapped = options.pop("mapped", {})
        text = [
            *_toml(top),
            "[outputs]",
            'write = ["json"]',
            *(["[read.map]", *_toml(mapped)] if mapped else []),
            "[definition]",
            *_toml(options),
        ]
        (self.folder / "night.toml").write_text("\n".join(text), encoding="utf-8")
        run(self.folder / "night.toml")
        return json.loads((self.folder / "recallwatch-report" / "report.json").read_text(encoding="utf-8"))["evaluation"]

    def library(self) -> Any:
        """`recallwatch.evaluate` of lists of dicts, where the case is rows."""
        log, labels = (
            given if isinstance(given, list) else path
            for given, path in ((self.case.log, self.log), (self.case.labels, self.labels))
        )
        return recallwatch.evaluate(log, labels, **self.case.options).to_dict()

    def _named(self) -> list[str]:
        words = ["-f", "json", *(["--labels", str(self.labels)] if self.labels else [])]
        for name, value in self.case.options.items():
            flag = {"metrics": "-m", "mapped": "--map"}.get(name, f"--{name.replace('_', '-')}")
            several = (
                value
                if isinstance(value, tuple)
                else ["=".join(item) for item in value.items()]
                if isinstance(value, dict)
                else [value]
            )
            words += [part for single in several for part in (flag, str(single))]
        return words

    def _commands(self, *calls: list[str]) -> Any:
        from typer.testing import CliRunner

        from recallwatch.cli import app

        for words in calls:
            done = CliRunner().invoke(app, [*words, "--threads", "1"])
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                raise done.exception
        return json.loads(done.stdout)


def _toml(table: dict[str, Any]) -> list[str]:
    return [f"{name} = {json.dumps(value)}" for name, value in table.items()]


PATHS: dict[str, Callable[[Place], Any]] = {
    "command": Place.command,
    "store": Place.store,
    "nightly run": Place.nightly,
    "library": Place.library,
}


def said(call: Callable[[Place], Any], place: Place) -> Any:
    """What a path says: values and codes of warnings, or the words of its refusal."""
    try:
        result = call(place)
    except RecallwatchError as error:
        return str(error)
    values = {}
    for row in result["metrics"]:
        if not row["segment"] and row["window"] is None:
            name = row["metric"] if row["k"] is None else f"{row['metric']}@{row['k']}"
            values |= {name: row["value"], **{f"{name} {column}": row.get(column) for column in BESIDE}}
    return {"values": values, "codes": {row["code"] for row in result["warnings"]}}


def wrong_of(case: Case, folder: Path, path: str) -> str:
    """What a path says wrong of a case; "" = nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    return case.but.get(path, case.want).judged(said(PATHS[path], Place(case, folder)))


def main() -> None:
    """Print the table."""
    bad = 0
    print("| case |", " | ".join(PATHS), "|")
    print("|---|", "|".join("---" for _ in PATHS), "|", sep="")
    with tempfile.TemporaryDirectory(prefix="paths-") as home:
        for number, case in enumerate(cases()):
            cells = [wrong_of(case, Path(home) / f"{number}-{path}", path) for path in PATHS]
            bad += sum(map(bool, cells))
            print("|", case.name, "|", " | ".join(cell or "right" for cell in cells), "|", flush=True)
    print(f"{bad} wrong")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
