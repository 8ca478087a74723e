"""What tells two results apart: hashes of options, labels and sql/."""

from __future__ import annotations

import hashlib

from ..base import sqlfiles
from ..base.definition import Definition
from ..base.engine import Engine


def state_key(engine: Engine, definition: Definition) -> str:
    """sha256 of options, labels and sql/: equal keys = aggregates that may be merged."""
    digest = hashlib.sha256(definition.fingerprint.encode())
    digest.update(labels_hash(engine).encode())
    for name in sqlfiles.every_name():
        digest.update(sqlfiles.text_of(name).encode())
    return digest.hexdigest()


def options_key(definition: Definition) -> str:
    """The same without the labels."""
    return f"{definition.fingerprint} {sqlfiles.sql_hash()}"


def labels_hash(engine: Engine) -> str:
    """sha256 of what the labels say, whatever file or order they came in."""
    engine.file("2_judge/labels_hash.sql")
    return str(engine.run("from labels_hash")[0][0])
