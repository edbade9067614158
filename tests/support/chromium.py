"""A real browser, and a page in it that keeps what it asks for and complains of."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_CHROMIUM = os.environ.get("SHELF_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def skip_without_browser(*libraries: str) -> None:
    """Skip a module, by name, where Chromium, playwright or one of the libraries is missing."""
    if _CHROMIUM is None:
        pytest.skip("no chromium executable; SHELF_CHROMIUM may name one", allow_module_level=True)
    for library in (*libraries, "playwright"):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed", allow_module_level=True)


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Chromium without a window, closed in the end."""
    from playwright import sync_api as playwright

    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_CHROMIUM, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page and what it did: addresses that it asked for, errors, and what its console said."""

    page: Page
    addresses: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.addresses.append(request.url))
        self.page.on("websocket", lambda websocket: self.addresses.append(websocket.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._said)

    def _said(self, message: ConsoleMessage) -> None:
        if self.is_complaint(message):
            self.complaints.append(message.text)

    def is_complaint(self, message: ConsoleMessage) -> bool:
        """Whether what the console says counts; everything does."""
        return True
