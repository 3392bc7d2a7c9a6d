"""Which people a file's changes need, and which rules a change matches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memoryhub.claims.patterns import covers
from memoryhub.formats.openclaw.memory_annotations import promotion_key
from memoryhub.formats.text.source import split_sections
from memoryhub.reviews.models import ReviewRule

_WILD = re.compile(r"[*?]")
#: People that a change needs without a policy of its path.
DEFAULT_PEOPLE = 1


def people_for(policies: Iterable[Sequence[object]], path: str) -> int:
    """Return how many people review a file's changes: 0, 1 or 2, by the first match."""
    for pattern, people in policies:
        if covers(str(pattern), path):
            return int(str(people))
    return DEFAULT_PEOPLE


def possible_rules(
    rules: Iterable[ReviewRule], path: str, after: str
) -> list[ReviewRule]:
    """Return the rules that a file with this text can match: their words are in it."""
    here = [rule for rule in rules if covers(rule.pattern, path)]
    text = after.casefold() if here else ""
    return [
        rule
        for rule in here
        if all(
            piece in text
            for piece in _WILD.split(f"{rule.section}*{rule.text}".casefold())
        )
    ]


def matching_rule(
    rules: Iterable[ReviewRule], before: str, after: str
) -> ReviewRule | None:
    """Return the first of `possible_rules` that a change of texts matches."""
    lines = list(added_lines(before, after))
    return next((rule for rule in rules if _matches(rule, lines)), None)


def _matches(rule: ReviewRule, lines: Sequence[tuple[str, str]]) -> bool:
    if not (rule.section or rule.text):
        return True
    return any(
        (not rule.section or matches_text(rule.section, title))
        and (not rule.text or matches_text(f"*{rule.text}*", line))
        for title, line in lines
    )


def added_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that a text gained, each after the title of its section."""
    known = Counter(map(str.strip, before.split("\n")))
    for section in split_sections(after):
        for line in map(str.strip, section.source.split("\n")):
            if known[line]:
                known[line] -= 1
            elif line:
                yield section.title, line


def promotions_in(before: str, after: str) -> int:
    """Count the entries of a text that OpenClaw's dreaming promoted since another."""
    return len(_promotions(after) - _promotions(before))


def _promotions(text: str) -> set[str]:
    if "openclaw-memory-promotion:" not in text:
        return set()
    return {key for line in text.split("\n") if (key := promotion_key(line))}


def matches_text(pattern: str, text: str) -> bool:
    """Return whether a text is equal to a pattern with ``*`` and ``?``, without case.

    Linear in the text for each letter of the pattern.
    """
    return _matches_folded(pattern.casefold(), text.casefold())


def _matches_folded(pattern: str, text: str) -> bool:
    """Match piece by piece: each piece between stars at its first place."""
    first, *rest = pattern.split("*")
    if not rest:
        return len(text) == len(first) and _place_of(first, text, 0, len(text)) == 0
    *inner, last = rest
    if _place_of(first, text, 0, len(first)) != 0:
        return False
    at, end = len(first), len(text) - len(last)
    for piece in inner:
        at = _place_of(piece, text, at, end)
        if at < 0:
            return False
        at += len(piece)
    return at <= end and _place_of(last, text, end, len(text)) == end


def _place_of(piece: str, text: str, start: int, end: int) -> int:
    """Return the first place of a piece between two places; ``?`` is any letter."""
    if "?" not in piece:
        return text.find(piece, start, end)
    for at in range(start, end - len(piece) + 1):
        here = text[at : at + len(piece)]
        if all(a in ("?", b) for a, b in zip(piece, here, strict=True)):
            return at
    return -1
