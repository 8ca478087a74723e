"""A profile proposed for a log that nobody knows: what its paths hold, the likely ones for each column, and what could not be said."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted_paths
from ..base.errors import printable
from . import records
from .paths import is_parquet
from .tables import is_table, relation_of

RECORDS = 300  # that are looked at
LIKELY = 3  # paths named for each column
SHOWN = 40  # letters of an example
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TIME = re.compile(r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)")
_UNIT = re.compile(r"(?:_|^)(ns|us|ms|s|min)$|(?<=[a-z])Ms$")
_PLAIN = re.compile(r'[^."\[\]{}]+')


@dataclass
class Place:
    """What stands at one path.

    Args:
        values: those of its records, each a list where the path has ``[]``.
        n: records that have it.
    """

    values: list[Any] = field(default_factory=list)
    n: int = 0

    @property
    def flat(self) -> list[Any]:
        """The single values."""
        return [one for value in self.values for one in (value if isinstance(value, list) else [value]) if one is not None]

    @property
    def example(self) -> str:
        """One value, cut."""
        value = next((value for value in self.values if value not in (None, [])), None)
        text = printable(json.dumps(value[:2] if isinstance(value, list) else value, ensure_ascii=False))
        return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _is_id(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and 0 < len(value) <= 200 and " " not in value
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and " " in value.strip()


def _is_any_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    if isinstance(value, str):
        return _TIME.match(value) is not None
    return _is_number(value) and any(9.4e8 <= value / factor < 4.2e9 for factor in (1, 1e3, 1e6, 1e9))


@dataclass(frozen=True)
class Wanted:
    """A column of a profile.

    Args:
        words: that its path is likely to have.
        fits: whether a single value can be one.
        is_list: whether a record holds a list of them.
        never: words that speak against it.
        by_value: how likely it is without any of the words.
        fits_named: the same as ``fits`` where its path has one of the words; None = ``fits``.
    """

    words: str
    fits: Callable[[Any], bool]
    is_list: bool = False
    never: str = ""
    by_value: float = 0
    fits_named: Callable[[Any], bool] | None = None

    def likelihood(self, path: str, there: Place) -> float:
        """How likely the path is this column's; 0 = its values are something else."""
        values, is_list = there.flat, "[]" in path or any(isinstance(value, list) for value in there.values)
        words = [word.lower() for word in _WORD.findall(path)]
        if not values or is_list != self.is_list or set(words) & set(self.never.split()):
            return 0
        weights = {word: len(self.words.split()) - n for n, word in enumerate(self.words.split())}
        matching = [weights[form] for word in words for form in {word, word.removesuffix("s")} if form in weights]
        fits = self.fits_named if matching and self.fits_named else self.fits
        if sum(map(fits, values)) < 0.9 * len(values):
            return 0
        return max(matching, default=self.by_value) + 0.1 * len(matching) + 0.01 / (1 + path.count("."))


COLUMNS: Mapping[str, Wanted] = {
    "ranked_ids": Wanted(
        "id key uuid docno doc document chunk memory hit result retrieved source passage node ref file",
        _is_id,
        True,
        "score tag role embedding vector index idx number rank",
        by_value=0.5,
    ),
    "scores": Wanted("score similarity sim relevance rank distance", _is_number, True, "id"),
    "texts": Wanted("text content passage page body chunk", _is_text, True),
    "query_id": Wanted("qid query question case id", _is_id, False, "trace span session user tenant event request time at"),
    "query_text": Wanted(
        "query question ask prompt input q search text", _is_text, never="id", by_value=0.5, fits_named=_is_any_text
    ),
    "timestamp": Wanted("timestamp ts time at when date created start", _is_time, False, "end finish done stop", by_value=0.5),
    "total_ms": Wanted("ms latency duration took elapsed total seconds", _is_number, False, "timestamp ts at"),
    "tenant_id": Wanted("tenant org organization customer account workspace", _is_id),
    "session_id": Wanted("session conversation conv thread chat", _is_id),
    "variant": Wanted("variant arm experiment config retriever", _is_id),
}


def sample(engine: Engine, path: Path) -> list[dict[str, Any]]:
    """The first records of a file of any form."""
    if is_parquet(path) or is_table(path):
        source = f"read_parquet({quoted_paths(path)})" if is_parquet(path) else relation_of(engine, [path], {})
        own = [name for name in engine.types(source) if not name.startswith("rw_")]
        rows = engine.run(
            f"select to_json(t)::varchar from (select {', '.join(map(identifier, own))} from {source} limit {RECORDS}) as t"
        )
        texts = [row[0] for row in rows]
    else:
        texts = records.first_records(path, RECORDS)
    values = []
    for text in texts:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        values += [value] if isinstance(value, dict) else []
    return values


def proposal(engine: Engine, path: Path) -> str:
    """A profile as TOML, for the log a file is of; empty where no list in it may hold results."""
    rows = sample(engine, path)
    paths = _paths(rows)
    likely = {column: _likely(wanted, paths) for column, wanted in COLUMNS.items()}
    if not likely["ranked_ids"] and not likely["texts"]:
        return ""
    lists = [path for path, _ in (likely["ranked_ids"] or likely["texts"])[:1]]
    likely["scores"] = [(p, t) for p, t in likely["scores"] if p.rpartition("[]")[0] == lists[0].rpartition("[]")[0]]
    used = {entries[0][0] for entries in likely.values() if entries}
    lines = [
        f"# A guess from {len(rows)} records of {path.name}: read every line before you use it.",
        f'name = "{_name(path)}"',
        *_where(rows, lists[0]),
    ]
    lines.append("[events]")
    for column, entries in likely.items():
        lines += _lines(column, entries, used)
        lines += _numbered(entries, paths) if column == "ranked_ids" else []
    unsaid = [column for column, entries in likely.items() if not entries]
    if unsaid:
        lines.append(f"# nothing there looks like: {', '.join(unsaid)}")
    return "\n".join(lines) + "\n"


def _paths(rows: Sequence[Mapping[str, Any]]) -> dict[str, Place]:
    paths: dict[str, Place] = defaultdict(Place)
    for row in rows:
        seen: dict[str, Any] = {}
        for path, value in _walk(row, ""):
            if "[]" in path or isinstance(value, list):
                seen.setdefault(path, [])
                seen[path] += value if isinstance(value, list) else [value]
            elif value is not None:
                seen[path] = value
        for path, value in seen.items():
            paths[path].values.append(value)
            paths[path].n += 1
    return paths


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Each path of a record and its value; a list of single values is one value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            step = key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from _walk(inner, f"{path}.{step}" if path else step)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for one in value:
            yield from _walk(one, f"{path}[]")
    else:
        yield path, value


def _likely(wanted: Wanted, paths: Mapping[str, Place]) -> list[tuple[str, Place]]:
    """The paths that may be a column's, the likeliest first."""
    rated = {path: wanted.likelihood(path, there) for path, there in paths.items() if path.count("[]") <= 2}
    best = sorted((path for path in rated if rated[path] >= 0.5), key=lambda path: (-rated[path], -paths[path].n, path))
    return [(path, paths[path]) for path in best[:LIKELY]]


def _lines(column: str, entries: Sequence[tuple[str, Place]], used: set[str]) -> Iterator[str]:
    """A column's likeliest path, the others as comments, an example of each."""
    for number, (path, there) in enumerate(entries):
        value = json.dumps(path, ensure_ascii=False)
        if column == "total_ms" and not _UNIT.search(path.rpartition(".")[2]):
            unit = "s" if path.lower().endswith("seconds") else "?"
            value = f'{{path = {value}, unit = "{unit}"}}'
            if unit == "?":
                yield f"# {column} = {value}  # seconds or milliseconds? e.g. {there.example}"
                continue
        other = number > 0
        if other and path in used:
            continue
        yield f"{'# or ' if other else ''}{column} = {value}  # {there.n} records, e.g. {there.example}"


def _numbered(entries: Sequence[tuple[str, Place]], paths: Mapping[str, Place]) -> Iterator[str]:
    """An id made of a document and the number of its chunk, where such a number stands beside it."""
    for path, _there in entries[:1]:
        parent = path.rpartition(".")[0]
        for other, there in paths.items():
            is_number = {"index", "idx", "number", "chunk"} & {word.lower() for word in _WORD.findall(other.rpartition(".")[2])}
            if parent and other != path and other.rpartition(".")[0] == parent and is_number and all(map(_is_id, there.flat)):
                yield f'# or ranked_ids = "{{{path}}}#{{{other}}}"  # e.g. {there.example}'


def _where(rows: Sequence[Mapping[str, Any]], path: str) -> list[str]:
    """The field that tells recalls from other records, where not all records have a result list."""
    root = path.partition("[")[0].partition(".")[0]
    has = [row.get(root) is not None for row in rows]
    if all(has):
        return []
    sides: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(lambda: (Counter(), Counter()))
    for row, is_recall in zip(rows, has, strict=True):
        for key, value in row.items():
            if isinstance(value, str) and _PLAIN.fullmatch(key):
                sides[key][not is_recall][value] += 1
    n = sum(has)
    for key, (recalls, others) in sides.items():
        if len(recalls) == 1 and recalls.total() == n and not recalls.keys() & others.keys() and others:
            value = next(iter(recalls)).replace("'", "''")
            return ["where = " + json.dumps(f"{_column(key)} = '{value}'", ensure_ascii=False) + f"  # {n} of {len(rows)} records"]
    return [f'# where = "…"  # which records are recalls? {n} of {len(rows)} have {root}']


def _column(key: str) -> str:
    return key if re.fullmatch(r"[a-z_][a-z0-9_]*", key) else '"' + key.replace('"', '""') + '"'


def _name(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", path.name.partition(".")[0]) or "ours"
