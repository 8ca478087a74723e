"""The command line: flags in, one function of the library called, bytes out. One file a command in commands/."""

from __future__ import annotations

import gc
import io
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from .base.errors import ExitCode, InputError, RecallwatchError, UsageError, printable
from .base.files import NO_ROOM, cannot_write
from .base.progress import tell
from .base.version import __version__
from .commands.help import listed, pasted, readable

COMMANDS = {  # by what they are for, in the order of the help; a module of commands/ each
    "Measure": ("evaluate", "drift", "compare", "explain", "lift", "pareto", "stability", "report"),
    "Every night": ("init", "run", "accept"),
    "Logs and labels": ("check", "convert", "suggest-labels", "ingest-labels", "labels"),
    "A store": ("ingest", "store", "sql", "attach"),
    "Other doors": ("emit", "mcp", "protocol", "list"),
}
GROUPS = ("labels", "store", "protocol")  # of commands


class Commands(TyperGroup):
    """The commands, each loaded when it is named: a process needs one of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": dict.fromkeys(name for names in COMMANDS.values() for name in names)})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 -- typer's signature
        """The command of this name; None = there is none."""
        if self.commands.get(cmd_name) is None and cmd_name in self.commands:
            self.commands[cmd_name] = _loaded(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """What each command is for."""
        listed(formatter, COMMANDS, {name: self.get_command(ctx, name) for name in self.commands})


def _loaded(name: str) -> Any:
    module = import_module(f"recallwatch.commands.{'listing' if name == 'list' else name.replace('-', '_')}")
    if name in GROUPS:
        command = typer.main.get_command(module.app)
        command.name = name
    else:
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        alone.command(name, help=module.command.__doc__)(module.command)
        command = typer.main.get_command(alone)
    readable(command)
    return command


app = typer.Typer(
    name="recallwatch",
    cls=Commands,
    help=pasted(
        "Measures retrieval quality and latency from your recall logs.\n\n"
        "Example: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl"
    ),
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recallwatch {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Without a command: what to type next in this folder."""
    del version  # its callback has answered
    if ctx.invoked_subcommand is None:
        from .commands.start import command

        command()


FIX = "Check the file, its permissions and the free disk space"
OUT_OF_MEMORY = "Lower --threads and --memory-limit, or read fewer logs at once"


def main() -> NoReturn:
    """Run the command. A person's mistake is one line on stderr and its exit code, an error of ours another and 1; no traceback."""
    gc.set_threshold(100_000)  # what a run makes mostly stays until its end: not worth looking through three hundred times
    if sys.stderr is None:  # closed by the caller (2>&-): nobody reads it
        sys.stderr = io.StringIO()
    try:
        code = app(prog_name="recallwatch", standalone_mode=False)
    except RecallwatchError as error:
        _end(error)
    except OSError as error:  # whatever met it first did not name it
        if error.errno in NO_ROOM:
            _end(cannot_write(error.filename or "a temporary file", error))
        _end(InputError(error.strerror or "cannot be read or written", where=str(error.filename or ""), fix=FIX))
    except UnicodeError as error:
        _end(InputError(f"not UTF-8 ({error.reason})" if isinstance(error, UnicodeDecodeError) else "not UTF-8", fix=FIX))
    except ValueError as error:
        if str(error) != "embedded null byte":
            _fail(error)
        _end(UsageError("a path with a null byte (expected: none)", fix="Mend the path in the options or the configuration"))
    except MemoryError:
        _end(UsageError("out of memory", fix=OUT_OF_MEMORY))
    except Exception as error:
        if isinstance(error, TyperException) and hasattr(error, "show"):
            _refuse(error)
        _fail(error)
    sys.exit(code or ExitCode.FINE)


def _fail(error: Exception) -> NoReturn:
    """An error of ours."""
    if "RECALLWATCH_TRACEBACK" in os.environ:
        raise error
    _end(_bug(error))


def _end(error: RecallwatchError) -> NoReturn:
    """One line, and the exit code."""
    tell(str(error))
    sys.exit(error.exit_code)


def _refuse(error: Any) -> NoReturn:
    """What typer says of a wrong command line; a word of it may be the name of a file."""
    text = io.StringIO()
    error.show(file=text)
    sys.stderr.write(printable(text.getvalue(), kept="\n"))
    sys.exit(error.exit_code)


def _bug(error: Exception) -> RecallwatchError:
    """Where it happened, and nothing of the data it happened with."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if __package__ in frame.filename]
    where = f" in {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    what = f"recallwatch itself failed ({type(error).__name__}{where})"
    return RecallwatchError(what, fix="Please report it; RECALLWATCH_TRACEBACK=1 shows the whole way there")
