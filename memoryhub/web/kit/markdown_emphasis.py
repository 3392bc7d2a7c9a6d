"""Which marks of emphasis belong together, as CommonMark pairs them.

Every run of marks is looked at a bounded number of times, whatever the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Marks:
    """A run of ``*``, ``_`` or ``~``, and the tags that were made of it."""

    character: str
    left: int
    total: int
    can_open: bool
    can_close: bool
    closes: list[str] = field(default_factory=list)
    opens: list[str] = field(default_factory=list)


def flanks(character: str, before: str, after: str) -> tuple[bool, bool]:
    """Tell whether marks between these characters can open, and can close."""
    space_after, space_before = after.isspace(), before.isspace()
    sign_after = not (after.isalnum() or space_after)
    sign_before = not (before.isalnum() or space_before)
    left = not space_after and (not sign_after or space_before or sign_before)
    right = not space_before and (not sign_before or space_after or sign_after)
    if character == "_":
        return left and (not right or sign_before), right and (not left or sign_after)
    return left, right


def pair(marks: list[Marks], below: int = 0) -> None:
    """Turn marks from `below` on into tags, inner ones first."""
    stack: list[Marks] = []
    #: How far down an opener was looked for in vain, by the kind of closer.
    floors: dict[tuple[str, bool, int], int] = {}
    for mark in marks[below:]:
        while mark.can_close and mark.left:
            key = (mark.character, mark.can_open, mark.total % 3)
            floor = floors.get(key, 0)
            at = _opener(stack, mark, floor)
            if at < 0:
                floors[key] = len(stack)
                break
            del stack[at + 1 :]
            _join(stack[at], mark)
            floors = {kind: min(low, at) for kind, low in floors.items()}
            if not stack[at].left:
                stack.pop()
        if mark.can_open and mark.left:
            stack.append(mark)


def _opener(stack: list[Marks], closer: Marks, floor: int) -> int:
    for at in range(len(stack) - 1, floor - 1, -1):
        opener = stack[at]
        if opener.character == closer.character and _fit(opener, closer):
            return at
    return -1


def _fit(opener: Marks, closer: Marks) -> bool:
    if closer.character == "~":
        return opener.total == closer.total
    both = opener.can_close or closer.can_open
    odd = (opener.total + closer.total) % 3 == 0
    return not (both and odd and (opener.total % 3 or closer.total % 3))


def _join(opener: Marks, closer: Marks) -> None:
    if closer.character == "~":
        used, tag = opener.left, "del"
    else:
        used = 2 if min(opener.left, closer.left) >= 2 else 1
        tag = "strong" if used == 2 else "em"
    opener.left -= used
    closer.left -= used
    opener.opens.append(tag)
    closer.closes.append(tag)
