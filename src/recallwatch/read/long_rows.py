"""Logs with one row per (query, document): the rows of a recall become one record with a ranked list."""

from collections.abc import Collection, Mapping
from typing import Any

from ..base.engine import Engine, identifier, quoted
from ..base.errors import InputError
from . import aliases
from .typed_columns import is_scalar

DOCUMENTS = aliases.spelled(*aliases.LABELS["document_id"], "chunk_id", "passage_id", "pid")
RANKS, SCORES, DISTANCES = ("rank", "position"), ("score", "similarity", "sim"), ("distance",)
EVENTS = ("event_id", "trace_id")  # what alone tells recalls apart
TOGETHER = ("query_id", "query_text", "timestamp", "tenant_id", "session_id", "variant", "index_version")  # what does so together
NO_RANK = "rank or score is no number"
INNER = {"rw_file", "rw_line", "rw_problem", "rw_disagrees", "file_row_number"}  # columns of ours beside the table's


def is_long(names: Collection[str], mapped: Mapping[str, str]) -> bool:
    """Whether columns are those of one row per document: a document, its rank, score or distance, and no result list."""
    return document_of(names, mapped) is not None and _order(names, mapped) is not None


def document_of(names: Collection[str], mapped: Mapping[str, str]) -> str | None:
    """The column that would hold the document of each row."""
    if "ranked_ids" in mapped:
        return mapped["ranked_ids"] if mapped["ranked_ids"] in names else None
    lists = (*aliases.LOG["ranked_ids"], *aliases.LOG["texts"])
    if any(path.partition("[")[0] in names for path in lists):
        return None
    return next((name for name in DOCUMENTS if name in names), None)


def are_lists(engine: Engine, relation: str, document: str, kind: Any) -> bool:
    """Whether a column that was mapped holds whole lists: of its type, or as JSON."""
    if kind.id != "varchar":
        return not is_scalar(kind)
    return bool(engine.run(f"select exists (select 1 from {relation} where starts_with(ltrim({identifier(document)}), '['))")[0][0])


def _order(names: Collection[str], mapped: Mapping[str, str]) -> tuple[str, str] | None:
    """The column that says which document is first, and in which direction."""
    scores = (mapped["scores"],) if "scores" in mapped else SCORES
    ways = [*((name, "asc") for name in RANKS), *((name, "desc") for name in scores), *((name, "asc") for name in DISTANCES)]
    return next((way for way in ways if way[0] in names), None)


def grouped(engine: Engine, relation: str, mapped: Mapping[str, str], *, where: str, file: str, line: str) -> str:
    """SQL of one row a recall, with ``rw_file``, ``rw_line`` and ``rw_problem``; the relation itself where it has a row a recall already.

    Rows of one file belong together by their event id, else by query, time, tenant, session and arm. Any other field stays where all rows
    of a recall agree on it. The order is that of rank, else of score (or distance); rows that are equal there stay as they are in the file.
    A row without a document is a recall that returned nothing.

    Raises:
        InputError: nothing says which rows belong together.
    """
    types = engine.types(relation)
    document, order = document_of(types, mapped), _order(types, mapped)
    if document is None or order is None:
        return relation
    score = next((name for name in ((mapped["scores"],) if "scores" in mapped else SCORES) if name in types), None)
    keys = _keys(types, mapped)
    if not keys:
        names = ", ".join(name for name in types if name not in INNER)
        what = f"one row a document ({document}, {order[0]}), and no column says which search it belongs to (has: {names})"
        raise InputError(what, where=where, fix="Pass --map query_id=COLUMN; where the query stands in another table, join the two")
    rest = [name for name in types if name not in {document, score, order[0], *keys, *INNER}]
    known, at = "rw_problem" if "rw_problem" in types else "null", f"try_cast({identifier(order[0])} as double)"
    wrong = f"coalesce({known}, if({identifier(document)} is not null and {at} is null, {quoted(NO_RANK)}, null))"
    own = {"rw_document": f"{identifier(document)}::varchar", "rw_file": file, "rw_line": line, "rw_wrong": wrong, "rw_at": at}
    inner = f"(select {', '.join([*map(identifier, types.keys() - INNER), *(f'{sql} as {name}' for name, sql in own.items())])} from {relation})"
    by = f"order by rw_at {order[1]}, rw_line"
    there = "filter (rw_document is not null)"
    lists = [f"coalesce(list(rw_document {by}) {there}, []) as ranked_ids"]
    lists += [f"list(try_cast({identifier(score)} as double) {by}) {there} as scores"] if score is not None else []
    same = [f"if(count(distinct {identifier(n)}) <= 1, min({identifier(n)}), null) as {identifier(n)}" for n in rest]
    group = ", ".join(["rw_file", *map(identifier, keys)])
    select = ", ".join([*map(identifier, keys), *lists, *same, "rw_file", "min(rw_line) as rw_line", "null::varchar as rw_problem"])
    return f"""(select {select} from {inner} where rw_wrong is null group by {group}
        union all by name select rw_file, rw_line, rw_wrong as rw_problem from {inner} where rw_wrong is not null)"""


def _keys(names: Collection[str], mapped: Mapping[str, str]) -> list[str]:
    """The columns that tell recalls apart."""

    def present(columns: tuple[str, ...]) -> list[str]:
        paths = [path for column in columns for path in ((mapped[column],) if column in mapped else aliases.LOG[column])]
        return [path for path in paths if path in names]

    return present(EVENTS) or present(TOGETHER)
