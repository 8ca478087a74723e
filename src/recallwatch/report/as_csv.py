"""One CSV with metrics, latency and cost: a column ``table`` tells the rows apart."""

import csv
import io
import json
from typing import Any

from ..scoring.result import Evaluation

TABLES = ("metrics", "latency", "cost")


def render(result: Evaluation) -> str:
    """Every cell of the JSON's tables; absent = empty, floats in full."""
    document = result.to_dict()
    header = ["table"]
    for table in TABLES:
        header += [name for name in getattr(result, table).column_names if name not in header]
    out = io.StringIO()
    writer = csv.DictWriter(out, header, lineterminator="\n")
    writer.writeheader()
    for table in TABLES:
        writer.writerows({"table": table, **{name: _cell(value) for name, value in row.items()}} for row in document[table])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else value
