"""Which paths of a flat log feed which columns: its own names matched with the declared aliases and the caller's ``--map``."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..base.errors import InputError
from ..base.registry import known
from . import aliases
from .log_format import UnknownLogError
from .record_paths import steps_of

QUESTION = {"query_id": "question_id", "query_text": "question"}
LINEAGE = ("source", "source_line", "flags")  # only a canonical file (of `convert` or a store) speaks of these


@dataclass(frozen=True)
class Paths:
    """Which path of a log feeds which column.

    Args:
        used: column -> paths in order of preference, those only that the log has.
        stages: top-level column -> (stage, factor to ms).
        extra: the other scalar top-level columns: they become attributes.
        keys: every top-level name; a path that is one of them is that name, dots and all.
        hive: those that folders give a value; the record's own wins where it has one.
        odd_lists: lists of results (JSON) some of which lack a usual field.
    """

    used: Mapping[str, tuple[str, ...]]
    stages: Mapping[str, tuple[str, float]]
    extra: tuple[str, ...]
    keys: frozenset[str]
    hive: frozenset[str] = frozenset()
    odd_lists: frozenset[str] = frozenset()


def resolve(own: Collection[str], mapped: Mapping[str, str], *, where: str, hive: Collection[str] = ()) -> Paths:
    """Match a log's top-level names (``own``, and those of its folders) with the declared aliases and the caller's own ``--map``.

    Raises:
        InputError: nothing there that could be a result list.
    """
    odd = frozenset(name for name in aliases.RESULTS if f"{name}[]" in own)
    own = [key for key in own if key.removesuffix("[]") not in odd or key in odd]
    keys = [*own, *(key for key in hive if key not in own)]
    for column, path in of_logs(mapped).items():
        if steps_of(path)[0] not in keys and path not in keys:
            raise InputError(f"--map {column}={path}: no {steps_of(path)[0]!r} there (has: {', '.join(keys)})", where=where)
        if "[]" in steps_of(path) and path not in keys and not aliases.TYPES.get(column, "").endswith("[]"):
            what = f"--map {column}={path}: {column} takes one value, no list ([])"
            raise InputError(what, where=where, fix="Name another path, or write a --profile")
    wanted = {**aliases.LOG, **{column: (path,) for column, path in mapped.items() if column in aliases.LOG}}
    if not all(name in keys for name in LINEAGE):
        wanted = {column: paths for column, paths in wanted.items() if column not in LINEAGE}
    used = {column: present for column, paths in wanted.items() if (present := tuple(p for p in paths if root_of(p, keys)))}
    for column, name in QUESTION.items():  # beside a query of its own it is what the whole trace answers
        if column not in mapped and len(used.get(column, ())) > 1:
            used[column] = tuple(path for path in used[column] if path != name)
    if not keys:
        what = "no record with a name in it: its lines are no JSON objects, or empty ones"
        raise UnknownLogError(what, where=where, fix="Mend the log, or leave it out")
    if not any(column in used for column in ("ranked_ids", "texts")):
        of_labels = {*keys} & {*aliases.LABELS["relevant"], *aliases.LABELS["document_id"]}
        labels = ". If these are labels, name their file with --labels alone" if of_labels else ""
        raise UnknownLogError(
            f"no column 'ranked_ids' (has: {', '.join(keys)}; looked for: {', '.join(filter(str.islower, aliases.LOG['ranked_ids']))})",
            where=where,
            fix="Rename it, or pass --map ranked_ids=<path>, for example --map 'ranked_ids=hits[].id'; `recallwatch check` proposes a profile"
            + labels,
        )
    roots = {root_of(path, keys) for paths in used.values() for path in paths}
    stages = {key: stage for key in keys if key not in roots and (stage := aliases.stage_of(key))}
    return Paths(
        used, stages, tuple(key for key in keys if key not in roots and key not in stages), frozenset(keys), frozenset(hive), odd
    )


def of_logs(mapped: Mapping[str, str]) -> dict[str, str]:
    """``--map`` without what only labels have (read/labels.py looks for that).

    Raises:
        InputError: a column that neither has.
    """
    for column in mapped:
        if column not in aliases.LOG and column.removeprefix(aliases.OF_LABELS) not in aliases.LABELS:
            raise InputError(f"--map {column}=…: no such column", fix=known(column, {**aliases.LOG, **aliases.LABELS}))
    return {column: path for column, path in mapped.items() if column in aliases.LOG}


def root_of(path: str, keys: Collection[str]) -> str | None:
    """The top-level name a path starts at, if the log has it; a literal name with dots counts as itself."""
    if path in keys:
        return path
    root = steps_of(path)[0]
    return root if root in keys and root != path else None


def odd_names(paths: Paths) -> set[str]:
    """Keys no struct can hold beside the others: empty, or alike but for case. They are read from the line's text."""
    seen = {steps_of(path)[0].casefold() for group in paths.used.values() for path in group} | {
        key.casefold() for key in paths.stages
    }
    odd = set()
    for key in paths.extra:
        if not key or key.casefold() in seen:
            odd.add(key)
        seen.add(key.casefold())
    return odd


def element_type(column: str, path: str) -> str:
    """The type of a path's last step: of ``results[].id`` one id, although the column is a list."""
    kind = aliases.TYPES.get(column, "VARCHAR")
    return kind.removesuffix("[]") if "[]" in path else kind
