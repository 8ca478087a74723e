"""`recallwatch stability`: what varies between repeats, and what a parameter changes beyond that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..registry import known
from . import options as o

REPEATS = Annotated[str, typer.Option("--by", help="Column or attribute that tells repeats apart.")]
WITHIN = Annotated[str | None, typer.Option("--within", help="What is repeated: columns or attributes; '' = all is one. [variant]")]
PARAMETER = Annotated[
    list[str] | None, typer.Option("--parameter", help="An attribute whose steps are looked at; repeat for more. Default: all.")
]
VARIANT = Annotated[str | None, typer.Option("--variant", help="Whose bands are proposed. Default: pooled over all.")]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json, markdown or toml (the bands alone).")]


@o.with_definition
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    by: REPEATS = "run_id",
    within: WITHIN = None,
    metric: o.METRIC = None,
    parameter: PARAMETER = None,
    variant: VARIANT = None,
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    log_format: o.LOG_FORMAT = "auto",
    mapped: o.MAP = None,
    profile: o.PROFILE = None,
    max_rejects: o.MAX_REJECTS = "1%",
    on_bad_line: o.ON_BAD_LINE = "skip",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
    compat: o.COMPAT = None,
    definition: dict[str, Any] | None = None,
) -> None:
    """Say how much the numbers vary between repeats, which queries flip, and what each parameter changes beyond that.

    Example: recallwatch stability sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --within ''
    """
    import json

    from ..narrate import Progress
    from ..stability import stability
    from ..stability_text import markdown

    writers: dict[str, Callable[[Any], str]] = {
        "text": str,
        "json": lambda result: json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n",
        "markdown": markdown,
        "toml": lambda result: result.to_toml(),
    }
    if format not in writers:
        raise UsageError(f"unknown output format {format!r}", where="--format", fix=known(format, writers))
    share = o.parse_share(max_rejects, "--max-rejects")
    with Progress() as progress:
        result = stability(
            logs,
            labels,
            by=by,
            within=within,
            parameters=tuple(parameter or ()),
            variant=variant,
            metrics=tuple(metric or ()),
            compat=compat,
            log_format=log_format,
            mapped=o.parse_map(mapped),
            profile=profile,
            max_rejects=share,
            on_bad_line=on_bad_line,
            threads=threads,
            memory_limit=memory_limit,
            watcher=progress,
            **{name: value for name, value in (definition or {}).items() if value is not None},
        )
    o.emit(writers[format](result), output)
