"""`recallwatch lift`: what the reranker adds to its candidates."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o

FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]


@o.with_definition
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    metric: o.METRIC = None,
    k: o.K = "1,3,5,10",
    by: o.BY = None,
    start: o.FROM = None,
    end: o.TO = None,
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
    """Compare the list before reranking with the list handed out, and say where relevant documents are lost.

    Example: recallwatch lift sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..lift import LIFT_OUTPUTS, lift
    from ..narrate import Progress
    from ..registry import pick

    entry = pick(LIFT_OUTPUTS, "output format", format)
    share = o.parse_share(max_rejects, "--max-rejects")
    with Progress() as progress:
        result = lift(
            logs,
            labels,
            compat=compat,
            metrics=tuple(metric or ()),
            k=k,
            by=by or (),
            start=start,
            end=end,
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
    o.emit(entry.write(result), output)
