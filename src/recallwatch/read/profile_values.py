"""SQL of the values of a record that a profile names, of JSON lines and of typed columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.engine import quoted
from . import aliases
from .condition import Column
from .json_line import JsonLine
from .profile import Between, factor_of, parts_of, paths_of, pieces_of
from .record_paths import expression, steps_of
from .typed_columns import typed_value


@dataclass
class Values:
    """SQL of a record's values, for any container; collects the requested paths.

    Args:
        keys: top-level names of the log.
        types: column types of a Parquet log; None = JSON, read as the struct ``r``.
        line: the values of a JSON log's lines.
    """

    keys: list[str]
    types: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.line = JsonLine(self.keys)

    def has(self, template: str) -> bool:
        """Whether the log has the first step of every path."""
        return all(path in self.keys or steps_of(path)[0] in self.keys for path in parts_of(template))

    def leaf(self, path: str, kind: str) -> str:
        """One path, read as a raw type."""
        if self.types is not None:
            column = next((c for c, t in aliases.TYPES.items() if t == kind), "query_id")
            return typed_value(column, path, self.types) or f"null::{kind}"
        return self.line.value(path, kind.removesuffix("[]") if "[]" in path else kind)

    def elements(self, paths: Sequence[str]) -> str:
        """The elements of a list of ids as JSON, for those that are no plain values; empty where several paths or a template name it, or types."""
        if self.types is not None or len(paths) != 1 or "{" in paths[0]:
            return ""
        return self.line.apart(paths[0], "JSON" if "[]" in paths[0] else "JSON[]")

    def ids_in_one(self, path: str) -> list[str]:
        """Ids of a JSON log in one text, or as a map of scores; none where a path leads into a list."""
        return [] if "[]" in steps_of(path) else [self.line.in_one_value(path)]

    def json(self, path: str) -> str:
        """One path as JSON."""
        if self.types is None:
            return self.leaf(path, "JSON")
        return f"to_json({expression(path, '', literal=path in self.types)})"

    def field(self, name: str) -> Column:
        """A field of the record, as a condition names it; null where no record has it."""
        if not self.has(name):
            return Column("null::varchar", is_text=True)
        if self.types is None:
            return Column(self.leaf(name, "VARCHAR"), is_text=True)
        kind = self.types.get(name)
        return Column(expression(name, "", literal=name in self.types), is_text=kind is None or kind.id == "varchar")

    def duration(self, spec: Any) -> str:
        """A duration in ms: a number in its unit, or the time from one place to another."""
        if isinstance(spec, Between):
            start, end = (f"as_timestamp({self.leaf(path, 'VARCHAR')})" for path in paths_of(spec))
            return f"(epoch_us({end}) - epoch_us({start})) / 1e3"
        return self.timed(paths_of(spec)[0], factor_of(spec))

    def number(self, path: str) -> str:
        """A number; text, and true, are none (NaN)."""
        return self.leaf(path, "DOUBLE") if self.types is not None else f"number_of({self.leaf(path, 'VARCHAR')})"

    def numbers(self, path: str, kind: str) -> str:
        """A list or map of numbers, alike."""
        if self.types is not None:
            return self.leaf(path, kind)
        texts = self.leaf(path, kind.replace("DOUBLE", "VARCHAR"))
        return f"numbers_in({texts})" if kind.startswith("MAP") else f"list_transform({texts}, lambda rw_n: number_of(rw_n))"

    def timed(self, path: str, factor: float | None) -> str:
        """A number in ms; an interval says its unit itself."""
        is_interval = self.types is not None and path in self.types and self.types[path].id == "interval"
        return self.number(path) if is_interval else f"{self.number(path)} * {factor}"

    def text(self, template: str) -> str:
        """A path or template as one text."""
        return " || ".join(self.leaf(piece, "VARCHAR") if is_path else quoted(piece) for is_path, piece in self.pieces(template))

    def listed(self, template: str, kind: str) -> str:
        """A path or template as a list; paths with ``[]`` run along, others stay."""
        pieces = self.pieces(template)
        if len(pieces) == 1:
            return self.leaf(template.strip("{}"), kind)
        lists = {piece: self.leaf(piece, "VARCHAR[]") for is_path, piece in pieces if is_path and "[]" in piece}
        parts = [
            f"{lists[piece]}[rw_n]" if piece in lists else self.leaf(piece, "VARCHAR") if is_path else quoted(piece)
            for is_path, piece in pieces
        ]
        first = next(iter(lists.values()), "null")
        return f"if({first} is null, null, list_transform(range(1, len({first}) + 1), lambda rw_n: {' || '.join(parts)}))"

    @staticmethod
    def pieces(template: str) -> list[tuple[bool, str]]:
        """Pieces of a template; a plain path is one."""
        return pieces_of(template) if "{" in template else [(True, template)]
