"""Words of open items, as they are compared with other lines of their text."""

from __future__ import annotations

import re
from functools import partial
from sys import intern
from typing import NamedTuple

from memoryhub.formats.statements.open_states import is_done, is_empty
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.open_phrases import UNSPACED

_COMMON_WORDS = (
    "the and for not are was has had but you she her his him its our who how all any"
    " one"
    " two yet der die das den dem des und ist ein auf mit von für nur los las del una"
    " con"
    " por que uma dos das com não sem les des une pas pour par sur est gli che non per"
    " het een van met для что как еще ещё"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
#: Letters that tell a word: of scripts with long endings one less.
_STEM, _STEM_OF_OTHERS = 5, 4


class ItemWords(NamedTuple):
    """State of an open item, and the words that other lines are compared with.

    `key` is the same for repeated items; a line that has `least` of the `words` is
    about the item.
    """

    is_empty: bool
    is_done: bool
    key: str
    words: frozenset[str]
    least: int


#: Items by their text, found again in the next versions of their files.
_ITEMS: Growing[ItemWords] = Growing()


class Items:
    """The items of one text, each read once."""

    def __init__(self, text: str) -> None:
        self._parts = _ITEMS.parts_of(text)

    def read(self, item: str) -> ItemWords:
        """Return the words of an item and its state."""
        return self._parts.value((item,), partial(_read, item))


def _read(item: str) -> ItemWords:
    words = words_of(item)
    parts = 4 if any(map(UNSPACED.match, words)) else 3
    key = "".join(filter(str.isalnum, item.casefold()))
    least = max(1, (len(words) + 1) // parts)
    return ItemWords(is_empty(item), is_done(item), key, words, least)


def words_of(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words, and pairs of unspaced characters."""
    words = set[str]()
    for word in _WORD.findall(text.lower()):
        if not word.isascii() and UNSPACED.search(word):
            words.update(word[i : i + 2] for i in range(len(word) - 1))
        elif (len(word) > 2 and word not in _COMMON) or word[0].isdigit():
            words.add(intern(word[: _STEM if word.isascii() else _STEM_OF_OTHERS]))
    return frozenset(words)
