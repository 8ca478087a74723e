"""Profiles of tools and of benchmark logs, included in the program and detected from their keys; loaded on use."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.engine import Engine
from . import aliases
from .flat_paths import of_logs
from .log_format import Format, Read
from .spans import objects

if TYPE_CHECKING:
    from .profile import Profile

HOLDERS = ("", "response.", "result.", "output.", "answer.")  # where an answer stands beside the question
REQUESTS = ("", "request.", "input.")  # where the request does
LISTS = ("ranked_ids", "scores", "texts")  # what an answer holds
LABELS = ("relevant", "expected_texts")  # that a record may carry, as in flat logs
NOT_ALIKE = ("candidate_ids", "attributes", "source", "source_line", "flags")  # what a profile does not name
IDS = frozenset(path for path in aliases.LOG["ranked_ids"] if "[]" not in path)


@dataclass(frozen=True)
class BuiltIn:
    """One profile of the folder ``profiles``.

    Args:
        name: its file's name, and as in ``--log-format``.
        meaning: one line for people.
        keys: groups of keys, or of paths; a log with all of one group is detected as this profile.
        is_answer: whether a record is an answer of a service that an application logged, with fields of its own beside it.
    """

    name: str
    meaning: str
    keys: tuple[frozenset[str], ...]
    is_answer: bool = False

    def sniff(self, head: list[str]) -> bool:
        """Whether the first records have the keys; an answer beside a list of ids of the application's own does not count."""
        values = [value for value in objects(head) if not (self.is_answer and IDS & value.keys())]
        holders = HOLDERS if self.is_answer else ("",)
        return any(all(_has(value, f"{at}{path}") for path in group) for value in values for at in holders for group in self.keys)

    def sniff_columns(self, columns: list[str]) -> bool:
        """Whether a Parquet file has the keys."""
        return any(group <= set(columns) for group in self.keys)

    def read(self, engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
        """JSON records by the profile; what the caller maps stands where they say."""
        from .profile_reader import read_json

        return read_json(engine, self._profile(mapped), files)

    def read_parquet(self, engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
        """The same of typed columns."""
        from .profile_reader import read_parquet

        return read_parquet(engine, self._profile(mapped), files)

    def _profile(self, mapped: Mapping[str, str]) -> "Profile":
        from .profile import load

        profile = load(Path(__file__).parent / "profiles" / f"{self.name}.toml")
        events = {**(_of_answer(profile.events) if self.is_answer else profile.events), **of_logs(mapped)}
        labels = {name: name for name in LABELS} if self.is_answer else profile.labels
        return profile.model_copy(update={"events": events, "labels": labels})

    def as_format(self) -> Format:
        """The registry's entry."""
        return Format(self.name, self.meaning, self.sniff, self.read, self.sniff_columns, self.read_parquet)


def _of_answer(events: Mapping[str, Any]) -> dict[str, Any]:
    """An answer's own paths wherever it stands in a record, the request's likewise, and the names of flat logs for all else."""
    columns = {}
    for column, names in aliases.LOG.items():
        own = events.get(column, [])
        own = own if isinstance(own, list) else [own]
        holders = HOLDERS if column in LISTS else REQUESTS
        flat = [] if column in (*LISTS, *NOT_ALIKE) else [name for name in names if name not in own]
        if paths := [f"{at}{path}" for path in own for at in holders] + flat:
            columns[column] = paths
    return columns


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
    )
)
# looked for before the flat form
ANSWERS = tuple(
    BuiltIn(name, meaning, tuple(map(frozenset, keys)), is_answer=True).as_format()
    for name, meaning, keys in (
        ("elasticsearch", "Elasticsearch and OpenSearch answers", [("hits.hits",), ("body.hits.hits",)]),
        ("azure_search", "Azure AI Search answers", [("@odata.context", "value")]),
        ("bedrock_kb", "Bedrock Knowledge Base answers", [("retrievalResults",), ("citations", "sessionId")]),
        ("vertex_search", "Vertex AI Search answers", [("attributionToken", "results"), ("attribution_token", "results")]),
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
