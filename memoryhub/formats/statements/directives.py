"""Directives: orders, prohibitions and permissions by people to agents.

They are read from sections of rules, from quotes, from what a person writes in a
transcript, and from reports of what a person said. An agent's own plans are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.directive_sentences import directing, directive_in
from memoryhub.formats.statements.judging import QUESTION, is_rule
from memoryhub.formats.statements.lists import LabelledList, Listed
from memoryhub.formats.statements.prose import SUGGESTED, Prose
from memoryhub.formats.text.directing import NO_NORM, NORM, RULES_LABEL, WANTS
from memoryhub.formats.text.labels import says_nothing
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    plain_line,
    quotes_of,
    sentences_of,
    without_marks,
)

_LEAST_LETTERS = 2
_NO_END = (*QUESTION, ":", "：")
#: What follows an arrow is what the agent made of it.
_ARROW = re.compile(r"[ \t]+(?:->|→|=>)[ \t]+")
_TASK_TAIL = re.compile(r"[ \t]*\[[^\[\]\n]{1,20}\]\Z")
_FACT = re.compile(r"[^\d:：=]{1,24}(?::[ \t]|：|[ \t]=[ \t])(?=[^\n]{0,60}\Z)")

#: Habits and places of a person, in the third person of the present.
_OF_THE_PERSON = re.compile(
    r"(?:He|She|They|[A-Z][\w'’-]+) (?:(?:only|mostly|usually|often|still) )?(?:is|are"
    r"|has|have|draws?|reads?|writes?|works?|lives?|starts?|calls?|sleeps?|travels?"
    r"|builds|runs|owns|drives|speaks|answers|gets up) (?!to be |to have )"
    r"|(?:Er|Sie|[A-ZÄÖÜ][\wäöüß-]+) (?:ist|hat|arbeitet|wohnt|liest|schreibt|ruft"
    r"|kommt|fährt|spricht) "
    r"|(?:Él|Ella|Ele|Ela|[A-ZÁÉÍÓÚ][\wáéíóúñãõç-]+) (?:es|está|tiene|trabaja|vive|lee"
    r"|escribe|llama|é|tem|trabalha|mora|lê|escreve|liga) "
    r"|(?:Il|Elle|Lui|Lei|[A-ZÀÉ][\wàâçéèêîôû-]+) (?:est|travaille|habite|lit|écrit"
    r"|appelle|è|lavora|abita|legge|scrive|telefona) "
)
#: How many there are of something.
_MEASURED = re.compile(r"[^，。:：]{1,8}有 ?[\d一二三四五六七八九十两]+ ?[^\s\d]{1,6}$")


class StatedDirective(NamedTuple):
    """A person's directive, in the words of the file."""

    text: str
    lines: Lines
    confidence: float = 1.0
    why: str = ""


def find_directives(
    prose: Prose, lists: Iterable[LabelledList]
) -> tuple[StatedDirective, ...]:
    """Return the directives of a text in file order, each line once.

    `lists` are those of `memoryhub.formats.statements.lists`.
    """
    found = {one.lines.first: one for one in _listed(lists)}
    for one in _spoken(prose):
        found.setdefault(one.lines.first, one)
    return tuple(
        one for line, one in sorted(found.items()) if line not in prose.skipped
    )


def directives_of_person(text: str, first_line: int) -> Iterator[StatedDirective]:
    """Yield the directives in a person's text that begins at a line of the file."""
    for number, line in enumerate(text.split("\n"), first_line):
        if len(line) <= LONGEST_LINE:
            sentences = sentences_of(plain_line(line))
            for found in directing(sentences):
                yield StatedDirective(found, Lines(number, number), SUGGESTED)


def rules_in(items: Iterable[Listed], label: str = "") -> Iterator[StatedDirective]:
    """Yield the rules among items below a label, without the facts and tastes there.

    Below a label of rules every item is one; else it needs a word of a norm.
    """
    are_rules = bool(RULES_LABEL.search(label.lower()))
    for item in items:
        text = _ARROW.split(without_marks(item.text), maxsplit=1)[0].strip()
        text = _TASK_TAIL.sub("", text)
        if quotes := _all_quotes(text):
            lines = range(item.lines.first, item.lines.last + 1)
            for quote, line in zip(quotes, lines, strict=False):
                yield StatedDirective(quote, Lines(line, line))
        elif _is_rule(text, are_rules):
            yield StatedDirective(text, item.lines)


def _all_quotes(text: str) -> list[str]:
    """Return the quotes of a text that has nothing else."""
    quotes = [*quotes_of(text)]
    between = len(text) - sum(len(quote.text) + 2 for quote in quotes)
    return [quote.text for quote in quotes] if between <= len(quotes) + 1 else []


def _listed(lists: Iterable[LabelledList]) -> Iterator[StatedDirective]:
    for one in lists:
        if one.kind == "directive":
            yield from rules_in(one.items, one.label)
        elif one.kind == "decision":
            ruled = (i for i in one.items if is_rule(one.label, without_marks(i.text)))
            yield from rules_in(ruled)


def _is_rule(text: str, are_rules: bool) -> bool:
    low = text.lower()
    if says_nothing(text) or low.startswith("~~") or low.endswith(_NO_END):
        return False
    is_norm = NORM.search(low) or WANTS.search(low)
    return bool(are_rules or is_norm) and not (NO_NORM.search(low) or is_fact(text))


def is_fact(text: str) -> bool:
    """Return whether a text states a value, or a person's habit or possession.

    ``Time zone: UTC``, ``Shop = kite``, ``She draws on paper first``.
    """
    if _FACT.match(text):
        return True
    low = text.lower()
    told = _OF_THE_PERSON.match(text) is not None or _MEASURED.match(low) is not None
    return told and not (NORM.search(low) or WANTS.search(low))


def _spoken(prose: Prose) -> Iterator[StatedDirective]:
    for number in prose.lines_of("directive"):
        first, last, line = prose.paragraph_at(number)
        found = directive_in(line) if len(line) <= LONGEST_LINE else None
        if found and len(found) >= _LEAST_LETTERS:
            yield StatedDirective(found, Lines(first, last), SUGGESTED)
