"""The manual: the pages that ``docs/index.md`` links to, as HTML.

They lie in ``docs/``, but those of dialects in the folders of these, as ``manual.md``.

Python-Markdown reads them, because the text is ours and comes with a table of
contents. Each page is read again when its file changes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET
from markdown import Markdown
from markdown.extensions.fenced_code import FencedCodeExtension
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markdown.extensions.toc import TocExtension
from markdown.treeprocessors import Treeprocessor

from memoryhub import dialects
from memoryhub.people.policy import workspaces
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.markdown import cleaned, heading_id

INDEX = "index"
#: How many passages of a page a search shows.
MAX_HITS = 5
_FOLDER = settings.BASE_DIR / "docs"
_DIALECTS = Path(dialects.__path__[0])
#: Links to pages in the index; setup.py ships what they name.
_LISTED = re.compile(r"\]\(([\w./]+\.md)\)")
#: The page of a dialect, and its file as links from ``docs/`` name it.
_OF_DIALECT = re.compile(r"formats/(\w+)")
_FILE_OF_DIALECT = re.compile(r"\.\./memoryhub/dialects/(\w+)/manual\.md")
_HEADING = re.compile(r"h[2-6]")
_CELLS = " · "
#: A row of a table that explains a page, and the target of its first link.
_ROW = re.compile(r"\| `([\w-]+)` \|(?:.*?\]\(([^)]+)\))?")
_MAX_QUERY = 200
#: Most workspaces to which an agent can be connected from here.
_WORKSPACES = 5


class Passage(NamedTuple):
    """A heading, a paragraph, an item of a list, a row of a table or some code."""

    anchor: str
    heading: str
    text: str
    #: The first address it links to, or nothing.
    link: str

    @property
    def is_heading(self) -> bool:
        return self.text == self.heading


class ManualPage(NamedTuple):
    """A page of the manual; `html` is cleaned, `sections` are anchors and titles."""

    name: str
    title: str
    html: str
    sections: tuple[tuple[str, str], ...]
    passages: tuple[Passage, ...]

    @property
    def url(self) -> str:
        return _url_of(self.name)


class Found(NamedTuple):
    """The passages of a page that a search found, and how many are not shown."""

    page: ManualPage
    hits: list[Passage]
    more: int


def page_names() -> tuple[str, ...]:
    """Return the names of all pages in the order of the contents."""
    return _listed((_FOLDER / f"{INDEX}.md").stat().st_mtime_ns)


def page_of(name: str) -> ManualPage:
    """Return the index, or a page that it lists, such as ``formats/handoff``."""
    return _read(name, _file_of(name).stat().st_mtime_ns, page_names())


def search(text: str) -> list[Found]:
    """Return passages that have all words, pages with a matching heading first.

    A word may be in the heading above a passage, but one has to be in the passage.
    """
    words = text.casefold().split()
    found = []
    for page in map(page_of, page_names()):
        hits = [one for one in page.passages if _has(one, words)]
        hits.sort(key=lambda one: not one.is_heading)
        if hits:
            found.append(Found(page, hits[:MAX_HITS], max(0, len(hits) - MAX_HITS)))
    return sorted(found, key=lambda one: not one.hits[0].is_heading)


def help_url(route: str) -> str:
    """Return where the manual explains a page of the hub, named as in the URL conf.

    `dashboard.md` has a row for each: what that links to, else the row's section.
    """
    changed = (_FOLDER / "dashboard.md").stat().st_mtime_ns
    return _explained(changed, page_names()).get(route) or _url_of(INDEX)


@lru_cache(maxsize=1)
def _explained(_: int, names: tuple[str, ...]) -> dict[str, str]:
    """Return addresses by the first cell of the rows of `dashboard.md`.

    The page is not rendered for them: the first page of a process would wait for that.
    """
    found, section, links = {}, "", _Passages("dashboard", names)
    for line in (_FOLDER / "dashboard.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = f"#{heading_id(line[3:])}"
        elif row := _ROW.match(line):
            target = links.address(row[2]) if row[2] else None
            found[row[1]] = target or f"{_url_of('dashboard')}{section}"
    return found


def _has(passage: Passage, words: list[str]) -> bool:
    text = passage.text.casefold()
    both = f"{passage.heading.casefold()} {text}"
    return all(word in both for word in words) and any(word in text for word in words)


def _url_of(name: str) -> str:
    return reverse("help") if name == INDEX else reverse("help-page", args=[name])


@lru_cache(maxsize=1)
def _listed(_: int) -> tuple[str, ...]:
    index = (_FOLDER / f"{INDEX}.md").read_text("utf-8")
    return tuple(dict.fromkeys(map(_name_of, _LISTED.findall(index))))


def _name_of(link: str) -> str:
    """Return the page of a file, by the way to it from ``docs/``."""
    return _FILE_OF_DIALECT.sub(r"formats/\1", link).removesuffix(".md")


def _file_of(name: str) -> Path:
    """Return the file of a page."""
    found = _OF_DIALECT.fullmatch(name)
    manual = _DIALECTS / found[1] / "manual.md" if found else None
    return manual if manual and manual.exists() else _FOLDER / f"{name}.md"


@lru_cache(maxsize=100)
def _read(name: str, _: int, names: tuple[str, ...]) -> ManualPage:
    """Return a page, cached until its file or the contents change."""
    title, __, text = _file_of(name).read_text("utf-8").partition("\n")
    toc = TocExtension(slugify=lambda heading, _: heading_id(heading))
    tables = TableExtension(use_align_attribute=True)
    reader = Markdown(
        extensions=[toc, tables, FencedCodeExtension(), SaneListExtension()]
    )
    passages = _Passages(name, names)
    # After the text of code and of escaped signs is in the tree.
    reader.treeprocessors.register(passages, "passages", -1)
    html = reader.convert(text)
    for tag in ("<pre>", "<table>"):
        html = html.replace(tag, f'{tag[:-1]} tabindex="0">')
    sections = [one for one in passages.found if one.is_heading and one.anchor]
    return ManualPage(
        name,
        title.removeprefix("# "),
        cleaned(html),
        tuple((one.anchor, one.heading) for one in sections),
        tuple(passages.found),
    )


class _Passages(Treeprocessor):
    """Points links between files to pages of the manual, and collects passages."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        super().__init__()
        self.name, self.names = name, names
        #: Where its file lies, seen from ``docs/``.
        self.folder = posixpath.dirname(name)
        if (file := _file_of(name)).is_relative_to(_DIALECTS):
            self.folder = f"../memoryhub/dialects/{file.parent.name}"
        self.found: list[Passage] = []

    def run(self, root: Element) -> None:
        for link in root.iter("a"):
            address = self.address(link.get("href", ""))
            link.attrib.clear()
            if address is None:
                link.tag = "span"
            else:
                link.set("href", address)
        self.found = list(_passages(root))

    def address(self, target: str) -> str | None:
        """Return where a link leads in the hub; None if it leads out of the manual."""
        if target.startswith(("https://", "http://")):
            return target
        path, _, fragment = target.partition("#")
        anchor = f"#{heading_id(fragment)}" if fragment else ""
        name = _name_of(posixpath.normpath(posixpath.join(self.folder, path)))
        if path and name not in self.names:
            return None
        return f"{_url_of(name) if path else ''}{anchor}"


def _passages(root: Element) -> Iterator[Passage]:
    anchor = heading = ""
    for block in root.iter():
        text = _text_of(block)
        if not text:
            continue
        if _HEADING.fullmatch(block.tag):
            anchor, heading = block.get("id", ""), text
        link = block.find(".//a")
        address = "" if link is None else link.get("href", "")
        yield Passage(anchor, heading, text, address)


def _text_of(block: Element) -> str:
    """Return a block's text in one line; empty if its children carry it."""
    if block.tag == "tr":
        cells = ("".join(cell.itertext()) for cell in block.findall("td"))
        return unescape(_CELLS.join(cells))
    is_text = block.tag in {"p", "li", "pre"} or _HEADING.fullmatch(block.tag)
    text = "" if block.find("p") or not is_text else "".join(block.itertext())
    # Fenced code is put in its place later.
    return "" if "\x02" in text else unescape(" ".join(text.split()))


@require_GET
@takes("q")
def contents(request: HttpRequest) -> HttpResponse:
    """List the manual's pages, or the passages that match ``q``."""
    text = request.GET.get("q", "")[:_MAX_QUERY].strip()
    context = {
        "title": gettext("Manual"),
        "text": text,
        "page": page_of(INDEX),
        "found": search(text),
        "workspaces": workspaces()[:_WORKSPACES],
    }
    return render(request, "help/help.html", context)


@require_GET
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the manual."""
    if name not in page_names():
        raise Http404
    found = page_of(name)
    title = gettext("Manual")
    context = {
        "title": f"{found.title} · {title}",
        "crumbs": ((title, reverse("help")), (found.title, "")),
        "page": found,
    }
    return render(request, "help/page.html", context)
