"""Browsers that are signed in, and programs that have the local token."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from memoryhub.people.policy import operator
from memoryhub.people.services.local_token import local_token

_LINE_BREAK = re.compile(rb"(?<=>)\s*\n\s*|\s*\n\s*(?=<)")
_TAG = re.compile(rb"</?[a-z](?:[^<>\"]|\"[^\"]*\")*>")
_IN_TAG = re.compile(rb'("[^"]*")|\s*\n\s*')
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
        tags = _TAG.sub(_on_one_line, pieces[number])
        pieces[number] = _BETWEEN_WORDS.sub(b" ", _LINE_BREAK.sub(b"", tags))
    return b"".join(pieces)


def _on_one_line(tag: re.Match[bytes]) -> bytes:
    found = _IN_TAG.sub(lambda part: part[1] or b" ", tag[0])
    return found.replace(b" >", b">")


def signed_in(**options: Any) -> Client:
    """Return a browser that the operator signed in; options are the client's."""
    client = PageReader(**options)
    client.force_login(operator())
    return client


def own_program(**headers: str) -> Client:
    """Return a program of this computer that read the local token."""
    known = {"host": "localhost", "authorization": f"Bearer {local_token()}"}
    return Client(headers=known | headers)
