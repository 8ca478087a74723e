"""A corpus as `check` needs it: the ids there are, from whatever file lists them."""

from pathlib import Path

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError
from . import aliases, records
from .paths import is_parquet

TEXTS = ("text", "content", "memory", "page_content", "title")
NAMES = (*aliases.LABELS["document_id"], "id", "_id")
CREATE = "create or replace table corpus_ids as select distinct {id}::varchar as document_id from {source} where {id} is not null"


def read_corpus(engine: Engine, path: Path) -> int:
    """Create the table ``corpus_ids`` (document_id); returns their number.

    Args:
        engine: where the table goes.
        path: Parquet or JSON lines with a column of ids (the names labels have, or ``id``, ``_id``); else one id a line.

    Raises:
        InputError: no such file, no such column, no ids.
    """
    if not path.is_file():
        raise InputError("no such corpus file", where=str(path), fix="Name a file of ids: one a line, JSON lines or Parquet")
    if is_parquet(path):
        source = f"read_parquet({quoted_paths(path)})"
        with engine.reading(str(path)):
            name = _named(list(engine.types(source)), path)
        engine.run(CREATE.format(id=identifier(name), source=source), what=f"reading {path}")
    else:
        head = records.first_records(path, 1)
        engine.register("corpus_lines", records.reader([path]))
        value = "trim(line, e' \\t\\r')"
        if head and head[0].lstrip().startswith("{"):
            paths = quoted(["$." + identifier(name) for name in NAMES])
            value = f"list_filter(json_extract_string(line, {paths}), lambda x: x is not null)[1]"
        engine.run(
            CREATE.format(id="id", source=f"(select nullif(try({value}), '') as id from corpus_lines)"), what=f"reading {path}"
        )
    (n,) = engine.run("select count(*) from corpus_ids")[0]
    if not n:
        raise InputError(
            f"no ids there (looked for: {', '.join(NAMES)}, or one id a line)", where=str(path), fix="Name a file of ids"
        )
    return int(n)


def read_corpus_texts(engine: Engine, path: Path) -> None:
    """Create the table ``corpus_texts`` (document_id, text): what a person needs to see to judge an id.

    Raises:
        InputError: no such file, no column of ids, no text beside them.
    """
    read_corpus(engine, path)
    if is_parquet(path):
        source = f"read_parquet({quoted_paths(path)})"
        columns = list(engine.types(source))
        text_columns = [f"{identifier(name)}::varchar" for name in TEXTS if name in columns]
        key, text = (
            f"{identifier(_named(columns, path))}::varchar",
            f"coalesce({', '.join(text_columns)})" if text_columns else "null::varchar",
        )
    else:
        engine.register("corpus_lines", records.reader([path]))
        source = "corpus_lines"
        key, text = (
            f"list_filter(try(json_extract_string(line, {quoted(['$.' + identifier(n) for n in names])})), lambda x: x is not null)[1]"
            for names in (NAMES, TEXTS)
        )
    engine.run(
        f"""create or replace table corpus_texts as
        select document_id, min(text) as text from (select {key} as document_id, {text} as text from {source})
        where document_id is not null and text is not null group by document_id""",
        what=f"reading {path}",
    )
    if not engine.run("select count(*) from corpus_texts")[0][0]:
        raise InputError(f"no texts there (looked for: {', '.join(TEXTS)})", where=str(path), fix="Name a file of ids and texts")


def _named(columns: list[str], path: Path) -> str:
    for name in NAMES:
        if name in columns:
            return name
    fix = "Rename it to document_id"
    raise InputError(f"no column of ids (has: {', '.join(columns)}; looked for: {', '.join(NAMES)})", where=str(path), fix=fix)
