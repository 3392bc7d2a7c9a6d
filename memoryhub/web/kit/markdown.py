"""Markdown of agents to HTML that is safe to show: the one door.

What is in a memory file is untrusted. Raw HTML is shown as text, addresses pass
one gate, and what comes out is cleaned once more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ElementTree, SubElement

import nh3
from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.extensions import Extension
from markdown.util import Registry

from memoryhub.web.kit.markdown_blocks import Block, parse_blocks, split_cells
from memoryhub.web.kit.markdown_inline import append_inline

#: A larger text is shown as it is written; pages show such files in parts.
MAX_CHARACTERS = 400_000
MAX_LINES = 20_000

#: Gives the address of a path in the workspace, or None if nothing is there.
Link = Callable[[str], str | None]

_EXTERNAL = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
#: Characters Python-Markdown keeps for itself, and halves of characters.
_UNUSABLE = re.compile("[\x02\x03\ud800-\udfff]")

_ALIGNMENTS = {"l": "left", "c": "center", "r": "right"}
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_TAGS = {
    *("p", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br", "a"),
    *("em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td"),
    *("label", "input", *_HEADINGS),
}
_ATTRIBUTES = {
    "a": {"href", "rel", "class"},
    "code": {"class"},
    "li": {"class"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "table": {"tabindex"},
    "td": {"align"},
    "th": {"align"},
    "input": {"disabled", "checked"},
    **{heading: {"id"} for heading in _HEADINGS},
}


def render_markdown(text: str, *, path: str, link: Link) -> str:
    """Return a text as HTML that is safe in a page.

    `path` is the file's, relative to the workspace; `link` gives the address of
    another path in it, or None, and then only the link's text is shown. Headings
    start at h2, because a page has its own h1. Front matter is the caller's.
    """
    text = _UNUSABLE.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS or text.count("\n") > MAX_LINES:
        return f'<pre class="as-written" tabindex="0">{escape(text)}</pre>'
    if not text.strip():
        return ""
    return _cleaned(Markdown(extensions=[_AgentMarkdown(_Links(path, link))]), text)


def _cleaned(markdown: Markdown, text: str) -> str:
    return nh3.clean(
        markdown.convert(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        tag_attribute_values={"input": {"type": {"checkbox"}}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


@dataclass(frozen=True, slots=True)
class _Links:
    """The gate for the addresses of one file."""

    path: str
    link: Link

    def __call__(self, target: str) -> str | None:
        if _EXTERNAL.match(target) and not _CONTROL.search(target):
            return target
        path, _, fragment = target.partition("#")
        path = unquote(path.partition("?")[0])
        anchor = f"#{heading_id(unquote(fragment))}" if fragment else ""
        if not path:
            return anchor or None
        if _SCHEME.match(path) or _CONTROL.search(path) or path.startswith("//"):
            return None
        address = self._inside(path)
        return f"{address}{anchor}" if address else None

    def _inside(self, path: str) -> str | None:
        """Return the address of a path, which a leading slash starts at the root."""
        folder = "" if path.startswith("/") else posixpath.dirname(self.path)
        joined = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        outside = joined == ".." or joined.startswith("../")
        return None if outside else self.link(joined)


def heading_id(title: str) -> str:
    """Return the anchor of a heading: GitHub's, behind a prefix of our own."""
    plain = _NOT_IN_SLUG.sub("", title.strip().lower())
    return "h-" + plain.replace(" ", "-")[:100]


class _AgentMarkdown(Extension):
    """Makes Python-Markdown read blocks and text as CommonMark and GitHub do."""

    def __init__(self, links: _Links) -> None:
        super().__init__()
        self.links = links

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        md.preprocessors = Registry()
        md.treeprocessors = Registry()
        md.postprocessors = Registry()
        md.parser = _TreeParser(md, self.links)


class _TreeParser(BlockParser):
    """Gives Python-Markdown the tree of a document."""

    def __init__(self, md: Markdown, links: _Links) -> None:
        super().__init__(md)
        self.links = links

    def parseDocument(self, lines: Iterable[str]) -> ElementTree:  # noqa: N802
        root = Element(self.md.doc_tag)
        document, definitions = parse_blocks("\n".join(lines))
        _Tree(definitions, self.links).append_all(root, document)
        for anchor in root.iter("a"):
            if _EXTERNAL.match(anchor.get("href", "")):
                anchor.set("rel", "noopener noreferrer nofollow")
        return ElementTree(root)


@dataclass(slots=True)
class _Tree:
    """Builds elements of blocks."""

    definitions: Mapping[str, str]
    links: _Links
    anchors: dict[str, int] = field(default_factory=dict)

    def append_all(self, parent: Element, block: Block, *, tight: bool = False) -> None:
        for child in block.children:
            if child.kind == "paragraph" and tight:
                self._append_text(parent, child.text)
            elif child.kind in _BUILDERS:
                _BUILDERS[child.kind](self, parent, child)

    def _append_text(self, parent: Element, text: str) -> None:
        append_inline(parent, text.rstrip(" \t"), self.definitions, self.links)

    def add_paragraph(self, parent: Element, block: Block) -> None:
        self._append_text(SubElement(parent, "p"), block.text)

    def add_heading(self, parent: Element, block: Block) -> None:
        heading = SubElement(parent, _HEADINGS[min(block.number, 5) - 1])
        self._append_text(heading, block.text)
        anchor = heading_id("".join(heading.itertext()))
        seen = self.anchors.get(anchor, 0)
        self.anchors[anchor] = seen + 1
        heading.set("id", f"{anchor}-{seen}" if seen else anchor)

    def add_rule(self, parent: Element, block: Block) -> None:
        SubElement(parent, "hr")

    def add_code(self, parent: Element, block: Block) -> None:
        # What may be wider than the page scrolls, and keys must reach it.
        code = SubElement(SubElement(parent, "pre", {"tabindex": "0"}), "code")
        language = _LANGUAGE.match(block.info)
        if language:
            code.set("class", f"language-{language[0]}")
        code.text = "".join(f"{line}\n" for line in block.lines).replace("&", "&amp;")

    def add_quote(self, parent: Element, block: Block) -> None:
        self.append_all(SubElement(parent, "blockquote"), block)

    def add_list(self, parent: Element, block: Block) -> None:
        ordered = block.mark in {".", ")"}
        element = SubElement(parent, "ol" if ordered else "ul")
        if ordered and block.number != 1:
            element.set("start", str(block.number))
        for item in block.children:
            self._add_item(SubElement(element, "li"), item, tight=block.tight)

    def _add_item(self, element: Element, item: Block, *, tight: bool) -> None:
        first = item.children[0] if item.children else None
        task = _TASK.match(first.text) if first else None
        if first and task and first.kind == "paragraph":
            element.set("class", "task")
            inside = element if tight else SubElement(element, "p")
            self._add_task(inside, first.text[task.end() :], done=task[1] != " ")
            first.kind = "shown"
        self.append_all(element, item, tight=tight)

    def _add_task(self, parent: Element, text: str, *, done: bool) -> None:
        label = SubElement(parent, "label")
        box = SubElement(label, "input", {"type": "checkbox", "disabled": ""})
        if done:
            box.set("checked", "")
        self._append_text(label, text)

    def add_table(self, parent: Element, block: Block) -> None:
        table = SubElement(parent, "table", {"tabindex": "0"})
        self._add_row(SubElement(table, "thead"), "th", block, block.lines[0])
        if len(block.lines) > 1:
            body = SubElement(table, "tbody")
            for line in block.lines[1:]:
                self._add_row(body, "td", block, line)

    def _add_row(self, parent: Element, tag: str, block: Block, line: str) -> None:
        row = SubElement(parent, "tr")
        cells = split_cells(line)
        for place, alignment in enumerate(block.info):
            cell = SubElement(row, tag)
            if alignment in _ALIGNMENTS:
                cell.set("align", _ALIGNMENTS[alignment])
            if place < len(cells):
                self._append_text(cell, cells[place])


_BUILDERS: dict[str, Callable[[_Tree, Element, Block], None]] = {
    "paragraph": _Tree.add_paragraph,
    "heading": _Tree.add_heading,
    "rule": _Tree.add_rule,
    "fence": _Tree.add_code,
    "indented": _Tree.add_code,
    "quote": _Tree.add_quote,
    "list": _Tree.add_list,
    "table": _Tree.add_table,
}
