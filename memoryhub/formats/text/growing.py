"""Values of parts of texts that grow: computed once, found again in the next version.

A version of a log continues the one before, so that nearly all of its lines are read
already. What is found again is what would be computed anew: a value depends on the
characters of its part alone.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")

#: Key of a part: the numbers that say where it begins and ends, or its own words.
Part = tuple[int | str, ...]
#: Texts whose values are cached, and their characters in all.
_TEXTS, _CHARACTERS = 8, 8_000_000
#: Shorter texts are read anew in less time than it takes to find them.
_LEAST = 2_000
#: Key of the state of a pass over all lines.
WHOLE: Part = (0,)


class _Text(NamedTuple, Generic[Value]):
    text: str
    values: dict[Part, Value]


class Parts(Generic[Value]):
    """The values of one text's parts, by the numbers of each part."""

    def __init__(self, values: dict[Part, Value]) -> None:
        self._values = values

    def value(self, part: Part, make: Callable[[], Value]) -> Value:
        """Return the value of a part; `make` computes it from its characters alone."""
        try:
            return self._values[part]
        except KeyError:
            value = self._values[part] = make()
            return value

    def before(self, part: Part) -> Value | None:
        """Return the value noted for a part of this text or one it continues."""
        return self._values.get(part)

    def note(self, part: Part, value: Value) -> None:
        """Store the value of a part; for texts that continue this one it is old.

        A value that is not final, such as the state of a pass over all lines.
        """
        self._values[part] = value


class Growing(Generic[Value]):
    """The values of the texts read last, for those that continue one of them."""

    def __init__(self) -> None:
        self._texts: list[_Text[Value]] = []
        self._lock = Lock()

    def parts_of(self, text: str) -> Parts[Value]:
        """Return the values of a text's parts, with those of a text it continues."""
        if len(text) < _LEAST:
            return Parts({})
        with self._lock:
            for one in self._texts:
                # A text is asked for once for each of its sections.
                if one.text is text:
                    return Parts(one.values)
            before = self._longest(text)
            # A copy: other threads read other continuations of the same text.
            values = dict(before.values) if before else {}
            others = [one for one in self._texts if one is not before]
            self._texts = _within([_Text(text, values), *others])
        return Parts(values)

    def _longest(self, text: str) -> _Text[Value] | None:
        """Return the longest known text that this one continues."""
        found = [one for one in self._texts if text.startswith(one.text)]
        return max(found, key=lambda one: len(one.text), default=None)


def _within(texts: list[_Text[Value]]) -> list[_Text[Value]]:
    """Return the first texts, as many as may be cached."""
    left, most = _CHARACTERS, 0
    for one in texts[:_TEXTS]:
        left -= len(one.text)
        if left < 0:
            break
        most += 1
    return texts[:most]
