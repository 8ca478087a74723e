"""The tools, as the official SDK of the Model Context Protocol serves them; the SDK is the extra ``mcp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import RecallwatchError, UsageError
from ..base.version import __version__
from ..document.result import Result
from ..store.lock import reading_only
from .answers import Data

INSTRUCTIONS = """Retrieval quality and latency measured from recall logs. evaluate: how good and how fast; drift: what moved between windows, and is it
more than chance; explain: why one query gets what it gets; sql: the store's views (show tables; describe NAME). Values are means with 95 %
intervals (ci_low, ci_high); a verdict `insufficient` means too little data. left_out: rows that an answer does not show."""


def server(data: Data) -> Any:
    """A server with the tools.

    Raises:
        UsageError: the SDK is not installed.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ModuleNotFoundError as error:
        raise UsageError(
            "the SDK of the Model Context Protocol is not installed", where="mcp", fix="pip install 'mcp>=2'"
        ) from error
    made = MCPServer("recallwatch", instructions=INSTRUCTIONS, version=__version__)
    harmless = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)

    def add(tool: Callable[..., dict[str, Any]]) -> None:
        made.add_tool(tool, annotations=harmless, structured_output=True)

    def answered(work: Callable[[], Result | dict[str, Any]]) -> dict[str, Any]:
        """A mistake is an answer the agent can act on."""
        try:
            with data.hiding(), reading_only():
                result = work()
            return data.answer(result) if isinstance(result, Result) else result
        except RecallwatchError as error:
            raise ToolError(str(error)) from None

    def evaluate(
        *,
        by: str = "",
        window: str = "all",
        metrics: str = "recall,ndcg,mrr,precision",
        k: str = "1,5,10",
        start: str | None = None,
        end: str | None = None,
        where: str | None = None,
        per_query: bool = False,
    ) -> dict[str, Any]:
        """Retrieval quality and latency: metrics and percentiles with intervals, coverage of the labels, warnings.

        Args:
            by: columns to group by, e.g. query_class or query_class,tenant_id.
            window: hour, day, week, month or all.
            metrics: e.g. recall,mrr.
            k: cutoffs.
            start: ISO 8601; only recalls from then on.
            end: only recalls before.
            where: only recalls that pass, e.g. index_version = 'v2'.
            per_query: each query's values and missed ids, too.
        """
        from ..evaluation.pipeline import evaluate as work

        return answered(
            lambda: work(
                **data.given,
                by=by,
                window=window,
                metrics=metrics,
                k=k,
                start=start,
                end=end,
                where=data.picked(where),
                per_query=per_query,
            )
        )

    def drift(reference: str | None = None, current: str | None = None, where: str | None = None) -> dict[str, Any]:
        """What changed between two windows, by paired tests: quality, answers, latency, traffic mix, labels, health; and where.

        Args:
            reference: A..B, dates; by default the windows before the newest.
            current: C..D; by default the newest window.
            where: only recalls that pass, e.g. tenant_id = 'acme'.
        """
        from ..monitor.drift import drift as work

        return answered(lambda: work(**data.given, reference=reference, current=current, where=data.picked(where)))

    def explain(query: str, k: int = 10) -> dict[str, Any]:
        """Why one query gets what it gets: where each expected document stood, why it did not come, what came instead.

        Args:
            query: a query id, a query text, an event id or a trace id.
            k: the cutoff that counts.
        """
        from ..explanation.explain import explain as work

        return answered(lambda: work(query, **data.given, k=k, where=data.where))

    def sql(query: str) -> dict[str, Any]:
        """One read-only query over the store's views and macros, in DuckDB's SQL, e.g. select day_utc, value from metrics where metric = 'recall'.

        Args:
            query: one select; show tables and describe NAME work too.
        """
        from ..store.sql_query import look

        return answered(lambda: look(data.store, query, rows=data.rows, without_texts=data.redact))

    tools: list[Callable[..., dict[str, Any]]] = [evaluate, drift, explain, *([sql] if data.store else [])]
    for tool in tools:
        add(tool)
    return made
