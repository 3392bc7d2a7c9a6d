"""Translation of a query's words into FTS5 expressions and scoring terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from memoryhub.search.asking import questions_in
from memoryhub.search.days import NO_DAYS, Days
from memoryhub.search.lookup import Lookup
from memoryhub.search.parser import Query
from memoryhub.search.ranking import SearchTerms, weight
from memoryhub.search.spelling import Spelling
from memoryhub.search.steps import (
    Step,
    Word,
    day_steps,
    day_tokens,
    either,
    in_body,
    name_steps,
    on_known_days,
    phrase_terms,
    quoted,
    word_steps,
)
from memoryhub.search.words import (
    STOP_WORDS,
    cjk_terms,
    fold,
    is_cjk,
    name_in,
    stems,
    terms,
)

_FORMS = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, bend bent,
    bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken,
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
    choose chose chosen choice, cling clung, deal dealt, dig dug, draw drew drawn,
    dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
    fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled,
    fling flung, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
    forgive forgave forgiven, freeze froze frozen, grind ground, grow grew grown,
    hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt,
    lay laid, lead led, lean leant,
    learn learnt, leave left, lend lent, light lit, lose lost loss, meet met,
    mistake mistook mistaken, mow mown, overcome overcame, pay paid, prove proven,
    ride rode ridden, ring rang rung, rise rose risen, run ran, seek sought,
    sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot,
    show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat,
    sleep slept, slide slid, speak spoke spoken, speed sped, spell spelt, spend spent,
    spill spilt, spin spun, spring sprang sprung, stand stood, steal stole stolen,
    stick stuck, sting stung, strike struck, strive strove, swear swore sworn,
    sweep swept, swim swam swum, swing swung, teach taught, tear tore torn,
    think thought, throw threw thrown, understand understood, wake woke woken,
    wear wore worn, weave wove woven, weep wept, wind wound, withdraw withdrew
    withdrawn, write wrote written, child children, man men, woman women, foot feet,
    tooth teeth, mouse mice, goose geese, person people, life lives, wife wives,
    knife knives, leaf leaves, half halves, wolf wolves, index indices, die dying death,
    mom mum mother, dad father, photo picture photograph
"""


@cache
def _groups() -> dict[str, dict[str, str]]:
    """Return the forms that have a common stem with any form: words by their stems."""
    found: dict[str, dict[str, str]] = {}
    for group in _FORMS.replace("\n", " ").split(","):
        words = group.split()
        members = dict(zip(stems(words), words, strict=True))
        for member in members:
            found.setdefault(member, members)
    return found


def other_forms(stem: str) -> dict[str, str]:
    """Return the other forms of a word, given by its stem: words by their stems."""
    forms = _groups().get(stem, {})
    return {other: word for other, word in forms.items() if other != stem}


#: Share and number of blocks above which a word is too common to choose blocks by.
_COMMON_SHARE, _COMMON_BLOCKS = 0.15, 100
#: A CJK run up to this long is one word; a longer one is many.
_CJK_WORD = 6
#: A CJK run up to this long has no meaning in parts.
_WHOLE_CJK_WORD = 3
_SHORTEST_PREFIX = 2
#: Number of terms of a query: a long run of CJK is many. Number of those that choose
#: blocks, the rarest, and of names looked for in lines.
_TERMS, _CHOOSING, _NAMES = 96, 24, 16
#: A prefix in more blocks than this stands for its commonest terms only: ranking all
#: would take longer than the next keystroke.
_PREFIX_BLOCKS = 15_000
#: Share of a stored count of blocks that is sure: it is up to a fifth out of date.
_COUNTED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Plan:
    """The index queries of a search.

    `steps` are those of the first stage; the next one is run if the results so far do
    not suffice. Without search words there are none. `exact` are those of each name to
    be found whole, all run, `on_days` those of blocks of the days that the query names;
    `unknown` the words not in the index. `has_dropped`: common words choose no blocks.
    `commonest` is the number of blocks with the commonest word, 0 if blocks are
    excluded.
    """

    steps: tuple[Step, ...]
    exact: tuple[Step, ...]
    wanted: SearchTerms
    unknown: tuple[str, ...] = ()
    on_days: tuple[Step, ...] = ()
    has_dropped: bool = False
    commonest: int = 0

    @property
    def is_empty(self) -> bool:
        """None of its words is in the index, and it names no day."""
        return not (self.steps or self.exact or self.on_days)


@dataclass(slots=True)
class _Planner:
    lookup: Lookup
    total: int
    #: Common words are used to choose blocks, too.
    common: bool = False
    days: Days = NO_DAYS
    #: Words of days of which there are no blocks: they are not too common.
    nowhere: frozenset[str] = frozenset()
    words: list[Word] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    forms: dict[str, str] = field(default_factory=dict)
    respelled: dict[str, str] = field(default_factory=dict)
    #: The last word while it is typed, which is no stop word yet.
    typed: str = ""

    def add(self, text: str) -> None:
        """Add a word of the query: it can be several terms."""
        if is_cjk(text) and len(text) <= _CJK_WORD:
            self._add_run(text)
            return
        for term in islice(terms(text), max(0, _TERMS - len(self.words))):
            self._add_term(text[term.start : term.end], term.text)

    def _add_term(self, word: str, term: str) -> None:
        folded = fold(word)
        if folded in STOP_WORDS - self.nowhere and word != self.typed:
            return
        found_in = self.lookup.found_in(term)
        matches = [quoted(folded)]
        for form, other in other_forms(term).items():
            if others := self.lookup.found_in(form):
                found_in = min(self.total, found_in + others)
                matches.append(quoted(other))
                self.forms[form] = term
        if not found_in and word in self.respelled:
            term = self.respelled[word]
            found_in, matches = self.lookup.found_in(term), [quoted(term)]
        if not (found_in or is_cjk(word) or folded in self.days.words):
            self.unknown.append(word)
        match = in_body(either(matches))
        self.words.append(
            Word(match, term, found_in, folded in STOP_WORDS, folded in self.days.words)
        )

    def _add_run(self, run: str) -> None:
        """Add a short CJK run: whole if it is in the index, else its pairs."""
        if len(run) == 1:
            match = f"({in_body(quoted(run) + ' *')} OR {{names}} : {quoted(run)})"
            self.words.append(Word(match, run, self.lookup.matches(match)))
            self.letters.append(run)
            return
        pairs = list(map(fold, cjk_terms(run)))
        match = in_body(quoted(" ".join(pairs)))
        found_in = self.lookup.matches(match)
        if found_in or len(run) <= _WHOLE_CJK_WORD:
            self.words += (Word(match, pair, found_in) for pair in pairs)
        else:
            for pair in pairs:
                self._add_term(pair, pair)

    def last_as_prefix(self) -> str:
        """Use the last word as a prefix; return its term."""
        last = self.words[-1]
        if len(last.term) < _SHORTEST_PREFIX or is_cjk(last.term):
            return ""
        start = last.match.split('"')[1]
        while len(start) > _SHORTEST_PREFIX and not self.lookup.has_prefix(start):
            start = start[:-1]
        known = self.lookup.starting(start)
        found_in = min(self.total, sum(count for _, count in known))
        match = f"{quoted(start)} *"
        if found_in > _PREFIX_BLOCKS:
            # Each as a start: FTS5 takes the ending off a stem once more.
            match = " OR ".join(f"{quoted(term)} *" for term in _commonest(known))
        self.words[-1] = Word(in_body(f"({match})"), start, found_in)
        return start

    def distinctive(self) -> list[Word]:
        """Return the words used to choose blocks."""
        known = [word for word in self.words if word.found_in]
        chosen = [word for word in known if not word.is_stop] or known
        most = max(_COMMON_SHARE * self.total, _COMMON_BLOCKS)
        rare = [word for word in chosen if word.found_in <= most]
        if self.common or all(word.is_day for word in rare):
            rare = chosen
        by_count = sorted(rare, key=lambda word: word.found_in)
        return [word for word in rare if word in by_count[:_CHOOSING]]


def _commonest(known: list[tuple[str, int]]) -> list[str]:
    """Return the commonest terms with a short prefix, for a word being typed."""
    chosen: list[str] = []
    blocks = 0
    for term, count in known:
        if chosen and blocks + count > _PREFIX_BLOCKS:
            break
        chosen.append(term)
        blocks += count
    return chosen


def plan_of(
    query: Query,
    lookup: Lookup,
    *,
    typing: bool = False,
    respelled: Sequence[Spelling] = (),
    common: bool = False,
) -> Plan:
    """Return the index queries for a query, with words for those it misspells."""
    named_days = query.days
    query = on_known_days(query, lookup.found_in)
    planner = _Planner(lookup, lookup.blocks, common, query.days)
    if not query.days:
        planner.nowhere = named_days.words
    planner.respelled = {one.word: one.term for one in respelled}
    if typing and query.words and query.items[-1].source == query.words[-1]:
        planner.typed = query.words[-1]
    for word in query.words:
        planner.add(query.days.without(word))
    prefix = planner.last_as_prefix() if planner.typed and planner.words else ""
    distinctive = planner.distinctive()
    found = dict.fromkeys(filter(None, map(name_in, query.words)))
    named = tuple(name for name in found if name not in STOP_WORDS)[:_NAMES]
    return Plan(
        tuple(word_steps(query, distinctive)),
        tuple(name_steps(query, named, distinctive, lookup.found_in)),
        _wanted(query, planner, distinctive, (*named, *planner.letters), prefix),
        tuple(dict.fromkeys(planner.unknown)),
        tuple(day_steps(query, distinctive, lookup.found_in)),
        len(distinctive) < sum(word.found_in > 0 for word in planner.words),
        _commonest_of(planner.words, lookup) if not query.without else 0,
    )


def _commonest_of(words: Sequence[Word], lookup: Lookup) -> int:
    """Return at least how many blocks have the commonest of these words."""
    most = max((word.found_in for word in words if not word.is_stop), default=0)
    return most if lookup.counts_all else int(most * _COUNTED_SHARE)


def _wanted(
    query: Query,
    planner: _Planner,
    distinctive: list[Word],
    named: tuple[str, ...],
    prefix: str,
) -> SearchTerms:
    total, phrases = (
        planner.total,
        tuple(filter(None, map(phrase_terms, query.phrases))),
    )
    known = [word for word in planner.words if word.found_in and not word.is_stop]
    weights = {
        word.term: weight(word.found_in, total) for word in known or planner.words
    }
    for phrase in phrases:
        for term in phrase:
            found_in = planner.lookup.found_in(term)
            weights.setdefault(term, weight(found_in, total))
    plain = {word.term for word in planner.words} - {word.term for word in distinctive}
    phrased = {term for phrase in phrases for term in phrase}
    on_days = sum(map(planner.lookup.found_in, day_tokens(query)))
    return SearchTerms(
        weights, frozenset(plain | (phrased - {w.term for w in distinctive})), named,
        phrases, prefix,
        forms={f: term for f, term in planner.forms.items() if f not in weights},
        asks=questions_in(" ".join(query.words)),
        days=query.days.spans, day_weight=weight(min(on_days, total), total),
    )  # fmt: skip
