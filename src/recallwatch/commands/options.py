"""What the commands share: data to read, and flags made of the options that a function declares, so that none is forgotten."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperOption

from ..base.declared import flag_of, one_of, yes_or_no
from ..base.takes import Takes

if TYPE_CHECKING:
    from ..document.outputs import Output


def one_of_these(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What a shell completes a word to."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def form(*names: str, more: str = "") -> Any:
    """The flag ``-f`` of a command that writes these forms."""
    return typer.Option(
        "--format", "-f", metavar="|".join(names), help=f"Form of the result.{more}", autocompletion=one_of_these(names)
    )


def group(purpose: str, example: str) -> typer.Typer:
    """A command that has commands."""
    text = f"{purpose}\n\nExample: recallwatch {example}"
    return typer.Typer(help=text, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def _show_all(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in ctx.command.params:
            if isinstance(parameter, TyperOption):
                parameter.hidden = False
        typer.echo(ctx.get_help())
        raise typer.Exit


LEVELS = ("fail", "warn", "insufficient", "never")
BY_NAME = " Default: by the name of -o, else text."
FORMAT = Annotated[str | None, form("text", "json", "markdown", "html", more=BY_NAME)]
HELP_ALL = Annotated[
    bool,
    typer.Option(
        "--help-all",
        is_eager=True,
        callback=_show_all,
        expose_value=False,
        help="Show every option, definitions of the metrics among them.",
    ),
]
LOGS = Annotated[list[str], typer.Argument(metavar="LOGS…", help="Files, folders or globs of recall logs.", show_default=False)]
LOGS_OR_STORE = Annotated[
    list[str],
    typer.Argument(
        metavar="LOGS…|STORE", help="Files, folders or globs of recall logs; or the folder of a store.", show_default=False
    ),
]
LOGS_OR_NONE = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LOGS…|STORE", help="Files, folders or globs of recall logs; or the folder of a store.", show_default=False
    ),
]
STORE = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Keep the logs in this store too, and score all it holds.", show_default=False),
]
LABELS = Annotated[
    list[str] | None, typer.Option("--labels", metavar="FILE", help="Labels: JSON lines, CSV/TSV, Parquet, TREC qrels, BEIR.")
]
OUTPUT = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")]
FAIL_ON = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="|".join(LEVELS),
        help="Exit with 4 at this verdict or a worse one.",
        autocompletion=one_of_these(LEVELS),
    ),
]
ENGINE = Annotated[
    str, typer.Option("--engine", help="duckdb: this machine; spark: a cluster, with the same results.", hidden=True)
]
MASTER = Annotated[
    str | None,
    typer.Option("--master", help="Spark's master: local[N], local-cluster[…], spark://…, sc://… Default: local[*].", hidden=True),
]
METAVARS = {
    "names": "NAMES",
    "specs": "NAMES",
    "moment": "TIME",
    "zone": "ZONE",
    "size": "SIZE",
    "share": "SHARE",
}  # check -> value in help
Options = dict[str, Any]
GIVEN: Any = None  # takes puts a dict there


def takes(declared: Takes) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for each option that the function behind it declares, in the place of its parameter ``options``.

    It receives what was typed as a dict, ready for that function, which checks it.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, p in signature.parameters.items() if name != "options"]
        shown = [inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=HELP_ALL)] * bool(
            declared.rare
        )
        flags = [
            _flag(declared, entry)
            for entry in declared.options.values()
            if "help" in entry.metadata and not entry.metadata.get("is_live")
        ]

        def wrapped(**given: Any) -> None:
            typed = {flag.name: given.pop(flag.name) for flag in flags}
            given.pop("help_all", None)  # its callback has answered
            command(**given, options={name: value for name, value in typed.items() if value not in (None, False, [])})

        wrapped.__signature__ = signature.replace(parameters=[*own, *flags, *shown])  # type: ignore[attr-defined]  # what inspect.signature reads
        wrapped.__annotations__ = {p.name: p.annotation for p in (*own, *flags, *shown)}
        wrapped.__doc__ = command.__doc__
        return wrapped

    return decorate


def _flag(declared: Takes, entry: dataclasses.Field[Any]) -> inspect.Parameter:
    """One option as a flag. Its value goes as text to the option's own check, which words the error."""
    metadata = entry.metadata
    is_switch = metadata["check"] is yes_or_no
    default = metadata.get("shown") or declared.default(entry.name)
    if isinstance(default, tuple):
        default = ",".join(map(str, default))
    flag = typer.Option(
        flag_of(entry),
        *([metadata["short"]] if "short" in metadata else []),
        metavar=metadata.get("metavar")
        or "|".join(metadata["choices"])
        or METAVARS.get(metadata["check"].__name__)
        or ("N" if str(entry.type).startswith(("int", "float")) else None),
        help=metadata["help"]
        + " Repeat it for more." * bool(metadata.get("is_many"))
        + (f" [{default}]" if default not in (None, False, "", {}) else ""),
        show_default=False,
        hidden=entry.name in declared.rare,
        autocompletion=one_of_these(metadata["choices"]) if metadata["choices"] else None,
    )
    kind: Any = bool if is_switch else list[str] | None if metadata.get("is_many") else str | None
    return inspect.Parameter(
        entry.name, inspect.Parameter.KEYWORD_ONLY, default=False if is_switch else None, annotation=Annotated[kind, flag]
    )


def watched(function: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """The function's result, with a progress bar beside it."""
    from ..base.progress import Progress

    with Progress() as progress:
        return function(*data, watcher=progress, **options)


def answer(
    function: Callable[..., Any],
    *data: Any,
    options: Mapping[str, Any],
    format: str | None,
    output: Path | None,
    fail_on: str = "never",
    outputs: Mapping[str, Any] | None = None,
) -> Any:
    """What most commands do: choose the output, call the function, deliver its result, exit 4 where its verdict was asked to alarm.

    Raises:
        UsageError: no such output or verdict, before any data is read.
    """
    from ..base.verdicts import check_level, exit_code
    from ..document.outputs import OUTPUTS, chosen

    entry = chosen(format, outputs or OUTPUTS, output)
    check_level(fail_on)
    result = watched(function, *data, **options)
    deliver(result, entry, output)
    if fail_on != "never":
        raise typer.Exit(exit_code(result.verdict, fail_on))
    return result


def deliver(result: Any, output: Output, path: Path | None) -> None:
    """The result on stdout, or as a file; a text follows the terminal it is shown on.

    Raises:
        UsageError: a file that cannot be written.
    """
    from ..document.outputs import TEXT, emit, show

    if path is None and output is TEXT:
        show(result.document())
    else:
        emit(output.write(result), path)


def one(logs: list[str]) -> Any:
    """A single path for itself: a result's file, or a store."""
    return logs[0] if len(logs) == 1 else logs


def is_spark(engine: str, master: str | None) -> bool:
    """Whether a cluster does the work.

    Raises:
        UsageError: an unknown engine; a master without one that has it.
    """
    from ..base.errors import UsageError

    one_of(("duckdb", "spark"))(engine, "--engine")
    if engine == "duckdb" and master is not None:
        raise UsageError("this machine has no master", where="--master", fix="Pass --engine spark, or leave --master out")
    return engine == "spark"
