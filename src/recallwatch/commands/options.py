"""Flags that several commands share; those of the definition are made from its fields, so that none is forgotten."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ..base.declared import pairs as parse_map
from ..base.declared import share
from ..base.definition import PRESETS, Definition
from ..base.errors import UsageError

LOGS = Annotated[list[str], typer.Argument(metavar="LOGS…", help="Files, folders or globs of recall logs.", show_default=False)]
LOGS_OR_STORE = Annotated[
    list[str],
    typer.Argument(
        metavar="LOGS…|STORE", help="Files, folders or globs of recall logs; or the folder of a store.", show_default=False
    ),
]
LOGS_OR_NONE = Annotated[
    list[str] | None,
    typer.Argument(metavar="[LOGS…]", help="Files, folders or globs of recall logs; none: what --store holds.", show_default=False),
]
STORE = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Keep the logs in this store too, and score all it holds.", show_default=False),
]
LABELS = Annotated[
    list[str] | None, typer.Option("--labels", metavar="FILE", help="Labels: JSON lines, CSV/TSV, Parquet, TREC qrels, BEIR.")
]
METRIC = Annotated[list[str] | None, typer.Option("--metric", "-m", help="A metric, or metric@k; repeat for more. Default: all.")]
K = Annotated[str, typer.Option("--k", help="Cutoffs k, e.g. 1,3,10; 'all' = whole list.")]
BY = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Columns or attributes to group by, each for itself; a*b = their cross product.",
    ),
]
WINDOW = Annotated[str, typer.Option("--window", help="hour, day, week, month or all.")]
TIMEZONE = Annotated[str, typer.Option("--timezone", help="IANA time zone of the windows.")]
FROM = Annotated[str | None, typer.Option("--from", help="Only events from this time on (ISO; no zone = UTC).")]
TO = Annotated[str | None, typer.Option("--to", help="Only events before this time.")]
PER_QUERY = Annotated[
    bool, typer.Option("--per-query", help="Each query's values, the relevant ids it missed, the ranks of those it found.")
]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json, csv or markdown.")]
OUTPUT = Annotated[Path | None, typer.Option("--output", "-o", help="Write there instead of to stdout.")]
LOG_FORMAT = Annotated[str, typer.Option("--log-format", help="Format of the logs; auto = detected from their content.")]
MAP = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="COLUMN=PATH", help="Where a column stands in the log, e.g. ranked_ids=hits[].id; repeat."),
]
PROFILE = Annotated[
    str | None,
    typer.Option("--profile", metavar="FILE", help="TOML that names the paths of a log of any other shape, and its id rules."),
]
MAX_REJECTS = Annotated[str, typer.Option("--max-rejects", help="Share of bad lines a log may have.")]
ON_BAD_LINE = Annotated[str, typer.Option("--on-bad-line", help="skip (and count) or stop.")]
THREADS = Annotated[int | None, typer.Option("--threads", min=1, help="Worker threads. Default: all cores.")]
MEMORY = Annotated[str | None, typer.Option("--memory-limit", help="Memory DuckDB may use, e.g. 4GB; beyond it data go to disk.")]
ENGINE = Annotated[str, typer.Option("--engine", help="duckdb: this machine; spark: a cluster, with the same results.")]
MASTER = Annotated[
    str | None, typer.Option("--master", help="Spark's master: local[N], local-cluster[…], spark://…, sc://… Default: local[*].")
]
COMPAT = Annotated[str | None, typer.Option("--compat", help=f"A preset of definitions: {', '.join(PRESETS)}.")]


def is_spark(engine: str, master: str | None) -> bool:
    """Whether a cluster does the work.

    Raises:
        UsageError: an unknown engine; a master without one that has it.
    """
    from ..base.registry import known

    if engine not in ("duckdb", "spark"):
        raise UsageError(f"unknown engine {engine!r}", where="--engine", fix=known(engine, ("duckdb", "spark")))
    if engine == "duckdb" and master is not None:
        raise UsageError("this machine has no master", where="--master", fix="Pass --engine spark, or leave --master out")
    return engine == "spark"


GIVEN: Any = None  # with_shared puts a dict there
READING = {"log_format": (LOG_FORMAT, "auto"), "mapped": (MAP, None), "profile": (PROFILE, None), "max_rejects": (MAX_REJECTS, "1%"),
    "on_bad_line": (ON_BAD_LINE, "skip"), "threads": (THREADS, None), "memory_limit": (MEMORY, None)}  # fmt: skip


def with_shared(*, without: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags that many share, in the place of its parameters ``reading`` and ``definition``.

    It receives each group as a dict, ready for the library: ``reading`` says how logs are read, ``definition`` holds what was
    chosen of the definition, ``compat`` among it. ``without`` names flags the command does not have.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        groups = {
            name: [flag for flag in flags() if flag.name not in without]
            for name, flags in (("reading", _reading_flags), ("definition", _definition_flags))
            if name in signature.parameters
        }

        def wrapped(**given: Any) -> None:
            taken = {name: {flag.name: given.pop(flag.name) for flag in flags} for name, flags in groups.items()}
            if "reading" in taken:
                taken["reading"] |= _parsed(taken["reading"])
            if "definition" in taken:
                taken["definition"] = {name: value for name, value in taken["definition"].items() if value is not None}
            command(**given, **taken)

        own = {name: [p.replace(kind=inspect.Parameter.KEYWORD_ONLY)] for name, p in signature.parameters.items()}
        flags = [flag for group in (own | groups).values() for flag in group]
        wrapped.__signature__ = signature.replace(parameters=flags)  # type: ignore[attr-defined]  # what inspect.signature reads
        wrapped.__annotations__ = {flag.name: flag.annotation for flag in flags}
        wrapped.__doc__ = command.__doc__
        return wrapped

    return decorate


def _reading_flags() -> list[inspect.Parameter]:
    return [_flag(name, kind, default) for name, (kind, default) in READING.items()]


def _definition_flags() -> list[inspect.Parameter]:
    """``--compat``, and a flag per field of the definition."""
    hints = get_type_hints(Definition)
    found = [_flag("compat", COMPAT, None)]
    for entry in dataclasses.fields(Definition):
        kind = next((k for k in (float, int) if k in getattr(hints[entry.name], "__args__", ())), str)
        choices = "|".join(entry.metadata["choices"]) or None
        default = "" if entry.default is None else f" [{entry.default}]"
        flag = typer.Option(
            f"--{entry.name.replace('_', '-')}",
            metavar=choices,
            help=entry.metadata["help"] + default,
            rich_help_panel="Definition",
            show_default=False,
        )
        found.append(_flag(entry.name, Annotated[kind | None, flag], None))
    return found


def _flag(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _parsed(reading: dict[str, Any]) -> dict[str, Any]:
    """What was typed in a form of its own, as values."""
    found: dict[str, Any] = {}
    if "max_rejects" in reading:
        found["max_rejects"] = share(reading["max_rejects"], "--max-rejects")
    if "mapped" in reading:
        found["mapped"] = parse_map(reading["mapped"] or [], "--map")
    return found
