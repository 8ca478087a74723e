"""`hash_labels`: labels known by their text, under the hash that a recorder writes in place of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.files import written
from ..base.options import Reading
from ..record.recorder import query_hash
from ..scoring.recalls import take_labels

HASHED = """create or replace view hashed_labels as
    select l.* replace (coalesce(h.query_id, l.query_id) as query_id, case when h.query_id is null then l.query_text end as query_text)
    from labels as l left join hashes as h on l.query_id is null and h.query_text = l.query_text"""


def hash_labels(labels: Any, write: str | Path, *, key: bytes = b"") -> int:
    """Write labels again, with the hash of each query's text as its id, for logs of a recorder that writes no text.

    Args:
        labels: as in :func:`recallwatch.evaluate`. A label that has a query id keeps it.
        write: the Parquet file to write; no query text of a label that gets a hash is in it.
        key: the recorder's ``hash_key``.

    Returns:
        How many queries got a hash.

    Raises:
        UsageError: a key of more than 64 bytes; a file that cannot be written.
        InputError: labels out of contract, or none that is known by its text alone.
    """
    if len(key) > 64:
        raise UsageError("the key has more than 64 bytes", where="key", fix="Use the recorder's hash_key")
    with Engine() as engine:
        for name in ("0_schema.sql", "1_normalise/values.sql"):
            engine.file(name)
        take_labels(engine, labels, Reading())
        texts = [
            text
            for (text,) in engine.run("select distinct query_text from labels where query_id is null and query_text is not null")
        ]
        if not texts:
            raise InputError(
                "no label is known by its text alone", where="labels", fix="Leave query_id out where logs have a hash in its place"
            )
        columns = {"query_text": "varchar", "query_id": "varchar"}
        engine.values("hashes", columns, [(text, query_hash(text, key)) for text in texts])
        engine.run(HASHED)
        engine.file("1_normalise/labels_again.sql")
        with written(Path(write)) as target:
            engine.write("from labels_again('hashed_labels')", target, what=f"writing {write}")
    return len(texts)
