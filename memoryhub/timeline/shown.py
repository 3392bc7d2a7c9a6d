"""What a row of the timeline shows, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Fact(NamedTuple):
    """A few words about an event, with the class they are shown in."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """A kind of event to filter by."""

    label: str
    icon: str
    url: str
    count: str
    current: bool


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
