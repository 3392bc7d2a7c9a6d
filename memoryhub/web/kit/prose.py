"""Markdown of files as HTML, kept as long as nothing it shows has changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b

from django.core.cache import cache

from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import known_paths
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.markdown import render_markdown

#: The anchor of a heading, as it leaves the renderer.
_ANCHOR = re.compile(r'(<h[2-6]) id="[^"]*"')
#: Larger pages are rendered each time: the cache holds hundreds of entries.
_KEPT_SIZE = 300_000


@dataclass(slots=True)
class PathLinks:
    """Addresses of the paths a text names; `known` is None before that is asked."""

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
    """Return a text of a file as HTML that is safe in a page.

    Paths that the hub knows become links to their pages; others stay text. Headings
    have anchors where the text is the only one of its page.
    """
    html = _kept_prose(workspace, addresses, path, text)
    return html if anchors else without_anchors(html)


def without_anchors(html: str) -> str:
    """Return the HTML of a text that shares its page with others."""
    return _ANCHOR.sub(r"\1", html)


def _kept_prose(
    workspace: Workspace, addresses: Addresses, path: str, text: str
) -> str:
    digest = blake2b(f"{path}\0{text}".encode("utf-8", "replace"), digest_size=20)
    key = f"prose:{addresses.base}:{digest.hexdigest()}"
    kept: tuple[str, set[str], set[str]] | None = cache.get(key)
    if kept is not None:
        html, named, known = kept
        if not named or known_paths(workspace, named) == known:
            return html
    html, named, known = _rendered(workspace, addresses, path, text)
    if len(html) <= _KEPT_SIZE:
        cache.set(key, (html, named, known), timeout=None)
    return html


def _rendered(
    workspace: Workspace, addresses: Addresses, path: str, text: str
) -> tuple[str, set[str], set[str]]:
    """Render once to learn which paths are named, and again if some are not known."""
    links = PathLinks(addresses)
    html = render_markdown(text, path=path, link=links)
    known = known_paths(workspace, links.named) if links.named else set()
    if known != links.named:
        html = render_markdown(text, path=path, link=PathLinks(addresses, known))
    return html, links.named, known
