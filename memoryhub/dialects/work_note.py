"""A parsed note on a piece of work: its parts, and what it states."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from memoryhub.prose.stated import Stated
from memoryhub.values.lines import Lines


class Part(NamedTuple):
    """A piece of work that a note reports; `at` is its time or day, if known.

    One without a kind is no entry: it only gives its lines a time.
    """

    title: str
    text: str
    lines: Lines
    at: datetime.date | None = None
    session: str = ""
    agent: str = ""
    kind: Literal["session", "entry", ""] = "session"


@dataclass(frozen=True, slots=True)
class WorkNote:
    """A parsed note on a piece of work, with all that it states.

    `author` is the agent that it names as its writer, `at` when it was written.
    """

    text: str
    sections: tuple[Any, ...]
    stated: Stated
    parts: tuple[Part, ...] = field(default=(), kw_only=True)
    author: str = field(default="", kw_only=True)
    at: datetime.date | None = field(default=None, kw_only=True)
