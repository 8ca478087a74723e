"""`recallwatch.compare`: two variants tested on the same queries."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.definition import Definition
from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.verdicts import gravest, overall
from ..document.model import Document
from ..document.result import Result
from ..evaluation.source import Either, source_of
from ..monitor.settings import Settings
from ..scoring.plan import Plan, takes
from . import arms, comparison_rows
from . import comparison_sentences as sentences
from .arms import Arm
from .comparison_document import document_of
from .interleaving import CREDIT, of_teams
from .options import COMPARE, Pair
from .runs import runs_of
from .unjudged import unjudged


@dataclass(frozen=True)
class Comparison(Result):
    """Two variants compared.

    Args:
        a, b: name, events, queries of each arm.
        verdict: fail (b is worse), improved, ok or insufficient.
        headline: one sentence.
        metrics: one row a metric and class.
        similarity: overlap@k and RBO of the two rankings, and the ``queries`` that differ, the first to label first; None where no query
            is shared.
        notes: what a reader should know.
        tasks: documents without a label that only one arm shows, the first to judge first: the lines of a worksheet.
        funnel: one row a side (a, b) and stage: share of the relevant documents in its list, share that it lost, near misses.
    """

    definition: dict[str, Any]
    a: dict[str, Any]
    b: dict[str, Any]
    verdict: str
    headline: str
    metrics: tuple[dict[str, Any], ...]
    similarity: dict[str, Any] | None
    notes: tuple[str, ...]
    tasks: Sequence[Mapping[str, Any]] = ()
    funnel: Sequence[Mapping[str, Any]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch compare -f json``, as Python values."""
        lists = {name: list(getattr(self, name)) for name in ("metrics", "notes", "funnel")}
        return {**self.stated("definition", "a", "b", "verdict", "headline", "metrics", "similarity", "notes", "funnel"), **lists}

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(COMPARE)
def compare(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    other: Any = None,
    settings: Settings | None = None,
    pair: Pair,
    plan: Plan,
) -> Comparison:
    """Say whether variant b answers the same queries better or worse than variant a.

    Args:
        logs: a log that holds both variants; or the first of two logs, or of two results of ``evaluate --per-query -f json``;
            or the folder of a store.
        labels: as in :func:`recallwatch.evaluate`; not needed for results; None with a store = those it was last scored with. Without labels
            times and lists are compared, and the verdict is ``insufficient`` or, for slower times, ``fail``.
        store: folder of a store, in place of logs.
        other: the second log or result.
        settings: ready levels and floors.
        {options}

    Returns:
        Comparison: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: a variant that the log does not hold, results that do not mean the same, an unknown option (exit 2).
        InputError: logs or labels out of contract (exit 3).

    Example:
        >>> logs = [{"query_id": f"q{n}", "variant": v, "ranked_ids": [f"m{n}" if v == "b" or n % 2 else "m99"]} for n in range(20) for v in "ab"]
        >>> labels = [{"query_id": f"q{n}", "relevant": {f"m{n}": 1, "m99": 0}} for n in range(20)]
        >>> compare(logs, labels, by="variant", a="a", b="b").verdict
        'improved'
    """
    if (logs is None) == (store is None):
        raise UsageError(
            "name logs, or a store, not both", where="compare", fix="compare(logs, labels, …) or compare(store=folder, …)"
        )
    plan, a, b, by = plan.measuring(pair.metrics), pair.a, pair.b, pair.by
    if other is None and a is not None and a == b:
        raise UsageError(f"both variants are {a!r}", where="--a, --b", fix="Name two, or pass a second log")
    if pair.teams is not None:
        if other is not None:
            raise UsageError("team drafts are of one log", where="--other", fix="Leave it out, or leave out --teams")
        return _of_drafts(source_of(logs, store), labels, pair, plan, settings or Settings())
    results = [other is not None and _is_result(given) for given in (logs, other)]
    if any(results) and not all(results):
        raise UsageError("one is a result of an evaluation, the other a log", where="compare", fix="Pass two results, or two logs")
    if all(results):
        first, second = arms.of_result(Path(logs)), arms.of_result(Path(other))
        _refuse_mixture(first, second, force=pair.force)
    elif other is not None:
        first = arms.of_logs(source_of(logs, store), labels, {"a": a or _name(logs, "a")}, by=None, plan=plan)["a"]
        second = arms.of_logs(source_of(other), labels, {"b": b or _name(other, "b")}, by=None, plan=plan)["b"]
    else:
        if a is None or b is None:
            raise UsageError("two variants are needed", where="--by", fix="Pass --by variant --a A --b B, or a second log")
        both = arms.of_logs(source_of(logs, store), labels, {"a": a, "b": b}, by=by, plan=plan)
        first, second = both["a"], both["b"]
    names = [str(column) for column in plan.cut.columns]
    return decide(first, second, names, plan.definition, settings or Settings(), correction=pair.correction)


def _of_drafts(source: Either, labels: Any, pair: Pair, plan: Plan, settings: Settings) -> Comparison:
    """Two variants whose results stand in one list, by who is clicked more: the exact sign test over queries."""
    if pair.a is None or pair.b is None:
        raise UsageError("two teams are needed", where="--teams", fix="Pass --teams NAME --a A --b B")
    draft = of_teams(source, labels, pair.teams or "", (pair.a, pair.b), plan=plan)
    result = decide(draft.a, draft.b, [CREDIT], plan.definition, settings, correction=pair.correction)
    exponent = draft.flips_at(settings.level_quality)
    rows = tuple({**row, "flips_at_exponent": exponent} if not row["segment"] else row for row in result.metrics)
    return dataclasses.replace(result, metrics=rows, notes=(*result.notes, draft.bias(settings.level_quality)))


def _is_result(given: Any) -> bool:
    """Whether it is the JSON of an evaluation, detected from its content: a log may be named .json too."""
    path = Path(given) if isinstance(given, str | Path) else None
    if path is None or not path.is_file():
        return False
    with path.open("rb") as file:
        if not file.read(4096).lstrip().startswith(b"{"):
            return False
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return "definition" in document and "metrics" in document


def _name(given: Any, otherwise: str) -> str:
    return Path(given).stem if isinstance(given, str | Path) else otherwise


def _refuse_mixture(a: Arm, b: Arm, *, force: bool) -> None:
    if a.fingerprint != b.fingerprint and not force:
        what = f"the definitions differ ({a.fingerprint}, {b.fingerprint}), so the numbers do not mean the same"
        raise UsageError(what, where=f"{a.name}, {b.name}", fix="Evaluate both with the same options, or pass --force")


def decide(a: Arm, b: Arm, names: Sequence[str], definition: Definition, settings: Settings, *, correction: str) -> Comparison:
    """Test every metric over everything and inside each class; correct over all of them together."""
    with Engine(threads=1) as engine:
        open_documents = unjudged(engine, a, b, [name for name in names if name in a.sums and name in b.sums], definition)
        runs = runs_of(engine, a, b)
    rows = comparison_rows.rows_of(a, b, names, settings, correction=correction, unjudged=open_documents, runs=runs)
    alike = arms.similarity(a, b)
    notes = sentences.notes(a, b, rows, alike, settings, errors=definition.errors)
    mine, yours = (
        {"name": arm.name, "events": arm.events, "queries": len({q for n in names for q in arm.sums.get(n, {})})} for arm in (a, b)
    )
    untimed = sentences.untimed(a, b)
    verdict, headline = overall(rows), sentences.headline(a.name, b.name, rows, untimed)
    tasks, funnel = open_documents.tasks if open_documents else (), [*a.funnel, *b.funnel]
    if not (a.classes or b.classes):  # no labels
        verdict, headline = gravest(["insufficient", verdict]), sentences.unlabelled(a.name, b.name, rows, alike, untimed)
        tasks, funnel = (), []
    return Comparison(definition.stated(), mine, yours, verdict, headline, tuple(rows), alike, tuple(notes), tasks, funnel)
