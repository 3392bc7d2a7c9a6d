"""Verb that closes an open item in its file by ticked lines. Pure.

All other bytes of the file stay. The undo replaces them back.
"""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb

CLOSE, REOPEN = "close_item", "reopen_item"


def _counted(text: str, payload: Payload) -> dict[str, int]:
    """Return how often the old and the new lines are in the text."""
    lines = _bare(text)
    blocks = sorted((payload["old"], payload["new"]))
    return {"\n".join(block): len(_places(lines, block)) for block in blocks}


def _replace(text: str, payload: Payload, limits: Limits) -> str:
    """Replace the old lines nearest to their known place; line ends stay.

    Raises:
        FormatError: ``item-not-there``.
    """
    lines, old = split_lines(text), payload["old"]
    places = _places(_bare(text), old)
    if not places:
        raise FormatError("item-not-there", text=payload["label"])
    start = min(places, key=lambda place: abs(place + 1 - payload["line"]))
    for number, new in enumerate(payload["new"], start):
        bare = lines[number].rstrip("\r\n")
        lines[number] = new + lines[number][len(bare) :]
    return "".join(lines)


def _inverse(text: str, payload: Payload, verb: str) -> Inverse:
    swapped = {"old": payload["new"], "new": payload["old"]}
    return verb, {**payload, **swapped}


def _bare(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in split_lines(text)]


def _places(lines: list[str], block: list[str]) -> list[int]:
    """Return where a block of lines begins, counted from 0."""
    first, size = block[0], len(block)
    return [
        place
        for place, line in enumerate(lines)
        if line == first and lines[place : place + size] == block
    ]


#: The verbs on open items, by name.
ITEM_VERBS: Mapping[str, Verb] = {
    CLOSE: Verb(_counted, _replace, lambda t, p, _: _inverse(t, p, REOPEN)),
    REOPEN: Verb(_counted, _replace, lambda t, p, _: _inverse(t, p, CLOSE)),
}
