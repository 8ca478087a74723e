"""A TOML file of ours against its model: the first mistake in our words, whatever pydantic calls it."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union

from .declared import seen
from .errors import UsageError
from .registry import known

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

# pydantic's error type -> what we expected there; {…} = what it says of the rule
EXPECTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "literal_error": "{expected}",
    "string_pattern_mismatch": "a text of the form {pattern}",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number >= {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "too_short": "at least {min_length}",
}


def mistake(error: ValidationError, model: type[BaseModel], raw: Any, where: str, see: str) -> UsageError:
    """The first mistake in one line: where it stands, what was seen, what was expected.

    Args:
        error: what pydantic found.
        model: of the file.
        raw: what the file holds.
        where: the file; "" = options, whose names are flags.
        see: what to read, e.g. ``See docs/nightly.md``.
    """
    errors = [(_place(entry["loc"], raw, entry["type"] == "missing"), entry) for entry in error.errors()]
    head = errors[0][0]  # a union reports each of its kinds: the one that fits deepest was meant
    steps, first = max(
        (pair for pair in errors if pair[0][: len(head)] == head),
        key=lambda pair: (len(pair[0]), pair[1]["type"] == "extra_forbidden"),
    )
    place = ".".join(map(str, steps))
    at = f"{where}: {place}".removesuffix(": ") if where else f"--{place}"
    if first["type"] == "extra_forbidden":
        return UsageError(f"unknown key {place!r}", where=where, fix=known(str(steps[-1]), list(_keys(model, steps[:-1]))))
    if first["type"] == "missing":
        return UsageError(f"{place} is missing", where=where, fix=see)
    if first["type"] == "value_error":  # raised by a check of ours
        what, _, fix = str(first["ctx"]["error"]).partition(". ")
        is_shown = isinstance(first["input"], dict) or seen(first["input"]) in what
        shown = "" if is_shown else f" (saw {seen(first['input'])})"
        return UsageError(f"{what}{shown}", where=at, fix=fix or see)
    rules = [EXPECTED.get(e["type"], "another value").format_map(e.get("ctx", {})) for at_, e in errors if at_ == steps]
    return UsageError(f"expected {' or '.join(dict.fromkeys(rules))}, saw {seen(first['input'])}", where=at, fix=see)


def _place(steps: Sequence[int | str], raw: Any, is_missing: bool) -> list[int | str]:
    """The keys and places of the file itself: pydantic puts the kinds of a union between them."""
    place: list[int | str] = []
    for step in steps:
        try:
            raw = raw[step]
        except (KeyError, IndexError, TypeError):
            continue
        place.append(step)
    return [*place, steps[-1]] if is_missing else place


def _keys(model: Any, steps: Sequence[int | str]) -> Iterator[str]:
    """Names the table at this place has."""
    models = [model]
    for step in steps:  # an index or a free name leads to the same models, a field to its own
        fields = [one.model_fields[step] for one in models if step in one.model_fields]
        models = [inner for field in fields for inner in _models(field.annotation)] if fields else models
    for one in models:
        yield from one.model_fields


def _models(kind: Any) -> Iterator[Any]:
    """Every model inside ``tuple[X, ...]``, ``dict[str, X]`` or ``X | Y``."""
    if hasattr(kind, "model_fields"):
        yield kind
    elif typing.get_origin(kind) in (tuple, list, dict, Annotated, Union, UnionType):
        for part in typing.get_args(kind):
            yield from _models(part)
