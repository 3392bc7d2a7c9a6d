"""What a row of the timeline shows, in words."""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """A few words about an event, with the class they are shown in."""

    text: str
    style: str = ""


class ShownEvent(NamedTuple):
    """One row of the timeline."""

    code: str
    style: str
    icon: str
    kind: str
    url: str
    title: str
    detail: str
    facts: tuple[Fact, ...]
    iso: str
    time: str
    hint: str
    new: bool = False
    on: bool = False
