"""report.json: a run for other programs."""

import json
from typing import Any

from .night import Night


def render(night: Night) -> str:
    """Full floats, keys in the contract's order; a line a part, for only without indentation Python's encoder is the fast one."""
    return "{\n" + ",\n".join(f"{_text(name)}: {_text(value)}" for name, value in night.to_dict().items()) + "\n}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
