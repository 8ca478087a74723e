"""`recallwatch run`: ingest, drift, evaluate, gates, outputs, record. What is done stays done when a later step fails."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import ExitCode, UsageError
from ..base.files import write_whole
from ..base.registry import pick
from ..base.remote import is_remote, path_of
from ..base.verdicts import exit_code
from ..export import set_gauges
from ..report.files import FILES
from ..report.night import Night
from ..report.redact import Redactor
from . import run_record as record
from .configuration import Config, load
from .steps import Timer, gather


@dataclass(frozen=True)
class Done:
    """What a run leaves.

    Args:
        night: what was found, as the outputs tell it.
        files: paths written or found unchanged.
        record: path of the run's record.
        exit_code: 0 or 4.
    """

    night: Night
    files: tuple[Path, ...]
    record: Path
    exit_code: ExitCode


def run(config: Config | str | Path, *, tell: Callable[[str], None] = lambda _: None) -> Done:
    """Do a nightly run.

    Args:
        config: the configuration, or the path of its file.
        tell: called with one line a step.

    Raises:
        UsageError: configuration, gate or folder that cannot be used (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    chosen = load(Path(config)) if isinstance(config, str | Path) else config
    outputs = [pick(FILES, "output", name) for name in chosen.outputs.write]
    redactor = (
        Redactor(chosen.outputs.salt, ids=chosen.outputs.redact_ids) if chosen.outputs.redact or chosen.outputs.redact_ids else None
    )
    _check_inputs(chosen)
    timer = Timer(tell)
    night = gather(chosen, timer, outputs)
    night = redactor.night(night) if redactor else night
    kept = path_of(chosen.store or chosen.outputs.folder, is_fresh=True) / "nights"
    night, seen = _with_history(night, kept, timer)
    folder = path_of(chosen.outputs.folder, is_fresh=True)
    with timer("outputs"):
        written = [_write(folder / name, data) for output in outputs for name, data in output.write(night).items()]
    set_gauges(night)  # silent unless an OpenTelemetry SDK runs in this process
    path = record.keep(kept, {**seen, "seconds": timer.seconds})
    return Done(night, tuple(written), path, exit_code(night.verdict, chosen.fail_on))


def _with_history(night: Night, folder: Path, timer: Timer) -> tuple[Night, dict[str, Any]]:
    """The run beside the ones before it: what changed, and when the labels did."""
    seen = record.record_of(night, timer.seconds)
    before = record.earlier(folder, seen)
    told = record.changes(seen, before[-1]) if before else []
    marks = [*night.marks, *record.label_marks(before, seen)]
    return dataclasses.replace(night, changes=told, marks=marks), seen


def _write(path: Path, data: bytes) -> Path:
    write_whole(path, data, parents=True)
    return path


def _check_inputs(config: Config) -> None:
    """A label file that is not there is told before the logs are read."""
    for path in config.labels:
        if not any(sign in path for sign in "*?[") and not is_remote(path) and not Path(path).exists():
            raise UsageError("no such file", where=f"labels: {path}", fix="Paths are seen from the configuration's folder")
