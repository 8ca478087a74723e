"""`recallwatch protocol run`: logs in, a results folder out, with a status that says whether its numbers may be quoted."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import sqlfiles
from ..base.definition import Definition
from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.files import sha256_of
from ..base.options import Limits, Period, Reading
from ..base.registry import pick
from ..base.version import TOOL
from ..document.outputs import json_text
from ..evaluation.source import source_of
from ..evaluation.walk import recalls
from ..labels.adapters import ADAPTERS, Made, make
from ..read.lines import OTHER
from ..read.paths import expand
from ..scoring.meeting import refuse_no_match
from ..scoring.plan import planned
from ..scoring.readout import at_work
from . import files, report, requirements
from .label_files import differences
from .scores import score

WRITTEN = (files.RAW, files.METRICS, "report.md", "report.html")  # by every run


@dataclass(frozen=True)
class Declaration:
    """What the user declares for a run, checked against the protocol.

    Args:
        facts: name -> value. deviations: what was done otherwise, and why.
        claims: column -> published figure, as written.
        artefacts: name in the folder -> file.
        corpora: name -> file.
        labels: files; ("log",) = those the logs carry; () = made from the corpus, else those the logs carry.
        reading, period, limits: how the logs are read, which part of them, with what means.
    """

    facts: Mapping[str, Any]
    deviations: Sequence[Mapping[str, str]]
    claims: Mapping[str, str]
    artefacts: Mapping[str, Path]
    corpora: Mapping[str, Path]
    labels: Sequence[str]
    reading: Reading
    period: Period
    limits: Limits


def run(source: files.Source, logs: Sequence[str], out: Path, declaration: Declaration, *, replace: bool = False) -> dict[str, Any]:
    """Score logs under a protocol and write the results folder; returns what metrics.json holds.

    Raises:
        UsageError: ``out`` holds results, or the protocol's text changed under its version.
        InputError: logs, labels or a corpus out of contract.
    """
    refuse_changed_text(source, out.parent, leave_out=out.name)
    made = _corpus_labels(source, declaration)
    record = _record(source, declaration, made)
    record["logs"] = [{"file": path.name, "sha256": sha256_of(path)} for path in expand(list(logs), kind="log")]
    with files.written_whole(out, replace=replace) as folder:
        record |= _raw(folder, logs, declaration, made, source.protocol.defined())
        (folder / files.TEXT).write_text(source.text, encoding="utf-8")
        for name, path in declaration.artefacts.items():
            shutil.copyfile(path, folder / name)
        record["artefacts"] = sorted({*declaration.artefacts, *WRITTEN})
        scores = score(folder, source.protocol)
        document = {
            "tool": dict(TOOL),
            "protocol": {"name": source.protocol.name, "version": source.protocol.version, "sha256": source.sha256},
            "status": "",
            "gates": [],
            **scores.to_dict(),
            "definition": source.protocol.defined().options(),
            "record": record,
            "hashes": {files.RAW: sha256_of(folder / files.RAW), "sql": sqlfiles.sql_hash()},
        }
        gates = requirements.judge(source.protocol, document, scores.others)
        is_blocked = (out / files.BLOCKED).is_file()
        document |= {"status": requirements.status_of(gates, is_blocked=is_blocked), "gates": [gate.to_dict() for gate in gates]}
        report.write(folder, source.protocol, document, blocked=blocked_reason(out))
        (folder / files.METRICS).write_text(json_text(document, 1), encoding="utf-8")
        (folder / files.MANIFEST).write_text(json_text(files.manifest(folder), 1), encoding="utf-8")
    return document


def dry_run(source: files.Source, logs: Sequence[str], out: Path, declaration: Declaration) -> list[requirements.Requirement]:
    """Everything of a run that can be checked before it: text, corpus, labels, facts, files, place; nothing is scored or written.

    Raises:
        UsageError: ``out`` holds results, or the protocol's text changed under its version.
        InputError: no such logs, or a corpus out of contract.
    """
    refuse_changed_text(source, out.parent, leave_out=out.name)
    files.refuse_results(out, replace=False)
    made = _corpus_labels(source, declaration)
    record = _record(source, declaration, made)
    record["logs"] = [path.name for path in expand(list(logs), kind="log")]
    record["artefacts"] = sorted({*declaration.artefacts, *WRITTEN})
    gates = requirements.before(source.protocol, record, None if made is None else differences(made, source.protocol))
    reason = blocked_reason(out)
    return [*gates, *([requirements.Requirement("blocked", "fail", " ".join(reason.split()))] if reason else [])]


def blocked_reason(folder: Path) -> str:
    """What BLOCKED.md says; empty = not blocked."""
    path = folder / files.BLOCKED
    return (path.read_text(encoding="utf-8", errors="replace").strip() or "no reason given") if path.is_file() else ""


def refuse_changed_text(source: files.Source, folder: Path, *, leave_out: str = "") -> None:
    """Results of the same protocol and version that were made under another text: the version was not raised."""
    for other, sha in known_texts(source.protocol.name, source.protocol.version, folder, leave_out=leave_out):
        if sha != source.sha256:
            raise UsageError(
                f"the text of {source.protocol.name} {source.protocol.version} changed ({source.sha256[:12]}…; {other} has {sha[:12]}…)",
                where=source.where,
                fix="Raise its version, or take the change back",
            )


def known_texts(name: str, version: str, folder: Path, *, leave_out: str = "") -> list[tuple[str, str]]:
    """Where a protocol's version is known from, and the hash of its text there: the tool itself, results beside."""
    texts = []
    if name in files.shipped():
        own = files.load(name)
        texts += [("the one that comes with recallwatch", own.sha256)] if own.protocol.version == version else []
    for results in files.results_in(folder):
        try:
            stamp = files.read_results(results)["protocol"]
        except InputError:
            continue  # an incomplete neighbour is reported when it is verified itself
        if results.name != leave_out and (stamp["name"], stamp["version"]) == (name, version):
            texts.append((str(results), stamp["sha256"]))
    return texts


def _corpus_labels(source: files.Source, declaration: Declaration) -> Made | None:
    """Labels made from the first corpus, where it was given."""
    protocol = source.protocol
    path = declaration.corpora.get(protocol.corpora[0].name)
    if path is None:
        return None
    adapter = pick(ADAPTERS, "label adapter", protocol.labels.adapter)
    return make(adapter, path, granularity=protocol.labels.granularity, rules=protocol.labels.rules or None)


def _record(source: files.Source, declaration: Declaration, made: Made | None) -> dict[str, Any]:
    # files are named without their place on this machine
    corpora = {name: {"file": path.name, "sha256": sha256_of(path)} for name, path in declaration.corpora.items()}
    corpus: dict[str, Any] | None = None
    if made is not None:
        counts = {"counts": dict(made.counts), "types": dict(made.types), "segments": dict(made.segments)}
        corpus = {**counts, "malformed": [dict(row) for row in made.malformed]}
    return {
        "facts": {
            name: declaration.facts[name] for name in (*source.protocol.facts, *declaration.facts) if name in declaration.facts
        },
        "deviations": [dict(row) for row in declaration.deviations],
        "claims": dict(declaration.claims),
        "corpora": corpora,
        "corpus": corpus,
    }


def _raw(folder: Path, logs: Sequence[str], declaration: Declaration, made: Made | None, definition: Definition) -> dict[str, Any]:
    """Read logs and labels as `evaluate` does; write the scored events to raw_retrievals.jsonl. Returns a summary of the logs."""
    groups = {Reading: declaration.reading, Period: declaration.period, Limits: declaration.limits, Definition: definition}
    plan = planned(groups).measuring(("recall@10",))
    labels: Any = list(declaration.labels) or (made.labels if made is not None else None)
    origin = ", ".join(Path(p).name for p in declaration.labels) or ("corpus" if made is not None else "the logs themselves")
    if list(declaration.labels) == ["log"]:
        labels, origin = None, "the logs themselves"
    with at_work(plan, "recallwatch.protocol") as (engine, steps):
        events = recalls(engine, source_of(list(logs)), labels, plan, steps, must_have_labels=True)
        # texts are written only where they decide relevance
        engine.file("6_report/raw_no_texts.sql" if definition.match == "id" else "6_report/raw_texts.sql")
        engine.file("6_report/raw_retrievals.sql")
        _keep(engine, folder)
        counts = dict(engine.rows("from raw_counts")[0])
        bad = {row["reason"]: row["n"] for row in events.rejects if row["reason"] != OTHER}
        return {
            "labels": {"from": origin, "difference": _difference(engine, made) if made is not None else None},
            "read": {
                **counts,
                "duplicate_events": events.duplicates,
                "incomplete_tail": bad.pop("incomplete_tail", 0),
                "rejected_lines": sum(bad.values()),
                "formats": dict(events.logs.formats),
            },
        }


def _keep(engine: Engine, folder: Path) -> None:
    """Write the raw retrievals and the labelled questions without a recall."""
    for view, name in (("raw_retrievals", files.RAW), ("not_asked", files.NOT_ASKED)):
        lines = "".join(f"{row[0]}\n" for row in engine.run(f"select line from {view}", what="the raw retrievals"))
        if lines or name == files.RAW:
            (folder / name).write_text(lines, encoding="utf-8")
        if not lines and name == files.RAW:
            refuse_no_match(engine)


def _difference(engine: Engine, made: Made) -> dict[str, int]:
    engine.register("agreed_labels", made.labels)
    engine.file("6_report/label_difference.sql")
    return dict(engine.rows("from label_difference")[0])
