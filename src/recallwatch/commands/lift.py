"""`recallwatch lift`: what the reranker adds to its candidates."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from ..registry import known
from . import options as o


@o.with_definition
def command(
    logs: o.LOGS,
    labels: o.LABELS = None,
    metric: o.METRIC = None,
    k: o.K = "1,3,5,10",
    by: o.BY = None,
    start: o.FROM = None,
    end: o.TO = None,
    format: o.FORMAT = "text",
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
    import json

    from ..lift import lift
    from ..narrate import Progress

    if format not in ("text", "json"):
        raise UsageError(f"unknown output format {format!r}", where="--format", fix=known(format, ("text", "json")))
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
    o.emit(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n" if format == "json" else str(result), output)
