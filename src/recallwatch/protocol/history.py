"""`recallwatch protocol history`: one table over versions, with what changed, whether it is more than chance, and whether it matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.definition import Column
from ..base.errors import InputError
from ..evaluation.source import source_of
from ..monitor.settings import Settings
from ..scoring.plan import plan_of
from ..variants import arms
from ..variants.comparison import decide
from . import model
from .files import RAW, results_in
from .report import lead
from .scores import label_files
from .verify import Checked, check, different

LEVEL = 0.05  # of the paired test, after correction over the metrics


@dataclass(frozen=True)
class Step:
    """One version against the one before it that means the same.

    Args:
        checked: the version.
        before: the version it is set against; None = there is none.
        refused: why it is not compared with the version that stands before it; empty = it is.
        rows: metric -> value, before, delta, p_value, q_value, worse, better, band, is_inside, verdict.
    """

    checked: Checked
    before: Checked | None
    refused: str
    rows: Mapping[str, Mapping[str, Any]]

    @property
    def verdict(self) -> str:
        """regression, improved, same; first where there is nothing to compare with."""
        seen = {row["verdict"] for row in self.rows.values()}
        return "first" if self.before is None else next((v for v in ("regression", "improved") if v in seen), "same")

    def to_dict(self) -> dict[str, Any]:
        """One entry of ``recallwatch protocol history -f json``."""
        return {
            "results": self.checked.name,
            "protocol": f"{self.checked.source.protocol.name} {self.checked.source.protocol.version}",
            "status": self.checked.status,
            "facts": dict(self.checked.document["record"]["facts"]),
            "compared_with": self.before.name if self.before else None,
            "refused": self.refused or None,
            "verdict": self.verdict,
            "metrics": {name: dict(row) for name, row in self.rows.items()},
        }


def history(folder: Path, *, metrics: Sequence[str] = ()) -> list[Step]:
    """Every results folder in a folder, in the order of their versions; ``metrics``: columns, else those with a band.

    Raises:
        InputError: no results there.
    """
    folders = results_in(folder)
    if not folders:
        fix = "Name the folder that holds what `recallwatch protocol run --output` wrote"
        raise InputError("no results in there", where=str(folder), fix=fix)
    checked = sorted((check(one) for one in folders), key=_order)
    steps: list[Step] = []
    for number, one in enumerate(checked):
        earlier = [other for other in reversed(checked[:number]) if not different(other, one)]
        nearest = checked[number - 1] if number else None
        refused = different(nearest, one) if nearest is not None else ""
        before = earlier[0] if earlier else None
        steps.append(Step(one, before, refused, _rows(before, one, metrics)))
    return steps


def _order(one: Checked) -> tuple[str, str, tuple[Any, ...], str]:
    """By protocol, declared day of the run, version, folder."""
    facts = one.document["record"]["facts"]
    return one.source.protocol.name, str(facts.get("date", "")), _natural(str(facts.get("system_version", ""))), one.name


def _natural(version: str) -> tuple[Any, ...]:
    """v0.10.0 after v0.9.1."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|[^\d.]+", version))


def _rows(before: Checked | None, one: Checked, metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    usual = list(one.source.protocol.bands) or lead(one.source.protocol)
    names = [name for name in (metrics or usual) if name in one.scores.overall]
    tested = _tested(before, one, names) if before is not None else {}
    return {name: _row(one.source.protocol, name, before, one, tested.get(name)) for name in names}


def _row(
    protocol: model.Protocol, name: str, before: Checked | None, one: Checked, test: Mapping[str, Any] | None
) -> dict[str, Any]:
    row = one.scores.overall[name]
    old = before.scores.overall.get(name) if before is not None else None
    delta = row["mean"] - old["mean"] if old and row["mean"] is not None and old["mean"] is not None else None
    band = protocol.bands.get(name)
    inside = None if delta is None or band is None or old is None else is_inside(band, old["mean"], row["mean"])
    certain = test is not None and test["q_value"] is not None and test["q_value"] <= LEVEL
    verdict = "same"
    if certain and inside is not True and test is not None:
        verdict = "regression" if test["effect"] < 0 else "improved"
    tested = {"p_value": "p_value", "q_value": "q_value", "method": "method", "worse": "losses", "better": "wins"}
    return {
        "value": row["mean"],
        "truncated": row["truncated"],
        "n": row["n_queries"],
        "before": old["mean"] if old else None,
        "delta": delta,
        **{name: test[column] if test else None for name, column in tested.items()},
        "is_inside": inside,
        "verdict": verdict if delta is not None else "first",
    }


def is_inside(band: float | model.Range, before: float, after: float) -> bool:
    """Whether a change is one that repeats of the same system show anyway: no wider than the width, or both in the range."""
    if isinstance(band, model.Range):
        return band.low <= before <= band.high and band.low <= after <= band.high
    return abs(after - before) <= band + 1e-12


def _tested(before: Checked, one: Checked, names: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Paired tests on the questions of both, by the statistics of ``recallwatch compare``."""
    protocol = one.source.protocol
    columns = protocol.columns()
    ours = {name: Column(of.rpartition("@")[0], int(of.rpartition("@")[2])) for name, of in columns.items() if name in names}
    first, second = (_arm(side, tuple(dict.fromkeys(ours.values()))) for side in (before, one))
    for arm in (first, second):  # one test a metric, over all questions: what a history shows
        arm.classes = dict.fromkeys(arm.classes)
        for name in [name for name in arm.sums if name == arms.TIME or name.startswith(arms.STAGE)]:
            del arm.sums[name]
    done = decide(first, second, [str(c) for c in ours.values()], protocol.defined(), Settings(), correction="holm")
    rows = {f"{row['metric']}@{row['k']}": row for row in done.metrics if not row["segment"]}
    return {name: rows[str(column)] for name, column in ours.items() if str(column) in rows}


def _arm(side: Checked, columns: tuple[Column, ...]) -> arms.Arm:
    logged = arms.of_logs(
        source_of([str(side.folder / RAW)]),
        label_files(side.folder),
        {"a": side.name},
        by=None,
        plan=plan_of(definition=side.source.protocol.defined(), metrics=tuple(map(str, columns)), log_format="flat"),
    )
    return logged["a"]
