"""Translation of a query's words into FTS5 expressions and scoring terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from memoryhub.search.days import NO_DAYS, Days, day_token
from memoryhub.search.forms import other_forms
from memoryhub.search.lookup import Lookup
from memoryhub.search.parser import Query
from memoryhub.search.ranking import SearchTerms, weight
from memoryhub.search.spelling import Spelling
from memoryhub.search.words import (
    STOP_WORDS,
    cjk_terms,
    fold,
    is_cjk,
    name_in,
    name_token,
    names,
    terms,
)

#: Share and number of blocks above which a word is too common to choose blocks by.
_COMMON_SHARE, _COMMON_BLOCKS = 0.15, 100
#: A CJK run up to this long is one word; a longer one is many.
_CJK_WORD = 6
#: A CJK run up to this long has no meaning in parts.
_WHOLE_CJK_WORD = 3
_SHORTEST_PREFIX = 2
#: Limit of ranked blocks: more would make a reader wait.
_RANKED_BLOCKS = 4_000
#: Words that are all in more blocks say nothing of relevance: the newest are taken.
_BOTH_BLOCKS = 20_000
#: A prefix in more blocks than this stands for its commonest terms only: ranking all
#: would take longer than the next keystroke.
_PREFIX_BLOCKS = 15_000


#: First words of a question.
_ASKS = {
    "when": re.compile(
        r"^(when|since when|how long|(what|which) (date|day|month|year|time|week)|wann|"
        r"seit wann|wie lange|quand|depuis quand|cuándo)\b|什么时候|何时|哪天|几号|いつ"
    ),
    "who": re.compile(r"^(who|whom|whose|wer|wen|wem|qui|quién)\b|谁|誰|だれ"),
    "where": re.compile(r"^(where|wo|wohin|woher|où|dónde)\b|哪里|哪儿|どこ"),
}


class _Word(NamedTuple):
    """A word of the query: its FTS5 expression, its term, its number of blocks.

    `is_day` if it names a day too.
    """

    match: str
    term: str
    found_in: int
    is_stop: bool = False
    is_day: bool = False


#: Queries run together: FTS5 expressions, and the share of the blocks, the newest, to
#: which each applies; 0: the newest matches, not ranked.
Step = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The index queries of a search.

    `steps` are those of the first stage; the next one is run if the results so far do
    not suffice. Without search words there are none. `exact` are the expressions of
    names to be found whole, `on_days` those of blocks of the days that the query names;
    `unknown` the words not in the index. `has_dropped`: common words choose no blocks.
    """

    steps: tuple[Step, ...]
    exact: tuple[str, ...]
    wanted: SearchTerms
    unknown: tuple[str, ...] = ()
    on_days: tuple[str, ...] = ()
    has_dropped: bool = False

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
    words: list[_Word] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    forms: dict[str, str] = field(default_factory=dict)
    respelled: dict[str, str] = field(default_factory=dict)
    stopped: list[tuple[str, str]] = field(default_factory=list)
    #: The last word while it is typed, which is no stop word yet.
    typed: str = ""

    def add(self, text: str) -> None:
        """Add a word of the query: it can be several terms."""
        if is_cjk(text) and len(text) <= _CJK_WORD:
            self._add_run(text)
            return
        for term in terms(text):
            self._add_term(text[term.start : term.end], term.text)

    def add_stop_words(self) -> None:
        """Add the very common words of a query that has no others."""
        if not any(word.found_in for word in self.words):
            for word, term in self.stopped:
                found_in = self.lookup.found_in(term)
                match = _in_body(_quoted(fold(word)))
                self.words.append(_Word(match, term, found_in, is_stop=True))

    def _add_term(self, word: str, term: str) -> None:
        folded = fold(word)
        if folded in STOP_WORDS and word != self.typed:
            self.stopped.append((word, term))
            return
        found_in = self.lookup.found_in(term)
        matches = [_quoted(folded)]
        for form, other in other_forms(term).items():
            if others := self.lookup.found_in(form):
                found_in = min(self.total, found_in + others)
                matches.append(_quoted(other))
                self.forms[form] = term
        if not found_in and word in self.respelled:
            term = self.respelled[word]
            found_in, matches = self.lookup.found_in(term), [_quoted(term)]
        if not found_in and not is_cjk(word):
            self.unknown.append(word)
        match = _in_body(_either(matches))
        self.words.append(
            _Word(
                match, term, found_in, folded in STOP_WORDS, folded in self.days.words
            )
        )

    def _add_run(self, run: str) -> None:
        """Add a short CJK run: whole if it is in the index, else its pairs."""
        if len(run) == 1:
            match = f"({_in_body(_quoted(run) + ' *')} OR {{names}} : {_quoted(run)})"
            self.words.append(_Word(match, run, self.lookup.matches(match)))
            self.letters.append(run)
            return
        pairs = list(map(fold, cjk_terms(run)))
        match = _in_body(_quoted(" ".join(pairs)))
        found_in = self.lookup.matches(match)
        if found_in or len(run) <= _WHOLE_CJK_WORD:
            self.words += (_Word(match, pair, found_in) for pair in pairs)
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
        match = f"{_quoted(start)} *"
        if found_in > _PREFIX_BLOCKS:
            # Each as a start: FTS5 takes the ending off a stem once more.
            match = " OR ".join(f"{_quoted(term)} *" for term in _commonest(known))
        self.words[-1] = _Word(_in_body(f"({match})"), start, found_in)
        return start

    def distinctive(self) -> list[_Word]:
        """Return the words used to choose blocks."""
        known = [word for word in self.words if word.found_in]
        chosen = [word for word in known if not word.is_stop] or known
        most = max(_COMMON_SHARE * self.total, _COMMON_BLOCKS)
        rare = [word for word in chosen if word.found_in <= most]
        if self.common or all(word.is_day for word in rare):
            return chosen
        return rare


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
    planner = _Planner(lookup, lookup.blocks, common, query.days)
    planner.respelled = {one.word: one.term for one in respelled}
    if typing and query.words and query.items[-1].source == query.words[-1]:
        planner.typed = query.words[-1]
    for word in query.words:
        planner.add(query.days.without(word))
    prefix = planner.last_as_prefix() if planner.typed and planner.words else ""
    planner.add_stop_words()
    distinctive = planner.distinctive()
    named = tuple(dict.fromkeys(filter(None, map(name_in, query.words))))
    # A name is found whole, or as words within a longer one.
    whole = [
        f"{{names}} : {_quoted(name_token(name))}" for name in named if names(name)
    ]
    exact = [*whole, *map(phrase_match, named)]
    return Plan(
        tuple(_steps(query, distinctive)),
        tuple(_without(match, query) for match in exact),
        _wanted(query, planner, distinctive, (*named, *planner.letters), prefix),
        tuple(dict.fromkeys(planner.unknown)),
        tuple(_day_steps(query, distinctive)),
        len(distinctive) < sum(word.found_in > 0 for word in planner.words),
    )


def _wanted(
    query: Query,
    planner: _Planner,
    distinctive: list[_Word],
    named: tuple[str, ...],
    prefix: str,
) -> SearchTerms:
    total, phrases = planner.total, tuple(filter(None, map(_phrase, query.phrases)))
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
    on_days = sum(map(planner.lookup.found_in, _day_tokens(query)))
    return SearchTerms(
        weights, frozenset(plain | (phrased - {w.term for w in distinctive})), named,
        phrases, prefix,
        forms={f: term for f, term in planner.forms.items() if f not in weights},
        asks=_asks(query),
        days=query.days.spans, day_weight=weight(min(on_days, total), total),
    )  # fmt: skip


def _asks(query: Query) -> frozenset[str]:
    """Return which of who, when and where a query asks, by its first words."""
    start = " ".join(query.words[:3]).lower()
    return frozenset(name for name, found in _ASKS.items() if found.search(start))


def _day_tokens(query: Query) -> list[str]:
    return [day_token(name) for span in query.days.spans for name in span.names]


def _day_steps(query: Query, distinctive: list[_Word]) -> Iterator[str]:
    """Yield the expressions of blocks of the days: with the words, then any."""
    if not (tokens := _day_tokens(query)):
        return
    days = f"{{names}} : ({' OR '.join(tokens)})"
    words = _expression(query, distinctive)
    if words:
        yield f"({words}) AND ({days})"
    if not query.phrases:
        yield _without(days, query)


def _phrase(text: str) -> tuple[str, ...]:
    return tuple(term.text for term in terms(text))


def _steps(query: Query, distinctive: list[_Word]) -> Iterator[Step]:
    """Yield the queries of the first stage: one, or several where words are common.

    With several, blocks with the rarer words, or with two common ones, come first, and
    of words in nearly all blocks only the newest are ranked. A filter may need any
    block.
    """
    whole = _expression(query, distinctive)
    if not whole:
        return
    found_in = sum(word.found_in for word in distinctive)
    if query.filters or query.phrases or found_in <= _RANKED_BLOCKS:
        yield ((whole, 1.0),)
        return
    by_count = sorted(distinctive, key=lambda word: word.found_in)
    sums = accumulate(word.found_in for word in by_count)
    rare = sum(blocks <= _RANKED_BLOCKS for blocks in sums)
    some, others = by_count[: rare or 1], by_count[rare or 1 :]
    if some[0].found_in > _BOTH_BLOCKS:
        yield ((_without(" AND ".join(f"({w.match})" for w in by_count), query), 0.0),)
        yield ((whole, 0.0),)
        return
    both = _without(f"({_any(some)}) AND ({_any(others)})", query)
    if rare:
        yield (_without(_any(some), query), 1.0), (both, 1.0)
    elif others:
        yield ((both, 1.0),)
    yield ((whole, _RANKED_BLOCKS / found_in),)


def _any(words: list[_Word]) -> str:
    return " OR ".join(dict.fromkeys(word.match for word in words))


def _expression(query: Query, distinctive: list[_Word]) -> str:
    """Return the FTS5 expression: any of the words, every phrase, no excluded one."""
    words = _any(distinctive)
    needed = [phrase_match(text) for text in query.phrases if _phrase(text)]
    if needed:
        some = " OR ".join(filter(None, (needed[0], words)))
        match = " AND ".join([*needed, f"({some})"])
    elif words:
        match = words
    else:
        return ""
    return _without(match, query)


def _without(match: str, query: Query) -> str:
    left_out = [phrase_match(text) for text in query.without if _phrase(text)]
    if not left_out:
        return match
    return f"({match}) NOT ({' OR '.join(left_out)})"


def phrase_match(text: str) -> str:
    """Return the FTS5 expression of consecutive words."""
    parts = [text[term.start : term.end] for term in terms(text)]
    return _in_body(_quoted(" ".join(map(fold, parts))))


def _either(matches: list[str]) -> str:
    return matches[0] if len(matches) == 1 else f"({' OR '.join(matches)})"


def _in_body(match: str) -> str:
    return f"{{body}} : {match}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
