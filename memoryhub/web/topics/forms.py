"""Parsing of form fields of topics, decisions, sessions and handoffs."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict

from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.kit.clashes import numbered_choices
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.responses import ShownConflict
from topics.services.topics import Author, new_key

_LONGEST = 20_000
_LONGEST_KEY = 100


def text_in(data: QueryDict, name: str, *, size: int = _LONGEST) -> str:
    """Return a field, cut to `size`, without NUL characters, with LF line ends."""
    text = data.get(name, "").replace("\x00", "")[:size]
    return text.replace("\r\n", "\n").replace("\r", "\n")


def conflict_in(
    request: HttpRequest, path: str, text: str, base: str, *, size: int = _LONGEST
) -> ShownConflict | None:
    """Return the conflict that a form settles, with its choices; None if it has none.

    `text` is the edited text, `base` the one it was begun with.
    """
    if "disk" not in request.POST:
        return None
    disk = text_in(request.POST, "disk", size=size)
    return ShownConflict(Conflict(path, base, disk), text, numbered_choices(request))


def line(data: QueryDict, name: str, *, size: int = 2000) -> str:
    """Return a field as one line, stripped."""
    return " ".join(text_in(data, name, size=size).split("\n")).strip()


def author_of(request: HttpRequest, workspace: Workspace) -> Author:
    """Return who asks: actor, today in the workspace's zone, idempotency key."""
    today = Clock.of(workspace.time_zone).now.date()
    key = request.POST.get("key", "").replace("\x00", "")[:_LONGEST_KEY]
    return Author(actor_of(request), today, key or new_key())
