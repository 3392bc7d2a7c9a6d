"""Browsers that are signed in, and programs that have the local token."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from memoryhub.people.policy import operator
from memoryhub.people.services.local_token import local_token

_TAG = re.compile(rb"(</?[a-z](?:[^<>\"]|\"[^\"]*\")*>)")
_IN_TAG = re.compile(rb'("[^"]*")|\s*\n\s*')
_AT_TAGS = re.compile(rb"^\s*\n\s*|\s*\n\s*$")
_BETWEEN_WORDS = re.compile(rb"\s*\n\s*")
_AS_IT_IS = re.compile(rb"(<(?:pre|textarea)\b.*?</(?:pre|textarea)>)", re.DOTALL)


class PageReader(Client):
    """A browser that reads a page as people do: line breaks of its source are void."""

    def request(self, **request: Any) -> Any:
        """Send a request; join the lines of the page that answers it."""
        response = super().request(**request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and isinstance(response, HttpResponse):
            response.content = joined(response.content)
        return response


def joined(page: bytes) -> bytes:
    """Return a page without line breaks, but for preformatted and entered texts."""
    pieces = _AS_IT_IS.split(page)
    for number in range(0, len(pieces), 2):
        parts = _TAG.split(pieces[number])
        parts[::2] = map(_text_on_one_line, parts[::2])
        parts[1::2] = map(_tag_on_one_line, parts[1::2])
        pieces[number] = b"".join(parts)
    return b"".join(pieces)


def _tag_on_one_line(tag: bytes) -> bytes:
    if b"\n" in tag:
        tag = _IN_TAG.sub(lambda inner: inner[1] or b" ", tag)
    return tag.replace(b" >", b">")


def _text_on_one_line(text: bytes) -> bytes:
    if b"\n" not in text:
        return text
    return _BETWEEN_WORDS.sub(b" ", _AT_TAGS.sub(b"", text))


def signed_in(**options: Any) -> Client:
    """Return a browser that the operator signed in; options are the client's."""
    client = PageReader(**options)
    client.force_login(operator())
    return client


def own_program(**headers: str) -> Client:
    """Return a program of this computer that read the local token."""
    known = {"host": "localhost", "authorization": f"Bearer {local_token()}"}
    return Client(headers=known | headers)
