"""Any log format to canonical Parquet: what `evaluate` reads fastest, and what any other tool can read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..base.engine import Engine, quoted_paths
from ..base.errors import UsageError
from ..base.files import whole
from ..base.takes import CONVERT
from ..evaluation.source import LoggedRecalls
from ..read.lines import OTHER
from ..scoring.plan import Plan, paths_of, takes
from ..scoring.readout import at_work


@dataclass(frozen=True)
class Converted:
    """Summary of a conversion.

    Args:
        events: rows in ``out``.
        rejected: records that could not become an event.
        spans: spans the events were picked from, where a log is a trace.
        formats: format name -> number of files.
        out: the file.
        labels: the file of labels the log carried, if it did.
    """

    events: int
    rejected: int
    spans: int
    formats: dict[str, int]
    out: str
    labels: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        """One line for people."""
        read = ", ".join(f"{n} {name} file{'s' if n > 1 else ''}" for name, n in self.formats.items())
        spans = f" from {self.spans:,} spans" if self.spans else ""
        labels = f"; labels in {self.labels}" if self.labels else ""
        return f"{self.events:,} recalls{spans} of {read} written to {self.out} ({self.rejected:,} records rejected){labels}"


@takes(CONVERT)
def convert(logs: Any, out: Any, *, plan: Plan) -> Converted:
    """Write the recalls of any log as one Parquet file in the columns of contract.events, by source and line.

    Evaluating the file gives what evaluating the log gives. Labels a log carries go to a file beside it.

    Args:
        logs: path, folder, glob or a list of them.
        out: the file, written atomically.
        {options}

    Raises:
        UsageError: unknown option; a place that cannot be written.
        InputError: logs out of contract, or more bad records than agreed.
    """
    sources = paths_of(logs)
    if sources is None:
        raise UsageError("convert reads files", where="logs", fix="Name files, folders or globs")
    path = Path(out)
    if any(path.resolve() == Path(source).resolve() for source in sources):
        raise UsageError("the file to write is one of the logs", where=str(path), fix="Name another file with -o")
    source = LoggedRecalls(sources)
    with at_work(plan, "recallwatch.convert") as (engine, steps):
        with steps("read"):
            read, form = source.read(engine, None, plan.reading)
            rejects = source.accept(engine, plan)
        columns = ", ".join(f'"{name}"' for name in engine.columns("contract.events"))
        write(engine, f"select {columns} from events order by source, source_line, event_id", path)
        labels = path.with_name(f"{path.stem}.labels.parquet") if form else None
        if labels is not None:
            write(engine, "select * from labels order by source, source_line, document_id", labels)
        (events,) = engine.run(f"select count(*) from read_parquet({quoted_paths(path)})")[0]
        return Converted(
            int(events),
            sum(row["n"] for row in rejects if row["reason"] != OTHER),
            read.spans,
            dict(read.formats),
            str(path),
            None if labels is None else str(labels),
        )


def write(engine: Engine, select: str, path: Path) -> None:
    """Write a query's rows as Parquet, atomically."""
    if path.exists() and not path.is_file():
        raise UsageError("cannot be written (no file)", where=str(path), fix="Name a file: Parquet is not written as a stream")
    with whole(path) as temporary:
        engine.write(select, temporary, what=f"writing {path}")
