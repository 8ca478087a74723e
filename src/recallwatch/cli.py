"""The command line: flags in, one function of the library called, bytes out. One file a command in commands/."""

from __future__ import annotations

import io
import sys
from typing import Annotated, NoReturn

import typer

from .base.errors import ExitCode, InputError, RecallwatchError, printable
from .base.version import __version__
from .commands import (
    accept,
    attach,
    check,
    compare,
    convert,
    drift,
    emit,
    evaluate,
    ingest,
    ingest_labels,
    init,
    labels,
    lift,
    listing,
    pareto,
    protocol,
    report,
    run,
    sql,
    stability,
    store,
    suggest_labels,
)

app = typer.Typer(
    name="recallwatch",
    help="Measures retrieval quality and latency from your recall logs.\n\nExample: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("evaluate")(evaluate.command)
app.command("drift")(drift.command)
app.command("compare")(compare.command)
app.command("lift")(lift.command)
app.command("pareto")(pareto.command)
app.command("stability")(stability.command)
app.command("check")(check.command)
app.command("convert")(convert.command)
app.command("suggest-labels")(suggest_labels.command)
app.command("ingest-labels")(ingest_labels.command)
app.command("emit")(emit.command)
app.command("accept")(accept.command)
app.command("ingest")(ingest.command)
app.command("sql")(sql.command)
app.command("attach")(attach.command)
app.add_typer(store.app, name="store")
app.command("list")(listing.command)
app.command("run")(run.command)
app.command("report")(report.command)
app.command("init")(init.command)
app.command("labels")(labels.command)
app.add_typer(protocol.app, name="protocol")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recallwatch {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of no command."""


INTERRUPTED = 130
FIX = "Check the file, its permissions and the free disk space"


def main() -> None:
    """Run the command; a person's mistake is one line on stderr and its exit code, ours is a traceback and 1."""
    if sys.stderr is None:  # closed by the caller (2>&-): nobody reads it
        sys.stderr = io.StringIO()
    try:
        app(prog_name="recallwatch")
    except RecallwatchError as error:
        _end(error)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # typer ends the process itself, without a word
            sys.stderr.write("recallwatch: interrupted; nothing was left half written\n")
        raise
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away (… | head): not an error of ours
        sys.exit(ExitCode.FINE)
    except OSError as error:  # whatever met it first did not name it
        _end(InputError(error.strerror or "cannot be read or written", where=str(error.filename or ""), fix=FIX))
    except UnicodeError as error:
        _end(InputError(f"not UTF-8 ({error.reason})" if isinstance(error, UnicodeDecodeError) else "not UTF-8", fix=FIX))


def _end(error: RecallwatchError) -> NoReturn:
    """One line, and the exit code."""
    sys.stderr.write(f"recallwatch: {printable(str(error))}\n")
    sys.exit(error.exit_code)
