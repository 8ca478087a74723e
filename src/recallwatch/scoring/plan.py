"""What one evaluation is asked for, checked before any data is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.definition import DEFAULT_K, Definition, columns_of, define, parse_k
from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.tracing import Watcher
from . import relations


@dataclass(frozen=True)
class Request:
    """What one evaluation is asked for; every default has its reason beside it.

    Args:
        metrics: names, ``name`` or ``name@k``; empty = all.
        k: depths.
        by: columns or attributes to slice by.
        window: hour, day, week, month or all.
        timezone: IANA name; windows are half-open in it.
        start, end: ISO times; only events with start <= timestamp < end count.
        log_format: name of a format; auto = told by content.
        mapped: column -> path of the log (``--map``).
        profile: TOML file that names the paths of a log of any other shape, and the id rules of log and labels.
        max_rejects: share of lines that may be bad before the result is refused; 1 %: a log that is worse is another format.
        on_bad_line: skip (counted) or stop.
        per_query: whether the result carries each query's values.
        then: called with the engine once the result is read out (a report reads further views of sql/6_report).
        watcher: told each step and the engine at work (a progress bar).
        threads, memory_limit: DuckDB's; None = its defaults.
    """

    metrics: tuple[str, ...] = ()
    k: tuple[int | None, ...] = DEFAULT_K
    by: tuple[str, ...] = ()
    window: str = "all"
    timezone: str = "UTC"
    start: str | None = None
    end: str | None = None
    log_format: str = "auto"
    mapped: Mapping[str, str] = field(default_factory=dict)
    profile: str | None = None
    max_rejects: float = 0.01
    on_bad_line: str = "skip"
    per_query: bool = False
    then: Callable[[Engine], None] | None = None
    watcher: Watcher | None = None
    threads: int | None = None
    memory_limit: str | None = None


@dataclass(frozen=True)
class Plan:
    """Everything one evaluation was asked, checked.

    Args:
        request: where from, how cut.
        definition: what the numbers mean.
        cut: columns, segments, windows.
        preset: the ``compat`` that was named.
    """

    request: Request
    definition: Definition
    cut: relations.Cut
    preset: str | None


def plan_of(compat: str | None, definition: Definition | None, options: Mapping[str, Any]) -> Plan:
    """Check every option before any data is read.

    Raises:
        UsageError: unknown option, metric or value.
    """
    request, wanted = split_options(options)
    chosen = definition or define(compat, **wanted)
    columns = list(columns_of(request.metrics, request.k))
    if chosen.f1 == "of_means":  # it is made of these two
        depths = [f1.k or "all" for f1 in columns if f1.metric == "f1"]
        parts = [c for k in depths for c in columns_of([f"recall@{k}", f"precision@{k}"], ())]
        columns += [c for c in parts if c not in columns]
    return Plan(request, chosen, relations.Cut(tuple(columns), request.by, request.window, request.timezone), compat)


def split_options(options: Mapping[str, Any]) -> tuple[Request, dict[str, Any]]:
    """Options of the request and options of the definition, told by name."""
    fields = Request.__dataclass_fields__
    wanted = {name: value for name, value in options.items() if name not in fields}
    chosen = {name: value for name, value in options.items() if name in fields and value is not None}
    if "k" in chosen:
        chosen["k"] = parse_k(chosen["k"])
    for name in ("metrics", "by"):
        if isinstance(chosen.get(name), str):
            chosen[name] = tuple(part.strip() for part in chosen[name].split(",") if part.strip())
        elif name in chosen:
            chosen[name] = tuple(chosen[name])
    request = Request(**chosen)
    if request.on_bad_line not in ("skip", "stop"):
        raise UsageError(f"unknown value {request.on_bad_line!r}", where="--on-bad-line", fix="Known: skip, stop")
    return request, wanted


def paths_of(given: Any) -> list[str] | None:
    """The paths a caller gave; None where it gave data."""
    from os import PathLike, fspath

    if isinstance(given, str | PathLike):
        return [fspath(given)]
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | PathLike) for g in given):
        return [fspath(g) for g in given]
    return None
