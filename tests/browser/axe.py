"""Barriers that axe finds in a page; contrast is judged where its colours are new.

Judging the contrast of all texts takes axe two thirds of its time, and most texts of a
page have the colours, sizes and backgrounds of those of the page before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.hub import IN_CI, ROOT
from tests.browser.watched import Theme

#: What axe looks for: all it knows; and what another theme or width can bring about.
ALL_TAGS = (
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice",
)  # fmt: skip
LOOK_RULES = ("link-in-text-block", "scrollable-region-focusable", "target-size")
_CONTRAST = "color-contrast"
_PROGRAM = ROOT / "build/npm/node_modules/axe-core/axe.min.js"
_RUN = """
(options) => axe.run(document, {...options, resultTypes: ["violations"]})
  .then((found) => found.violations.map((one) =>
    [one.id, one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3)]))
"""
#: Of each text what its contrast depends on: its own look, and what lies behind it.
_COLOURS = """
() => {
  const known = new Map();
  const backs = (node, pseudo) => {
    const style = getComputedStyle(node, pseudo);
    return [style.backgroundColor, style.backgroundImage, style.opacity, style.filter,
      style.position, style.zIndex, pseudo && style.content].join();
  };
  const behind = (node) => {
    if (!node) return "";
    if (!known.has(node)) {
      const own = [null, "::before", "::after"].map((pseudo) => backs(node, pseudo));
      known.set(node, `${own.join("|")} ${behind(node.parentElement)}`);
    }
    return known.get(node);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim()) continue;
    const style = getComputedStyle(node);
    found.add([style.color, style.fontSize, style.fontWeight, style.textShadow,
      style.visibility, behind(node)].join(";"));
  }
  return [...found];
}
"""

Barriers = list[tuple[str, list[str]]]


def program() -> str:
    """Return axe itself; skip the test where it is not installed, but not in CI."""
    if not _PROGRAM.exists() and not IN_CI:
        pytest.skip("make setup fetches axe-core where there is npm")
    return _PROGRAM.read_text()


@dataclass(slots=True)
class Axe:
    """A program that looks for barriers in one page after the other."""

    program: str
    #: By width, colours and backgrounds of texts whose contrast was found to do.
    _readable: dict[int, set[str]] = field(default_factory=dict)

    def begin(self, page: Page) -> None:
        """Load axe into a page that was just opened."""
        page.evaluate(self.program)

    def all_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return every barrier of a page of this theme and width."""
        return self._run(page, theme, width, always=True)

    def look_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return the barriers that its look brings about."""
        return self._run(page, theme, width, rules=LOOK_RULES)

    def other_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return every barrier, contrast only of colours that were not there before."""
        return self._run(page, theme, width)

    def _run(
        self,
        page: Page,
        theme: Theme,
        width: int,
        *,
        rules: tuple[str, ...] = (),
        always: bool = False,
    ) -> Barriers:
        page.emulate_media(color_scheme=theme)
        readable = self._readable.setdefault(width, set())
        colours = set(page.evaluate(_COLOURS))
        contrast = always or not colours <= readable
        found: Barriers = page.evaluate(_RUN, _options(rules, contrast=contrast))
        if _CONTRAST not in dict(found):
            readable |= colours
        return found


def _options(rules: tuple[str, ...], *, contrast: bool) -> dict[str, Any]:
    """Return what axe is to look for: these rules, or else all."""
    if not rules:
        tags = {"type": "tag", "values": list(ALL_TAGS)}
        return {"runOnly": tags, "rules": {_CONTRAST: {"enabled": contrast}}}
    return {
        "runOnly": {"type": "rule", "values": [*rules, *[_CONTRAST] * contrast]},
    }
