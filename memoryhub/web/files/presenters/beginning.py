"""The beginning of a long text, cut by a time limit, with secrets masked."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.formats.secrets.detection import masked

#: Characters behind the beginning that are searched too, for a secret across its end.
_MARGIN = 20_000


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a text; `masked` is the number of secrets found in it."""

    text: str
    masked: int
    is_cut: bool


def beginning_of(text: str, most: int, *, secrets: bool) -> Beginning:
    """Return at most `most` characters of a text, whole lines where they are short.

    Secrets are masked unless `secrets`.
    """
    end = _end_of(text, most)
    part, is_cut = text[:end], end < len(text)
    shown, count = masked(text[: end + _MARGIN])
    if not secrets:
        part = _upto(shown, part) if is_cut else shown
    return Beginning(part, count, is_cut)


def _end_of(text: str, most: int) -> int:
    if len(text) <= most:
        return len(text)
    return text.rfind("\n", most // 2, most) + 1 or most


def _upto(shown: str, part: str) -> str:
    """Cut a masked text, which has the same line breaks, to a part of the original."""
    lines, last = part.count("\n"), part.rpartition("\n")[2]
    found = shown.split("\n")[: lines + 1]
    return "\n".join([*found[:-1], found[-1][: len(last)]])
