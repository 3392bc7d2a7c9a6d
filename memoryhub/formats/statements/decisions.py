"""Decisions that a text states: under labels, behind labels, and in so many words.

Facts under such labels, times, reasons, open questions and the outcomes that a
generator writes each run are no decisions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import LabelledList
from memoryhub.formats.text.dates import heading_time, title_without_time
from memoryhub.formats.text.labels import (
    kind_of_label,
    normalise_label,
    says_nothing,
)
from memoryhub.formats.text.phrases import (
    BECAUSE,
    DECIDED,
    DECIDED_STEMS,
    NOT_DECIDED,
    REASON_LABELS,
    SETTLES,
    UNDECIDED,
    holds,
)
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    bare_line,
    quotes_of,
    sentences_of,
    without_marks,
)

#: A tag before a decision: ``[DECISION] text``, and its text.
_TAGGED = re.compile(
    r"[*_`]{0,2}\[([^\]\n]{3,30})\][*_`]{0,2}[ \t]*[:：-]?[ \t]*(\S.*)"
)
#: A name and a short value: a setting, not a decision.
_FACT = re.compile(r"[^:：]{1,30}[:：][ \t]*(\S+(?:[ \t]+\S+){0,2})")
_URL = re.compile(r"[^:]{0,30}:?[ \t]*(?:https?://|www\.)\S+[ \t]*")
_VERDICT = re.compile(
    r"[^:]{1,40}:[ \t]*(?:yes|no|true|false|none|skip(?:ped)?|ok|pass(?:ed)?"
    r"|fail(?:ed)?)\b"
    r"(?:[ \t]*[.,;|]?[ \t]*(?:reason|score|confidence)\b.*)?",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\$\{|\{\{|\}\}|^[\[{<]|^[\"'][\w.]+[\"'],|^`[^`]+`$|^[\w.]+_[\w.]+$|^\w+\("
)
_BEFOREHAND = re.compile(
    r"(?:vorher|bisher|before|previously|formerly|antes|anteriormente|avant|раньше"
    r"|до этого"
    r"|prima|之前|以前|原来|これまで|이전)[ \t]*[:：]"
)
_RULES = ("rule", "regra", "regla", "regel", "règle", "правил", "规则", "規則", "규칙")
_RULE = re.compile(
    r"(?:never|always|do not|don['’]t|nunca|siempre|sempre|nie|immer|jamais|toujours"
    r"|никогда|всегда)\b|不要|必须|一律|禁止|必ず|절대|항상"
)
_NONE = re.compile(
    r"[(（]?(?:none|no decisions?|keine?|ninguna|nenhuma|aucune|нет|无|なし)\b"
)
_OUTCOME = re.compile(
    r"(?:^|[.;。] ?)(?:ergebnis|fazit|result|outcome|conclusion|bottom line|resultado"
    r"|conclusão|conclusión|résultat|итог|вывод|esito|结论|結論"
    r"|결론)[:：][ \t]*([^:：]{5,200})$"
)
_HEADING = re.compile(r" {0,3}#{2,6}[ \t]+([^:：\n]{3,60})[:：][ \t]*(\S[^\n]*)")
_CHOICE = re.compile(
    r"\b(?:not?|never|only|instead|both|stays?|no|nicht|kein\w*|nur|bleibt|não|sem|só"
    r"|fica"
    r"|sin|solo|pas|sans|не|без|только)\b|[不只选用无没]|しない|않|만"
)
_SPOKEN = re.compile(r"[^:：\"“„«»「]{1,30}[:：][ \t]*")
_DAY_TAIL = re.compile(r"[ \t]*[(（]\d{4}-\d\d-\d\d[)）][ \t.]*\Z")
_NOTE_TAIL = re.compile(
    r"[ \t]*\((?:decided|agreed|settled|set|orden|decidido|entschieden|beschlossen)\b"
    r"[^()]*\)[ \t.]*\Z",
    re.IGNORECASE,
)
#: A colon behind the deciding words starts the text of the decision.
_COLON = re.compile(r"[:：][ \t]*")
_ASKED = re.compile(r"[?？][ \t]*(?:→|->|=>)[ \t]*(\S.*)")
_REASON_LINE = re.compile(r"[ \t]*(?:[-*+•][ \t]+)?([^:：\n]{2,40})[:：](.*)")
_QUESTION = ("?", "？")
_LEAST_WORDS, _LEAST_LETTERS = 3, 5


class StatedDecision(NamedTuple):
    """A decision, the label it was filed under, and the reason that is stated."""

    text: str
    label: str
    lines: Lines
    reason: str = ""


def find_decisions(
    text: str, lists: Iterable[LabelledList], skipped: frozenset[int]
) -> tuple[StatedDecision, ...]:
    """Return the decisions of a text in file order, each line once.

    `lists` are those of `memoryhub.formats.statements.lists`; lines in `skipped` are
    not read.
    """
    lines = text.split("\n")
    found = {one.lines.first: one for one in _said(text, lines)}
    found |= {one.lines.first: one for one in _listed([*lists])}
    stated = [one for line, one in sorted(found.items()) if line not in skipped]
    return tuple(_with_reason(one, lines) for one in _without_repeats(stated))


def _listed(lists: Sequence[LabelledList]) -> Iterator[StatedDecision]:
    """Yield what stands under labels and behind them; the first label names a line."""
    judged: set[int] = set()
    for one in lists:
        label = one.label.strip("*_# \t")
        for item in one.items if one.kind == "decision" else ():
            text = _decision_text(item.text)
            is_new = item.lines.first not in judged
            judged.add(item.lines.first)
            if is_new and text and _decides(text) and not is_rule(label, text):
                yield StatedDecision(text, label, item.lines)


def is_rule(label: str, text: str) -> bool:
    """Return whether an item under ``Decisions & rules`` is a rule."""
    low = label.lower()
    return any(rule in low for rule in _RULES) and bool(_RULE.match(text.lower()))


def _decision_text(text: str) -> str:
    """Return an item without marks, its day, and the name of who said it."""
    bare = without_marks(text.strip())
    for quote in quotes_of(bare):
        if _SPOKEN.fullmatch(quote.before) and not quote.behind.strip(" .。"):
            return quote.text
    return _NOTE_TAIL.sub("", _DAY_TAIL.sub("", bare))


def _decides(text: str) -> bool:
    """Return whether an item under a label of decisions is one."""
    low = text.lower()
    return not (
        says_nothing(text)
        or text.endswith(_QUESTION)
        or low.startswith("~~")
        or _NONE.match(low)
        or _BEFOREHAND.match(low)
        or UNDECIDED.search(low)
        or _is_reason(text)
        or _is_setting(text)
        or (heading_time(text) and len(text) < 40)
    )


def _is_setting(text: str) -> bool:
    """Return whether a text is a setting, an address, code or a program's verdict."""
    if _CODE.search(text) or _URL.fullmatch(text) or _VERDICT.fullmatch(text):
        return True
    fact = _FACT.fullmatch(text)
    if fact is None or not fact[1].isascii():
        return False
    return _CHOICE.search(text.lower()) is None


def _is_reason(text: str) -> bool:
    head = re.split("[:：]", text, maxsplit=1)
    return len(head) == 2 and normalise_label(head[0]) in REASON_LABELS


def _said(text: str, lines: Sequence[str]) -> Iterator[StatedDecision]:
    """Yield the decisions that sentences state, and those behind tags."""
    if not holds(DECIDED_STEMS, text.lower()) and "→" not in text and "] " not in text:
        return
    for number, line in enumerate(lines, 1):
        if len(line) <= LONGEST_LINE and (said := _said_in(line)):
            yield StatedDecision(*said, Lines(number, number))


def _said_in(line: str) -> tuple[str, str] | None:
    """Return the decision that a line states, and its tag."""
    bare = bare_line(line)
    tagged = _TAGGED.fullmatch(bare) if bare[:4].lstrip("*_`")[:1] == "[" else None
    if tagged and kind_of_label(tagged[1]) == "decision":
        text = without_marks(tagged[2])
        return (text, tagged[1]) if _decides(text) else None
    if line.lstrip().startswith("#"):
        return _headed(line)
    if bare.startswith(("|", "<")):
        return None
    plain = without_marks(bare)
    asked = _ASKED.search(plain)
    if asked and _answers(asked[1]):
        return asked[1], ""
    sentence = _outcome(plain) or _in_prose(plain)
    return (sentence, "") if sentence else None


def _headed(line: str) -> tuple[str, str] | None:
    """Return the decision that a heading states: ``## Decision: keep one file``."""
    found = _HEADING.match(line)
    label = title_without_time(found[1]) if found else ""
    if not found or kind_of_label(label) != "decision":
        return None
    text = without_marks(found[2])
    enough = len(text.split()) >= _LEAST_WORDS or not text.isascii()
    return (text, label) if enough and _decides(text) else None


def _outcome(plain: str) -> str:
    """Return what a line gives as the outcome, if that is a choice."""
    found = _OUTCOME.search(plain.lower())
    if not found or not (_CHOICE.search(found[1]) or DECIDED.search(found[1])):
        return ""
    return plain[found.start(1) : found.end(1)]


def _in_prose(plain: str) -> str:
    if not holds(DECIDED_STEMS, plain.lower()):
        return ""
    for quote in quotes_of(plain):
        said = sentences_of(quote.text)
        if len(said) > 1 and SETTLES.fullmatch(said[-1].lower()):
            return quote.text
    return _deciding(sentences_of(plain))


def _answers(text: str) -> bool:
    """Return whether the answer to a question settles it: words, not "no" alone."""
    low = text.lower()
    words = re.split(r"[ (（]", low.split("(")[0].strip())
    return (
        len(words) >= _LEAST_WORDS and _decides(text) and "nothing to decide" not in low
    )


def _deciding(sentences: Sequence[str]) -> str:
    """Return the sentence that states a decision, or the one that is settled."""
    for place, sentence in enumerate(sentences):
        low = sentence.lower()
        if place and SETTLES.fullmatch(low):
            return sentences[place - 1]
        found = DECIDED.search(low)
        if found and not NOT_DECIDED.search(low) and not low.endswith(_QUESTION):
            text = _spoken(sentence, found) or _behind_colon(sentence, found.end())
            if len(text) >= _LEAST_LETTERS and _decides(text):
                return text
    return ""


def _spoken(sentence: str, found: re.Match[str]) -> str:
    """Return the quote that states the decision, if it is one that does."""
    for quote in quotes_of(sentence):
        if len(quote.before) <= found.start() < len(sentence) - len(quote.behind):
            return quote.text
    return ""


def _behind_colon(sentence: str, start: int) -> str:
    """Return what follows ``we agreed on this:``, else the whole sentence."""
    found = _COLON.search(sentence, start, start + 40)
    text = sentence[found.end() :] if found else sentence
    return _unquoted(_NOTE_TAIL.sub("", text.strip()))


def _unquoted(text: str) -> str:
    quote = next(quotes_of(text), None)
    alone = quote and not quote.before.strip() and not quote.behind.strip(" .。")
    return quote.text if quote and alone else text


def _without_repeats(stated: Sequence[StatedDecision]) -> list[StatedDecision]:
    """Drop what a generator writes again and again: the same text in one file."""
    counted = Counter(one.text for one in stated)
    return [one for one in stated if counted[one.text] == 1]


def _with_reason(one: StatedDecision, lines: Sequence[str]) -> StatedDecision:
    """Add the reason in the line behind a decision, or in its own sentence."""
    behind = lines[one.lines.last] if one.lines.last < len(lines) else ""
    if reason := _reason_line(behind):
        return one._replace(reason=reason)
    found = BECAUSE.search(one.text)
    return (
        one._replace(reason=one.text[found.end() :].strip(" ,.:)。")) if found else one
    )


def _reason_line(line: str) -> str:
    found = _REASON_LINE.match(line)
    if not found or normalise_label(found[1]) not in REASON_LABELS:
        return ""
    return without_marks(found[2].lstrip("*_ ").strip())
