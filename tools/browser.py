"""A real browser for tests and pictures: Chromium with a WebGL of its own, wherever `make browser` found or put one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


class NoBrowser(Exception):
    """There is none, and why."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium; STEINER_BROWSER names another one."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("no Playwright: run `make browser`") from None
    program = os.environ.get("STEINER_BROWSER") or next((p for n in NAMES if (p := shutil.which(n))), None)
    if program is None:
        raise NoBrowser("no Chromium: run `make browser`, or name one in STEINER_BROWSER")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*FLAGS, *["--no-sandbox"] * root])
        yield browser
        browser.close()
