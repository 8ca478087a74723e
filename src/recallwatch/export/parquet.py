"""Any log format to canonical Parquet: what `evaluate` reads fastest, and what any other tool can read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.engine import Engine, quoted, quoted_paths
from ..base.errors import InputError, UsageError
from ..base.files import whole
from ..read import read_logs
from ..scoring import relations
from ..scoring.plan import paths_of, plan_of
from ..scoring.readout import accept

if TYPE_CHECKING:
    from ..read import Logs


@dataclass(frozen=True)
class Converted:
    """What a conversion wrote.

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


def convert(logs: Any, out: Any, **options: Any) -> Converted:
    """Write the recalls of any log as one Parquet file in the columns of contract.events, by source and line.

    Evaluating the file gives what evaluating the log gives. Labels a log carries go to a file beside it.

    Args:
        logs: path, folder, glob or a list of them.
        out: the file to write; it appears whole or not at all.
        options: fields of :class:`~recallwatch.scoring.plan.Request` that say how a log is read.

    Raises:
        UsageError: unknown option; a place that cannot be written.
        InputError: logs out of contract, or more bad records than agreed.
    """
    plan = plan_of(None, None, options)
    sources = paths_of(logs)
    if sources is None:
        raise UsageError("convert reads files", where="logs", fix="Name files, folders or globs")
    path = Path(out)
    if any(path.resolve() == Path(source).resolve() for source in sources):
        raise UsageError("the file to write is one of the logs", where=str(path), fix="Name another file with -o")
    engine = plan.engine()
    try:
        relations.bind(engine, plan.definition, plan.cut)
        read = read_logs(
            engine, sources, log_format=plan.reading.log_format, mapped=plan.reading.mapped, profile=plan.reading.profile
        )
        rejects = accept(engine, read, plan.reading, plan.period)
        columns = ", ".join(f'"{name}"' for name in engine.columns("contract.events"))
        write(engine, f"select {columns} from events order by source, source_line, event_id", path)
        labels = _write_labels(engine, read, path)
        (events,) = engine.run(f"select count(*) from read_parquet({quoted_paths(path)})")[0]
        return Converted(int(events), sum(row["n"] for row in rejects), read.spans, dict(read.formats), str(path), labels)
    finally:
        engine.close()


def write(engine: Engine, select: str, path: Path) -> None:
    """A query's rows as Parquet, whole or not at all."""
    with whole(path) as temporary:
        try:
            engine.run(f"copy ({select}) to {quoted(str(temporary))} (format parquet, compression zstd)", what=f"writing {path}")
        except InputError as error:
            raise OSError(str(error)) from error


def _write_labels(engine: Engine, read: Logs, path: Path) -> str | None:
    from ..read import read_carried_labels

    if read.labels is None:
        return None
    read_carried_labels(engine, read)
    beside = path.with_name(f"{path.stem}.labels.parquet")
    write(engine, "select * from labels order by source, source_line, document_id", beside)
    return str(beside)
