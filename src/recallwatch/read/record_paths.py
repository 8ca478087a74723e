"""Paths such as `results[].chunk.id` as SQL: a typed structure for JSON text, an expression over typed columns."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..base.engine import identifier

Shape = dict[str, Any]


_STEP = re.compile(r'"(?P<quoted>[^"]+)"|(?P<list>\[\])|(?P<name>[^."\[]+|\[(?!\]))')


def steps_of(path: str) -> list[str]:
    """``results[].chunk.id`` -> ``results``, ``[]``, ``chunk``, ``id``; a name with dots is quoted: ``hits[]."@search.score"``."""
    return [step["quoted"] or step["list"] or step["name"] for step in _STEP.finditer(path)] or [path]


def at(value: Any, path: str) -> Any:
    """What stands at a path, of lists in their first element."""
    for step in steps_of(path):
        key: int | str = 0 if step == "[]" else step
        there = isinstance(value, list) and bool(value) if key == 0 else isinstance(value, dict) and key in value
        value = value[key] if there else None
    return value


def json_path(steps: Iterable[str]) -> str:
    """Steps as DuckDB's JSON path, each name quoted: ``$."results"[*]."id"``."""
    return "$" + "".join("[*]" if step == "[]" else "." + '"' + step.replace('"', '\\"') + '"' for step in steps)


def expression(path: str, root: str, *, literal: bool = False) -> str:
    """SQL that reads a path under ``root`` (the struct of a JSON line; empty = columns); one value an element for ``[]``, lists in lists flattened."""
    steps = [path] if literal else steps_of(path)
    sql = f"{root}.{identifier(steps[0])}" if root else identifier(steps[0])
    return _walk(sql, steps[1:], 0)


def _walk(sql: str, steps: list[str], level: int) -> str:
    if not steps:
        return sql
    if steps[0] == "[]":
        name = f"rw_x{level}"  # no column is called so: one of that name would be read in its place
        inner = _walk(name, steps[1:], level + 1)
        values = sql if inner == name else f"list_transform({sql}, lambda {name}: {inner})"
        return f"flattened({values})" if "[]" in steps[1:] else values  # lists within lists, one after the other
    return _walk(f"{sql}.{identifier(steps[0])}", steps[1:], level)


def clash(one: list[str], other: list[str]) -> bool:
    """Whether two paths want different forms of one field."""
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return "[]" in (mine, theirs)
    return one != other


def json_shape(paths: Mapping[str, str], literal: Collection[str]) -> str:
    """The structure json_transform reads these paths with: path -> type of its value; the rest of a line is skipped."""
    shape: Shape = {}
    for path, kind in paths.items():
        _add(shape, [path] if path in literal else steps_of(path), _leaf(kind))
    return json.dumps(_as_json(shape))


def _add(shape: Shape, steps: list[str], kind: Any) -> None:
    for step in steps[:-1]:
        shape = shape.setdefault(step, {})
    shape[steps[-1]] = kind


def _leaf(kind: str) -> Any:
    return {"[]": kind.removesuffix("[]")} if kind.endswith("[]") else kind


def _as_json(shape: Any) -> Any:
    if isinstance(shape, str):
        return shape
    if set(shape) == {"[]"}:
        return [_as_json(shape["[]"])]
    return {key: _as_json(value) for key, value in shape.items()}
