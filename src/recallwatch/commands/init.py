"""`recallwatch init`: a configuration to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..nightly.options import STARTER
from . import options as o

TARGET = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")]
FORCE = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


@o.takes(STARTER)
def command(
    logs: o.LOGS,
    labels: o.LABELS = None,
    output: TARGET = Path("recallwatch.toml"),
    force: FORCE = False,
    options: o.Options = o.GIVEN,
) -> None:
    """Write a commented recallwatch.toml for some logs; their format is detected.

    Example: recallwatch init sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..base.progress import tell
    from ..nightly.starter import write_starter

    path = write_starter(logs, labels or [], output, force=force, options=options)
    tell(f"{path} is written; next: recallwatch run {path}")
