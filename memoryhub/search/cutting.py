"""The final cut of a search: scored lines become passages, without repeats.

Scores are final here: whatever ranks lines anew does it before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from memoryhub.search.ranking import (
    Candidate,
    ScoredLine,
    SearchTerms,
    Texts,
)
from memoryhub.search.texts import heading_level, indexed, without_numbers

#: Lines shown of a span where no words were asked for.
_LISTED_LINES = 3
#: Number of results among which adjacent ones are merged.
_MERGED = 5
#: Results that have both neighbours; later ones have those with such a share of their
#: score.
_WIDE, _NEAR_SHARE = 2, 0.9
#: The best lines, which are compared with each other.
_COMPARED = 100
#: Fewer words do not show that two lines say the same.
_SKELETON = 4


class Passage(NamedTuple):
    """Lines that answer a query; `line` is the best of them.

    `exact` is the number of the query's names found whole in that line. `alike` are
    the days of lines that say the same and are left out, None for one without a day.
    `meant`: it was found by its meaning.
    """

    file: int
    first_line: int
    last_line: int
    line: int
    score: float
    exact: int = 0
    day: int | None = None
    on_day: bool = False
    alike: tuple[int | None, ...] = ()
    meant: bool = False

    @property
    def numbers(self) -> range:
        """The numbers of its lines."""
        return range(self.first_line, self.last_line + 1)


def first_lines(
    blocks: Iterable[Candidate],
    spans_of: Callable[[Candidate], Iterable[tuple[int, int]]],
) -> list[Passage]:
    """Return the first lines of spans in blocks, for queries of filters alone."""
    found: dict[tuple[int, int, int], Passage] = {}
    for block in blocks:
        for first, last in spans_of(block):
            end = min(last, first + _LISTED_LINES - 1)
            passage = Passage(block.file, first, end, first, 0.0, day=block.day)
            found.setdefault((block.file, first, end), passage)
    return list(found.values())


def cut(
    lines: Sequence[ScoredLine],
    text_of: Texts,
    wanted: SearchTerms,
    *,
    collapsing: bool = False,
) -> Iterator[Passage]:
    """Yield lines, best first, as passages: each with its neighbours, none twice.

    With `collapsing`, lines that differ in numbers alone are one passage. Adjacent
    ones among the first few are one; the better rank remains.
    """
    alike = _alike(lines, text_of, wanted) if collapsing else dict.fromkeys(lines, ())
    scores = {(line.file, line.line): line.score for line in lines}
    found = (
        passage._replace(alike=tuple(alike[line]))
        for line, passage in _passages(list(alike), text_of, wanted, scores)
    )
    yield from _merged(list(islice(found, _MERGED)))
    yield from found


def _alike(
    lines: Sequence[ScoredLine], text_of: Texts, wanted: SearchTerms
) -> Mapping[ScoredLine, Sequence[int | None]]:
    """Return one line of each text, with the days of its repeats.

    It is the newest: a number in it may be a setting. Lines are repeats only if they
    have the same words of the query.
    """
    compared = [_skeleton(text_of(line.file), line.line) for line in lines[:_COMPARED]]
    often = Counter(compared)
    alike: dict[object, list[ScoredLine]] = {}
    for rank, line in enumerate(lines):
        key: object = line
        words = compared[rank] if rank < len(compared) else ()
        if words and often[words] > 1:
            found = wanted.keys_in(indexed(text_of(line.file)).line_terms(line.line))
            key = line.exact, line.on_day, words, frozenset(found)
        alike.setdefault(key, []).append(line)
    days: dict[ScoredLine, list[int | None]] = {}
    for same in alike.values():
        newest = max(same, key=lambda line: line.day or 0)
        shown = newest._replace(score=same[0].score)
        days[shown] = [line.day for line in same if line is not newest]
    return days


def _skeleton(text: Sequence[str], line: int) -> tuple[str, ...]:
    """Return the words of a line without numbers; none of a line of few words."""
    words = without_numbers(indexed(text).line_terms(line))
    return words if len(set(words)) >= _SKELETON else ()


def _passages(
    lines: Sequence[ScoredLine],
    text_of: Texts,
    wanted: SearchTerms,
    scores: Mapping[tuple[int, int], float],
) -> Iterator[tuple[ScoredLine, Passage]]:
    """Yield each line with its neighbours, without lines of earlier passages."""
    taken: dict[int, set[int]] = {}
    yielded = 0
    for best in lines:
        used = taken.setdefault(best.file, set())
        if best.line in used:
            continue
        text = text_of(best.file)
        least = 0.0 if yielded < _WIDE else _NEAR_SHARE * best.score
        around = [
            number
            for number in (best.line - 1, best.line, best.line + 1)
            if number == best.line
            or (
                _is_free(number, used, text)
                and (
                    scores.get((best.file, number), 0.0) >= least
                    or heading_level(text[number - 1])
                )
            )
        ]
        around[:0] = _headed(around[0], text, wanted)
        used.update(around)
        yielded += 1
        yield (
            best,
            Passage(
                best.file, around[0], around[-1], best.line,
                best.score, best.exact, best.day, best.on_day, meant=best.meant,
            ),
        )  # fmt: skip


def _headed(first: int, text: Sequence[str], wanted: SearchTerms) -> list[int]:
    """Return the lines up to a heading with words of the query right above a line."""
    above = first - 1
    while above > 0 and not text[above - 1].strip():
        above -= 1
    if above in {0, first - 1} or not heading_level(text[above - 1]):
        return []
    (terms,) = indexed(text).terms_of(above, above)
    is_found = any(map(wanted.is_distinctive, terms))
    return list(range(above, first)) if is_found else []


def _is_free(number: int, used: set[int], text: Sequence[str]) -> bool:
    if number in used or not 0 < number <= len(text):
        return False
    return bool(text[number - 1].strip())


def _merged(passages: list[Passage]) -> list[Passage]:
    """Merge adjacent passages; the better rank remains."""
    joined: list[Passage] = []
    for passage in passages:
        for at, other in enumerate(joined):
            if _touch(passage, other):
                joined[at] = other._replace(
                    first_line=min(other.first_line, passage.first_line),
                    last_line=max(other.last_line, passage.last_line),
                )
                break
        else:
            joined.append(passage)
    return joined


def _touch(one: Passage, other: Passage) -> bool:
    return (
        one.file == other.file
        and one.first_line <= other.last_line + 1
        and other.first_line <= one.last_line + 1
    )
