"""Labels that stand in one JSON document: a list under a name, an object of queries, a golden set; to one record a query."""

from ..base.engine import Engine, quoted
from . import aliases

# the list of labels in a document of its own: LlamaIndex, DeepEval, RAGAS, and what people write by hand
LISTS = (
    "queries",
    "examples",
    "goldens",
    "test_cases",
    "samples",
    "questions",
    "labels",
    "qrels",
    "judgments",
    "judgements",
    "ratings",
    "testCases",
    "testRunData.testCases",
)
KNOWN = tuple(dict.fromkeys(name for group in (*aliases.LABELS.values(), *aliases.GOLDEN.values(), ("grades",)) for name in group))


def unpack(engine: Engine, name: str) -> None:
    """Rewrite the table ``name`` (line, text, problem), where some record is such a document, with a record for each query.

    A list under one of :data:`LISTS`; LlamaIndex' ``{queries: {id: text}, relevant_docs: {id: [ids]}}``; and ``{query id: {document id: grade}}``
    (ranx, pytrec_eval, BEIR), or a list of ids in place of the object: an object none of whose keys is a column's name.
    """
    engine.run(f"create or replace macro label_lists() as {quoted(list(LISTS))}")
    engine.run(f"create or replace macro label_names() as {quoted(list(KNOWN))}")
    engine.file("1_normalise/label_documents.sql")
    if engine.run(f"select 1 from {name} where is_label_document(text) limit 1"):
        engine.run(
            f"""create or replace table {name} as select line, unnest(if(is_label_document(text), label_records(text), [text])) as text, problem from {name}"""
        )
