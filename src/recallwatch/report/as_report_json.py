"""report.json: a run for other programs."""

import json

from .night import Night


def files(night: Night) -> dict[str, bytes]:
    """Full floats, keys in the contract's order."""
    return {
        "report.json": (json.dumps(night.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(
            "utf-8", "backslashreplace"
        )
    }
