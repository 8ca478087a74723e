"""What people read: numbers with units, and drawings that lose nothing at any width."""

from __future__ import annotations

import doctest
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import recallwatch
from recallwatch.base import files
from recallwatch.base.errors import UsageError
from recallwatch.base.files import write_whole
from recallwatch.document import as_html, as_markdown, as_text, numbers
from recallwatch.document.as_text import Screen
from recallwatch.document.model import COUNT, MS, NAME, RATIO, SHARE, TEXT, VERDICT, Column, Document, Section, between

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15)
HOSTILE = ["<script>alert(1)</script>", "a|b", "line\ntwo", "\x1b[31mred", "*bold*", "`x`", "\u202eright to left", "ünïcode 漢字"]


def test_examples_of_numbers() -> None:
    """Each function of numbers shows what its docstring says."""
    assert doctest.testmod(numbers).failed == 0


@given(FLOATS)
@example(0.0)
@example(-0.00001)
@example(1.0)
@example(-1e-12)
def test_no_number_has_an_exponent_or_a_signed_zero(value: float) -> None:
    """Nobody reads 1e+02 % or -0.0 points."""
    texts = [show(value) for show in (numbers.ratio, numbers.signed, numbers.points, numbers.share, numbers.ms, numbers.usd)]
    for text in texts:
        assert not re.search(r"\de[+-]?\d", text), text
        assert not re.fullmatch(r"[+-]0(\.0*)?( .*)?", text), text


@given(st.floats(min_value=0, max_value=1))
def test_a_share_is_rounded_to_nothing_or_all_only_where_it_is(value: float) -> None:
    """0.04 % is not 0.0 %, and 99.99 % not 100 %."""
    text = numbers.share(value)
    assert (text in ("0 %", "0.0 %")) == (value == 0)
    assert (text in ("100 %", "100.0 %")) == (value == 1)


def a_document(names: list[str], k: int, text: str) -> Document:
    """A document with long names, many columns of numbers, and texts."""
    matrix = [Column("metric", NAME), *(Column(f"@{n}") for n in range(1, k + 1))]
    rows = [(name, *(f"0.{n:03d} [0.10–0.9{n % 10}]" for n in range(1, k + 1))) for name in names]
    table = [Column("query", NAME), Column("text", TEXT), Column("recalls", COUNT), Column("class", NAME), Column("value", RATIO)]
    return Document(
        "a headline of several words",
        [Section("Quality", matrix, rows), Section("Queries", table, [(name, text, 1234, "a_class", 0.25) for name in names])],
        ["a note"],
    )


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@given(
    names=st.lists(st.text("abc_-0123456789", min_size=1, max_size=30), min_size=1, max_size=4),
    k=st.integers(1, 7),
    text=st.text("ab 12漢", max_size=200),
)
def test_no_width_loses_a_name_or_cuts_a_number(width: int, names: list[str], k: int, text: str) -> None:
    """Lines are no wider than the terminal; every name and number stands whole on one; every word of a text is there."""
    drawn = as_text.draw(a_document(names, k, text), Screen(width))
    lines = drawn.splitlines()
    assert all(as_text.length(line) <= width for line in lines)
    for name in names:
        assert any(line.startswith(name) for line in lines)
    for n in range(1, k + 1):
        assert f"0.{n:03d} [0.10–0.9{n % 10}]" in drawn
        assert re.search(rf"@{n}(\s|$)", drawn)
    assert "1,234" in drawn and "0.250" in drawn and "a_class" in drawn
    for character in set(text) - {" "}:
        assert drawn.count(character) >= text.count(character)


def test_a_name_longer_than_the_line_is_folded_not_cut() -> None:
    """Nothing is left out even then."""
    drawn = as_text.draw(Document("", [Section("", [Column("id", NAME), Column("n", COUNT)], [("x" * 300, 7)])]), Screen(60))
    assert drawn.count("x") == 300 and "7" in drawn


def test_a_number_stays_with_its_unit() -> None:
    """A line never ends between 12 and %."""
    for width in range(20, 60):
        assert not re.search(r"^%", "\n".join(as_text.wrapped("the largest of them has 12 % of all, 3.5 ms each", width)), re.M)


def test_the_width_is_the_terminals_or_columns_or_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """COLUMNS first; a pipe and a file always get the same width, without styles."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert as_text.screen(is_styled=True) == Screen(120, is_styled=False)
    monkeypatch.setenv("COLUMNS", "77")
    assert as_text.screen().width == 77
    monkeypatch.setenv("COLUMNS", "no number")
    assert as_text.screen().width == 120
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(as_text.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(as_text.shutil, "get_terminal_size", lambda _: os.terminal_size((91, 24)))
    assert as_text.screen(is_styled=True) == Screen(91, is_styled=True)
    assert as_text.screen(is_file=True, is_styled=True) == Screen(120, is_styled=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not as_text.screen(is_styled=True).is_styled


def hostile() -> Document:
    """Every text of it comes from a log."""
    columns = [Column("name", NAME), Column("what", TEXT), Column("", VERDICT), Column("p95, ms", MS)]
    rows = [(text, text, "fail", 1.5) for text in HOSTILE]
    return Document(HOSTILE[0], [Section(HOSTILE[1], columns, rows, HOSTILE)], HOSTILE, verdict="fail", lead=HOSTILE)


def test_no_text_of_a_log_becomes_markup_or_steers_a_terminal() -> None:
    """Text, markdown and HTML show hostile texts as texts; a table has as many rows as it was given."""
    text = as_text.draw(hostile(), Screen(80))
    assert "\x1b" not in text and "\u202e" not in text
    markdown = as_markdown.draw(hostile())
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    assert sum(token.type == "tr_open" for token in tokens) == 1 + len(HOSTILE)
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    assert "<script" not in rendered and "<em>" not in rendered and "<code>" not in rendered
    page = as_html.draw(hostile())
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, _: object) -> None:
            tags.append(tag)

    Tags().feed(page)
    assert set(tags) == {"p", "strong", "section", "h3", "div", "table", "thead", "tbody", "tr", "th", "td", "span"}
    assert 'data-v="1.5">1.5<' in page and 'class="badge fail"' in page


def test_cells_know_their_unit() -> None:
    """A number is rounded by its column; a text in its place stands as it is; none is a dash, in a column of names nothing."""
    units = [NAME, COUNT, RATIO, SHARE, MS, between(numbers.ratio)]
    section = Section(
        "", [Column("", unit) for unit in units], [("a", 1200, 0.12345, 0.5, 1234.5, (0.1, 0.2)), (None,) * 5 + ("x",)]
    )
    assert section.cells() == [("a", "1,200", "0.123", "50 %", "1,234", "0.100–0.200"), ("", "–", "–", "–", "–", "x")]
    assert [column.unit for column in section.filled().columns] == units


def test_a_file_appears_whole_and_follows_no_planted_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither NAME.tmp of somebody else nor a link of the temporary name is touched; nothing half written stays."""
    target, other, victim = tmp_path / "out.json", tmp_path / "out.json.tmp", tmp_path / "victim"
    other.write_text("mine")
    victim.write_text("untouched")
    assert write_whole(target, b"one") and not write_whole(target, b"one")
    monkeypatch.setattr(files.secrets, "token_hex", lambda _: "known")
    (tmp_path / ".out.json.known.tmp").symlink_to(victim)
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(target, b"two")
    assert (target.read_bytes(), other.read_text(), victim.read_text()) == (b"one", "mine", "untouched")
    monkeypatch.undo()
    with pytest.raises(RuntimeError), files.whole(target) as temporary:
        temporary.write_bytes(b"half")
        raise RuntimeError
    assert target.read_bytes() == b"one"
    assert {path.name for path in tmp_path.iterdir()} <= {"out.json", "out.json.tmp", "victim", ".out.json.known.tmp"}


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    """-o /dev/stdout writes there; no file takes a pipe's place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert write_whole(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_queries_of_two_tenants_are_told_apart() -> None:
    """One query id of two tenants with labels of their own: tables show whose a row is, an explanation says that it is of both."""
    logs = [{"query_id": "q", "tenant_id": tenant, "ranked_ids": ["a", "b"]} for tenant in ("acme", "bolt", "bolt")]
    labels = [{"query_id": "q", "tenant_id": tenant, "relevant": [document]} for tenant, document in (("acme", "x"), ("bolt", "b"))]
    scored = [section for section in recallwatch.evaluate(logs, labels).document().sections if section.title.startswith("Queries")]
    asked = [section for section in recallwatch.suggest_labels(logs).document().sections if section.title.startswith("What")]
    for section in (*scored, *asked):
        assert {row[section.header.index("tenant")] for row in section.cells()} <= {"acme", "bolt"}
    assert "of 2 tenants together: acme, bolt" in as_text.draw(recallwatch.explain("q", logs, labels).document())
