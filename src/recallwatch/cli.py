"""The command line: flags in, one function of the library called, bytes out. One file a command in commands/."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from .base.errors import ExitCode, InputError, RecallwatchError, printable
from .base.version import __version__

COMMANDS = (  # in the order of the help; a module of commands/ each
    "evaluate", "drift", "compare", "lift", "pareto", "stability", "check", "convert", "suggest-labels", "ingest-labels", "emit",
    "accept", "ingest", "sql", "attach", "list", "run", "report", "init", "labels",
)  # fmt: skip
GROUPS = ("store", "protocol")  # of commands


class Commands(TyperGroup):
    """The commands, each loaded when it is named: a process needs one of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": dict.fromkeys((*COMMANDS, *GROUPS))})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 -- typer's signature
        """The command of this name; None = there is none."""
        if self.commands.get(cmd_name) is None and cmd_name in self.commands:
            self.commands[cmd_name] = _loaded(cmd_name)
        return self.commands.get(cmd_name)


def _loaded(name: str) -> Any:
    module = import_module(f"recallwatch.commands.{'listing' if name == 'list' else name.replace('-', '_')}")
    if name in GROUPS:
        group = typer.main.get_command(module.app)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name)(module.command)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="recallwatch",
    cls=Commands,
    help="Measures retrieval quality and latency from your recall logs.\n\nExample: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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
