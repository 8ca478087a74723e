"""A condition that a person writes (``--where``, ``where`` of a profile): one boolean expression over named columns, and nothing else.

DuckDB's own parser reads it. Statements, subqueries and functions that are not on the list (whatever reads a file, a setting or
the clock) are refused; a column becomes the SQL of where its value stands; the text that is run is written anew from what was parsed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..base.engine import Engine, EngineError
from ..base.errors import UsageError
from ..base.registry import known

CLASSES = frozenset((
    "COLUMN_REF", "CONSTANT", "COMPARISON", "CONJUNCTION", "OPERATOR", "CAST", "TYPE", "BETWEEN", "CASE", "FUNCTION",
))  # fmt: skip
ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%"))
FUNCTIONS = ARITHMETIC | frozenset((  # of text, lists, times, numbers
    "~~", "!~~", "~~*", "!~~*", "~~~", "like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape", "||", "regexp_matches",
    "regexp_full_match", "regexp_extract", "lower", "upper", "trim", "ltrim", "rtrim", "length", "len", "left", "right", "substr",
    "substring", "replace", "contains", "starts_with", "ends_with", "strpos", "split_part", "hash",
    "list_value", "list_contains", "list_has", "list_has_any", "list_has_all", "list_count", "list_extract", "element_at",
    "map_keys", "map_values", "map_contains",
    "date_trunc", "date_part", "year", "month", "day", "hour", "minute", "dayofweek", "isodow", "timezone", "to_weeks", "to_days",
    "to_hours", "to_minutes", "to_seconds", "trunc",
    "abs", "round", "floor", "ceil", "isfinite", "nullif", "ifnull", "greatest", "least",
))  # fmt: skip
ONE = "Write one condition over the columns, for example tenant_id = 'acme' and total_ms > 100"
SHOWN = 40  # names of columns in a message


@dataclass(frozen=True)
class Column:
    """Where a named column's value stands: its SQL, and whether it is text (a number beside it is then compared as a number)."""

    sql: str
    is_text: bool = False


@dataclass(frozen=True)
class Condition:
    """A condition as written.

    Args:
        text: the expression.
        where: what names it in an error, e.g. ``--where``.
    """

    text: str
    where: str

    def tree(self, engine: Engine) -> dict[str, Any]:
        """Its syntax tree.

        Raises:
            UsageError: no expression, or more than one; a statement, subquery or function that has no place in a condition.
        """
        tree: dict[str, Any] = json.loads(engine.run("select json_serialize_sql(?)", [f"select 1 where {self.text}"])[0][0])
        statements = tree.get("statements", [])
        node = statements[0]["node"] if len(statements) == 1 else {}
        more = ("group_expressions", "group_sets", "having", "sample", "qualify", "modifiers")
        if tree["error"] or node.get("type") != "SELECT_NODE" or any(map(node.get, more)) or not node["where_clause"]:
            raise UsageError(f"not one condition (saw {self.text!r})", where=self.where, fix=ONE)
        for inner in _nodes(node["where_clause"]):
            name = inner.get("function_name", "")
            if inner["class"] not in CLASSES or (name and name not in FUNCTIONS) or inner.get("catalog") or inner.get("schema"):
                what = f"the function {name!r}" if name else f"a {inner['class'].lower()}"
                raise UsageError(f"{what} has no place in a condition (saw {self.text!r})", where=self.where, fix=ONE)
        return tree

    def columns(self, engine: Engine) -> list[str]:
        """The columns it names, each once; the steps of a path are joined by dots."""
        return list(dict.fromkeys(_name(node) for node in _nodes(self.tree(engine)) if node["class"] == "COLUMN_REF"))

    def sql(self, engine: Engine, relation: str, places: Mapping[str, Column]) -> str:
        """SQL that is true of a row that passes, else false.

        Args:
            engine: parses and binds it.
            relation: the rows.
            places: each column it names -> where the value stands.

        Raises:
            UsageError: types that do not go together, a value that is neither true nor false.
        """
        resolved = _resolved(self.tree(engine), lambda place: _node_of(engine, place), places)
        text = engine.run("select json_deserialize_sql(?)", [json.dumps(resolved)])[0][0]
        sql = f"try({text.removeprefix('SELECT 1 WHERE ')})"
        try:
            kind = str(engine.types(f"(select {sql} as passes from {relation})")["passes"])
        except EngineError:
            what = f"types that do not go together (saw {self.text!r})"
            raise UsageError(what, where=self.where, fix="Cast one, for example n::double > 3") from None
        if kind not in ("BOOLEAN", "VARCHAR"):
            raise UsageError(f"gives no true or false (saw {self.text!r})", where=self.where, fix=ONE)
        return f"coalesce(try_cast({sql} as boolean), false)"

    def no_column(self, name: str, names: Iterable[str]) -> UsageError:
        """The error of a column that is not there; lists those that are."""
        return UsageError(f"no column {name!r}", where=self.where, fix=known(name, list(dict.fromkeys(names))[:SHOWN]))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "class" in value:
            yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)


def _name(node: Mapping[str, Any]) -> str:
    steps = node["column_names"]
    return steps[0] if len(steps) == 1 else ".".join(f'"{step}"' if "." in step else step for step in steps)


def _node_of(engine: Engine, sql: str) -> Any:
    tree = json.loads(engine.run("select json_serialize_sql(?)", [f"select {sql}"])[0][0])
    return tree["statements"][0]["node"]["select_list"][0]


def _resolved(value: Any, node_of: Callable[[str], Any], places: Mapping[str, Column], *, is_beside_number: bool = False) -> Any:
    """The tree with each column in its place; beside a number, a text is read as one."""
    if isinstance(value, list):
        return [_resolved(inner, node_of, places, is_beside_number=is_beside_number) for inner in value]
    if not isinstance(value, dict):
        return value
    if value.get("class") == "COLUMN_REF":
        place = places[_name(value)]
        return node_of(f"try_cast({place.sql} as double)" if is_beside_number and place.is_text else place.sql)
    beside = any(map(_is_number, _sides(value))) if "class" in value else is_beside_number
    return {key: _resolved(inner, node_of, places, is_beside_number=beside) for key, inner in value.items()}


def _sides(node: Mapping[str, Any]) -> list[Any]:
    """What a comparison or a calculation puts side by side."""
    if node["class"] == "FUNCTION":
        return [argument["expression"] for argument in node["arguments"]] if node["function_name"] in ARITHMETIC else []
    if node["class"] in ("COMPARISON", "BETWEEN") or node["type"] == "COMPARE_IN":
        return [node.get(name) for name in ("left", "right", "input", "lower", "upper")] + list(node.get("children") or [])
    return []


def _is_number(node: Any) -> bool:
    if not isinstance(node, dict):
        return False
    is_sum = node.get("function_name") in ARITHMETIC or node.get("function_name") in ("abs", "length", "round")
    return is_sum or (node.get("class") == "CONSTANT" and node["literal"]["kind"] in ("INTEGER", "NUMERIC"))
