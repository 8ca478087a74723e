"""`recallwatch run`: ingest, drift, evaluate, gates, outputs, record. What is done stays done when a later step fails."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import ExitCode, RecallwatchError, UsageError
from ..base.files import cannot_write, write_whole
from ..base.registry import pick
from ..base.remote import is_remote, path_of
from ..base.verdicts import exit_code
from ..export import set_gauges
from ..report import as_index
from ..report.failed import failed_files
from ..report.files import FILES
from ..report.night import Night
from . import freshness
from . import run_record as record
from .configuration import Config, load
from .keys import named_by_keys
from .last_night import LastNight
from .sending import addresses, is_worth_it, send
from .steps import Timer, gather, redaction, rules_of, take_in


@dataclass(frozen=True)
class Done:
    """The result of a run.

    Args:
        night: the results, as the outputs show them.
        files: paths written, or unchanged.
        record: path of the run's record.
        exit_code: 0 or 4.
    """

    night: Night
    files: tuple[Path, ...]
    record: Path
    exit_code: ExitCode


NO_RESULT = ".no-result"  # in the folder of the outputs, while they are those of a run that could not be finished


def run(config: Config | str | Path, *, tell: Callable[[str], None] = lambda _: None, now: dt.datetime | None = None) -> Done:
    """Do a nightly run. One that cannot be finished leaves files that say so, and moves those of the last result to ``earlier/``.

    Args:
        config: the configuration, or the path of its file.
        tell: called with one line a step.
        now: what ``max_age`` and ``retention`` are counted from; None = this moment.

    Raises:
        UsageError: configuration, gate or folder that cannot be used (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    chosen = load(Path(config)) if isinstance(config, str | Path) else config
    outputs = [pick(FILES, "output", name) for name in chosen.outputs.write]
    redactor = redaction(chosen)
    folder, timer = path_of(chosen.outputs.folder, is_fresh=True), Timer(tell)
    if not is_remote(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)  # a folder that cannot be is an error before the work, not after it
        except OSError as error:
            raise cannot_write(folder, error) from error
    moment, sent_to = now or dt.datetime.now(dt.UTC), addresses(chosen.outputs)
    file = str(config) if isinstance(config, str | Path) else ""
    try:
        with named_by_keys(file), redactor.errors() if redactor else nullcontext():
            rules = rules_of(chosen)
            freshness.max_age_of(chosen)
            kept_from = freshness.kept_from(chosen, moment)
            _check_inputs(chosen)
            arrived = take_in(chosen, timer, kept_from=kept_from)
            last = LastNight(chosen, moment)
            night = last.or_else(lambda: gather(chosen, timer, outputs, ran_at=moment))
    except RecallwatchError as error:
        _write_failed(chosen, folder, error)
        send(_failures(chosen, sent_to, error), chosen.outputs, tell)
        raise
    night = dataclasses.replace(night, notes=[*arrived, *night.notes])
    night = redactor.night(night) if redactor else night
    records_folder = path_of(chosen.store or chosen.outputs.folder, is_fresh=True) / "nights"
    records = record.read_all(records_folder)
    missed = freshness.skipped(chosen, rules, night, records)
    fresh = freshness.of(chosen, night.evaluation, records, moment)
    night, seen = _with_history(night, records, timer)
    night = dataclasses.replace(night, skipped=missed, freshness=fresh)
    with timer("outputs"):
        files = {name: data for output in outputs for name, data in output.write(night).items()}
        if chosen.outputs.archive and "report.html" in files:
            seen["page"] = as_index.page_name(seen)
            index = as_index.render(chosen.outputs.title, [*records, seen])
            files |= {seen["page"]: files["report.html"], "index.html": index.encode()}
        written = [_write(folder / name, data) for name, data in files.items()]
        if not is_remote(folder):
            (folder / NO_RESULT).unlink(missing_ok=True)
    if sent_to and is_worth_it(night.verdict, chosen.outputs):
        send({name: next(iter(FILES[name].write(night).values())) for name in sent_to}, chosen.outputs, tell)
    set_gauges(night)  # silent unless an OpenTelemetry SDK runs in this process
    last.keep()
    path = record.keep(records_folder, {**seen, "skipped": missed, "seconds": timer.seconds})
    return Done(night, tuple(written), path, exit_code(night.verdict, chosen.fail_on))


def _with_history(night: Night, records: list[dict[str, Any]], timer: Timer) -> tuple[Night, dict[str, Any]]:
    """The run compared with earlier ones: what changed, and when the labels did."""
    seen = record.record_of(night, timer.seconds)
    before = record.earlier(records, seen)
    changes = record.changes(seen, before[-1]) if before else []
    marks = [*night.marks, *record.label_marks(before, seen)]
    return dataclasses.replace(night, changes=changes, marks=marks), seen


def _write_failed(config: Config, folder: Path, error: RecallwatchError) -> None:
    """Pages of today that say what is wrong; those of the last run with a result are moved aside, so that none passes for today's."""
    if not is_remote(folder) and not (folder / NO_RESULT).exists():
        for path in (written for entry in FILES.values() for name in entry.files for written in folder.glob(name)):
            try:
                (folder / "earlier").mkdir(exist_ok=True)
                path.replace(folder / "earlier" / path.name)
            except OSError as cannot:
                raise cannot_write(path, cannot) from error
        _write(folder / NO_RESULT, b"")
    for output in config.outputs.write:
        for name, data in failed_files(output, config.outputs.title, str(error)).items():
            _write(folder / name, data)
    if config.outputs.archive:
        records = record.read_all(path_of(config.store or config.outputs.folder, is_fresh=True) / "nights")
        _write(
            folder / "index.html",
            as_index.render(config.outputs.title, records, reason=str(error)).encode("utf-8", "backslashreplace"),
        )


def _failures(config: Config, names: Iterable[str], error: RecallwatchError) -> dict[str, bytes]:
    """What is sent of a run without a result."""
    return {name: next(iter(failed_files(name, config.outputs.title, str(error)).values())) for name in names}


def _write(path: Path, data: bytes) -> Path:
    write_whole(path, data, parents=True)
    return path


def _check_inputs(config: Config) -> None:
    """A missing label file is an error before the logs are read."""
    for path in config.labels:
        if not any(sign in path for sign in "*?[") and not is_remote(path) and not Path(path).exists():
            raise UsageError("no such file", where=f"labels: {path}", fix="Paths are seen from the configuration's folder")
