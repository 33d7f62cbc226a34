"""One Chromium for all tests of pages, or a sentence why there is none; no page may ask for anything elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.browser import NoBrowser, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    try:
        with chromium() as browser:
            yield browser
    except NoBrowser as reason:
        pytest.skip(str(reason))


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a text of HTML or SVG from disk; errors on its console and requests to elsewhere fail the test."""
    faults: list[str] = []
    pages: list[Any] = []

    def opened_(text: str, *, width: int = 1000, height: int = 800, ending: str = "html", **options: Any) -> Any:
        path = tmp_path / f"page{len(pages)}.{ending}"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        pages.append(page)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else faults.append(r.url))
        page.goto(path.as_uri())
        return page

    yield opened_
    for page in pages:
        page.close()
    assert not faults, faults
