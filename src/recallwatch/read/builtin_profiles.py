"""Profiles of common benchmark logs, included in the tool and detected from their keys; loaded on use."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.engine import Engine
from .log_format import Format, Read
from .spans import objects


@dataclass(frozen=True)
class BuiltIn:
    """One profile of the folder ``profiles``.

    Args:
        name: its file's name, and as in ``--log-format``.
        meaning: one line for people.
        keys: groups of keys; a log with all keys of one group is detected as this profile.
    """

    name: str
    meaning: str
    keys: tuple[frozenset[str], ...]

    def sniff(self, head: list[str]) -> bool:
        """Whether the first records have the keys."""
        return any(group <= set(value) for value in objects(head) for group in self.keys)

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
