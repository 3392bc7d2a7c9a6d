"""Index queries of a search: FTS5 expressions, each with the share of blocks it ranks.

Their cost is limited by the block counts of the words: FTS5 compares all matches of an
expression before it yields the first, and cannot be interrupted meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from memoryhub.search.days import NO_DAYS, day_token
from memoryhub.search.parser import Query
from memoryhub.search.words import fold, name_token, names, terms

#: Limit of ranked blocks: more would make a reader wait.
_RANKED_BLOCKS = 4_000
#: Words that are all in more blocks say nothing of relevance: the newest are taken.
_BOTH_BLOCKS = 20_000
#: Number of such words, the rarest, that a block must have together.
_TOGETHER = 3
#: A name in more blocks is searched for with the other words, and in the newest.
_NAME_BLOCKS = 20
#: Numbers of names that choose blocks, and of other words beside one: the rarest.
_MOST_NAMES, _BESIDE = 5, 8


class Word(NamedTuple):
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
#: The number of blocks of a term.
FoundIn = Callable[[str], int]


def word_steps(query: Query, distinctive: Sequence[Word]) -> Iterator[Step]:
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
        together = " AND ".join(f"({w.match})" for w in by_count[:_TOGETHER])
        yield ((_without(together, query), 0.0),)
        yield ((whole, 0.0),)
        return
    both = _without(f"({_any(some)}) AND ({_any(others)})", query)
    if rare:
        yield (_without(_any(some), query), 1.0), (both, 1.0)
    elif others:
        yield ((both, 1.0),)
    yield ((whole, _RANKED_BLOCKS / found_in),)


def name_steps(
    query: Query, named: Sequence[str], distinctive: Sequence[Word], found_in: FoundIn
) -> Iterator[Step]:
    """Yield the queries for each name to be found whole, the rarest names first.

    A name is found whole, or as words within a longer one. One in many blocks is
    searched for with the other words of the query, then in the newest blocks.
    """
    by_count = sorted(distinctive, key=lambda word: word.found_in)
    known = [_Name.of(name, found_in) for name in named]
    for name in sorted(filter(None, known))[:_MOST_NAMES]:
        own = phrase_terms(name.text)
        others = [word for word in by_count if word.term not in own][:_BESIDE]
        for match, blocks in name.matches:
            latest = (_without(match, query), 0.0)
            if query.filters or (others and blocks <= _NAME_BLOCKS):
                yield ((_without(match, query), 1.0),)
            elif others:
                both = _without(f"({match}) AND ({_any(others)})", query)
                yield (both, min(1.0, _RANKED_BLOCKS / blocks)), latest
            else:
                yield (latest,)


class _Name(NamedTuple):
    """A name with the number of blocks that it is in, whole or in parts at most."""

    blocks: int
    parts: int
    text: str

    @classmethod
    def of(cls, text: str, found_in: FoundIn) -> _Name | None:
        """Look up a name; None if a part of it is nowhere."""
        if not (parts := min(map(found_in, phrase_terms(text)), default=0)):
            return None
        return cls(found_in(name_token(text)) if names(text) else 0, parts, text)

    @property
    def matches(self) -> Iterator[tuple[str, int]]:
        """Yield expressions with their numbers of blocks: whole, within another."""
        if self.blocks:
            yield f"{{names}} : {quoted(name_token(self.text))}", self.blocks
        if self.blocks <= _NAME_BLOCKS:
            yield phrase_match(self.text), self.parts


def day_steps(
    query: Query, distinctive: Sequence[Word], found_in: FoundIn
) -> Iterator[Step]:
    """Yield the queries for blocks of the days: with the words, then any."""
    if not (tokens := day_tokens(query)):
        return
    days = f"{{names}} : ({' OR '.join(tokens)})"
    words = _expression(query, distinctive)
    if words:
        blocks = min(
            sum(map(found_in, tokens)), sum(word.found_in for word in distinctive)
        )
        share = min(1.0, _RANKED_BLOCKS / max(1, blocks))
        yield ((f"({words}) AND ({days})", 1.0 if query.filters else share),)
    if not query.phrases:
        yield ((_without(days, query), 1.0 if query.filters else 0.0),)


def on_known_days(query: Query, found_in: FoundIn) -> Query:
    """Return the query without its days if no block is of any: they are words then."""
    if query.days and not any(map(found_in, day_tokens(query))):
        return replace(query, days=NO_DAYS)
    return query


def day_tokens(query: Query) -> list[str]:
    """Return the index terms of the days that a query names."""
    return [day_token(name) for span in query.days.spans for name in span.names]


def phrase_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a phrase."""
    return tuple(term.text for term in terms(text))


def phrase_match(text: str) -> str:
    """Return the FTS5 expression of consecutive words."""
    parts = [text[term.start : term.end] for term in terms(text)]
    return in_body(quoted(" ".join(map(fold, parts))))


def either(matches: Sequence[str]) -> str:
    """Return the FTS5 expression of any of several."""
    return matches[0] if len(matches) == 1 else f"({' OR '.join(matches)})"


def in_body(match: str) -> str:
    """Return an FTS5 expression limited to the text of blocks."""
    return f"{{body}} : {match}"


def quoted(text: str) -> str:
    """Return a text as a string of FTS5."""
    return '"' + text.replace('"', '""') + '"'


def _any(words: Sequence[Word]) -> str:
    return " OR ".join(dict.fromkeys(word.match for word in words))


def _expression(query: Query, distinctive: Sequence[Word]) -> str:
    """Return the FTS5 expression: any of the words, every phrase, no excluded one."""
    words = _any(distinctive)
    needed = [phrase_match(text) for text in query.phrases if phrase_terms(text)]
    if needed:
        some = " OR ".join(filter(None, (needed[0], words)))
        match = " AND ".join([*needed, f"({some})"])
    elif words:
        match = words
    else:
        return ""
    return _without(match, query)


def _without(match: str, query: Query) -> str:
    left_out = [phrase_match(text) for text in query.without if phrase_terms(text)]
    if not left_out:
        return match
    return f"({match}) NOT ({' OR '.join(left_out)})"
