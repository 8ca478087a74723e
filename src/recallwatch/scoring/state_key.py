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
    rows = engine.run(
        """select sha256(coalesce(string_agg(row, e'\\n' order by row), '')) from (
            select distinct to_json(struct_pack(tenant_id, query_id, query_text, document_id, grade, is_relevant, query_class))::varchar
                || if(document_text is null and gold_answers is null, '', to_json(struct_pack(document_text, gold_answers))::varchar)
                || if(coalesce(kind, 'human') = 'human' and coalesce(inclusion_probability, 1) = 1, '',
                    to_json(struct_pack(kind, judge, judged_at, inclusion_probability))::varchar)
                || if(valid_from is null and valid_to is null, '', to_json(struct_pack(valid_from, valid_to))::varchar)
                || if(hop is null, '', 'hop' || hop) as row
            from (from labels union all by name from contract.labels))"""
    )
    return str(rows[0][0])
