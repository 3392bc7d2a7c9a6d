"""Options of a search, and the matches returned within them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memoryhub.search.parser import Note
from memoryhub.search.results import Hit, Match
from memoryhub.values import tokens
from memoryhub.values.budgets import Budget

#: Time limit of a search in seconds; then it returns its results so far.
SECONDS = 2
#: The search took too long: there may be more.
STOPPED = Note("stopped", str(SECONDS))
#: Tokens that a result takes on average, and the least results looked up together.
_RESULT_TOKENS, _LEAST_AT_ONCE = 40, 8
#: Results without room in the budget, after which no other is tried.
_MISSES = 3
#: Share of the best score that makes a result worth more lines.
_WORTH_MORE = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of a search.

    With a token budget: as many of the best as fit. `collapsing`, and always with a
    budget: lines that say the same are one result. `wide`: what is left of the budget
    gives further lines around the best.
    `recent`: newer lines score higher. `typing`: the last word may be a prefix.
    `jumps`: a row that the query names exactly is looked up too. `readable` says of a
    path whether the caller may read the file. Without `unread`, files
    of which nothing is read are left out: those of another encoding, and conflict
    copies that no filter by path tells from their file. `history`: earlier versions
    are searched too if current ones answer little.
    """

    limit: int = 50
    token_budget: int | None = None
    recent: bool = False
    typing: bool = False
    jumps: bool = True
    min_score: float = 0.0
    readable: Callable[[str], bool] | None = None
    unread: bool = True
    collapsing: bool = False
    wide: bool = False
    history: bool = False

    @property
    def at_once(self) -> int:
        """Number of results whose things are looked up together."""
        if self.token_budget is None:
            return self.limit
        return max(_LEAST_AT_ONCE, min(self.limit, self.token_budget // _RESULT_TOKENS))


@dataclass(slots=True)
class Count:
    """The lines that can be results of one search, and whether there are more.

    `blocks` is the number of blocks with the commonest word.
    """

    lines: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    blocks: int = 0
    has_more: bool = False

    def add(self, path: str, line: int) -> None:
        """Count a line of a file once."""
        self.lines[path].add(line)

    def left(self, hits: Iterable[Hit]) -> int:
        """Return at least how many are in none of these results."""
        left = {path: set(lines) for path, lines in self.lines.items()}
        given = alike = 0
        for hit in hits:
            left.get(hit.path, set()).difference_update(hit.numbers)
            alike += len(hit.alike)
            given += 1 + len(hit.alike)
        return max(0, sum(map(len, left.values())) - alike, self.blocks - given)


def in_time(matches: Iterator[Match], budget: Budget, at_once: int) -> Iterator[Match]:
    """Yield matches until the budget is spent.

    So many are looked up together, so the first of them take no further time.
    """
    try:
        for number, match in enumerate(matches, 1):
            yield match
            if number >= at_once and budget.is_spent:
                return
    except sqlite3.OperationalError:
        if not budget.is_spent:
            raise


def fitting(matches: Iterator[Match], asked: Asked) -> tuple[Hit, ...]:
    """Return the best hits within the limit and the token budget.

    With `wide`, what is left of the budget gives the best of them more lines.
    """
    left, given, missed = asked.token_budget, list[tuple[Match, Hit]](), 0
    for match in matches:
        if not match.exact and match.score < asked.min_score:
            continue
        if left is None:
            given.append((match, match.hit()))
        elif hit := match.hit_within(left, whole=asked.token_budget):
            given.append((match, hit))
            left -= tokens.shown(hit.text)
        else:
            missed += 1
        if len(given) == asked.limit or missed == _MISSES:
            break
    if left is None or not asked.wide:
        return tuple(hit for _, hit in given)
    return tuple(_widened(given, left))


def _widened(given: Sequence[tuple[Match, Hit]], left: int) -> Iterator[Hit]:
    """Yield hits, the best with as many further lines as the tokens left allow."""
    taken: dict[str, set[int]] = defaultdict(set)
    for _, hit in given:
        taken[hit.place].update(hit.numbers)
    best = max((hit.score for _, hit in given), default=0.0)
    for match, hit in given:
        wider = hit
        if hit.exact or hit.score >= _WORTH_MORE * best:
            wider = match.wider(hit, left, taken[hit.place])
            left -= tokens.shown(wider.text) - tokens.shown(hit.text)
            taken[hit.place].update(wider.numbers)
        yield wider
