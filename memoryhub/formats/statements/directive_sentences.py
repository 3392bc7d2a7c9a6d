"""Directives in a line of prose: a person's words, and reports of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memoryhub.formats.statements.prose import signs_of
from memoryhub.formats.statements.speakers import is_persons, is_spoken, speech_in
from memoryhub.formats.text.addressing import ADDRESSES, ADVICE
from memoryhub.formats.text.binding import DIRECTING
from memoryhub.formats.text.directing import (
    APPROVES,
    ASKS,
    CORRECTS,
    HENCEFORTH,
    LASTING,
    LASTING_CJK,
    MUST,
    NORM,
    NOT_APPROVED,
    ORDERS,
    RULES_BY,
    SPEAKS,
    STANDING,
    TO_YOU,
    WANTS,
)
from memoryhub.formats.text.labels import kind_of_label
from memoryhub.formats.text.sentences import (
    plain_line,
    quotes_of,
    sentences_of,
)
from memoryhub.formats.text.speaking import IMPERATIVE, NO_WORD, UNIVERSAL
from memoryhub.formats.text.stems import Families

#: A tag before a rule: ``[preference] text``, its hash tags, and who said it.
_TAGGED = re.compile(
    r"\[([^\]\n]{3,30})\][ \t]*(\S[^\n]*?)(?:[ \t]*\([^()\n]{1,60}\))?(?:[ \t]+#[\w-]+"
    r"){0,9}"
)
#: A rule and whose it is: ``… (Marta, 05-14)``, ``…, Marta's rule``.
_ATTRIBUTION = re.compile(
    r"(?:\([A-ZÀ-ÞА-ЯЁ][\w'’.-]{1,20}(?:, [\d./-]{4,10})?\)"
    r"|, (?:[A-ZÀ-Þ]\w{1,20}['’]s rule|(?:said|says|sagte?|dit|dijo|dice|disse|diz|zegt"
    r"|zei) [A-ZÀ-Þ]\w{1,20}))[ \t.]*"
)
_COLON = re.compile(r"[:：][ \t]*")
#: A sentence that goes on with the directive before it.
_GOES_ON = re.compile(
    r"(?:and|that|but|und|das|aber|et|y|e|и|ただし|但|그리고)\b|ただし|但"
)
#: What we do, which nobody is told to do.
_OURS = re.compile(r"(?:we|wir|on|nous|мы)\b")
_QUESTION = ("?", "？")
_LONGEST_HEAD = 60
_LEAST_ATTRIBUTED, _MOST_ATTRIBUTED = 5, 300
_ADDRESSES = Families(ADDRESSES)
_DIRECTING = Families(DIRECTING)
_STANDING = Families((*DIRECTING, *ADDRESSES))
_REPORTED = Families((HENCEFORTH, ASKS, APPROVES))
_HENCEFORTH, _ASKS, _APPROVES = (_REPORTED.bits_of((o,)) for o in _REPORTED.families)
#: What a quote stands behind that is a sentence of its own; at the start, nothing.
_ALONE = ("", ".", "!", "。")


@lru_cache(maxsize=4096)
def directive_in(line: str) -> str | None:
    """Return the first directive of a line, in the words of the person.

    Cached: notes repeat lines, and decisions ask for the directives of a sentence.
    """
    return next(_directives_in(line), None)


def _directives_in(line: str) -> Iterator[str]:
    """Yield the directives in a line: direct, quoted and reported."""
    if line.lstrip().startswith(("|", "#", "<")):
        return
    plain = plain_line(line)
    tagged = _TAGGED.fullmatch(plain)
    if tagged and kind_of_label(tagged[1]) == "directive":
        low = tagged[2].lower()
        if "rule" in tagged[1].lower() or NORM.search(low) or WANTS.search(low):
            yield tagged[2]
        return
    for quote in quotes_of(plain):
        if _quoted(quote.before, quote.text, quote.behind):
            yield quote.text
    if line.lstrip().startswith(">"):
        yield from directing(sentences_of(plain))
    speech = speech_in(plain)
    if speech and not speech.quoted and not _OURS.match(speech.text.lower()):
        yield from directing(sentences_of(speech.text))
    yield from filter(orders, _attributed(plain))
    yield from _told(plain)
    if not speech and "addressed" in signs_of(plain):
        yield from _addressed(line, plain)


def _told(plain: str) -> Iterator[str]:
    """Yield the directives that the sentences of a line report."""
    if "reported" in signs_of(plain):
        yield from _reported(sentences_of(plain))
    elif _COLON.search(plain):
        yield from _behind_colons(sentences_of(plain))


def _addressed(line: str, plain: str) -> Iterator[str]:
    """Yield lasting instructions to the reader, outside of tasks and advice."""
    is_task = line.lstrip(" \t-*+").startswith("[")
    if not is_task and not ADVICE.match(plain.lower()):
        yield from filter(_addresses, sentences_of(plain))


def _attributed(plain: str) -> Iterator[str]:
    """Yield the text before the first bracket or before a comma with the speaker."""
    place = plain.find("(") if "(" in plain else plain.rfind(", ")
    if place >= 0 and _ATTRIBUTION.fullmatch(plain, place):
        text = plain[:place].rstrip(" \t")
        if _LEAST_ATTRIBUTED <= len(text) <= _MOST_ATTRIBUTED and ")" not in text:
            yield text


@lru_cache(maxsize=1024)
def directs(text: str) -> bool:
    """Return whether a text of a person directs.

    Cached: the readers of decisions and of directives ask for the same quotes.
    """
    low = text.lower().strip()
    if low.endswith(_QUESTION):
        return False
    is_order = ORDERS.match(low) and STANDING.search(low)
    return bool(is_order or _STANDING.search(low))


def orders(text: str) -> bool:
    """Return whether a text of a person directs, be it for this once."""
    low = text.lower().strip()
    if low.endswith(_QUESTION):
        return False
    return bool(_DIRECTING.search(low) or ORDERS.match(low) or MUST.search(low))


def binds(text: str) -> bool:
    """Return whether a person's words are binding by form: an order or a rule."""
    low = text.lower().strip()
    if low.endswith(_QUESTION) or NO_WORD.search(low):
        return False
    return bool(IMPERATIVE.search(low) or UNIVERSAL.search(low))


def directing(sentences: Sequence[str]) -> Iterator[str]:
    """Yield the first sentence that directs, with those that go on with it."""
    for place, sentence in enumerate(sentences):
        if directs(sentence):
            last = place + 1
            while last < len(sentences) and (
                directs(sentences[last]) or _GOES_ON.match(sentences[last].lower())
            ):
                last += 1
            yield " ".join(sentences[place:last])
            return


def _quoted(before: str, text: str, behind: str) -> bool:
    """Return whether a quote is a directive: a person's words, or a named rule."""
    head = before.rstrip(" (（")
    led = head.endswith((":", "：", "，", ",", "to")) or before.rstrip() != head
    if led and text and RULES_BY.search(head[-80:].lower()):
        return True
    if is_persons(before, text, behind) and binds(text):
        return True
    if is_spoken(before, behind) or before.rstrip(" \t>-*•")[-1:] in _ALONE:
        return orders(text)
    return directs(text) and bool(SPEAKS.search(before.lower()) or led)


def _addresses(sentence: str) -> bool:
    """Return whether a sentence is a lasting instruction to its reader."""
    low = sentence.lower()
    return not low.endswith(_QUESTION) and _ADDRESSES.search(low) is not None


def _reported(sentences: Sequence[str]) -> Iterator[str]:
    """Yield directives reported of a person: requests, bans, approvals."""
    for sentence in sentences:
        low = sentence.lower()
        if low.endswith(_QUESTION):
            continue
        if ":" in sentence or "：" in sentence:
            yield from _behind_colon(sentence)
        held = _REPORTED.held_in(low)
        if not held:
            continue
        found = _REPORTED.first(low, held & _HENCEFORTH)
        if found and SPEAKS.search(low[: found.start()]):
            colon = _COLON.search(sentence[: found.start()])
            yield sentence[colon.end() if colon else found.start() :].strip()
        if found and TO_YOU.search(low):
            yield _COLON.split(sentence, maxsplit=1)[-1]
        asked = _REPORTED.first(low, held & _ASKS)
        if asked and (LASTING.search(low, asked.start()) or LASTING_CJK.search(low)):
            yield sentence
        if _REPORTED.first(low, held & _APPROVES) and not NOT_APPROVED.search(low):
            yield sentence


def _behind_colons(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        if _COLON.search(sentence) and not sentence.endswith(_QUESTION):
            yield from _behind_colon(sentence)


def _behind_colon(sentence: str) -> Iterator[str]:
    """Yield directives after a verb of speech and a colon: ``she also noted: …``."""
    found = _COLON.search(sentence, 0, _LONGEST_HEAD)
    if found is None:
        return
    head, said = sentence[: found.start()].lower(), sentence[found.end() :]
    if CORRECTS.search(head):
        yield said
    elif SPEAKS.search(head) or RULES_BY.search(head):
        yield from directing(sentences_of(said))
