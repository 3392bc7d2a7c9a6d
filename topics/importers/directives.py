"""Importer of people's directives, each at its place in a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, fold_aligned
from topics.models import Directive


class Directed(NamedTuple):
    """A directive at one place, with time and owner of that place."""

    text: str
    lines: Lines
    topic_id: int | None
    agent_id: int | None
    at: datetime
    precision: str


def fold_directives(change: Change, directed: Sequence[Directed]) -> None:
    """Replace the directives of a file's revision before by its current ones."""
    stated = [_fact(one) for one in directed if not change.has_secret(one.lines)]
    fold_aligned(Directive, change, stated)


def _fact(one: Directed) -> Fact:
    text_key = key_of(one.text, "").text
    values = {
        "text": one.text,
        "topic_id": one.topic_id,
        "agent_id": one.agent_id,
        "occurred_at": one.at,
        "precision": one.precision,
    }
    return Fact(Key(text_key, text_key), one.lines, values)
