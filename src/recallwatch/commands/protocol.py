"""`recallwatch protocol run|dry-run|verify|history|cite`: benchmark numbers that may be quoted, or are refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ExitCode
from ..protocol.options import PROTOCOL as PROTOCOL_RUN
from . import options as o

app = o.group("Benchmark runs by an agreed protocol.", "protocol run locomo --logs run.jsonl --corpus locomo10.json -o results/v1")
PROTOCOL = Annotated[
    str, typer.Argument(metavar="PROTOCOL", help="Name (recallwatch list protocols) or TOML file.", show_default=False)
]
LOGS = Annotated[
    list[str], typer.Option("--logs", metavar="LOGS", help="Files, folders or globs of recall logs; repeat.", show_default=False)
]
OUT = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Results folder to write.", show_default=False)]
METRIC = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", metavar="NAMES", help="Show only these metrics; recall=any requires that definition."),
]
REPLACE = Annotated[bool, typer.Option("--replace", help="Replace existing results.")]
DIRS = Annotated[list[Path], typer.Argument(metavar="DIR…", help="Results folders, or folders of them.", show_default=False)]
DIR = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.", show_default=False)]
FOLDER = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that holds results folders.", show_default=False)]


@app.command("run")
@o.takes(PROTOCOL_RUN)
def run(
    protocol: PROTOCOL, logs: LOGS, out: OUT, metric: METRIC = None, replace: REPLACE = False, options: o.Options = o.GIVEN
) -> None:
    """Score logs under a protocol; exit 0 where every gate holds, 4 where one does not.

    Example: recallwatch protocol run locomo --logs run.jsonl --corpus locomo10.json --fact system=mine -o results/v1
    """
    from ..document.outputs import show
    from ..protocol import declaration, files, text
    from ..protocol import execution as runner

    source = files.load(protocol)
    only = declaration.columns_of(source.protocol, metric or [])
    checked = declaration.declared(source.protocol, **options)
    document = runner.run(source, logs, out, checked, replace=replace)
    blocked = runner.blocked_reason(out)
    show(text.of_run(source.protocol, document, str(out), only=only, blocked=blocked))
    _leave(document["status"] == "VERIFIED")


@app.command("dry-run")
@o.takes(PROTOCOL_RUN)
def dry_run(protocol: PROTOCOL, logs: LOGS, out: OUT, options: o.Options = o.GIVEN) -> None:
    """Check all of a run that can be checked before it, and run nothing; exit 4 where a gate does not hold.

    Example: recallwatch protocol dry-run locomo --logs run.jsonl --corpus locomo10.json --fact system=mine -o results/v1
    """
    from ..document.outputs import show
    from ..protocol import execution as runner
    from ..protocol import files, text
    from ..protocol.declaration import declared

    source = files.load(protocol)
    gates = runner.dry_run(source, logs, out, declared(source.protocol, **options))
    show(text.of_dry_run(source.protocol, gates, str(out)))
    _leave(all(gate.verdict == "pass" for gate in gates))


@app.command("verify")
def verify(folders: DIRS) -> None:
    """Recompute every number from the raw retrievals; exit 4 where one may not be quoted, 3 where a folder is incomplete.

    Example: recallwatch protocol verify results/v1
    """
    from ..document.model import Document
    from ..document.outputs import show
    from ..protocol import text
    from ..protocol.files import results_in
    from ..protocol.verify import check, refusals

    checked = [check(one) for folder in folders for one in results_in(folder) or [folder]]
    refused = refusals(checked)
    show(*map(text.of_check, checked), *map(Document, refused))
    _leave(not refused and all(one.status == "VERIFIED" for one in checked))


@app.command("history")
def history(folder: FOLDER, metric: METRIC = None, format: Annotated[str, o.form("text", "json")] = "text") -> None:
    """One table over versions: change, paired p, whether it lies inside the band; exit 4 where the newest is a regression or unverified.

    Example: recallwatch protocol history results
    """
    from ..document.outputs import JSON, TEXT, chosen, emit, json_text, show
    from ..protocol import text
    from ..protocol.history import history as steps_of

    is_json = chosen(format, {one.name: one for one in (TEXT, JSON)}) is JSON
    steps = steps_of(folder, metrics=metric or [])
    if is_json:
        emit(json_text([step.to_dict() for step in steps], 1), None)
    else:
        show(text.of_history(steps))
    _leave(steps[-1].verdict != "regression" and steps[-1].checked.status == "VERIFIED")


@app.command("cite")
def cite(folder: DIR) -> None:
    """The protocol's sentence with the numbers in it; refused (exit 4) where a gate does not hold.

    Example: recallwatch protocol cite results/v1
    """
    from ..document import as_text
    from ..document.outputs import emit
    from ..protocol import text
    from ..protocol.cite import cite as filled
    from ..protocol.verify import check

    one = check(folder)
    if one.status != "VERIFIED":
        sys.stderr.write(as_text.draw(text.of_check(one)))
        _leave(False)
    emit(filled(one) + "\n", None)


def _leave(is_fine: bool) -> None:
    """Exit 0, or 4."""
    if not is_fine:
        raise typer.Exit(ExitCode.ALARM)
