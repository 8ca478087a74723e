"""Profiles of tools and of benchmark logs, included in the program and detected from their keys; loaded on use."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.engine import Engine
from .log_format import Format, Read
from .spans import objects


@dataclass(frozen=True)
class BuiltIn:
    """One profile of the folder ``profiles``.

    Args:
        name: its file's name, and as in ``--log-format``.
        meaning: one line for people.
        keys: groups of keys, or of paths; a log with all of one group is detected as this profile.
    """

    name: str
    meaning: str
    keys: tuple[frozenset[str], ...]

    def sniff(self, head: list[str]) -> bool:
        """Whether the first records have the keys."""
        return any(all(_has(value, path) for path in group) for value in objects(head) for group in self.keys)

    def sniff_columns(self, columns: list[str]) -> bool:
        """Whether a Parquet file has the keys."""
        return any(group <= set(columns) for group in self.keys)

    def read(self, engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
        """Files of one container by the profile."""
        from .profile import load
        from .profile_reader import read

        return read(engine, load(Path(__file__).parent / "profiles" / f"{self.name}.toml"), files)[0]

    def as_format(self) -> Format:
        """The registry's entry."""
        return Format(self.name, self.meaning, self.sniff, self.read, self.sniff_columns, self.read)


def _has(value: Any, path: str) -> bool:
    """Whether an object has a key, or a path of keys."""
    if path in value:
        return True
    first, _, rest = path.partition(".")
    inner = value.get(first)
    return bool(rest) and isinstance(inner, dict) and _has(inner, rest)


# looked for before the trace formats, whose keys some of them share
TOOLS = tuple(
    BuiltIn(name, meaning, tuple(map(frozenset, keys))).as_format()
    for name, meaning, keys in (
        ("datadog", "Datadog LLM Observability spans", [("span_id", "start_ns", "duration", "meta")]),
        ("opik", "Opik spans", [("trace_id", "start_time", "created_by", "last_updated_at")]),
        ("weave", "W&B Weave calls", [("op_name", "started_at", "inputs", "trace_id")]),
        ("braintrust", "Braintrust spans", [("span_id", "root_span_id", "span_attributes")]),
        (
            "ubi",
            "OpenSearch User Behavior Insights",
            [("query_response_hit_ids",), ("action_name", "event_attributes", "query_id")],
        ),
        ("azure_search", "Azure AI Search answers", [("@odata.context", "value")]),
        ("bedrock_kb", "Bedrock Knowledge Base answers", [("retrievalResults",), ("response.retrievalResults",)]),
        ("vertex_search", "Vertex AI Search answers", [("attributionToken", "results")]),
        ("vertex_rag", "Vertex AI RAG Engine answers", [("contexts.contexts",)]),
    )
)
BUILT_IN = tuple(
    entry.as_format()
    for entry in (
        BuiltIn(
            "pgmnemo",
            "pgmnemo benchmark log (labels in the log)",
            (frozenset({"retrieved_top10"}), frozenset({"retrieved_session_ids_top20"})),
        ),
        BuiltIn("mempalace", "MemPalace LoCoMo log (labels in the log)", (frozenset({"sample_id", "evidence", "retrieved_ids"}),)),
        BuiltIn("longmemeval", "LongMemEval retrieval log", (frozenset({"question_id", "retrieval_results"}),)),
    )
)
