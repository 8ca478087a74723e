"""DynamoDB's JSON, in which each value says its type: ``{"query": {"S": "x"}, "ranked_ids": {"L": [{"S": "d1"}]}}``."""

import json
from collections.abc import Mapping
from typing import Any

from .cells import is_json

TYPES = frozenset(("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"))


def plain(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """An item as the JSON it stands for; None where its values say no types."""
    if not item or not all(isinstance(value, dict) and len(value) == 1 and value.keys() <= TYPES for value in item.values()):
        return None
    return {key: _value(value) for key, value in item.items()}


def _value(typed: Any) -> Any:
    """What a typed value holds; a set (SS, NS) has no order, and is no list of results: it stays as it is."""
    kind, inner = next(iter(typed.items())) if isinstance(typed, dict) and len(typed) == 1 else ("", typed)
    match kind:
        case "L" if isinstance(inner, list):
            return [_value(one) for one in inner]
        case "M" if isinstance(inner, dict):
            return {key: _value(one) for key, one in inner.items()}
        case "N" if is_json(inner):
            return json.loads(inner)
        case "S" | "B" | "BOOL":
            return inner
        case _:
            return None if kind == "NULL" else typed
