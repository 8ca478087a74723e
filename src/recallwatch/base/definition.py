"""The definition of every number: each option of docs/metrics.md with its default, and the presets."""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from .declared import Owned, number, option, seen, whole
from .errors import UsageError
from .metrics import METRICS, parse_metric
from .registry import known

DEFAULT_K = (1, 3, 5, 10)


def _gain(value: Any, where: str) -> str:
    """A named gain, or a map of grades as text or as a dict."""
    text = ",".join(f"{grade}={gain}" for grade, gain in value.items()) if isinstance(value, Mapping) else value
    gain_map(text, where)
    return str(text)


def _match(value: Any, where: str) -> str:
    return ",".join(strategies(value, where))


def _thresholds(value: Any, where: str) -> str:
    return ",".join(f"{name}={least:g}" for name, least in match_thresholds(str(value), where).items())


@dataclass(frozen=True)
class Definition(Owned):
    """What every number of a result means; hashed into ``fingerprint`` and printed with the result.

    Raises:
        UsageError: a value that is not one of the option's choices.
    """

    READY: ClassVar[str] = "definition"
    RARE: ClassVar[bool] = True

    rel_level: float | None = option(
        None, "relevant from this grade on (default: grade > 0); acts on the binary metrics, never on nDCG's gain", check=number()
    )
    gain: str = option("linear", "nDCG's gain: linear, binary, exponential (2^grade - 1) or a map such as 1=4,2=3", check=_gain)
    duplicates: str = option(
        "slot",
        "a repeated id in one ranking keeps its slot and earns nothing, is collapsed, or is an error",
        ("slot", "collapse", "error"),
    )
    order: str = option("logged", "rank order: as logged, or by score", ("logged", "score"))
    ties: str = option("docno_desc", "order of equal scores where order is score", ("docno_desc", "docno_asc"))
    errors: str = option("zero", "an event with status error counts as nothing returned, or is left out", ("zero", "skip"))
    label_conflicts: str = option(
        "error", "label rows that contradict each other", ("error", "max", "mean", "majority", "last", "drop")
    )
    unjudged: str = option(
        "unknown",
        "documents without a label: unknown, so that a verdict they could turn is no verdict, or not relevant (the labels are complete)",
        ("unknown", "irrelevant"),
    )
    no_relevant: str = option("skip", "value of a labelled query without a relevant label", ("skip", "zero", "one", "error"))
    abstention: str = option(
        "labels",
        "abstention questions (id ends in _abs, or the class says so): as their labels say, or no-answer queries, outside the means",
        ("labels", "skip"),
    )
    missing: str = option("skip", "labelled queries that were never asked: left out, or zero", ("skip", "zero"))
    unit: str = option(
        "event",
        "what the headline mean is over: events (traffic) or queries; or questions that the searches of a trace or session answer together",
        ("event", "query", "trace", "session"),
    )
    precision: str = option("k", "precision's denominator: k, or min(k, number returned)", ("k", "returned"))
    f1: str = option("per_event", "mean of per-event F1, or F1 of the mean precision and recall", ("per_event", "of_means"))
    ap: str = option("relevant", "average precision's denominator: R, or min(k, R)", ("relevant", "min_k_r"))
    ideal: str = option("cut", "nDCG's ideal ranking: cut at k, or full", ("cut", "full"))
    ndcg_over: str = option("all", "nDCG's mean over all queries, or over queries with graded labels only", ("all", "graded"))
    percentile: str = option(
        "nearest_rank", "percentile of latencies: nearest rank (type 1) or linear (type 7)", ("nearest_rank", "linear")
    )
    depth: int | None = option(None, "ranks beyond this one are not read", check=whole())
    match: str = option(
        "id", "strategies that decide relevance, tried in order for each recall: id, token_f1, coverage, exact", check=_match
    )
    match_threshold: str = option(
        "token_f1=0.3,coverage=0.8", "minimum token F1 or coverage of a match: one number, or one a strategy", check=_thresholds
    )

    def options(self) -> dict[str, Any]:
        """Every option in force, by name."""
        return dataclasses.asdict(self)

    def stated(self) -> dict[str, Any]:
        """Every option in force and the fingerprint: the block ``definition`` of each result."""
        return {**self.options(), "fingerprint": self.fingerprint}

    @property
    def by_question(self) -> bool:
        """Whether the searches of a trace or session answer one question together."""
        return self.unit in ("trace", "session")

    @property
    def fingerprint(self) -> str:
        """sha256 of the options: results with different fingerprints are not comparable.

        Where ids alone decide relevance, the settings of text matching are not part of it.
        """
        options = self.options()
        del options["unjudged"]  # no value depends on it
        if self.abstention == "labels":
            del options["abstention"]
        if self.match == "id":
            del options["match"], options["match_threshold"]
        return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()


def gain_map(gain: str, where: str = "--gain") -> dict[float, float] | None:
    """The grade -> gain map of ``1=4,2=3``; None for a named gain.

    Raises:
        UsageError: neither, or a number that is not finite.
    """
    if gain in ("linear", "binary", "exponential"):
        return None
    try:
        pairs = [pair.replace(":", "=").split("=") for pair in gain.strip("{} ").split(",")]
        gains = {float(grade): float(value) for grade, value in pairs}
        if len(gains) < len(pairs):
            raise UsageError(f"a grade stands twice in {seen(gain)}", where=where, fix="Write one gain a grade, as in 1=4,2=3")
    except (ValueError, AttributeError, TypeError):
        gains = {math.nan: math.nan}
    if not all(map(math.isfinite, (*gains, *gains.values()))):
        raise UsageError(
            f"{seen(gain)} is neither linear, binary, exponential nor a map of numbers", where=where, fix="Write a map as 1=4,2=3"
        )
    return gains


KINDS = ("human", "judge", "synthetic", "click")  # of labels: label_kinds() of sql/1_normalise/values.sql
UNSURE = ("judge", "click")  # kinds whose means decide nothing by themselves


def rests_on(kinds: Mapping[str, int] | None) -> str:
    """What a mean that does not rest on human labels alone is called by: ``judge``, ``human, judge``; "" = humans alone.

    Args:
        kinds: kind -> labelled queries.
    """
    return ", ".join(kind for kind in KINDS if kind in kinds) if kinds and set(kinds) != {"human"} else ""


def is_unsure(kinds: Mapping[str, int] | None) -> bool:
    """Whether models or clicks judged any of the queries."""
    return any(kind in UNSURE for kind in kinds or ())


def capped(verdict: str, kinds: Mapping[str, int] | None) -> str:
    """A verdict on a mean of these kinds: where models or clicks judged, worse is at most ``warn`` and better cannot be told."""
    return {"fail": "warn", "improved": "insufficient"}.get(verdict, verdict) if is_unsure(kinds) else verdict


MATCH = ("id", "token_f1", "coverage", "exact")  # sql/2_judge/match.sql
THRESHOLDS = MappingProxyType({"token_f1": 0.3, "coverage": 0.8})


def strategies(match: Any, where: str = "--match") -> tuple[str, ...]:
    """The strategies of ``id,token_f1``, in that order.

    Raises:
        UsageError: none, an unknown one, one named twice.
    """
    names = tuple(name.strip() for name in match.split(",") if name.strip()) if isinstance(match, str) else ()
    for name in names:
        if name not in MATCH:
            raise UsageError(f"unknown strategy {name!r}", where=where, fix=known(name, MATCH))
    if not names or len(set(names)) < len(names):
        raise UsageError(f"expected strategies, each once, saw {seen(match)}", where=where, fix="For example id,token_f1")
    return names


def match_thresholds(text: str, where: str = "--match-threshold") -> dict[str, float]:
    """Strategy -> minimum of a match, from ``0.3`` (both) or ``token_f1=0.3,coverage=0.8``.

    Raises:
        UsageError: not a ratio above 0 and at most 1, or a strategy that has no threshold.
    """
    thresholds = dict(THRESHOLDS)
    for part in text.split(","):
        name, is_pair, value = part.partition("=")
        names = [name.strip()] if is_pair else list(thresholds)
        try:
            least = float(value if is_pair else part)
        except ValueError:
            least = 0.0
        if not 0 < least <= 1 or any(name not in THRESHOLDS for name in names):
            what = f"expected a ratio above 0 and at most 1, or one a strategy, saw {seen(text)}"
            raise UsageError(what, where=where, fix="For example 0.5, or token_f1=0.3,coverage=0.8")
        thresholds |= dict.fromkeys(names, least)
    return thresholds


PRESETS = MappingProxyType(
    {
        "trec_eval": {"order": "score", "ties": "docno_desc", "duplicates": "error", "no_relevant": "zero", "unit": "query"},
        "course": {"no_relevant": "zero", "gain": "binary"},
        "codemem": {"precision": "returned", "f1": "of_means", "ndcg_over": "graded"},
        "longmemeval": {"no_relevant": "skip", "abstention": "skip", "unit": "query"},
        "text_hit": {"match": "id,token_f1", "match_threshold": "token_f1=0.1"},
    }
)


@dataclass(frozen=True)
class Preset(Owned):
    """Ready choices of the definition."""

    compat: str | None = option(None, f"A preset of definitions: {', '.join(PRESETS)}.", tuple(PRESETS))


def define(compat: str | None = None, **options: Any) -> Definition:
    """A definition from a preset and single options (these win).

    Raises:
        UsageError: unknown preset, option or value.
    """
    preset = Preset(compat).compat
    names = [entry.name for entry in dataclasses.fields(Definition)]
    for name in options:
        if name not in names:
            raise UsageError(f"unknown option {name!r}", fix=known(name, names))
    chosen = dict(PRESETS[preset]) if preset else {}
    return Definition(**{**chosen, **{name: value for name, value in options.items() if value is not None}})


@dataclass(frozen=True, order=True)
class Column:
    """One metric, with its parameters, at one cutoff k; ``k`` None = the whole list.

    Args:
        metric: as every output writes it: ``recall``, ``rbp(p=0.8)``.
        k: cutoff.
    """

    metric: str
    k: int | None

    def __str__(self) -> str:
        return self.metric if self.k is None else f"{self.metric}@{self.k}"


def parse_k(text: str | int | tuple[int | None, ...] | list[int | None]) -> tuple[int | None, ...]:
    """Depths from ``1,3,10`` or ``10,all`` (all = whole list): sorted, each once.

    Raises:
        UsageError: not whole numbers >= 1.
    """
    parts = text if isinstance(text, tuple | list) else str(text).split(",")
    depths: set[int | None] = set()
    for part in parts:
        word = "all" if part is None else str(part).strip()
        if word != "all" and not re.fullmatch(r"[1-9]\d{0,8}", word):
            raise UsageError(f"k must be whole numbers >= 1 (or all), saw {word!r}", where="--k", fix="For example 1,3,5,10")
        depths.add(None if word == "all" else int(word))
    return tuple(sorted(depths, key=lambda k: (k is None, k or 0)))


def columns_of(metrics: tuple[str, ...] | list[str], k: tuple[int | None, ...]) -> list[Column]:
    """The columns to compute, in the registry's order: ``recall`` at every k, ``recall@20`` at that one.

    Raises:
        UsageError: unknown metric or wrong k.
    """
    wanted: set[Column] = set()
    order: dict[str, int] = {}
    for text in metrics or [entry.name for entry in METRICS.values() if entry.of == "judged" and not entry.named_only]:
        entry, values, depth = parse_metric(text)
        name = entry.text_of(values)
        order[name] = list(METRICS).index(entry.name)
        cuts = parse_k(depth) if depth is not None else (None,) if entry.whole_only else k
        wanted.update(Column(name, cut) for cut in cuts)
    return sorted(wanted, key=lambda c: (order[c.metric], c.metric, c.k is None, c.k or 0))
