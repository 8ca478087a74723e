"""BEIR folders and TREC qrels: files of documents and grades, with a file of query texts beside them."""

from __future__ import annotations

from pathlib import Path

from ...base.engine import Engine, exact_path, quoted
from ...base.errors import InputError
from ...read import read_labels
from .adapter import Adapter


def read_beir(engine: Engine, path: Path, queries: Path | None) -> None:
    """A data set's folder (qrels/test.tsv, queries.jsonl) or one of its qrels files -> the table ``labels``.

    Raises:
        InputError: a folder without qrels, qrels that are none, query texts that cannot be read.
    """
    file = path
    if path.is_dir():
        files = sorted((path / "qrels").glob("*.tsv"))
        chosen = [f for f in files if f.stem == "test"] or files
        if len(chosen) != 1:
            names = ", ".join(f.name for f in files) or "none"
            raise InputError(f"qrels/test.tsv is not there (has: {names})", where=str(path), fix="Name the qrels file itself")
        file = chosen[0]
    beside = [folder / "queries.jsonl" for folder in (path, file.parent.parent, file.parent)]
    read_labels(engine, [str(file)])
    take_texts(engine, queries or next((f for f in beside if f.is_file()), None))


def read_trec(engine: Engine, path: Path, queries: Path | None) -> None:
    """TREC qrels (topic iteration document grade) -> the table ``labels``.

    Raises:
        InputError: a line that is none, query texts that cannot be read.
    """
    read_labels(engine, [str(path)])
    take_texts(engine, queries)


def take_texts(engine: Engine, path: Path | None) -> None:
    """Query texts (JSON lines with _id and text, or TSV: id, text) into ``labels``; none is fine, an id without text too."""
    if path is None:
        return
    relation = (
        "read_json($1, format = 'newline_delimited', columns = {_id: 'VARCHAR', query_id: 'VARCHAR', text: 'VARCHAR', query_text: 'VARCHAR'})"
        if path.suffix in (".jsonl", ".json", ".ndjson")
        else "read_csv($1, delim = e'\\t', quote = '', header = false, columns = {query_id: 'VARCHAR', text: 'VARCHAR'})"
    )
    names = "coalesce(_id, query_id), coalesce(text, query_text)" if "read_json" in relation else "query_id, text"
    if not path.is_file():
        raise InputError("no such file of query texts", where=str(path))
    with engine.reading(str(path)):
        engine.run(
            f"create or replace table query_texts as select t.* from (select {names} from {relation}) as t(id, text)",
            [exact_path(path)],
        )
    engine.file("1_normalise/query_texts.sql")
    if not engine.run("select count(query_text) from labels")[0][0]:
        ids = engine.run("select (select min(query_id) from labels), (select min(id) from query_texts)")[0]
        raise InputError(f"no query id of the labels is in there (labels: {ids[0]!r}, texts: {ids[1]!r})", where=str(path))


def source_of(name: str) -> str:
    """SQL of the labels of a qrels file, in the columns every adapter writes."""
    grade = "if(document_id is null, null, coalesce(grade, 1.0)) as grade"
    return f"select query_id, query_text, query_class, document_id, {grade}, {quoted(name)} as judged_by from labels"


BEIR = Adapter("beir", "BEIR data set: its folder, or a qrels TSV with queries.jsonl beside it", read_beir, is_qrels=True)
TREC = Adapter("trec", "TREC qrels; --queries FILE adds the texts", read_trec, is_qrels=True)
