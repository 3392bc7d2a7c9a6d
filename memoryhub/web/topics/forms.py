"""What forms of topics, decisions and sessions send, made safe to use."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict

from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of
from memoryhub.web.kit.clock import Clock
from topics.services.topics import Asked, new_key

_LONGEST = 20_000
_LONGEST_KEY = 100


def field(data: QueryDict, name: str, *, size: int = _LONGEST) -> str:
    """Return a field's text; browsers send line ends of their own."""
    text = data.get(name, "").replace("\x00", "")[:size]
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line(data: QueryDict, name: str, *, size: int = 2000) -> str:
    """Return a field that is one line, without blanks around it."""
    return " ".join(field(data, name, size=size).split("\n")).strip()


def asked(request: HttpRequest, workspace: Workspace) -> Asked:
    """Return who asks, on which day where the workspace is, by which form."""
    today = Clock.of(workspace.time_zone).now.date()
    key = request.POST.get("key", "").replace("\x00", "")[:_LONGEST_KEY]
    return Asked(actor_of(request), today, key or new_key())
