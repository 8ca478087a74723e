"""The grid of a sweep: which variants there are, what they are called, in which order they run."""

from __future__ import annotations

import inspect
import itertools
import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import UsageError
from ..base.registry import known
from ..record.shape import COLUMNS, as_text
from ..testing.harness import K_NAMES, Case

COLUMNS_ALLOWED = ("top_k", "index_version", "data_source_id")  # a parameter of this name is that column of the event
RESERVED = ({*COLUMNS} - {*COLUMNS_ALLOWED}) | {"query", "query_text", "run_id", "recall", "sampling_rate"}


@dataclass(frozen=True)
class Variant:
    """One setting of the parameters.

    Args:
        name: as events call it, e.g. ``ef=64,rerank=50``.
        params: what the search function is given.
    """

    name: str
    params: Mapping[str, Any]


def variants_of(grid: Any) -> list[Variant]:
    """The variants of a grid.

    Args:
        grid: parameter -> values (every combination), or a list of settings.

    Raises:
        UsageError: no variant, values that are no list, a name an event needs itself, two variants of one name.
    """
    settings = list(_combined(grid)) if isinstance(grid, Mapping) else [_setting(entry) for entry in grid]
    if not settings:
        raise UsageError("no variants", where="sweep", fix="For example {'ef': [32, 64], 'rerank': [False, True]}")
    wrong = next((name for params in settings for name in params if name in RESERVED), None)
    if wrong is not None:
        raise UsageError(f"a parameter cannot be called {wrong!r}: events use the name", where="sweep", fix="Wrap the function")
    variants = [Variant(name_of(params), params) for params in settings]
    names = [variant.name for variant in variants]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"two variants are called {twice!r}", where="sweep", fix="Leave one out, or give each a parameter of its own"
        )
    return variants


def _combined(grid: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
    for name, values in grid.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
            raise UsageError(f"values of {name!r} must be a list, saw {values!r}", where="sweep", fix=f"Write [{values!r}]")
    if not grid:
        return
    for combination in itertools.product(*grid.values()):
        yield {str(name): value for name, value in zip(grid, combination, strict=True)}


def _setting(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, Mapping):
        raise UsageError(
            f"expected a mapping of parameters, saw {entry!r}", where="sweep", fix="For example [{'ef': 32}, {'ef': 64}]"
        )
    return {str(name): value for name, value in entry.items()}


def name_of(params: Mapping[str, Any]) -> str:
    """``name=value`` pairs in the order given; no parameters at all: default."""
    return ",".join(f"{name}={value_of(value)}" for name, value in params.items()) or "default"


def value_of(value: Any) -> str:
    """A parameter as a log has it; a function or class by its name."""
    return str(getattr(value, "__name__", None) or as_text(value))


def order(variants: Sequence[Variant], cases: Sequence[Case], repeats: int, seed: int) -> Iterator[tuple[int, Case, Variant]]:
    """Blocks in which every variant answers one query, in random order: a machine that slows down slows all of them alike.

    Source: randomised complete blocks, Fisher 1935, The Design of Experiments, chapter 4
    """
    chance = random.Random(seed)  # noqa: S311 -- an order, no secret
    for repeat in range(1, repeats + 1):
        for case in chance.sample(cases, len(cases)):
            for variant in chance.sample(variants, len(variants)):
                yield repeat, case, variant


@dataclass(frozen=True)
class Call:
    """A search function as one variant calls it.

    Args:
        search: the function.
        more: keywords it is given.
        top_k: requested, as the event records it.
        takes_recall: whether it takes the open recall, to record stages, cost or tokens itself.
    """

    search: Callable[..., Any]
    more: Mapping[str, Any]
    top_k: int | None
    takes_recall: bool


def call_of(search: Callable[..., Any], variant: Variant, k: int | None) -> Call:
    """Check that the function takes the variant's parameters, before anything is run.

    Raises:
        UsageError: it does not.
    """
    try:
        signature = inspect.signature(search)
    except (TypeError, ValueError):  # a builtin without a signature
        return Call(search, variant.params, k, takes_recall=False)
    names = list(signature.parameters)
    requested_k = next((variant.params[name] for name in K_NAMES if name in variant.params), k)
    own = next((name for name in K_NAMES if name in names), None)
    more = {**variant.params}
    if own is not None and k is not None and not any(name in variant.params for name in K_NAMES):
        more[own] = k
    takes_recall = "recall" in names[1:]
    try:
        signature.bind("", **more, **({"recall": None} if takes_recall else {}))
    except TypeError as error:
        wrong = next((name for name in variant.params if name not in names), "")
        fix = known(wrong, names[1:]) if wrong else "It is called as search(query, parameter=value, …)"
        raise UsageError(f"search does not take variant {variant.name} ({error})", where="sweep", fix=fix) from error
    return Call(search, more, None if requested_k is None else _whole(requested_k), takes_recall)


def _whole(value: Any) -> int | None:
    """A depth as a number, numpy's too; None where the parameter of that name is none."""
    try:
        return operator.index(value)
    except TypeError:
        return None
