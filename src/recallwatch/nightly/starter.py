"""`recallwatch init`: a commented configuration for the logs it is pointed at."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.files import write_whole
from ..base.options import Limits, Reading
from ..document.numbers import plural
from ..read import read_logs
from ..read.guess import proposal
from ..read.log_labels import columns_of as own_columns
from ..read.paths import expand
from .options import KEYS, STARTER

TEMPLATE = """\
# What `recallwatch run` reads, decides and writes. Paths are seen from this file's folder; ${{NAME}} is an environment variable.
# Every key: docs/nightly.md

logs = [{logs}]  # files, folders or globs; {format}, {count} files when this was written
{labels}
store = "store"      # keeps what was read, so that a night reads only what is new; remove the line to read all logs each time
# retention = "400d"   # what is older is erased from the store by each run
window = "day"       # or week; drift compares the newest with the accepted ones before it
timezone = "UTC"     # the windows are cut in it
# max_age = "never"  # old logs, to try it out; else a newest recall older than two windows, or "36h", is told as a log that stopped
by = [{by}]  # columns or attributes that make segments
k = [1, 3, 5, 10]    # depths
fail_on = "fail"     # exit code 4 from this verdict on: fail, warn, insufficient, never

[read]
# where = "tenant_id = 'acme'"  # only these recalls count; the store keeps all
{read}# threads = 2
# memory_limit = "4GB"
# max_rejects = "1%" # bad lines a log may have

[definition]
# unit = "query"     # every option of docs/metrics.md; two runs with different options are not compared

[drift]
# answers = "fail"     # other answers are not worse answers, so they only warn
# baseline = "2026-03-01..2026-03-15"  # a period that every night is held against too, whatever was accepted since
# floor_metric = 0.01  # smallest change of a metric worth waking somebody, ratio; every level and floor: docs/drift.md

[gates]
presets = ["{preset}"]  # against the drift reference; also {others}, clean-logs, codemem
# "overlap@10" = ">= baseline - 0.05"  # the same queries get the same documents: needs no labels
# "recall@10" = ">= 0.70"
# "recall@10[query_class=*]" = ">= baseline - 0.05"
# "p95:search" = "< 250ms"
# "rejected_share" = "< 0.01"

[outputs]
folder = "recallwatch-report"
write = ["html", "json", "markdown", "junit", "csv"]  # also parquet, svg, png, prometheus
title = "{title}"
# trace_url = "https://traces.example.com/trace/{{trace_id}}"
# redact = true      # query texts become salted hashes in every output
# salt = "${{RECALLWATCH_SALT}}"
"""
CARRIED = '# labels = ["labels.jsonl"]  # queries and the ids that should come back; these logs carry them: without this line their own count'
NO_LABELS = '# labels = ["labels.jsonl"]  # none yet, so quality is not measured: `recallwatch suggest-labels` says which queries to label first'
GUESSES = ("labels.jsonl", "labels.csv", "labels.tsv", "labels.parquet", "qrels.txt", "qrels.tsv", "qrels")


def starter(logs: Sequence[str], labels: Sequence[str], target: Path, options: Mapping[str, Any] = MappingProxyType({})) -> str:
    """The text of a configuration for some logs.

    Args:
        logs: files, folders or globs that exist.
        labels: label files; empty = looked for beside the logs.
        target: where the text will stand; paths are relative to it.
        options: how the logs are read, and limits: they go into the section [read].

    Raises:
        InputError: no logs there, or a format nobody knows.
    """
    made = STARTER.make(options)
    reading, limits = made[Reading], made[Limits]
    with Engine(threads=limits.threads, memory_limit=limits.memory_limit) as engine:
        engine.file("0_schema.sql")
        engine.file("1_normalise/values.sql")
        if reading.profile is not None and not Path(reading.profile).exists():
            _propose(engine, logs, Path(reading.profile))
        read = read_logs(engine, list(logs), log_format=reading.log_format, mapped=reading.mapped, profile=reading.profile)
        columns = set(read.names.values())
        _refuse_other_files(engine)
    label_files = list(labels) or _beside(logs)
    preset, others = "no-regression", "same-answers"
    if label_files:
        labels_line = f"labels = [{_paths(label_files, target)}]"
    elif read.labels is not None or own_columns(read.attributes, read.names, reading.mapped) is not None:
        labels_line = CARRIED
    else:
        labels_line, preset, others = NO_LABELS, others, preset
    by = [name for name in ("query_class", "tenant_id") if name in columns]
    return TEMPLATE.format(
        logs=_paths(logs, target),
        labels=labels_line,
        preset=preset,
        others=others,
        format=" and ".join(read.formats),
        count=sum(read.formats.values()),
        by=", ".join(f'"{name}"' for name in by),
        read="".join(_line(name, made, target) for name in STARTER.options if options.get(name) is not None),
        title=target.resolve().parent.name.replace("\\", "").replace('"', "") or "recallwatch",
    )


def _refuse_other_files(engine: Engine) -> None:
    """A file among the logs in which no record is a recall (labels, mostly) would stop each run.

    Raises:
        InputError: there is one.
    """
    other = engine.run(
        """select source, count(*), mode(reject_reason) from normalised
        group by source having count(*) = count(reject_reason) order by source limit 1"""
    )
    if other:
        file, n, reason = other[0]
        fix = "Name the logs by a glob that leaves it out, or move it; labels are named with --labels"
        raise InputError(f"holds no recall ({plural(n, 'record')}: {reason})", where=file, fix=fix)


def _propose(engine: Engine, logs: Sequence[str], target: Path) -> None:
    """Write a profile to start from, for a log that nobody knows.

    Raises:
        UsageError: no list there that may hold results.
    """
    profile = proposal(engine, expand(list(logs), kind="log", spool=engine.folder)[0])
    if not profile:
        raise UsageError("no list there that may hold results", where=logs[0], fix="Write the profile by hand: docs/formats.md")
    write_whole(target, profile.encode(), parents=True)


def write_starter(
    logs: Sequence[str],
    labels: Sequence[str],
    target: Path,
    *,
    force: bool = False,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Path:
    """Write it; an existing file stays unless ``force`` says otherwise.

    Raises:
        UsageError: the file exists, or cannot be written.
    """
    if target.exists() and not force:
        raise UsageError("is there already", where=str(target), fix="Pass --force to replace it")
    text = starter(logs, labels, target, options)
    write_whole(target, text.encode(), parents=True)
    return target


def _line(name: str, made: Mapping[type, Any], target: Path) -> str:
    """One key of [read]."""
    value = next(getattr(group, name) for group in made.values() if hasattr(group, name))
    if name == "mapped":
        text = "{ " + ", ".join(f"{json.dumps(column)} = {json.dumps(path)}" for column, path in value.items()) + " }"
    else:
        text = _paths([value], target) if name == "profile" else json.dumps(value, ensure_ascii=False)
    return f"{KEYS.get(name, name)} = {text}\n"


def _paths(paths: Sequence[str], target: Path) -> str:
    """Paths as TOML strings, relative to the file where that is shorter."""
    texts = []
    for path in paths:
        near = os.path.relpath(path, target.resolve().parent)
        texts.append(json.dumps(near if not near.startswith("../../..") else str(Path(path).resolve()), ensure_ascii=False))
    return ", ".join(texts)


def _beside(logs: Sequence[str]) -> list[str]:
    """A label file in the folder of the logs, or in the one above."""
    first = Path(logs[0])
    for folder in (first if first.is_dir() else first.parent, first.parent):
        for name in GUESSES:
            if (folder / name).is_file():
                return [str(folder / name)]
    return []
