"""index.html: the nights whose pages are there, the newest first; static, without a script, so that it works from a bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.errors import printable
from ..base.verdicts import gravest
from ..document.as_html import environment
from ..document.numbers import plural, ratio
from ..document.palette import PALETTE
from .night import WORDS, short
from .page import GLYPHS

PAGES = "nights"  # folder of the pages, beside the index


def page_name(record: Mapping[str, Any]) -> str:
    """The page of a run, relative to the index: by its newest window, so that a second run of a night replaces the first."""
    window = str(record["window"] or record["period"]["to"] or "all")
    return f"{PAGES}/{short(window).replace(':', '')[:17]}.html"


def render(title: str, records: Sequence[Mapping[str, Any]], *, reason: str = "") -> str:
    """The list.

    Args:
        title: of the pages.
        records: of runs, oldest first: window, period, verdict, headline, metrics, page (relative; none = there is no page).
        reason: why the newest run could not be finished; empty = it was.
    """
    from jinja2 import PackageLoader

    newest = {record["page"]: record for record in records if record.get("page")}
    rows = [
        {**record, "day": short(str(record["window"] or "")), "seen": _seen(record)}
        for record in (newest[page] for page in sorted(newest, reverse=True))
    ]
    template = environment(PackageLoader("recallwatch.report")).get_template("index.html.j2")
    verdict = "fail" if reason else rows[0]["verdict"] if rows else gravest([])
    return template.render(
        title=title,
        rows=rows,
        nights=plural(len(rows), "night"),
        reason=printable(reason),
        verdict=verdict,
        words=WORDS,
        glyphs=GLYPHS,
        palette=PALETTE,
    )


def _seen(record: Mapping[str, Any]) -> str:
    return " · ".join(f"{name} {ratio(value)}" for name, value in record["metrics"].items())
