"""Barriers that axe finds in a page; it runs where markup or colours are new.

Most elements of a page have the tags, classes and attributes of those of the page
before, and most texts its colours, sizes and backgrounds: axe gives the same answer.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.hub import IN_CI, ROOT
from tests.browser.watched import Theme

#: What axe looks for: all it knows; what another theme or width can bring about; and
#: what colours can, apart from the contrast.
ALL_TAGS = (
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice",
)  # fmt: skip
LOOK_RULES = ("link-in-text-block", "scrollable-region-focusable", "target-size")
COLOUR_RULES = ("link-in-text-block",)
_CONTRAST = "color-contrast"
_PROGRAM = ROOT / "build/npm/node_modules/axe-core/axe.min.js"
_RUN = """
(options) => axe
  .run(document, {...options, preload: false, resultTypes: ["violations"]})
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
#: Of each element what its barriers depend on: itself, what it is in, its neighbours.
_SHAPES = """
() => {
  const valued = /^(role|type|lang|tabindex|aria-(hidden|current|live))$/;
  const own = new Map([[null, ""], [document.documentElement, "html"]]);
  const looks = (node) => {
    const attributes = [...node.attributes].map(({ name, value }) =>
      valued.test(name) ? `${name}=${value}` : name + (value ? "" : "="));
    const text = node.textContent.trim() ? "text" : "";
    return [node.localName, node.getAttribute("class"), attributes.sort(), text].join();
  };
  const found = new Set();
  const names = new Set();
  let level = "";
  for (const node of document.querySelectorAll("body, body *:not(svg *)")) {
    const parent = node.parentElement;
    own.set(node, looks(node));
    const outer = own.get(parent.parentElement);
    found.add([own.get(node), own.get(parent), outer].join("<"));
    if (/^h[1-6]$/.test(node.localName)) {
      found.add(`${level} ${node.localName}`);
      level = node.localName;
    }
    const landmark = /^(nav|aside|section|form|main|header|footer)$/;
    const label = landmark.test(node.localName) && node.getAttribute("aria-label");
    for (const name of [node.id && `#${node.id}`, label].filter(Boolean)) {
      if (names.has(name)) found.add(`twice ${name}`);
      names.add(name);
    }
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
    #: By width, colours and backgrounds of texts whose contrast was found to do,
    _readable: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: and shapes of elements in which no barrier was found.
    _passed: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    _is_loaded: bool = False

    def begin(self, page: Page) -> None:
        """Take note that a page was just opened: axe is not in it yet."""
        self._is_loaded = False

    def all_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return every barrier of a page of this theme and width."""
        return self._run(page, theme, width, always=True)

    def look_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return the barriers that its look brings about, if it is a new one."""
        return self._run(page, theme, width, rules=LOOK_RULES)

    def other_of(self, page: Page, theme: Theme, width: int) -> Barriers:
        """Return every barrier, if there are elements or colours of a new kind."""
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
        colours, shapes = set(page.evaluate(_COLOURS)), set(page.evaluate(_SHAPES))
        contrast = always or not colours <= self._readable[width]
        if not always and shapes <= self._passed[width]:
            if not contrast:
                return []
            rules = COLOUR_RULES
        found = self._found(page, _options(rules, contrast=contrast))
        if _CONTRAST not in dict(found):
            self._readable[width] |= colours
        if not found:
            self._passed[width] |= shapes
        return found

    def _found(self, page: Page, options: dict[str, Any]) -> Barriers:
        if not self._is_loaded:
            page.evaluate(self.program)
            self._is_loaded = True
        found: Barriers = page.evaluate(_RUN, options)
        return found


def _options(rules: tuple[str, ...], *, contrast: bool) -> dict[str, Any]:
    """Return what axe is to look for: these rules, or else all."""
    if not rules:
        tags = {"type": "tag", "values": list(ALL_TAGS)}
        return {"runOnly": tags, "rules": {_CONTRAST: {"enabled": contrast}}}
    return {
        "runOnly": {"type": "rule", "values": [*rules, *[_CONTRAST] * contrast]},
    }
