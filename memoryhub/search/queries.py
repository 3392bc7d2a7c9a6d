"""Search in a workspace: parsing, candidate blocks, ranked passages, hits."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import islice
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.search.elsewhere import SentThere, sent_elsewhere
from memoryhub.search.jumps import jump_target
from memoryhub.search.lookup import (
    IndexedFile,
    Limits,
    Lookup,
    lines_of,
    lookup_in,
    opened_lookup,
)
from memoryhub.search.parser import Filter, Note, Query, parse_query
from memoryhub.search.ranking import (
    Candidate,
    Passage,
    best_passages,
    snippet_of,
)
from memoryhub.search.results import Hit, SearchResults
from memoryhub.search.scopes import SCOPED, Scope, is_broad, scope_of
from memoryhub.search.spelling import spellings_of
from memoryhub.search.terms import Plan, plan_of
from memoryhub.search.things import Place, Thing, as_work, things_at
from memoryhub.values import tokens
from memoryhub.values.budgets import Budget, interrupting

#: Number of blocks of the first stage, without and with filters.
_BLOCKS = 50
_FILTERED_BLOCKS = 500
_EXACT_BLOCKS = 200
#: Above this number, files are not passed to the index one by one.
_NARROW_FILES = 2_000
_LISTED_LINES = 3
#: Time limit of a search in seconds; then it returns its results so far.
_SECONDS = 2

#: The search took too long: there may be more.
_STOPPED = Note("stopped", str(_SECONDS))

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Search:
    """One running search."""

    workspace: Workspace
    lookup: Lookup
    results: SearchResults
    budget: Budget
    #: Today's number where newer lines score higher.
    recent: int | None
    limits: Limits = field(default_factory=Limits)
    scope: Scope | None = None
    files: dict[int, IndexedFile] = field(default_factory=dict)
    #: Searches in other workspaces, for handoffs that this one sent there.
    elsewhere: list[_Search] = field(default_factory=list)
    sent: SentThere | None = None

    @property
    def query(self) -> Query:
        return self.results.query

    def run(
        self, limit: int, token_budget: int | None, *, typing: bool
    ) -> SearchResults:
        """Return the results; a query without words needs a filter."""
        query, notes = self.query, list(self.results.notes)
        if not is_broad(query.filters):
            self.scope = scope_of(self.workspace, query.filters, notes)
        plan = plan_of(query, self.lookup, typing=typing)
        hits: tuple[Hit, ...] = ()
        if query.filters or query.words or query.phrases:
            streams = [self.planned(plan)]
            streams += (one.seen_hits(typing=typing) for one in self.elsewhere)
            best = merge(*streams, key=lambda hit: (not hit.exact, -hit.score))
            found = _in_time(best, self.budget, notes)
            hits = _fitting(found, limit, token_budget)
        else:
            notes.append(Note("nothing-to-find"))
        return replace(
            self.results,
            hits=hits,
            notes=tuple(dict.fromkeys(notes)),
            spellings=() if hits else spellings_of(self.lookup, plan.unknown, _text_of),
            behind=any(one.lookup.behind for one in (self, *self.elsewhere)),
        )

    def planned(self, plan: Plan) -> Iterator[Hit]:
        """Yield the hits of a plan; one without words needs a filter."""
        query = self.query
        if not plan.is_empty or (query.filters and not (query.words or query.phrases)):
            self.limits = _limits(query.filters, self.scope)
            yield from self.hits(plan)

    def seen_hits(self, *, typing: bool) -> Iterator[Hit]:
        """Yield the hits about handoffs that the searching workspace sent here."""
        assert self.sent is not None
        plan = plan_of(self.query, self.lookup, typing=typing)
        for hit in self.planned(plan):
            seen = self.sent.seen(hit)
            if seen and not _is_unwanted(seen.thing, self.query.filters):
                yield seen

    def hits(self, plan: Plan) -> Iterator[Hit]:
        """Yield hits, best first, without those excluded by filters.

        Further blocks are read as needed: filters may exclude most hits of the first
        ones.
        """
        blocks, exact = self._candidates(plan)
        self.files = self.lookup.files(block.file for block in blocks)
        if is_broad(self.query.filters):
            ids = {file.id for file in self.files.values()}
            self.scope = scope_of(self.workspace, self.query.filters, [], files=ids)
        if self.scope is not None:
            blocks = [block for block in blocks if self._overlaps(block)]
        first = len(blocks) if self.recent else exact + _BLOCKS
        yield from self._hits(blocks[:first], plan)
        for start in range(first, len(blocks), _BLOCKS):
            if self.budget.is_spent:
                return
            yield from self._hits(blocks[start : start + _BLOCKS], plan)

    def _hits(self, blocks: Sequence[Candidate], plan: Plan) -> Iterator[Hit]:
        lines = _lines_by_file(self.files[block.file] for block in blocks)
        if plan.is_empty:
            found = self._listed(blocks)
        else:
            found = best_passages(
                blocks,
                lines.__getitem__,
                plan.wanted,
                today=self.recent,
                budget=self.budget,
            )
        places = {
            passage: Place(self.files[passage.file].id, passage.line)
            for passage in found
            if self._allows(passage)
        }
        things = things_at(places.values())
        for passage, place in places.items():
            thing = things.get(place)
            thing = thing and as_work(self.workspace, thing)
            if thing and (self.sent or not _is_unwanted(thing, self.query.filters)):
                shown = self._shown(passage, lines[passage.file])
                snippet = snippet_of("\n".join(shown), plan.wanted)
                yield Hit(
                    self.files[passage.file].path,
                    passage.first_line,
                    passage.last_line,
                    round(passage.score, 4),
                    passage.exact > 0,
                    snippet,
                    thing,
                )

    def _shown(self, passage: Passage, lines: Sequence[str]) -> Sequence[str]:
        """Return a passage's lines; of another workspace's file those of handoffs."""
        first, last = passage.first_line, passage.last_line
        shown = lines[first - 1 : last]
        if self.sent is None:
            return shown
        file_id, allows = self.files[passage.file].id, self.sent.scope.allows
        return [line for n, line in enumerate(shown, first) if allows(file_id, n)]

    def _candidates(self, plan: Plan) -> tuple[list[Candidate], int]:
        """Return candidate blocks, and the number of those with an exact name."""
        is_narrowed = any(item.name in SCOPED for item in self.query.filters)
        limit = _FILTERED_BLOCKS if is_narrowed else _BLOCKS
        if plan.is_empty:
            return self.lookup.newest(limit, self.limits), 0
        exact = _once(
            block
            for match in plan.exact
            for block in self.lookup.best(match, _EXACT_BLOCKS, self.limits)
        )
        return _once([*exact, *self._ranked(plan, limit)]), len(exact)

    def _ranked(self, plan: Plan, limit: int) -> list[Candidate]:
        """Return the best blocks of the first steps that yield enough."""
        found: list[Candidate] = []
        for step in plan.steps:
            for match, share in step:
                found += self.lookup.best(match, limit, self.limits, share=share)
            found = _once(found)
            if len(found) >= limit:
                break
        return sorted(found, key=lambda block: -block.score)[:limit]

    def _overlaps(self, block: Candidate) -> bool:
        """Return whether the filters allow a line of a block."""
        assert self.scope is not None
        spans = self.scope.lines.get(self.files[block.file].id, ())
        return any(
            first <= block.last_line and block.first_line <= last
            for first, last in spans
        )

    def _allows(self, passage: Passage) -> bool:
        if self.scope is None:
            return True
        return self.scope.allows(self.files[passage.file].id, passage.line)

    def _listed(self, candidates: Sequence[Candidate]) -> list[Passage]:
        """Return the first lines of the blocks, for queries of filters alone."""
        found: dict[tuple[int, int, int], Passage] = {}
        for block in candidates:
            spans = [(block.first_line, block.last_line)]
            if self.scope is not None:
                first, last = spans[0]
                spans = self.scope.within(self.files[block.file].id, first, last)
            for first, last in spans:
                end = min(last, first + _LISTED_LINES - 1)
                passage = Passage(block.file, first, end, first, 0.0, 0, block.day)
                found.setdefault((block.file, first, end), passage)
        return list(found.values())


def _once(blocks: Iterable[Candidate]) -> list[Candidate]:
    """Return blocks without duplicates, each with its best score."""
    best: dict[tuple[int, int], Candidate] = {}
    for block in blocks:
        key = block[:2]
        if key not in best or block.score > best[key].score:
            best[key] = block
    return list(best.values())


def search(
    workspace: Workspace,
    text: str,
    *,
    limit: int = 50,
    token_budget: int | None = None,
    recent: bool = False,
    typing: bool = False,
) -> SearchResults:
    """Return the best results for a query; never fails on any input.

    Stops after two seconds with the results so far and a note.
    With a token budget, returns as many of the best as fit. With `recent`, newer lines
    score higher. While `typing`, the last word may be a prefix.
    """
    today = timezone.now().astimezone(ZoneInfo(workspace.time_zone)).date()
    query = parse_query(text, today=today)
    results = SearchResults(query, notes=query.notes)
    if not query.items:
        return results
    results = replace(results, jump=jump_target(workspace, text))
    budget, day = Budget.of(_SECONDS), today.toordinal() if recent else None
    try:
        with opened_lookup(workspace) as lookup:
            if lookup is None:
                return replace(results, behind=True)
            with interrupting(lookup.connection, budget):
                running = _Search(workspace, lookup, results, budget, day)
                running.elsewhere = list(_searches_elsewhere(running))
                return running.run(limit, token_budget, typing=typing)
    except sqlite3.DatabaseError as error:
        if budget.is_spent:
            return replace(results, notes=(*results.notes, _STOPPED))
        _log.warning("the search index of %s: %s", workspace.slug, error)
        return replace(results, behind=True)


def _searches_elsewhere(running: _Search) -> Iterator[_Search]:
    """Yield a search in each workspace to which the searching one sent handoffs."""
    for sent in sent_elsewhere(running.workspace, running.query.filters):
        lookup = lookup_in(running.lookup.connection, sent.home)
        if lookup is not None:
            yield replace(
                running, workspace=sent.home, lookup=lookup, scope=sent.scope, sent=sent
            )


def _limits(filters: Iterable[Filter], scope: Scope | None) -> Limits:
    since = before = None
    paths: list[str] = []
    for item in filters:
        if item.name == "path" and not item.negated:
            paths.append(item.value)
        if item.day is None:
            continue
        is_after = (item.name == "after") != item.negated
        if is_after:
            since = max(since, item.day) if since else item.day
        else:
            before = min(before, item.day) if before else item.day
    files = scope.files if scope and len(scope.files) <= _NARROW_FILES else None
    return Limits(files, since, before, tuple(paths))


def _lines_by_file(files: Iterable[IndexedFile]) -> dict[int, list[str]]:
    """Return the lines of files as they were indexed; none of a damaged file."""
    wanted = {file.number: file.sha256 for file in files}
    lines = lines_of(set(wanted.values()))
    return {number: lines.get(sha256, []) for number, sha256 in wanted.items()}


def _is_unwanted(thing: Thing, filters: Sequence[Filter]) -> bool:
    """Return whether filters by kind do not select a thing, or one with a minus does.

    A line of a snapshot that states a decision is the decision.
    """
    kinds = {item.value for item in filters if item.name == "kind" and not item.negated}
    if kinds and thing.kind not in kinds:
        return True
    values = {
        "kind": (thing.kind,),
        "topic": (thing.topic.lower(), thing.topic_slug.lower()),
        "agent": (thing.agent.lower(),),
        "is": ("blocked",) if thing.blocked else (),
    }
    return any(
        item.value.lower() in values.get(item.name, ())
        or (item.name == "path" and item.value.lower() in thing.path.lower())
        for item in filters
        if item.negated
    )


def _in_time(hits: Iterator[Hit], budget: Budget, notes: list[Note]) -> Iterator[Hit]:
    """Yield hits until the budget is spent, then add a note."""
    try:
        for hit in hits:
            yield hit
            if budget.is_spent:
                break
        if not budget.is_spent:
            return
    except sqlite3.OperationalError:
        if not budget.is_spent:
            raise
    notes.append(_STOPPED)


def _fitting(
    hits: Iterator[Hit], limit: int, token_budget: int | None
) -> tuple[Hit, ...]:
    """Return the best hits within the limit and the token budget."""
    if token_budget is None:
        return tuple(islice(hits, limit))
    left, fitting = token_budget, []
    for hit in hits:
        cost = tokens.shown(hit.text)
        if cost <= left:
            fitting.append(hit)
            left -= cost
        if len(fitting) == limit:
            break
    return tuple(fitting)


def _text_of(file: IndexedFile, first: int, last: int) -> str:
    return "\n".join(_lines_by_file([file])[file.number][first - 1 : last])
