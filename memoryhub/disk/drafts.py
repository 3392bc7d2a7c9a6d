"""Names of the drafts next to a file while it is replaced. Pure.

A draft's name holds all that a later run needs after a kill; RAND distinguishes drafts
of one file. A beginning, ``SIZE-HASH``, is the first SIZE bytes of a version.

    .NAME.memoryhub-part-RAND               a new version of ours, incomplete
    .NAME.memoryhub-new-NEW-OLD-RAND        the new version, or the old one after the
                                            exchange of names; both beginnings
    .NAME.memoryhub-gone-OLD-RAND           the file, while it is being removed
    .NAME.memoryhub-held-OLD-RAND           an old version: its beginning is accounted
                                            for, the rest is not
    .NAME.memoryhub-carry-OLD-END-AT-RAND   an old version: its bytes from the beginning
                                            to END are being added to the file, at AT
                                            or behind

Hubs before version 0.2 had ``.NAME.memoryhub-RAND`` for all of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

MARK = ".memoryhub-"
#: Bytes: a longer name is cut, with its hash, so that a draft's name is short enough
#: for any file system.
_STEM_BYTES, _CUT_BYTES = 50, 40
_NAME = re.compile(
    r"\.(?P<stem>.+)\.memoryhub-"
    r"((?P<state>part|new|gone|held|carry)(?P<numbers>(-[0-9a-f]+)*)-)?"
    r"(?P<random>[0-9a-f]{12})(?P<suffix>(-aside)?)",
    re.DOTALL,
)


class State(StrEnum):
    """Kind of a draft."""

    PART = "part"
    NEW = "new"
    GONE = "gone"
    HELD = "held"
    CARRY = "carry"
    UNKNOWN = ""


#: Numbers of beginnings and of further numbers in a name.
_FIELDS = {
    State.PART: (0, 0),
    State.NEW: (2, 0),
    State.GONE: (1, 0),
    State.HELD: (1, 0),
    State.CARRY: (1, 2),
}


class Beginning(NamedTuple):
    """First bytes of a version: their number, and the start of their sha256."""

    size: int
    digest: str

    def begins(self, data: bytes) -> bool:
        """Return whether data starts with this beginning."""
        return len(data) >= self.size and beginning(data, self.size) == self


def beginning(data: bytes, size: int | None = None) -> Beginning:
    """Return the beginning of a version: `size` bytes, all by default."""
    first = data[:size]
    return Beginning(len(first), sha256(first).hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft by the parts of its name; `suffix` marks a non-atomic exchange."""

    stem: str
    state: State
    beginnings: tuple[Beginning, ...] = ()
    numbers: tuple[int, ...] = ()
    random: str = ""
    suffix: str = ""

    @property
    def name(self) -> str:
        parts = [self.state.value] if self.state else []
        parts += [f"{size}-{digest}" for size, digest in self.beginnings]
        parts += [*map(str, self.numbers), self.random]
        return f".{self.stem}{MARK}{'-'.join(parts)}{self.suffix}"

    def moved_on(
        self, state: State, *beginnings: Beginning, numbers: tuple[int, ...] = ()
    ) -> Draft:
        """Return the same draft in another state."""
        return replace(
            self, state=state, beginnings=beginnings, numbers=numbers, suffix=""
        )


def draft_for(name: str, state: State, *beginnings: Beginning) -> Draft:
    """Create a new draft of a file, with a random name."""
    return Draft(stem_of(name), state, beginnings, random=os.urandom(6).hex())


def draft_named(name: str) -> Draft | None:
    """Parse a draft's name; None for other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    state = State(found["state"] or "")
    given = (found["numbers"] or "").split("-")[1:]
    pairs, numbers = _FIELDS.get(state, (0, 0))
    if len(given) != 2 * pairs + numbers:
        return None
    sizes = [*given[: 2 * pairs : 2], *given[2 * pairs :]]
    if not all(size.isdecimal() for size in sizes):
        return None
    return Draft(
        found["stem"],
        state,
        tuple(Beginning(int(given[i]), given[i + 1]) for i in range(0, 2 * pairs, 2)),
        tuple(map(int, given[2 * pairs :])),
        found["random"],
        found["suffix"],
    )


def is_draft(name: str) -> bool:
    """Return whether a name is a draft's, of this hub version or another."""
    return name.startswith(".") and MARK in name


def drafts_of(name: str, names: Iterable[str]) -> list[Draft]:
    """Return the drafts of a file among the names of its folder."""
    stems = {stem_of(name), name[:40]}
    found = (draft_named(each) for each in names if is_draft(each))
    return [draft for draft in found if draft is not None and draft.stem in stems]


def stem_of(name: str) -> str:
    """Return the stem of a file's name, as used in its drafts' names."""
    raw = os.fsencode(name)
    if len(raw) <= _STEM_BYTES:
        return name
    cut = raw[:_CUT_BYTES].decode("utf-8", "ignore")
    return f"{cut}~{sha256(raw).hexdigest()[:8]}"
