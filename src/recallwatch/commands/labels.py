"""`recallwatch labels judge|plan|re-anchor|hash|longmemeval|locomo|multihop|beir|trec`: what labels carry, and labels of public data sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..labels.options import JUDGE, PLAN, RE_ANCHOR
from . import options as o

FILE = Annotated[Path, typer.Argument(metavar="FILE", help="The data set's own file (BEIR: its folder, too).", show_default=False)]
OUT = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The Parquet file to write.", show_default=False)]
GRANULARITY = Annotated[
    str | None,
    typer.Option("--granularity", metavar="NAME", help="Of the document ids, e.g. session or turn. Default: the protocol's."),
]
PROTOCOL = Annotated[
    str | None,
    typer.Option(
        "--protocol", metavar="NAME", help="Protocol to check the counts against; none = no check. Default: the one of that name."
    ),
]
QUERIES = Annotated[
    Path | None, typer.Option("--queries", metavar="FILE", help="Query texts for qrels: JSON lines (_id, text) or TSV.")
]


app = o.group("Say what labels carry, or make labels of a public data set.", "labels judge store")


@app.command("judge")
@o.takes(JUDGE)
def judge(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: o.FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """Compare a model's labels with humans', and estimate the metrics from both.

    Example: recallwatch labels judge store
    """
    from ..labels.judge import check_judge

    o.answer(check_judge, logs, labels, options=options, format=format, output=output)


@app.command("plan")
@o.takes(PLAN)
def plan(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: o.FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """Say how many labelled queries an interval of a width, or a difference, needs.

    Example: recallwatch labels plan sample_logs/recalls --labels sample_logs/labels.jsonl --width 0.1
    """
    from ..labels.label_plan import plan_labels

    o.answer(plan_labels, logs, labels, options=options, format=format, output=output)


@app.command("re-anchor")
@o.takes(RE_ANCHOR)
def re_anchor(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: o.FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """List labels of documents that no list shows any more; write the labels again under the ids of today.

    Example: recallwatch labels re-anchor sample_logs/recalls --labels sample_logs/labels.jsonl --from 2026-11-08
    """
    from ..labels.anchoring import re_anchor

    o.answer(re_anchor, logs, labels, options=options, format=format, output=output)


@app.command("hash")
def hash_texts(
    labels: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Labels that name queries by their text.", show_default=False)
    ],
    output: OUT,
) -> None:
    """Write labels under the hashes that a recorder writes in place of query texts; its hash_key is read from RECALLWATCH_HASH_KEY.

    Example: recallwatch labels hash labels.jsonl -o hashed.parquet
    """
    import os

    from ..base.progress import tell
    from ..document.numbers import plural
    from ..labels.hashing import hash_labels

    n = hash_labels(labels, output, key=os.environ.get("RECALLWATCH_HASH_KEY", "").encode())
    tell(f"{plural(n, 'query', 'queries')} hashed: {output}")


def _of_data_set(name: str, what: str) -> None:
    """The command that makes labels of one data set's files."""

    def command(
        file: FILE, output: OUT, granularity: GRANULARITY = None, protocol: PROTOCOL = None, queries: QUERIES = None
    ) -> None:
        from ..protocol.label_files import write_labels

        sys.stderr.write(write_labels(name, file, output, granularity=granularity, protocol=protocol, queries=queries))

    app.command(
        name, help=f"Write the labels of {what} as one Parquet file.\n\nExample: recallwatch labels {name} FILE -o labels.parquet"
    )(command)


for _name, _what in (
    ("longmemeval", "LongMemEval"),
    ("locomo", "LoCoMo"),
    ("multihop", "MuSiQue or HotpotQA, with hops,"),
    ("beir", "a BEIR data set"),
    ("trec", "TREC qrels"),
):
    _of_data_set(_name, _what)
