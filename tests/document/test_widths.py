"""Every result's text at every width: names and numbers whole, no line beyond the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recallwatch
from recallwatch.base.errors import printable
from recallwatch.document import as_html, as_markdown, as_text
from recallwatch.document.as_text import Screen
from recallwatch.document.model import MS, NAME, RATIO, TEXT, Column, Document, Section
from recallwatch.evaluation.check import check

ROOT = Path(__file__).parents[2]
LOGS, LABELS = ROOT / "sample_logs" / "recalls", ROOT / "sample_logs" / "labels.jsonl"
WEEK = {"reference": "2026-11-01..2026-11-08", "current": "2026-11-08..2026-11-11"}
MAKERS: dict[str, Any] = {
    "evaluate": lambda: recallwatch.evaluate(LOGS, LABELS, k="1,3,5,10,20", by="query_class", per_query=True),
    "drift": lambda: recallwatch.drift(LOGS, LABELS, **WEEK),
    "compare": lambda: recallwatch.compare(LOGS, LABELS, by="index_version", a="v1", b="v2"),
    "lift": lambda: recallwatch.lift(LOGS, LABELS, k="1,5,10"),
    "pareto": lambda: recallwatch.pareto(LOGS, LABELS, by="index_version", k_curve=True),
    "stability": lambda: recallwatch.stability(LOGS, LABELS, by="index_version", within=""),
    "suggest-labels": lambda: recallwatch.suggest_labels(LOGS, LABELS, n=10),
    "check": lambda: check(LOGS, LABELS),
    "harness": lambda: recallwatch.evaluate_retriever(lambda _: ["a", "b"], [("one", ["a"]), ("two", ["x"])], k=2),
}


@pytest.fixture(scope="module", params=MAKERS)
def document(request: pytest.FixtureRequest) -> Document:
    """What one command says."""
    return MAKERS[request.param]().document()  # type: ignore[no-any-return]  # every result has it


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_names_and_numbers_are_whole(document: Document, width: int) -> None:
    """No line is wider than the terminal, and no cell of a name or a number is broken; every word of a text is there."""
    text = as_text.draw(document, Screen(width))
    lines = text.splitlines()
    assert max(map(as_text.length, lines)) <= width
    shown = "\n".join(lines)
    for section in document.shown:
        for column, cells in zip(section.columns, zip(*section.cells(), strict=True), strict=True):
            for cell in map(printable, cells):
                words = cell.split() if column.unit.wraps else [cell]
                assert all(word in shown for word in words if len(word) <= as_text.LONGEST), (section.title, column.name, cell)
        for name in filter(None, section.header):
            assert name in shown, (section.title, name)


def test_the_other_drawings_have_the_same_cells(document: Document) -> None:
    """Markdown and HTML show what the text shows, cell for cell."""
    markdown, page = as_markdown.draw(document), as_html.draw(document)
    for section in document.shown:
        for row in section.cells():
            assert f"| {' | '.join(as_markdown.escaped(cell) for cell in row)} |" in markdown
            assert all(as_html.shown(cell) in page for cell in row)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_every_block_names_its_rows(width: int) -> None:
    """Where one name does not tell rows apart, a block that stands below shows all that do; names too long for a line are broken, numbers never."""
    names = [(metric, group) for metric in ("recall@10", "m" * 50) for group in ("", "a class with a long name", "質問" * 20)]
    rows = [
        (*name, at + 0.123456, "never found: " + "d" * 70, 123_456_789_012.0, "doc/" + "y" * 56) for at, name in enumerate(names)
    ]
    columns = [
        Column("metric", NAME),
        Column("class", NAME),
        Column("a", RATIO),
        Column("why", TEXT),
        Column("ms", MS),
        Column("lost", NAME),
    ]
    text = as_text.draw(Document("", [Section("", columns, rows)]), Screen(width))
    assert max(map(as_text.length, text.splitlines())) <= width
    blocks = text.split("\n\n")
    assert all(block.split()[:2] == ["metric", "class"] for block in blocks)
    assert text.count("123,456,789,012") == len(rows) and text.replace("\n", "").count("m") >= 3 * 50 * len(blocks)
