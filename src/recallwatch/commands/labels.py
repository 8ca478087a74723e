"""`recallwatch labels`: a public data set's own label file to labels of ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

ADAPTER = Annotated[str, typer.Argument(metavar="longmemeval|locomo|beir|trec", help="The data set's form.", show_default=False)]
FILE = Annotated[Path, typer.Argument(metavar="FILE", help="The data set's own file (BEIR: its folder, too).", show_default=False)]
OUT = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The Parquet file to write.", show_default=False)]
GRANULARITY = Annotated[
    str | None, typer.Option("--granularity", help="Of the document ids, e.g. session or turn. Default: the protocol's.")
]
PROTOCOL = Annotated[
    str | None,
    typer.Option("--protocol", help="Protocol to check the counts against; none = no check. Default: the one of that name."),
]
QUERIES = Annotated[
    Path | None, typer.Option("--queries", metavar="FILE", help="Query texts for qrels: JSON lines (_id, text) or TSV.")
]


def command(
    adapter: ADAPTER,
    file: FILE,
    output: OUT,
    granularity: GRANULARITY = None,
    protocol: PROTOCOL = None,
    queries: QUERIES = None,
) -> None:
    """Write a data set's labels as one Parquet file: query text, type, evidence as document ids.

    Example: recallwatch labels locomo locomo10.json -o labels.parquet
    """
    from ..protocol.label_files import write_labels

    sys.stderr.write(write_labels(adapter, file, output, granularity=granularity, protocol=protocol, queries=queries))
