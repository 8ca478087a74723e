"""`recallwatch run`: the nightly job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CONFIG = Annotated[
    Path,
    typer.Argument(
        metavar="CONFIG.toml", help="Configuration, as `recallwatch init` writes it; recallwatch.toml where none is named."
    ),
]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Only the verdict.")]


def command(config: CONFIG = Path("recallwatch.toml"), quiet: QUIET = False) -> None:
    """Read new logs, evaluate, test for drift, check the gates, write the report; exit 4 where drift or a gate failed.

    Example: recallwatch run recallwatch.toml
    """
    from ..base.errors import printable as plain
    from ..base.progress import tell
    from ..document.outputs import emit
    from ..nightly.run import run

    done = run(config) if quiet else run(config, tell=tell)
    night = done.night.local
    emit(plain(f"{night.verdict.upper()}  {night.headline}") + "\n", None)
    if not quiet:
        for path in done.files:
            tell(str(path))
    raise typer.Exit(int(done.exit_code))
