"""Lists in a text: a cell of a table, a value of a line of logfmt."""

import ast
import json
import re
from typing import Any

PYTHON_DICT = re.compile(r"\s*\{'")
SEPARATORS = ("|", ";", ",")  # between ids in a cell, the first that occurs
_ELEMENT, _ESCAPE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,"]+)'), re.compile(r"\\(.)")  # of a PostgreSQL array: {a,"b, c"}
_BARE = re.compile(
    r"""\[\s*[^\s\[\]{}"',]+(?:\s*,\s*[^\s\[\]{}"',]+)*\s*\]"""
)  # as Athena, Trino and DuckDB write a list of texts: [a, b]
NULLS = ("NULL", "null", r"\N")
_NO_COMMA = re.compile(r"['\"]\s+['\"]")  # numpy's text of a list


def is_list(cell: str | None) -> bool:
    """Whether a cell is likely to hold a list."""
    return cell is not None and (cell.lstrip().startswith("[") or any(separator in cell for separator in SEPARATORS))


def list_of(cell: str | None, *, is_text: bool = False) -> str | None:
    """A list in a cell as JSON: JSON, Python's own text of it, PostgreSQL's, or ids parted by ``|``, ``;`` or ``,``. What is none of these stays as it is."""
    if cell is None or not cell.strip():
        return None
    text = cell.strip()
    if (elements := _array(text)) is not None:
        return json.dumps(elements)
    if text.startswith(("[", "{")):
        try:
            json.loads(text)
        except ValueError:
            try:
                value = None if _NO_COMMA.search(text) else ast.literal_eval(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return text
            return json.dumps(value) if isinstance(value, list) else text
        return text
    separator = "" if is_text else next((s for s in SEPARATORS if s in text), "")
    return json.dumps([part.strip() for part in text.split(separator)] if separator else [text])


def _array(text: str) -> list[str | None] | None:
    """The elements of a list without quotes, ``[a, b]``, or of a PostgreSQL array, ``{a,"b, c",NULL}``; None where the text is something else."""
    if _BARE.fullmatch(text):
        return [None if part.strip() in NULLS else part.strip() for part in text[1:-1].split(",")]
    if not (text.startswith("{") and text.endswith("}")) or (text != "{}" and is_json(text)):
        return None
    return [None if plain == "NULL" else plain or _ESCAPE.sub(r"\1", inner) for inner, plain in _ELEMENT.findall(text[1:-1])]


def is_json(text: str | bytes) -> bool:
    """Whether a text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def python_dict(text: str) -> dict[str, Any] | None:
    """The dict that a text is as Python prints one, of values that JSON has; None = it is none."""
    if not PYTHON_DICT.match(text):
        return None
    try:
        value = ast.literal_eval(text.strip())
        return json.loads(json.dumps(value, allow_nan=False)) if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
