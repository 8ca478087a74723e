"""A real browser: Debian's Chromium, driven by Playwright; skipped with the reason where either is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from report.night import hostile_night

from recallwatch.report import as_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def browser() -> Iterator[Browser]:
    """A browser for this test alone: Playwright's driver keeps an event loop running in this thread until it ends, and asyncio.run elsewhere would meet it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a world whose every text is hostile."""
    folder = tmp_path_factory.mktemp("page")
    path = folder / "report.html"
    path.write_text(as_html.render(hostile_night(folder)), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, page_file: Path) -> Iterator[Callable[..., Page]]:
    """Opens the report; any console error, page error or request that leaves the file fails the test at its end."""
    troubles: list[str] = []
    contexts: list[Any] = []

    def open_page(*, width: int = 1200, scheme: str = "light", path: Path | None = None) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]  # a word of three
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: troubles.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
        page.goto((path or page_file).as_uri())
        page.evaluate("window.drawAll()")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not troubles
