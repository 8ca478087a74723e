"""Names to entries, for every seam: formats, metrics, outputs, drift tests."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Protocol, TypeVar

from .errors import UsageError


class Named(Protocol):
    """Anything a registry can hold."""

    @property
    def name(self) -> str:
        """The name users type to choose it."""


Entry = TypeVar("Entry", bound=Named)


def index(*entries: Entry) -> Mapping[str, Entry]:
    """Map ``entry.name`` to entry, in the order given."""
    table = {entry.name: entry for entry in entries}
    if len(table) != len(entries):
        raise ValueError("two entries share a name")
    return MappingProxyType(table)


def known(name: str, names: Iterable[str]) -> str:
    """The end of an error text: the nearest name and all names, so that it cannot go stale."""
    options = list(names)
    near = get_close_matches(name, options, n=1)
    return (f"Did you mean {near[0]!r}? " if near else "") + f"Known: {', '.join(options)}"


def pick(table: Mapping[str, Entry], kind: str, name: str) -> Entry:
    """Return ``table[name]``, or say which names there are."""
    if name in table:
        return table[name]
    raise UsageError(f"unknown {kind} {name!r}", fix=known(name, table))
