"""What looks like a secret is masked on pages: the one door.

Only what is shown: what forms send back, and the texts that agents and exports get,
stay as they are.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from html import escape, unescape
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from memoryhub.formats.secrets import MASK, Secret, find_secrets, masked

#: Tags within a line: what is bold beside what is not is read as one text.
_INLINE = r"</?(?:a|b|bdi|code|del|em|i|kbd|mark|s|span|strong)(?:\s[^<>]*)?>"
#: Tags between lines, and what a person types, which is sent as it is.
_BETWEEN = r"<textarea[^<>]*>[^<]*</textarea>|<[^<>]*>"
_TAG = re.compile(f"({_INLINE})|({_BETWEEN})")
_WITHIN_A_LINE, _BETWEEN_LINES = re.compile(_INLINE), re.compile(_BETWEEN)
#: What a reader is shown of a tag.
_SAID = re.compile(r'(?P<name>[ \n](?:title|aria-label|alt))="(?P<text>[^"]*)"')
#: Pages that a text is copied from as it is.
_EXACT = frozenset({"handover"})
#: Pages of several workspaces.
_ACROSS = frozenset({"hub-handoffs"})
_SHOW = "secrets"


def secrets_masked(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Return a middleware that masks secrets on the pages of a workspace."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponse) and _is_masked(request, response):
            response.content = with_masks(response.content.decode())
        return response

    return middleware


def _is_masked(request: HttpRequest, response: HttpResponse) -> bool:
    match = request.resolver_match
    return (
        response.headers.get("Content-Type", "").startswith("text/html")
        and match is not None
        and ("slug" in match.kwargs or match.url_name in _ACROSS)
        and match.url_name not in _EXACT
        and request.GET.get("show") != _SHOW
    )


def with_masks(html: str) -> str:
    """Return a page with what looks like a secret masked where it is shown."""
    # Most pages hold no secret: they are not cut into their tags.
    if not find_secrets(_all_that_is_said(html)):
        return html
    html = _SAID.sub(_said, html)
    nodes = list(_nodes(html))
    secrets = deque(find_secrets("".join(node.text for node in nodes)))
    parts, at = [], 0
    for node in nodes:
        cuts = list(_cuts(secrets, at, at + len(node.text)))
        is_shown = cuts and not node.is_tag
        parts.append(escape(_cut(node.text, cuts)) if is_shown else node.source)
        at += len(node.text)
    return "".join(parts)


def _all_that_is_said(html: str) -> str:
    """Return the text between tags, and that of attributes, a line each."""
    shown = _BETWEEN_LINES.sub("\n", _WITHIN_A_LINE.sub("", html))
    attributes = (text for _, text in _SAID.findall(html))
    return unescape("\n".join((shown, *attributes)))


class _Node(NamedTuple):
    """A tag, or what stands between tags: as it is, and as it is read."""

    source: str
    text: str
    is_tag: bool


def _nodes(html: str) -> Iterator[_Node]:
    place = 0
    for tag in _TAG.finditer(html):
        yield _text(html[place : tag.start()])
        yield _Node(tag[0], _break(tag), is_tag=True)
        place = tag.end()
    yield _text(html[place:])


def _text(source: str) -> _Node:
    return _Node(source, unescape(source), is_tag=False)


def _break(tag: re.Match[str]) -> str:
    return "" if tag[1] else "\n"


def _said(attribute: re.Match[str]) -> str:
    text, found = masked(unescape(attribute["text"]))
    return f'{attribute["name"]}="{escape(text)}"' if found else attribute[0]


def _cuts(secrets: deque[Secret], start: int, end: int) -> Iterator[Secret]:
    """Give what of the secrets lies here, as offsets; forget those that end here."""
    while secrets and secrets[0].start < end:
        first = secrets[0]
        yield Secret(max(0, first.start - start), min(end, first.end) - start)
        if first.end > end:
            return
        secrets.popleft()


def _cut(text: str, cuts: Iterable[Secret]) -> str:
    parts, place = [], 0
    for start, end in cuts:
        hidden = text[start:end]
        mask = "\n".join([MASK] * (hidden.count("\n") + 1))
        parts += [text[place:start], mask if hidden.strip() else hidden]
        place = end
    return "".join([*parts, text[place:]])
