"""Decisions in a line of prose, by its words or behind a tag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memoryhub.formats.statements.directive_sentences import (
    binds,
    directive_in,
    directs,
)
from memoryhub.formats.statements.judging import (
    QUESTION,
    chooses,
    decides,
    is_fix,
)
from memoryhub.formats.statements.prose import Sign, signs_of
from memoryhub.formats.statements.speakers import (
    Speech,
    is_persons,
    speech_in,
    speech_of,
)
from memoryhub.formats.text.clauses import (
    find_deciding,
    find_henceforth,
    find_practice,
    find_settling,
    holds_clause,
)
from memoryhub.formats.text.dates import title_without_time
from memoryhub.formats.text.deciding import CHOICE_OF_A_PERSON
from memoryhub.formats.text.directing import SPEAKS, TO_YOU
from memoryhub.formats.text.labels import kind_of_label
from memoryhub.formats.text.no_choice import is_denied, is_joke, is_no_choice
from memoryhub.formats.text.phrases import IS_CAUSE, NOT_DECIDED, OF_MINE, SETTLES
from memoryhub.formats.text.sentences import (
    Quote,
    bare_line,
    plain_line,
    quotes_of,
    sentences_of,
    without_marks,
)
from memoryhub.formats.text.speaking import NO_WORD, OURS, SETTLES_IT, UNIVERSAL

#: A tag before a decision: ``[DECISION] text``, and its text.
_TAGGED = re.compile(
    r"[*_`]{0,2}\[([^\]\n]{3,30})\][*_`]{0,2}[ \t]*[:：-]?[ \t]*(\S.*)"
)
_OUTCOME = re.compile(
    r"(?:^|[.;。] ?)(?:ergebnis|fazit|result|outcome|conclusion|bottom line|resultado"
    r"|conclusão|conclusión|résultat|итог|вывод|wynik|wniosek|esito|结论|結論"
    r"|결론)[:：][ \t]*([^:：]{5,200})$"
)
_HEADING = re.compile(r" {0,3}#{2,6}[ \t]+([^:：\n]{3,60})[:：][ \t]*(\S[^\n]*)")
_NOTE_TAIL = re.compile(
    r"[ \t]*\((?:decided|agreed|settled|set|orden|decidido|entschieden|beschlossen)\b"
    r"[^()]*\)[ \t.]*\Z",
    re.IGNORECASE,
)
#: A colon right behind the deciding words starts the text of the decision: behind a
#: pronoun, with whom, by what means. Behind the text itself it starts the reason.
_COLON = re.compile(r"[:：](?!\d)[ \t]*")
_QUOTED = re.compile(r"[:：][ \t]*(?=[\"“„«「『])")
_LEAD_COLON = re.compile(
    r"(?: (?:on|upon|that|this|these|it|the following|as follows|so|now|today|here|then"
    r"|again|finally|heute|jetzt|so|nun|folgendes|das|hoy|así|lo siguiente|hoje|assim"
    r"|o seguinte|ce qui suit|ceci|oggi|così|так|это|следующее|vandaag|dit|to)\b){0,3}"
    r"(?: (?:with|by|at|in|between|mit|bei|per|im|am|con|por|en|com|em|na|no|avec|par"
    r"|au|à|di|met|bij|op|с|по|на|z|w) [^:：,.;]{1,40})?"
    r"[,]?[ \t]*[\])）]?[:：](?!\d)[ \t]*"
)
_ASKED = re.compile(r"[?？][ \t]*(?:→|->|=>)[ \t]*(\S.*)")
_ARROWS = ("→", "->", "=>")
_THEREFORE = re.compile(rf"[ \t]+(?:{'|'.join(_ARROWS)})[ \t]+")
#: Words of a rule without a day from which it holds.
_FOREVER = re.compile(
    r"never|always|nie |больше|никогда|plus jamais|nunca|jamais|二度と|다시는"
)
#: A few words about what the sentence before it names.
_REFERS_BACK = re.compile(r"(?:\S+ ){1,3}(?:it|that|this|them)[.!]?")
_LEAST_WORDS, _LEAST_LETTERS = 3, 5
_SEMICOLON = (";", "；")
_NO_END = (*QUESTION, ":", "：")
#: Without these signs only a person's words may decide, by their form.
_DECIDES: frozenset[Sign] = frozenset(("clause", "settled"))


@lru_cache(maxsize=4096)
def decisions_in(line: str) -> tuple[tuple[str, str], ...]:
    """Return the decisions that a line states, each with its tag.

    Behind the first one a sentence counts that says so with a verb of deciding.
    Cached: notes repeat lines.
    """
    return tuple(_decisions_in(line))


def _decisions_in(line: str) -> Iterator[tuple[str, str]]:
    first = _decision_in(line)
    low = line.lower() if first else ""
    if first and not (is_no_choice(first[0].lower()) or is_joke(low) or is_denied(low)):
        yield first
        plain = plain_line(line)
        behind = plain.partition(first[0])[2]
        more = (text for text in _more(behind) if not first[1])
        yield from ((text, "") for text in more if not is_no_choice(text.lower()))


def _more(behind: str) -> Iterator[str]:
    """Yield the sentences that explicitly report a decision."""
    for sentence in sentences_of(behind.strip()) if behind else ():
        low = sentence.lower()
        settles = SETTLES.fullmatch(low) or len(low.split()) < _LEAST_WORDS
        unspaced = not low.isascii() and " " not in low
        if (unspaced or not settles) and find_deciding(low) and not speech_of(sentence):
            yield from filter(None, [_decided_in(sentence, low)])


def _decision_in(line: str) -> tuple[str, str] | None:
    plain = plain_line(line)
    if tagged := _tagged(line) if "[" in plain[:4] else None:
        return tagged if decides(tagged[0]) else None
    if line.lstrip().startswith("#"):
        return _headed(line)
    if plain.startswith(("|", "<")) and bare_line(line).startswith(("|", "<")):
        return None
    asked = _ASKED.search(plain) if "?" in plain or "？" in plain else None
    if asked and _answers(asked[1]):
        return asked[1], ""
    sentence = _outcome(plain) or _in_prose(plain)
    return (sentence, "") if sentence else None


def _tagged(line: str) -> tuple[str, str] | None:
    """Return the text behind a tag for decisions, and the tag."""
    bare = bare_line(line)
    found = _TAGGED.fullmatch(bare) if bare[:4].lstrip("*_`")[:1] == "[" else None
    if not found or kind_of_label(found[1]) != "decision":
        return None
    return without_marks(found[2]), found[1]


def _headed(line: str) -> tuple[str, str] | None:
    """Return the decision that a heading states: ``## Decision: keep one file``."""
    found = _HEADING.match(line)
    label = title_without_time(found[1]) if found else ""
    if not found or kind_of_label(label) != "decision":
        return None
    text = without_marks(found[2])
    enough = len(text.split()) >= _LEAST_WORDS or not text.isascii()
    return (text, label) if enough and decides(text) else None


def _outcome(plain: str) -> str:
    """Return the outcome that a line gives, if it is a choice."""
    found = _OUTCOME.search(plain.lower()) if ":" in plain or "：" in plain else None
    if not found or not (chooses(found[1]) or find_deciding(found[1])):
        return ""
    return plain[found.start(1) : found.end(1)]


def _answers(text: str) -> bool:
    """Return whether the answer to a question settles it: words, not "no" alone."""
    low = text.lower()
    words = re.split(r"[ (（]", low.split("(")[0].strip())
    return (
        len(words) >= _LEAST_WORDS and decides(text) and "nothing to decide" not in low
    )


def _in_prose(plain: str) -> str:
    """Return the decision in a line of prose; a label decides nothing."""
    found = _decided_by(plain)
    return "" if found and kind_of_label(plain) else found


def _decided_by(plain: str) -> str:
    signs = signs_of(plain)
    for quote in quotes_of(plain):
        if chosen := _quoted_choice(quote, signs):
            return chosen
    speech = speech_in(plain)
    if speech and (chosen := _spoken_choice(speech, plain)):
        return chosen
    if signs.isdisjoint(_DECIDES) or (speech and speech_of(plain)):
        return ""
    head, tail = _concluded(plain)
    if tail and SETTLES.fullmatch(tail.lower()):
        return head
    return _deciding(tail or head, signs)


def _concluded(plain: str) -> tuple[str, str]:
    """Split a text at an arrow into cause and conclusion, which may be empty."""
    if not any(arrow in plain for arrow in _ARROWS):
        return plain, ""
    head, *tail = _THEREFORE.split(plain, maxsplit=1)
    return head, tail[0] if tail else ""


def _quoted_choice(quote: Quote, signs: frozenset[Sign]) -> str:
    """Return the decision in a quote: its last sentence, or a person's words."""
    said = sentences_of(quote.text) if "settled" in signs else ()
    if len(said) > 1 and SETTLES.fullmatch(said[-1].lower()):
        return quote.text
    is_persons_own = is_persons(quote.before, quote.text, quote.behind)
    return _chosen_by_person(quote.text, signs) if is_persons_own else ""


def choices_of_person(plain: str) -> str:
    """Return the decisions in a person's message."""
    if plain.endswith(QUESTION):
        return ""
    return _spoken_choice(Speech(plain, False), plain)


def _spoken_choice(speech: Speech, plain: str) -> str:
    """Return the choice in a speech; a label outside quotes may look like a name."""
    said = speech.text
    # Joined sentences of an unspaced script are no part of their line.
    signs = signs_of(plain if said in plain else said)
    if speech.quoted or OURS.search(said.lower()):
        return _chosen_by_person(said, signs)
    return _chosen(said, signs)


def _chosen_by_person(said: str, signs: frozenset[Sign]) -> str:
    """Return the decision in a person's words, by their verbs, else by their form."""
    low = said.lower().strip()
    if low.endswith(QUESTION) or UNIVERSAL.match(low):
        return ""
    if chosen := _chosen(said, signs):
        return chosen
    is_free = not (NO_WORD.search(low) or NOT_DECIDED.search(low) or binds(said))
    return said if is_free and SETTLES_IT.search(low) and decides(said) else ""


def _chosen(said: str, signs: frozenset[Sign]) -> str:
    """Return the choice in a person's reported words."""
    head, tail = _concluded(said) if "settled" in signs else (said, "")
    if tail and SETTLES.fullmatch(tail.lower()):
        return head
    low = said.lower()
    if CHOICE_OF_A_PERSON.match(low):
        return " ".join(sentences_of(said)[:2])
    if signs.isdisjoint(_DECIDES) or (_from_now_on(low) and directs(said)):
        return ""
    return _deciding(said, signs)


def _deciding(text: str, signs: frozenset[Sign]) -> str:
    """Return the sentence with the decision, or the one it confirms.

    A sentence behind it belongs to it that gives the cause, or follows a semicolon.
    """
    sentences, has_clause = sentences_of(text), "clause" in signs
    for place, sentence in enumerate(sentences):
        low = sentence.lower()
        if place and SETTLES.fullmatch(low):
            return sentences[place - 1]
        found = _decided_in(sentence, low) if has_clause else ""
        if found and place and _REFERS_BACK.fullmatch(low):
            return sentences[place - 1] + _gap(sentences[place - 1]) + found
        behind = sentences[place + 1] if place + 1 < len(sentences) else ""
        if found and behind and (found.endswith(_SEMICOLON) or IS_CAUSE.search(behind)):
            return found + _gap(found) + behind
        if found:
            return found
    return ""


def _gap(text: str) -> str:
    return "" if text.endswith(("。", "；")) else " "


def _decided_in(sentence: str, low: str) -> str:
    if low.endswith(_NO_END) or not holds_clause(low) or is_fix(low):
        return ""
    found = find_deciding(low) or find_practice(low) or _settled(sentence, low)
    if found and not _is_scare_quoted(low, found):
        text = _spoken(sentence, found) or _without_topic(sentence, found)
    else:
        text = sentence if _is_policy(sentence, low) else ""
    is_one = len(text) >= _LEAST_LETTERS and decides(text)
    return text if is_one and not NOT_DECIDED.search(low) else ""


def _settled(sentence: str, low: str) -> re.Match[str] | None:
    """Return the construction that settles something without an order."""
    found = find_settling(low)
    return found if found and directive_in(sentence) is None else None


def _is_scare_quoted(low: str, found: re.Match[str]) -> bool:
    """Return whether only the deciding word is quoted, which marks a joke."""
    quotes = (quote.text for quote in quotes_of(low))
    return any(quote in found[0] and " " not in quote for quote in quotes if quote)


def _from_now_on(low: str) -> bool:
    """Return whether a sentence names the day from which something holds."""
    found = find_henceforth(low)
    return bool(found) and not _FOREVER.match(found[0] if found else "")


def _is_policy(sentence: str, low: str) -> bool:
    """Return whether a sentence states a rule from now on, without a speaker."""
    if not _from_now_on(low) or SPEAKS.search(low) or OF_MINE.search(low):
        return False
    if TO_YOU.search(low):
        return False
    return directive_in(sentence) is None


def _spoken(sentence: str, found: re.Match[str]) -> str:
    """Return the quote if it states the decision."""
    for quote in quotes_of(sentence):
        if len(quote.before) <= found.start() < len(sentence) - len(quote.behind):
            return quote.text
    return ""


def _without_topic(sentence: str, found: re.Match[str]) -> str:
    """Drop a leading ``we agreed on this:`` or topic from a sentence."""
    start = found.end()
    colon = _LEAD_COLON.match(sentence, start) or _QUOTED.search(sentence, start)
    colon = colon or _COLON.search(sentence, 0, found.start() + 1)
    text = sentence[colon.end() :] if colon else sentence
    return _unquoted(_NOTE_TAIL.sub("", text.strip()))


def _unquoted(text: str) -> str:
    quote = next(quotes_of(text), None)
    alone = quote and not quote.before.strip() and not quote.behind.strip(" .。")
    return quote.text if quote and alone else text
