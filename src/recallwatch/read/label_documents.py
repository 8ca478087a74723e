"""Labels that stand in one JSON document: a list under a name, an object of queries, a golden set; to one record a query."""

from ..base.engine import Engine, quoted
from ..base.errors import InputError
from . import aliases
from .label_contract import note

# the list of labels in a document of its own: LlamaIndex, DeepEval, RAGAS, OpenSearch's judgment lists, and what people write by hand
LISTS = (
    "queries", "examples", "goldens", "test_cases", "samples", "questions", "labels", "qrels", "judgments", "judgements", "ratings",
    "testCases", "testRunData.testCases", "judgmentRatings", "requests",
)  # fmt: skip
_NAMES = (name for group in (*aliases.LABELS.values(), *aliases.GOLDEN.values(), ("grades",)) for name in group)
KNOWN = tuple(name for name in dict.fromkeys(_NAMES) if name not in LISTS)


def unpack(engine: Engine, name: str, where: str) -> None:
    """Rewrite the table ``name`` (line, text, problem), where some record is such a document, with a record for each query.

    A list under one of :data:`LISTS`; LlamaIndex' ``{queries: {id: text}, relevant_docs: {id: [ids]}}``; and ``{query id: {document id: grade}}``
    (ranx, pytrec_eval, BEIR), or a list of ids in place of the object: an object none of whose keys is a column's name. A request of
    Elasticsearch's ``_rank_eval`` is a query and its ratings; an example of a data set (LangSmith, Langfuse, Phoenix: ``inputs`` and
    ``outputs``) is what stands in both. A task of Label Studio is a label for each annotation. ``where``: the file.

    Raises:
        InputError: events of users, and no click among them; a task with two answers.
    """
    engine.run(f"create or replace macro label_lists() as {quoted(list(LISTS))}")
    engine.run(f"create or replace macro label_names() as {quoted(list(KNOWN))}")
    engine.file("1_normalise/label_documents.sql")
    _clicks(engine, name, where)
    _tasks(engine, name, where)
    if engine.run(f"select 1 from {name} where is_label_example(text) limit 1"):
        engine.run(
            f"create or replace table {name} as select * replace (if(is_label_example(text), example_record(text), text) as text) from {name}"
        )
    if engine.run(f"select 1 from {name} where is_label_document(text) limit 1"):
        engine.run(
            f"""create or replace table {name} as select line, unnest(if(is_label_document(text), label_records(text), [text])) as text, problem from {name}"""
        )


def _clicks(engine: Engine, name: str, where: str) -> None:
    """Clicks among the events of OpenSearch UBI as labels of kind click, each once."""
    n, clicks = engine.run(
        f"select count(*) filter (is_ubi_event(text)), count(*) filter (is_ubi_event(text) and is_ubi_click(text)) from {name}"
    )[0]
    if n == 0:
        return
    if clicks == 0:
        what = f"{n} events, no click with user_query and event_attributes.object.object_id"
        raise InputError(what, where=where, fix="Log both with each click, or name another file")
    rows = f"select line, if(is_ubi_event(text), ubi_click(text), text) as text, problem from {name} where not is_ubi_event(text) or is_ubi_click(text)"
    engine.run(
        f"create or replace table {name} as select min(line) as line, text, any_value(problem) as problem from ({rows}) group by text"
    )
    if n > clicks:
        note(
            engine,
            "events_without_click",
            "events of users that are no click (or lack the query's text or the object): no labels",
            n - clicks,
            [where],
        )


def _tasks(engine: Engine, name: str, where: str) -> None:
    """Label Studio's tasks as a record for each annotation."""
    n, empty = engine.run(
        f"select count(*), count(*) filter (len(studio_annotations(text)) = 0) from (select text from {name} where is_studio_task(text))"
    )[0]
    if n == 0:
        return
    bad = engine.run(f"select line from {name} where is_studio_task(text) and has_two_answers(text) order by line limit 1")
    if bad:
        what = "an annotation with two answers (choices, ratings); which of them is the relevance is not known"
        raise InputError(
            what, where=f"{where}:{bad[0][0]}", fix="Export JSON_MIN or CSV, and name the column: --map labels.grade=NAME"
        )
    records = "unnest(if(is_studio_task(text), studio_records(text), [text]))"
    engine.run(f"create or replace table {name} as select line, {records} as text, problem from {name}")
    if empty:
        note(engine, "tasks_without_annotation", "tasks of Label Studio that nobody has annotated: no labels", empty, [where])
