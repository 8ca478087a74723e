"""A search function over a grid of parameters: recorded as events, so that pareto and stability read what any log holds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.errors import InputError, UsageError
from ..base.files import write_whole
from ..base.progress import Progress
from ..document.model import COUNT, NAME, Column, Document, Section
from ..document.numbers import plural
from ..document.result import Result
from ..record import Recorder
from ..testing.harness import Case, case_of, labels_of
from .grid import Variant, call_of, order, value_of, variants_of
from .options import PARETO, STABILITY
from .pareto import Pareto, pareto
from .recording import Recording, Tally, alone, ask, warm
from .stability import Stability, stability

FORM = 1  # of sweep.json


@dataclass(frozen=True)
class Sweep(Result):
    """What a sweep recorded; ``str()`` is a table.

    Args:
        folder: holds ``recalls/`` (a log like any other), ``labels.jsonl`` where cases tell what is right, ``sweep.json``.
        variants: name -> parameters.
        tallies: name -> what became of its calls, those recorded earlier included.
        resumed: calls that were there already and not run again.
        notes: what a reader should know.
    """

    folder: Path
    variants: dict[str, dict[str, Any]]
    tallies: dict[str, Tally]
    resumed: int
    notes: list[str]

    @property
    def logs(self) -> Path:
        """The recorded events."""
        return self.folder / "recalls"

    @property
    def labels(self) -> Path | None:
        """The labels of the cases; None where no case tells what is right."""
        path = self.folder / "labels.jsonl"
        return path if path.is_file() else None

    @PARETO.named
    def pareto(self, labels: Any = None, **options: Any) -> Pareto:
        """The variants by quality and price; see :func:`recallwatch.pareto`.

        Options, beside ``labels`` (None = those of the cases):
        {options}
        """
        return pareto(self.logs, labels if labels is not None else self.labels, **options)

    @STABILITY.named
    def stability(self, labels: Any = None, **options: Any) -> Stability:
        """What varies between the repeats, and what each parameter changes; see :func:`recallwatch.stability`.

        Options, beside ``labels`` (None = those of the cases):
        {options}
        """
        return stability(self.logs, labels if labels is not None else self.labels, **options)

    def document(self) -> Document:
        """One line a variant, then what is odd."""
        columns = [Column("variant", NAME), Column("calls", COUNT), Column("errors", COUNT)]
        rows = [(name, tally.calls, tally.errors.total()) for name, tally in self.tallies.items()]
        return Document(f"{plural(len(rows), 'variant')} recorded in {self.folder}", [Section("", columns, rows)], self.notes)


def sweep(
    search: Callable[..., Any],
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
    queries: Iterable[str | Case | Mapping[str, Any] | tuple[Any, ...]],
    repeats: int = 3,
    warmup: int = 1,
    *,
    k: int | None = None,
    folder: str | Path | None = None,
    timeout: float | None = None,
    seed: int = 0,
) -> Sweep:
    """Run a search function over a grid of parameters and record every call.

    Every query is put to all variants in a block, in an order that ``seed`` draws anew for each block: what slows the machine for a
    while slows all variants alike. What the folder holds already is not run again.

    Args:
        search: ``search(query, **parameters)``, plain or async; returns ids, ``(id, score)`` pairs, documents, … as a retriever of
            the harness does. With a parameter ``recall`` it is given the open recall, to tell stages, cost or tokens.
        grid: parameter -> values, for all combinations; or a list of settings.
        queries: texts; or cases with what is right, as :func:`recallwatch.evaluate_retriever` takes them.
        repeats: how often each variant answers each query; events carry ``run_id`` run-001, run-002, …
        warmup: calls a variant makes before, which are not recorded.
        k: given to the search as ``k``, ``top_k``, ``limit`` or ``n_results``, where it has one and the grid does not set it; ids beyond it count.
        folder: keeps the recording, and what is in it is not run again; None = a new temporary one, which stays.
        timeout: seconds a call may take; then it is recorded as an error and left behind. A thread cannot be stopped: it goes on
            and may slow the calls after it. None = no limit.
        seed: of the order.

    Raises:
        UsageError: no variants or queries, a parameter the function does not take, a folder of another sweep.

    Example:
        >>> swept = sweep(lambda query, depth: ["acme", "python"][:depth], {"depth": [1, 2]}, [("where do I work?", ["acme"])], repeats=1)
        >>> sorted(swept.variants)
        ['depth=1', 'depth=2']
    """
    _refuse_counts(repeats=repeats, warmup=warmup, k=k, timeout=timeout)
    variants, cases = variants_of(grid), _cases(queries)
    calls = {variant.name: call_of(search, variant, k) for variant in variants}
    place = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="recallwatch-sweep-"))
    place.mkdir(parents=True, exist_ok=True)
    with alone(place):
        _agree(place, variants, cases, k=k, repeats=repeats, seed=seed)
        recording = Recording(place)
        resumed = len(recording.done)
        todo = [
            (f"run-{repeat:03d}", case, variant)
            for repeat, case, variant in order(variants, cases, repeats, seed)
            if (variant.name, f"run-{repeat:03d}", case.key) not in recording.done
        ]
        lost = _run(todo, calls, recording, warmup=warmup, timeout=timeout, cases=cases)
    tallies = {variant.name: recording.tallies.get(variant.name, Tally()) for variant in variants}
    notes = _notes(tallies, timeout, lost, n_queries=len(cases))
    return Sweep(place, {variant.name: dict(variant.params) for variant in variants}, tallies, resumed, notes)


def _refuse_counts(*, repeats: Any, warmup: Any, k: Any, timeout: Any) -> None:
    for name, value, minimum in (("repeats", repeats, 1), ("warmup", warmup, 0), ("k", 1 if k is None else k, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise UsageError(f"{name} must be a whole number >= {minimum}, saw {value!r}", where="sweep")
    if timeout is not None and not timeout > 0:
        raise UsageError(f"timeout must be above 0 seconds, saw {timeout!r}", where="sweep")


def _cases(queries: Iterable[Any]) -> list[Case]:
    """The queries as cases; one without an id is known by its text, so that another order of them means nothing."""
    cases = []
    for number, given in enumerate(queries, 1):
        case = case_of(Case(given) if isinstance(given, str) else given, number)
        is_named = not isinstance(given, str) and case_of(given, number + 1).query_id == case.query_id  # else it is its number
        cases.append(case if is_named else replace(case, query_id=None))
    if not cases:
        raise UsageError("no queries", where="sweep", fix="Give at least one")
    names = [case.key for case in cases]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise UsageError(f"two queries are called {twice!r}", where="sweep", fix="Give each a query_id of its own")
    return cases


def _agree(place: Path, variants: Sequence[Variant], cases: Sequence[Case], **settings: Any) -> None:
    """Write down what is swept; refuse a folder whose events would not mean the same."""
    path, fix = place / "sweep.json", "Name another folder"
    said: dict[str, Any] = {"form": FORM, "k": settings["k"], "variants": {}, "queries": {}}
    if path.is_file():
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            k, queries, _ = said["k"], said["queries"], said["variants"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"not the plan of a sweep ({error})", where=str(path), fix=fix) from error
        if k != settings["k"]:
            raise UsageError(f"the sweep there asked for k={k}, not {settings['k']}", where=str(place), fix=fix)
        for case in cases:
            if queries.get(case.key, case.query) != case.query:
                raise UsageError(f"query {case.query_id!r} has another text in the sweep there", where=str(place), fix=fix)
    said["queries"] |= {case.key: case.query for case in cases}
    said["variants"] |= {v.name: {name: value_of(value) for name, value in v.params.items()} for v in variants}
    said |= {"repeats": settings["repeats"], "seed": settings["seed"]}
    write_whole(path, (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode())
    if any(case.relevant or case.grades for case in cases):
        rows = [  # a query without a right answer has the document null
            {name: value for name, value in row.items() if value is not None or name == "document_id"}
            for row in labels_of(cases).to_pylist()
        ]
        write_whole(place / "labels.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())


class _Share:
    """How far a sweep is, for the progress bar."""

    def __init__(self, n: int) -> None:
        self.n, self.done = n, 0

    def progress(self) -> float:
        """Per cent."""
        return 100.0 * self.done / max(self.n, 1)


def _run(
    todo: Sequence[tuple[str, Case, Variant]], calls: Any, recording: Recording, *, warmup: int, timeout: float | None, cases: Any
) -> int:
    """Every call that is not recorded yet; returns how many events the disk lost."""
    if not todo:
        return 0
    share = _Share(len(todo))
    with Progress() as progress, Recorder(recording.logs, text=True, queue_size=len(todo) + 1) as recorder:
        progress.step("warm-up", share)
        for name in dict.fromkeys(variant.name for _, _, variant in todo):
            warm(calls[name], cases, warmup, timeout)
        progress.step("sweep", share)
        for run_id, case, variant in todo:
            ask(recorder, recording, calls[variant.name], variant, case, run_id=run_id, timeout=timeout)
            share.done += 1
    return recorder.counts.dropped


def _notes(tallies: Mapping[str, Tally], timeout: float | None, lost: int, *, n_queries: int) -> list[str]:
    notes = ["one variant: there is nothing to compare it with"] if len(tallies) == 1 else []
    for name, tally in tallies.items():
        notes += [f"{name}: {error} {n} times of {tally.calls}, recorded as nothing returned" for error, n in tally.errors.items()]
        odd = (("fewer ids than asked for", tally.short), ("an id twice", tally.repeated), ("a null id", tally.unknown))
        notes += [f"{name}: {n} of {tally.calls} calls returned {what}" for what, n in odd if n]
        if tally.disagreeing:
            some = ", ".join(repr(query) for query in sorted(tally.disagreeing)[:3])
            notes.append(f"{name}: repeats disagree on {len(tally.disagreeing)} of {n_queries} queries ({some} …): see `stability`")
    if timeout is not None and any("TimeoutError" in tally.errors for tally in tallies.values()):
        notes.append(
            f"calls over {timeout:g} s were left behind: a thread cannot be stopped, so they may have slowed the calls after them"
        )
    return notes + ([f"{lost} events could not be written: run the sweep again, it adds what is missing"] if lost else [])
