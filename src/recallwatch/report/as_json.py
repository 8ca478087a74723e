"""The JSON other programs rely on."""

import json

from ..scoring.result import Evaluation


def render(result: Evaluation) -> str:
    """The contract's JSON: full floats, keys in the contract's order."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
