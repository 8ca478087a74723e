"""The report in a real browser: it draws, sorts, explains, fits, prints, and runs nothing that a log wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Open = Callable[..., "Page"]
OVERLAPS = """() => {
    const boxes = [...document.querySelectorAll('header, main > section, footer')].map((e) => [e.id || e.tagName, e.getBoundingClientRect()]);
    return boxes.flatMap(([a, x], i) => boxes.slice(i + 1).filter(([b, y]) => x.bottom > y.top + 1 && y.bottom > x.top + 1).map(([b]) => a + ' ' + b));
}"""
SPILLS = """() => [...document.querySelectorAll('h1, h2, p, li, figcaption, dd, .chart')]
    .filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((e) => e.textContent.slice(0, 60))"""


def test_every_chart_is_drawn(opened: Open) -> None:
    """Each chart of the page becomes an SVG, without a console error and without a request (the fixture looks)."""
    page = opened()
    count = page.locator(".chart").count()
    assert count >= 12
    assert page.locator(".chart[data-drawn] svg").count() == count


def test_nothing_of_a_log_runs(opened: Open) -> None:
    """Texts with script tags, handlers and template marks are shown as text."""
    page = opened()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.locator("script").count() == 3
    assert "<script>window.hacked = 1</script>" in page.locator("#queries").inner_text()
    assert "{{ 7 * 7 }}" in page.locator("#worst").inner_text()


def test_the_policy_stops_what_escaping_would_miss(opened: Open) -> None:
    """A script put into the page by force does not run, and nothing can be fetched: the page's own policy forbids both."""
    page = opened()
    assert "default-src 'none'" in (page.locator("meta[http-equiv]").get_attribute("content") or "")
    assert (
        "unsafe-inline"
        not in (page.locator("meta[http-equiv]").get_attribute("content") or "").split("script-src")[1].split(";")[0]
    )


def test_a_tooltip_shows_text(opened: Open) -> None:
    """Pointing at a query's dot names the query; its text is text there too."""
    page = opened()
    page.locator("#queries .chart").first.scroll_into_view_if_needed()
    page.locator("#queries .chart").first.locator("svg .mark-symbol.role-mark path").last.hover(force=True)
    tip = page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible")
    assert "before" in tip.inner_text()
    assert "after" in tip.inner_text()
    assert tip.locator("script, img, i, b").count() == 0
    assert page.evaluate("window.hacked") is None


def test_tables_sort_by_keyboard(opened: Open) -> None:
    """Enter on a column's head sorts by it, again the other way; numbers sort as numbers; the order is told to screen readers."""
    page = opened()
    table = page.locator("#everything table").first
    head = table.locator("th button").nth(1)

    def values() -> list[float]:
        return [float(text) for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts() if text != "–"]

    head.focus()
    page.keyboard.press("Enter")
    assert table.locator("th").nth(1).get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    page.keyboard.press("Enter")
    assert table.locator("th").nth(1).get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 768, 1200])
def test_nothing_overlaps_or_spills(opened: Open, width: int, scheme: str) -> None:
    """On a phone, a tablet and a screen, light and dark, sections do not overlap and no text leaves the page."""
    page = opened(width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(SPILLS) == []


def test_dark_is_dark_and_readable(opened: Open) -> None:
    """In dark mode the paper is dark, and texts, charts' texts too, are light."""
    page = opened(scheme="dark")
    light = """(e) => { const c = getComputedStyle(e); const of = (v) => v.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
        return [of(c.color), of(c.fill)]; }"""
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(17, 22, 27)"
    assert page.locator("h1").evaluate(light)[0] > 600
    assert page.locator("#trends .chart svg text").first.evaluate(light)[1] > 600


def test_paper_is_light_and_whole(opened: Open) -> None:
    """Printing uses dark ink on white, even from a dark screen; no table is cut by a scroll box or the sheet; why each query moved is there."""
    page = opened(scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#everything .scroll").first.evaluate("(e) => getComputedStyle(e).overflowY") == "visible"
    assert page.locator("#trends .chart svg text").first.evaluate("(e) => getComputedStyle(e).fill") == "rgb(31, 41, 51)"
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 within its margins
    assert (
        page.evaluate(
            "[...document.querySelectorAll('table')].filter((t) => t.offsetWidth > t.parentElement.clientWidth + 1).length"
        )
        == 0
    )
    whys = page.locator("#why > details > summary")
    assert all(why.is_visible() for why in whys.all())


def test_charts_have_words_for_who_cannot_see_them(opened: Open) -> None:
    """Each chart is an image with a sentence, and a table with its numbers follows it."""
    page = opened()
    for chart in page.locator("figure").all():
        assert len(chart.locator("[role=img]").get_attribute("aria-label") or "") > 10
        assert chart.locator("details table thead th").count() >= 2


def test_trace_ids_link_through_the_template(opened: Open) -> None:
    """A trace id is a link made from the configured template, opened without a referrer."""
    page = opened()
    link = page.locator("#queries a.id").first
    assert (link.get_attribute("href") or "").startswith("https://traces.example/t/0000")
    assert "noopener" in (link.get_attribute("rel") or "")


CONTRAST = """() => {
    const parse = (c) => c.startsWith('rgb') ? c.match(/[0-9.]+/g).map(Number) : null;
    const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (e) => {
        for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c && (c[3] ?? 1) > 0.99) return c; }
        return [255, 255, 255];
    };
    const poor = [];
    for (const e of document.querySelectorAll('body *')) {
        if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length || e.closest('script, style')) continue;
        const colour = parse(e.namespaceURI.endsWith('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color);
        if (!colour) continue;
        const [a, b] = [light(colour), light(ground(e))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(e.tagName + ' ' + e.textContent.slice(0, 30) + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
    }
    return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(opened: Open, scheme: str) -> None:
    """4.5 to 1 or more, charts among them, in light and in dark."""
    assert opened(scheme=scheme).evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", [1200, 390])
def test_without_scripts_every_chart_is_a_picture(browser: Browser, page_file: Path, tmp_path: Path, width: int) -> None:
    """Jenkins and mail block scripts, Jenkins the style too: each chart is there, in colour; a phone shows before, after and the ids lost."""
    blocked = tmp_path / "blocked.html"
    blocked.write_text(
        page_file.read_text(encoding="utf-8").replace("style-src 'unsafe-inline'", "style-src 'none'"), encoding="utf-8"
    )
    for path in (page_file, blocked):
        context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=False)
        page = context.new_page()
        page.goto(path.as_uri())
        charts = page.locator(".chart")
        assert charts.count() >= 12 and page.locator(".chart > svg").count() == charts.count()
        boxes = [chart.bounding_box() for chart in page.locator(".chart > svg").all()]
        assert all(box and box["width"] > 200 and box["height"] > 40 for box in boxes)
        ids = re.findall(r' id="([^"]+)"', page.content())
        assert len(ids) == len(set(ids))
        if path == page_file:
            narrow = [chart.bounding_box() for chart in page.locator("figure:not(.wide) .chart > svg").all()]
            assert all(box and box["width"] <= width for box in narrow)  # a wide one scrolls in its place
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            newest = page.locator(".strip thead th").last.bounding_box()
            assert newest and newest["x"] + newest["width"] <= width  # the night that is judged is in sight
            row = page.locator("#queries table.cards tbody tr").first
            assert all(row.locator(f"td[data-l={name}]").is_visible() for name in ("before", "after", "lost"))
            cells = [cell.bounding_box() for cell in row.locator("td").all() if cell.is_visible()]
            assert width > 720 or all(box and box["x"] + box["width"] <= width for box in cells)  # a wide table scrolls
        context.close()
    assert "var(--after, #0072b2)" in page_file.read_text(encoding="utf-8")
