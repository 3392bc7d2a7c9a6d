"""Markdown of files as HTML, cached until it or its links change."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b

from django.core.cache import cache

from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import known_paths
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.markdown import render_markdown

#: A heading's anchor in the rendered HTML.
_ANCHOR = re.compile(r'(<h[2-6]) id="[^"]*"')
#: Marks of a text in one line, and links.
_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{0,500}\)")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})\]\](?!\()")
_COMMENT = re.compile(r"<!--[^<>]{0,500}-->")
_MARKED = re.compile(r"[*_~`\[<]")
_EMPHASIS = re.compile(r"\*\*|__|~~|`+|(?<![\w*])[*_](?=\w)|(?<=[\w.!?])[*_](?![\w*])")
#: Characters of an item or decision in a list; its page or file has all.
_LONGEST = 400
#: Larger pages are rendered each time: the cache holds hundreds of entries.
_KEPT_SIZE = 300_000


@dataclass(slots=True)
class PathLinks:
    """Resolver of the paths in a text's links; collects them in `named`.

    `known` is None in the first pass, when all paths count as known.
    """

    addresses: Addresses
    known: set[str] | None = None
    named: set[str] = field(default_factory=set)

    def __call__(self, path: str) -> str | None:
        self.named.add(path)
        if self.known is not None and path not in self.known:
            return None
        return self.addresses.file(path)


def prose_of(
    workspace: Workspace,
    addresses: Addresses,
    path: str,
    text: str,
    *,
    anchors: bool = False,
) -> str:
    """Return a file's text as safe HTML.

    Known paths become links to their pages; others stay text. Headings have anchors if
    the text is the only one of its page.
    """
    html = _cached_prose(workspace, addresses, path, text)
    return html if anchors else without_anchors(html)


def plain_text(text: str) -> str:
    """Return a text in one line, without the marks and comments of Markdown."""
    bare = _LINK.sub(r"\1", _WIKI_LINK.sub(r"\1", _COMMENT.sub("", text)))
    return " ".join(_EMPHASIS.sub("", bare).split())


def shortened(text: str) -> str:
    """Return a text in one line without marks, cut where a list has no room."""
    plain = plain_text(text)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"


def without_marks(text: str) -> str:
    """Return a text without the marks of Markdown; as it is if it has none."""
    return plain_text(text) if _MARKED.search(text) else text


def without_anchors(html: str) -> str:
    """Remove the anchors of headings, for a text that shares its page with others."""
    return _ANCHOR.sub(r"\1", html)


def _cached_prose(
    workspace: Workspace, addresses: Addresses, path: str, text: str
) -> str:
    digest = blake2b(f"{path}\0{text}".encode("utf-8", "replace"), digest_size=20)
    key = f"prose:{addresses.base}:{digest.hexdigest()}"
    cached: tuple[str, set[str], set[str]] | None = cache.get(key)
    if cached is not None:
        html, named, known = cached
        if not named or known_paths(workspace, named) == known:
            return html
    html, named, known = _rendered(workspace, addresses, path, text)
    if len(html) <= _KEPT_SIZE:
        cache.set(key, (html, named, known), timeout=None)
    return html


def _rendered(
    workspace: Workspace, addresses: Addresses, path: str, text: str
) -> tuple[str, set[str], set[str]]:
    """Render to collect the linked paths; render again if some are unknown."""
    links = PathLinks(addresses)
    html = render_markdown(text, path=path, link=links)
    known = known_paths(workspace, links.named) if links.named else set()
    if known != links.named:
        html = render_markdown(text, path=path, link=PathLinks(addresses, known))
    return html, links.named, known
