"""TREC run files: topic, Q0, document, rank, score, tag."""

import re
from collections.abc import Mapping
from pathlib import Path

from ..base.engine import Engine
from . import lines
from .log_format import Format, Read

_LINE = re.compile(
    r"^\S+\s+\S+\s+\S+\s+-?\d+\s+([-+0-9.eE]+|[-+]?(inf|infinity|nan))\s+\S", re.IGNORECASE
)  # what follows the tag is ignored


def sniff(head: list[str]) -> bool:
    """At least six columns, the fourth a whole number, the fifth a number."""
    body = [line for line in head if not line.startswith("#")]
    return bool(body) and all(_LINE.match(line) for line in body)


def read(engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
    """All lines of all files; one event per file, topic and tag."""
    engine.register("line_stream", lines.reader(files))
    engine.register("line_sources", lines.sources(files))
    for name in ("lines", "trec_run"):
        engine.file(f"1_normalise/{name}.sql")
    return Read("trec_run_events", {"query_id": ("topic",), "variant": ("tag",), "ranked_ids": ("document",), "scores": ("score",)})


TREC_RUN = Format("trec_run", "TREC run file (topic Q0 document rank score tag)", sniff, read)
