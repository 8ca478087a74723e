"""One CSV with metrics, latency and cost: a column ``table`` tells the rows apart."""

from ..document.as_csv import draw
from ..scoring.result import Evaluation
from .as_tables import cells

TABLES = ("metrics", "latency", "cost")


def render(result: Evaluation) -> str:
    """Every cell of the JSON's tables; absent = empty, floats in full."""
    document = result.to_dict()
    header = ["table"]
    for table in TABLES:
        header += [name for name in getattr(result, table).column_names if name not in header]
    return draw(header, (cells(header, {"table": table, **row}) for table in TABLES for row in document[table]))
