"""Which names of a label file feed which columns: declared names, golden sets' own, and the caller's ``--map``."""

import re
from collections.abc import Collection, Mapping

from ..base.engine import Engine, quoted
from ..base.errors import InputError
from . import aliases, record_paths
from .label_contract import note
from .long_rows import INNER
from .record_paths import steps_of

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
UNGRADED = {
    "query_id",
    "query_text",
    "tenant_id",
    "document_id",
    "query_class",
}  # of rows that name relevant documents and say no more


def is_of_log(mapped: dict[str, str]) -> bool:
    """Whether the columns are those of a log with labels (log_labels.py), which maps absent columns to "": there the usual names mean other things."""
    return "" in mapped.values()


def columns_of(engine: Engine, keys: list[str], mapped: dict[str, str], where: str) -> dict[str, tuple[str, ...]]:
    """Column -> the names that feed it, those only that the file has.

    ``mapped``: a column that logs have too is theirs first; ``labels.query_id`` is of the labels alone.

    Raises:
        InputError: a named path that is not there; nothing that could be a label, or a query.
    """
    shown = ", ".join(key for key in keys if key not in INNER)
    own = {column.removeprefix(aliases.OF_LABELS): path for column, path in mapped.items() if column.startswith(aliases.OF_LABELS)}
    mapped = {**mapped, **own}
    for column, path in mapped.items():
        if column in aliases.LABELS and (column not in aliases.LOG or column in own) and path and not is_there(path, keys):
            raise InputError(f"--map {column}={path}: no {path!r} there (has: {shown})", where=where)
    golden = {} if is_of_log(mapped) else aliases.GOLDEN
    wanted = {
        **{column: (*names, *golden.get(column, ())) for column, names in aliases.LABELS.items()},
        "grades": ("grades",),
        # a column that logs have too may be mapped for the logs, and have its usual name here
        **{
            column: (path,)
            for column, path in mapped.items()
            if column in aliases.LABELS and (is_there(path, keys) or column not in aliases.LOG)
        },
    }
    if not is_of_log(mapped):
        spelled = {column: tuple(key for key in keys if _plain(key) in map(_plain, names)) for column, names in wanted.items()}
        wanted = {column: tuple(dict.fromkeys((*names, *spelled[column]))) for column, names in wanted.items()}
    columns = {
        column: present for column, names in wanted.items() if (present := tuple(name for name in names if is_there(name, keys)))
    }
    if not {"document_id", "relevant", "expected_texts", "gold_answers"} & set(columns):
        fix = f"Rename it; known names: {', '.join((*aliases.LABELS['document_id'], *aliases.LABELS['relevant']))}"
        raise InputError(f"no column 'document_id' or 'relevant' (has: {shown})", where=where, fix=fix)
    if "query_id" not in columns and "query_text" not in columns:
        names = ", ".join((*aliases.LABELS["query_id"], *aliases.LABELS["query_text"]))
        raise InputError(
            f"no column 'query_id' or 'query_text' (has: {shown})", where=where, fix=f"Rename it; known names: {names}"
        )
    if (
        not is_of_log(mapped)
        and "grade" not in mapped
        and "rank" in map(_plain, keys)
        and [_plain(name) for name in columns.get("grade", ())] == ["score"]
    ):
        what = "a column of ranks beside scores: a list of results (expected: labels, which say what is right)"
        raise InputError(what, where=where, fix="Name the label file; if the scores are grades, pass --map labels.grade=score")
    unread = [key for key in keys if _plain(key) in aliases.LABELS_NOT_READ] if not is_of_log(mapped) else []
    read = {name for names in columns.values() for name in names}
    if (
        not is_of_log(mapped)
        and columns.keys() <= UNGRADED
        and (more := [key for key in keys if key not in read and key not in INNER])
    ):
        what = f"no column of grades is known: every labelled document counts as relevant (not read: {', '.join(more)})"
        note(engine, "no_grades", f"{what}; if one holds them, pass --map labels.grade=NAME", 1, [where])
    if "esci_label" in keys:
        note(
            engine,
            "esci_gains",
            "esci_label: exact = 1, substitute = 0.1, complement = 0.01, irrelevant = 0 (--rel-level 1: exact alone)",
            1,
            [where],
        )
    if unread:
        note(engine, "label_columns_not_read", f"label columns that are not read: {', '.join(unread)}", len(unread), [where])
    return columns


def with_flags(
    engine: Engine, wanted: dict[str, tuple[str, ...]], mapped: dict[str, str], relation: str, texts: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The columns, where ``relevant`` beside a document holds no list in any row: it says of each document whether it is, yes or no.

    ``texts``: name -> SQL of its value as text, of the names that may hold one value.
    """
    names = wanted.get("relevant", ())
    if is_of_log(mapped) or "document_id" not in wanted or not names or not texts.keys() >= set(names):
        return wanted
    listed = " or ".join(f"ltrim({texts[name]})[1] in ('[', '{{')" for name in names)
    if engine.run(f"select exists (select 1 from {relation} where {listed})")[0][0]:
        return wanted
    others = {column: own for column, own in wanted.items() if column != "relevant"}
    return {**others, "is_relevant": (*wanted.get("is_relevant", ()), *names)}


def _plain(name: str) -> str:
    """A name however it is spelled: Grade, query-id, "Document ID", queryId."""
    return _HUMP.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_")


def is_there(path: str, keys: Collection[str]) -> bool:
    """Whether a label file has a name, or the name a path starts at."""
    return path in keys or (path != steps_of(path)[0] and steps_of(path)[0] in keys)


def json_path(name: str, keys: Collection[str]) -> str:
    """The JSON path of a top-level name, or of a path from one (``a.b``, ``a[].id``)."""
    return record_paths.json_path([name] if name in keys else steps_of(name))


def understood(name: str, value: str) -> str:
    """SQL of a value; ESCI's letters and words as the gains of its authors (Reddy et al. 2022): 1, 0.1, 0.01, 0."""
    if _plain(name) != "esci_label":
        return value
    gains = {
        "e": "1",
        "exact": "1",
        "s": "0.1",
        "substitute": "0.1",
        "c": "0.01",
        "complement": "0.01",
        "i": "0",
        "irrelevant": "0",
    }
    return f"coalesce(map({quoted(list(gains))}, {quoted(list(gains.values()))})[lower({value})], {value})"
