"""Pages that are watched: they may not complain, nor ask another host for anything."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.browser.hub import signed_in_context

Theme = Literal["light", "dark"]

#: Milliseconds until what is expected of a page is missing: the machine may be busy.
PATIENCE = 120_000

#: Chromium says so in the console of every answer that is no success.
_ANSWERED = re.compile(r"the server responded with a status of (\d+)")
#: On a busy machine a font may be drawn some seconds after it came, and a test may
#: be in a field before the page would have put the focus there.
_LATE = re.compile(
    "was preloaded using link preload but not used within a few seconds"
    "|Autofocus processing was blocked because a document already has a focused"
)
_REFUSALS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`refused: ${event.violatedDirective} ${event.blockedURI}`));
"""
_HEIGHTS = {1440: 900, 768: 1024, 390: 844, 320: 640}


@dataclass(slots=True)
class Watch:
    """What pages of one hub complained of.

    `stranger`: nobody is signed in. `others`: further hosts that pages may ask.
    """

    hub: str
    stranger: bool = False
    others: tuple[str, ...] = ()
    allowed: frozenset[str] = frozenset()
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, browser: Browser, theme: Theme, width: int, **options: Any) -> Page:
        """Return a new page in a context of its own that is watched."""
        size = {"width": width, "height": _HEIGHTS.get(width, 900)}
        options |= {"viewport": size, "color_scheme": theme}
        if self.stranger:
            context = browser.new_context(**options)
        else:
            context = signed_in_context(browser, self.hub, **options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(_REFUSALS)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._on_console(said))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._on_request(request.url))
        return page

    def taken(self) -> list[str]:
        """Return what was complained of since the last call."""
        said, self.complaints = self.complaints, []
        return said

    def close(self) -> None:
        """End the pages; raise `AssertionError` if one complained."""
        for context in self.contexts:
            context.close()
        assert not self.complaints, self.complaints

    def _on_console(self, said: ConsoleMessage) -> None:
        answered = _ANSWERED.search(said.text)
        expected = answered and answered[1] in self.allowed
        if not expected and not _LATE.search(said.text):
            self.complaints.append(f"{said.type}: {said.text} {said.location}")

    def _on_request(self, url: str) -> None:
        if not url.startswith((self.hub, *self.others, "data:", "about:", "blob:")):
            self.complaints.append(f"asked another host: {url}")
