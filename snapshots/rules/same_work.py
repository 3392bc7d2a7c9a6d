"""Whether two texts name the same piece of work.

Agents repeat an open item with other remarks: "(moved from yesterday)", "third day".
Two items taken for one hide one of them, so the rules prefer to miss a repeat.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

#: Of a longer text the beginning identifies it.
_LONGEST = 600
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|~~|[*_`]")
#: What ends the name of a piece of work before a remark on it.
_HEAD_END = re.compile(r"[:,;。|]|\s[-–—→]+\s|[—–]")
_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
_CODE = re.compile(
    r"\s*(?:[a-z][a-z0-9]{0,11}-(?=[a-z]*\d)[a-z0-9]{1,8}|t\d{3,4}|#\d+)\b"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_COMMON_WORDS = """
a an the of on in to for and or with at by from is are be it its we i our this
that der die das den dem ein eine und oder mit für von zu im am ist de da do das dos
a o e em para com por no na la el los las y con del un una le les et du des pour
il di per и в на с по для к о не и
"""
#: Words of a report on a part of some work.
_PARTIAL_WORDS = """
half partly partially part draft drafted started begun first except but not
nearly almost wip teil teilweise halb fast nicht aber metade parte quase não mas
mitad casi pero partie presque moitié sauf pas половина частично почти не но кроме
metà quasi ma non
"""
_PARTIAL_MARKS = (
    "一半",
    "部分",
    "初步",
    "未",
    "没",
    "不",
    "途中",
    "半分",
    "まだ",
    "절반",
)
#: Shares of common words from which two texts are one, of the shorter and of both.
_OF_SHORTER, _OF_BOTH = 0.85, 0.5
#: Of the shorter one, if both begin alike.
_OF_SAME_HEAD = 0.7
_LEAST_WORDS = 3
_COMMON = frozenset(_COMMON_WORDS.split())
_PARTIAL = frozenset(_PARTIAL_WORDS.split())


class Named(NamedTuple):
    """The words that identify a piece of work, without remarks in brackets.

    `bare` is in one case and width. `head` is before the first punctuation, empty for a
    single word. `words` are the significant ones, and pairs of characters of unspaced
    scripts. `is_partial`: it reports on a part only. `code` is that of an issue or a
    task at its beginning, such as ``fy-2`` or ``T003``.
    """

    bare: str
    head: str
    words: frozenset[str]
    numbers: frozenset[str]
    is_partial: bool
    code: str


@lru_cache(maxsize=20_000)
def named(text: str) -> Named:
    """Return the words that identify the work of an item or of a report."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    bare = _REMARK.sub(" ", plain)
    written, words = _WORD.findall(bare), _WORD.findall(plain)
    head = _WORD.findall(_HEAD_END.split(bare, maxsplit=1)[0])
    tokens = _tokens(written)
    return Named(
        " ".join(written),
        " ".join(head) if len(_tokens(head)) > 1 else "",
        tokens,
        frozenset(token for token in tokens if token[0].isdigit()),
        not _PARTIAL.isdisjoint(words)
        or "%" in plain
        or any(mark in plain for mark in _PARTIAL_MARKS),
        " ".join(_WORD.findall(code[0])) if (code := _CODE.match(plain)) else "",
    )


def _tokens(words: Sequence[str]) -> frozenset[str]:
    found = set[str]()
    for word in words:
        if word.isascii() or not _UNSPACED.fullmatch(word):
            if word not in _COMMON:
                found.add(word)
        else:
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    return frozenset(found)


def is_same(one: Named, other: Named) -> bool:
    """Return whether two open items are one: one repeats the other with remarks."""
    if one.bare == other.bare:
        return True
    if not _may_be_one(one.code, other) or not _may_be_one(other.code, one):
        return False
    if one.head and one.head == other.head:
        is_bare = one.head in (one.bare, other.bare)
        return is_bare or _agree(one, other, _OF_SAME_HEAD)
    return _agree(one, other) and _share(one, other) >= _OF_BOTH


def _may_be_one(code: str, other: Named) -> bool:
    """Return whether a text names the issue of a code, if there is one.

    A tracked issue is listed for itself: its state is that of its tracker.
    """
    return not code or f" {code} " in f" {other.bare} "


def is_done_by(item: Named, report: Named) -> bool:
    """Return whether a report of done work names all of an open item."""
    if item.bare == report.bare:
        return True
    if report.is_partial:
        return False
    if item.bare in (report.head, report.bare) and len(item.words) > 1:
        return True
    extra = len(report.words - item.words)
    return _agree(item, report) and extra <= max(_LEAST_WORDS, len(item.words))


def _agree(one: Named, other: Named, share: float = _OF_SHORTER) -> bool:
    """Return whether nearly all words of the first are in the second, or reversed.

    Texts with different numbers are different work.
    """
    if not (one.numbers <= other.numbers or other.numbers <= one.numbers):
        return False
    common = len(one.words & other.words)
    least = share * min(len(one.words), len(other.words))
    return common >= max(_LEAST_WORDS, least)


def _share(one: Named, other: Named) -> float:
    return len(one.words & other.words) / len(one.words | other.words)
