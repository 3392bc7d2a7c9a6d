"""Search in a workspace: parsing, candidate blocks, ranked passages, hits.

Lines about handoffs that a workspace sent to others are found in those, too.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from itertools import chain, islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import called
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.search import meaning, paraphrases
from memoryhub.search.cutting import Passage, cut, first_lines
from memoryhub.search.history import NARROWING, asks_history, earlier_lines
from memoryhub.search.jumps import jump_target
from memoryhub.search.lookup import (
    IndexedFile,
    Limits,
    Lookup,
    lookup_in,
    once,
    opened_lookup,
    texts_by_file,
)
from memoryhub.search.parser import Filter, Note, Query, parse_query
from memoryhub.search.ranking import (
    Candidate,
    ScoredLine,
    newer_first,
    score_lines,
)
from memoryhub.search.reranking import reranked
from memoryhub.search.results import Hit, Match, SearchResults
from memoryhub.search.scopes import (
    SCOPED,
    Scope,
    is_broad,
    is_unwanted,
    limits_of,
    not_for_agents,
    scope_of,
)
from memoryhub.search.spelling import Spelling, spellings_of
from memoryhub.search.steps import Step, phrase_match
from memoryhub.search.terms import Plan, plan_of
from memoryhub.search.texts import IndexedText
from memoryhub.search.things import Place, things_at
from memoryhub.search.words import is_function_word, is_stop_word
from memoryhub.values import tokens
from memoryhub.values.budgets import Budget, interrupting
from topics.models import Topic

_KIND = "handoff"
#: A handoff of this origin.
_ANY: Prepared[tuple[int]] = Prepared(
    lambda slug: (
        Handoff.objects.filter(origin=slug, last_seq__isnull=True)
        .order_by()
        .values_list("id")[:1]
    ),
    str,
)


@dataclass(frozen=True, slots=True)
class SentThere:
    """The lines of one workspace's files about handoffs that another one sent there.

    `topics` are those of the sender, by the handoff's id.
    """

    sender: Workspace
    home: Workspace
    scope: Scope
    topics: Mapping[int, Topic]

    def seen(self, match: Match) -> Match | None:
        """Return a match with the sender's names; None unless it is of a handoff."""
        if match.thing.kind != _KIND:
            return None
        topic = self.topics.get(match.thing.id)
        agent = match.thing.agent
        thing = replace(
            match.thing,
            agent=agent and called(agent, self.home.slug, self.sender.slug),
            topic=topic.name if topic else "",
            topic_slug=topic.slug if topic else "",
        )
        return replace(match, home=self.home.slug, thing=thing)


def sent_elsewhere(workspace: Workspace, filters: Sequence[Filter]) -> list[SentThere]:
    """Return where the handoffs are that a workspace sent and that filters allow."""
    if not _ANY(workspace.slug):
        return []
    chosen = [item for item in filters if not item.negated]
    kinds = {item.value for item in chosen if item.name == "kind"}
    if kinds and _KIND not in kinds:
        return []
    sent = Handoff.objects.filter(origin=workspace.slug, last_seq__isnull=True)
    sent = sent.exclude(workspace=workspace).filter(_allowed(workspace, chosen))
    rows = list(sent.only("workspace_id", "topic_name", "file_id").order_by())
    if not rows:
        return []
    lines = _lines_of(sent)
    homes = Workspace.objects.in_bulk({row.workspace_id for row in rows})
    topics = _topics_of(workspace, rows)
    return [
        SentThere(
            workspace, home, Scope({f: tuple(lines[f]) for f in sorted(files)}), topics
        )
        for home in homes.values()
        if (files := {row.file_id for row in rows if row.workspace_id == home.pk})
    ]


def _allowed(workspace: Workspace, filters: Sequence[Filter]) -> Q:
    """Return the filters by topic, agent and state, in the names of the sender."""
    allowed = Q()
    of_topics, of_agents = Q(), Q()
    for item in filters:
        if item.name == "topic":
            rows = Topic.objects.filter(workspace=workspace)
            named = Q(slug__iexact=item.value) | Q(name__iexact=item.value)
            of_topics |= Q(topic_name__in=rows.filter(named).values("name"))
        elif item.name == "agent":
            of_agents |= Q(sender__iexact=f"{workspace.slug}/{item.value}")
        elif item.name == "is":
            allowed &= Q(state=Handoff.State.BLOCKED)
    return allowed & of_topics & of_agents


def _lines_of(sent: QuerySet[Handoff]) -> Mapping[int, list[tuple[int, int]]]:
    """Return the lines of handoffs and their steps, by the file's id."""
    steps = HandoffStep.objects.filter(last_seq__isnull=True, handoff__in=sent)
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for rows in (sent, steps):
        columns = rows.order_by().values_list("file_id", "first_line", "last_line")
        for file_id, first, last in columns:
            found[file_id].append((first, last))
    return found


def _topics_of(workspace: Workspace, rows: Sequence[Handoff]) -> dict[int, Topic]:
    """Return the sender's topics of handoffs, by the handoff's id."""
    named = {row.topic_name for row in rows} - {""}
    known = Topic.objects.filter(workspace=workspace, name__in=named) if named else ()
    topics = {topic.name: topic for topic in known}
    return {row.pk: topics[row.topic_name] for row in rows if row.topic_name in topics}


#: Number of blocks, without and with filters.
BLOCKS, FILTERED_BLOCKS = 40, 500
#: Number of blocks of each query for a name.
_NAME_BLOCKS = 20


#: Number of blocks, the newest, whose lines are compared by meaning, and of the words
#: of a query beyond which that is not done.
_MEANT_BLOCKS, _MEANT_WORDS = 300, 24
#: Number of blocks that are read for the newest of a common kind.
_AGED_BLOCKS = 120
#: The same of processor time: what is left then takes some more.
_CPU_SECONDS = 0.15

_log = logging.getLogger(__name__)


#: Time limit of a search in seconds; then it returns its results so far.
_SECONDS = 2
#: The search took too long: there may be more.
_STOPPED = Note("stopped", str(_SECONDS))
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
class _Count:
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


def _in_time(matches: Iterator[Match], budget: Budget, at_once: int) -> Iterator[Match]:
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


def _fitting(matches: Iterator[Match], asked: Asked) -> tuple[Hit, ...]:
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


@dataclass(slots=True)
class _Search:
    """One running search; `replanned` makes another plan of its query."""

    workspace: Workspace
    lookup: Lookup
    results: SearchResults
    budget: Budget
    asked: Asked
    #: Today's number where newer lines score higher.
    recent: int | None
    #: Paths of which nothing is read.
    hidden: tuple[str, ...] = ()
    limits: Limits = field(init=False, default_factory=Limits)
    scope: Scope | None = None
    files: dict[int, IndexedFile] = field(init=False, default_factory=dict)
    #: Those in other workspaces, for handoffs that this one sent there.
    elsewhere: list[_Search] = field(init=False, default_factory=list)
    sent: SentThere | None = None
    count: _Count = field(init=False, default_factory=_Count)
    replanned: Callable[..., Plan] | None = field(init=False, default=None)
    has_compared: bool = field(init=False, default=False)

    @property
    def query(self) -> Query:
        return self.results.query

    @property
    def asked_text(self) -> str:
        """The words and phrases of the query as a sentence."""
        return " ".join((*self.query.words, *self.query.phrases))

    def run(self) -> SearchResults:
        """Return the results; a query without words needs a filter."""
        query, notes = self.query, list(self.results.notes)
        if asks_history(query):
            others = {item.name for item in query.filters}.difference(NARROWING)
            notes += (Note("not-in-history", name) for name in sorted(others))
            return replace(self.results, notes=tuple(notes))
        if not is_broad(query.filters):
            self.scope = scope_of(self.workspace, query.filters, notes)
        query = self._with_phrases_found(query, notes)
        self.results = replace(self.results, query=query)
        plan, spellings = self._planned_with_spellings(query, notes)
        hits: tuple[Hit, ...] = ()
        if query.filters or query.words or query.phrases:
            streams = [self.planned(plan)]
            streams += (one.seen_matches() for one in self.elsewhere)
            best = merge(*streams, key=lambda match: match.order)
            found = _in_time(best, self.budget, self.asked.at_once)
            hits = _fitting(found, self.asked)
        else:
            notes.append(Note("nothing-to-find"))
        if not hits and query.words and all(map(is_stop_word, query.words)):
            notes.append(Note("too-common", ", ".join(query.words)))
        if self.budget.is_spent:
            notes.append(_STOPPED)
        every = (self, *self.elsewhere)
        return replace(
            self.results,
            hits=hits,
            more=sum(one.not_given(hits) for one in every),
            at_least=any(one.count.has_more for one in every) or self.budget.is_spent,
            notes=tuple(dict.fromkeys(notes)),
            spellings=tuple((one.word, one.nearest) for one in spellings),
            behind=any(one.lookup.behind for one in every),
        )

    def not_given(self, hits: Sequence[Hit]) -> int:
        """Return how many lines that can be results are in none of the hits."""
        home = self.sent.home.slug if self.sent else ""
        return self.count.left(hit for hit in hits if hit.home == home)

    def _planned_with_spellings(
        self, query: Query, notes: list[Note]
    ) -> tuple[Plan, tuple[Spelling, ...]]:
        """Return the plan, with misspelt words corrected if others are known."""
        self.replanned = partial(plan_of, query, self.lookup, typing=self.asked.typing)
        plan = self.replanned()
        if query.days and not plan.wanted.days:
            notes.append(Note("day-nowhere", ", ".join(query.days.parts)))
        spellings: tuple[Spelling, ...] = ()
        if plan.unknown and not self.budget.is_spent:
            with suppress(sqlite3.OperationalError):  # interrupted: there was no time
                spellings = spellings_of(self.lookup, plan.unknown)
        sure = [one for one in spellings if one.is_sure]
        if sure and not plan.is_empty:
            self.replanned = partial(self.replanned, respelled=sure)
            plan = self.replanned()
            changes = ", ".join(f"{one.word} → {one.nearest}" for one in sure)
            notes.append(Note("respelled", changes))
        return plan, spellings

    def _with_phrases_found(self, query: Query, notes: list[Note]) -> Query:
        """Return the query with words for phrases that are nowhere."""
        nowhere = [p for p in query.phrases if not self.lookup.has(phrase_match(p))]
        notes += (Note("phrase-nowhere", phrase) for phrase in nowhere)
        return query.loosened(nowhere)

    def planned(self, plan: Plan) -> Iterator[Match]:
        """Yield the matches of a plan; one without words needs a filter."""
        query = self.query
        self.limits = limits_of(query.filters, self.scope, self.hidden)
        if not plan.is_empty or (query.filters and not (query.words or query.phrases)):
            given: dict[str, set[int]] = {}
            for match in self.matches(plan):
                given.setdefault(match.path, set()).update(match.passage.numbers)
                yield match
            if plan.has_dropped and self.replanned and not self.budget.is_spent:
                for match in self.matches(self.replanned(common=True)):
                    if match.passage.line not in given.get(match.path, ()):
                        yield match
        elif self.can_be_meant:
            yield from self.matches(plan)

    @property
    def grows(self) -> bool:
        """Whether results may have lines beyond those that the query asked for."""
        return not (self.sent or self.scope or self.query.without)

    @property
    def can_be_meant(self) -> bool:
        """Whether lines without a word of the query can be results, by the extra."""
        query, asked = self.query, self.asked
        is_plain = query.words and not (query.phrases or query.without)
        is_typed = asked.typing or self.recent is not None or self.sent is not None
        is_long = len(query.words) > _MEANT_WORDS
        if not is_plain or is_typed or is_long or not paraphrases.is_there():
            return False
        return not all(map(is_function_word, query.words))

    def seen_matches(self) -> Iterator[Match]:
        """Yield the matches in handoffs that the searching workspace sent here."""
        assert self.sent is not None
        self.replanned = partial(
            plan_of, self.query, self.lookup, typing=self.asked.typing
        )
        for match in self.planned(self.replanned()):
            seen = self.sent.seen(match)
            if seen and not is_unwanted(seen.thing, self.query.filters):
                yield seen

    def matches(self, plan: Plan) -> Iterator[Match]:
        """Yield matches, best first, without those excluded by filters.

        Further blocks are read as needed: filters may exclude most lines of the first
        ones.
        """
        blocks, first, is_cut = self._candidates(plan)
        self.count.has_more = is_cut or plan.has_dropped
        is_plain = not (self.query.filters or self.query.phrases)
        if self.count.has_more and is_plain:
            least = plan.commonest - self.lookup.blocks_in(self._not_readable())
            self.count.blocks = max(self.count.blocks, least)
        is_broad_one = is_broad(self.query.filters)
        if not is_broad_one:
            blocks = self._readable(blocks)
        elif self.recent:
            blocks = blocks[:_AGED_BLOCKS]
        first = len(blocks) if self.recent else first + BLOCKS
        for start, end in pairwise(
            (0, *range(first, len(blocks), BLOCKS), len(blocks))
        ):
            if start and self.budget.is_spent:
                return
            some = blocks[start:end]
            yield from self._matches(
                self._readable(some) if is_broad_one else some, plan
            )

    def _candidates(self, plan: Plan) -> tuple[list[Candidate], int, bool]:
        """Return the blocks of a plan, best first; of one without words the newest.

        With them come the number of the first that have a name or a day of the query,
        and whether more blocks match.
        """
        is_narrowed = any(item.name in SCOPED for item in self.query.filters)
        limit = FILTERED_BLOCKS if is_narrowed else BLOCKS
        if plan.is_empty:
            newest = self.lookup.newest(limit, self.limits)
            return newest, 0, len(newest) >= limit
        most = limit if is_narrowed else _NAME_BLOCKS
        exact = once(self._run(plan.exact, most))
        on_days = self._first_of(plan.on_days, limit)
        ranked = self._ranked(plan, limit - min(len(exact), limit // 2))
        is_cut = len(ranked) + min(len(exact), limit // 2) >= limit
        found = once([*exact, *on_days, *ranked])
        return found, len(exact) + len(on_days), is_cut or len(on_days) >= limit

    def _run(self, steps: Iterable[Step], limit: int) -> Iterator[Candidate]:
        """Yield the best blocks of each query."""
        for match, share in chain.from_iterable(steps):
            try:
                yield from self.lookup.best(match, limit, self.limits, share=share)
            except sqlite3.OperationalError:
                if not self.budget.is_spent:
                    raise
                return

    def _first_of(self, steps: Iterable[Step], limit: int) -> list[Candidate]:
        """Return the best blocks of the first step that has any."""
        found = (list(self._run([step], limit)) for step in steps)
        return next(filter(None, found), [])

    def _ranked(self, plan: Plan, limit: int) -> list[Candidate]:
        """Return the best blocks of the first steps that yield enough."""
        found: list[Candidate] = []
        for step in plan.steps:
            found = once([*found, *self._run([step], limit)])
            if len(found) >= limit:
                break
        return sorted(found, key=lambda block: -block.score)[:limit]

    def _dated(self, lines: list[ScoredLine]) -> Iterator[ScoredLine]:
        """Give lines whose text names no day that of the row around them, if any."""
        zone = ZoneInfo(self.workspace.time_zone)
        places = [Place(self.files[line.file].id, line.line) for line in lines]
        undated = [
            at for at, line in zip(places, lines, strict=True) if line.day is None
        ]
        rows = things_at(self.workspace, undated, timed=False)
        for place, line in zip(places, lines, strict=True):
            row = rows.get(place)
            if row and row.occurred_at and row.kind not in ("topic", "file"):
                at = row.occurred_at.astimezone(zone)
                line = line._replace(day=at.date().toordinal())
            yield line

    def _readable(self, blocks: list[Candidate]) -> list[Candidate]:
        """Return the blocks that the filters and the caller's rights allow."""
        new = self.lookup.files({block.file for block in blocks} - self.files.keys())
        self.files |= new
        if is_broad(self.query.filters):
            ids = {file.id for file in new.values()}
            found = scope_of(self.workspace, self.query.filters, [], files=ids)
            known = self.scope.lines if self.scope else {}
            self.scope = Scope(known | (found.lines if found else {}))
        if self.scope is not None:
            blocks = [block for block in blocks if self._overlaps(block)]
        if (readable := self.asked.readable) is not None:
            may = {n: readable(file.path) for n, file in self.files.items()}
            blocks = [block for block in blocks if may[block.file]]
        return blocks

    def _not_readable(self) -> list[int]:
        """Return the numbers of all indexed files that the caller may not read."""
        if (readable := self.asked.readable) is None:
            return []
        return [n for n, path in self.lookup.paths() if not readable(path)]

    def _matches(self, blocks: Sequence[Candidate], plan: Plan) -> Iterator[Match]:
        texts = texts_by_file(self.files[block.file] for block in blocks)
        passages = iter(first_lines(blocks, self._spans))
        if not plan.is_empty or self.can_be_meant:
            passages = self._passages(blocks, texts, plan)
        while some := list(islice(passages, self.asked.at_once)):
            places = [Place(self.files[p.file].id, p.line) for p in some]
            timed = self.asked.token_budget is None
            things = things_at(self.workspace, places, timed=timed)
            for passage, place in zip(some, places, strict=True):
                thing = things.get(place)
                if thing and (self.sent or not is_unwanted(thing, self.query.filters)):
                    path, lines = self.files[passage.file].path, texts[passage.file]
                    yield Match(
                        path, passage, thing, plan.wanted, *self._shown(passage, lines),
                        source=() if self.sent else lines, grows=self.grows,
                    )  # fmt: skip
            if self.budget.is_spent:
                return

    def _passages(
        self, blocks: Sequence[Candidate], texts: dict[int, IndexedText], plan: Plan
    ) -> Iterator[Passage]:
        """Yield the passages of blocks: lines are scored, then cut."""
        text_of, asked = texts.__getitem__, self.asked_text
        lines = score_lines(blocks, text_of, plan.wanted, budget=self.budget)
        if self.recent:
            lines = newer_first(self._dated(lines), self.recent)
        if self.scope is not None:
            lines = [line for line in lines if self._allows(line)]
        for line in lines:
            self.count.add(self.files[line.file].path, line.line)
        if self.recent is None and not self.budget.is_spent:
            lines = reranked(lines, blocks, text_of, plan.wanted, asked=asked)
        if self.can_be_meant and not self.has_compared:
            lines = self._with_paraphrases(lines, texts, plan)
        collapsing = self.asked.collapsing or self.asked.token_budget is not None
        yield from cut(lines, text_of, plan.wanted, collapsing=collapsing)

    def _with_paraphrases(
        self, lines: list[ScoredLine], texts: dict[int, IndexedText], plan: Plan
    ) -> list[ScoredLine]:
        """Add paraphrases from the newest blocks if words find too little.

        The texts of their files are added to `texts`.
        """
        self.has_compared = True
        if lines and self.budget.is_spent:
            return lines
        words = paraphrases.Words(texts.__getitem__, plan.wanted, self.asked_text)
        if words.cover(lines):
            return lines
        try:
            newest = self._readable(self.lookup.newest(_MEANT_BLOCKS, self.limits))
        except sqlite3.OperationalError:  # interrupted: there was no time
            return lines
        texts |= texts_by_file(self.files[block.file] for block in newest)
        found = words.with_paraphrases(lines, newest)
        return [one for one in found if self.scope is None or self._allows(one)]

    def _shown(
        self, passage: Passage, lines: Sequence[str]
    ) -> tuple[tuple[str, ...], int]:
        """Return a passage's lines, of another workspace's file those of handoffs.

        With them comes the index of the best.
        """
        numbers = list(range(passage.first_line, passage.last_line + 1))
        if self.sent is not None:
            file_id, allows = self.files[passage.file].id, self.sent.scope.allows
            numbers = [n for n in numbers if n == passage.line or allows(file_id, n)]
        shown = tuple(lines[number - 1] for number in numbers)
        return shown, numbers.index(passage.line)

    def _overlaps(self, block: Candidate) -> bool:
        """Return whether the filters allow a line of a block."""
        assert self.scope is not None
        spans = self.scope.lines.get(self.files[block.file].id, ())
        return any(
            first <= block.last_line and block.first_line <= last
            for first, last in spans
        )

    def _allows(self, line: ScoredLine) -> bool:
        assert self.scope is not None
        return self.scope.allows(self.files[line.file].id, line.line)

    def _spans(self, block: Candidate) -> list[tuple[int, int]]:
        """Return the lines of a block, or those that the filters allow."""
        if self.scope is None:
            return [(block.first_line, block.last_line)]
        file_id = self.files[block.file].id
        return self.scope.within(file_id, block.first_line, block.last_line)


def search(workspace: Workspace, text: str, **options: Any) -> SearchResults:
    """Return the best results for a query, with the options of `Asked`; never fails.

    Stops after two seconds with the results so far and a note.
    """
    asked = Asked(**options)
    today = timezone.now().astimezone(ZoneInfo(workspace.time_zone)).date()
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text
    query = parse_query(text, today=today)
    results = SearchResults(query, notes=query.notes)
    if not query.items:
        return results
    unread = set() if asked.unread else not_for_agents(workspace, query.filters)
    if unread:
        may_read = asked.readable or bool
        asked = replace(
            asked, readable=lambda path: path not in unread and may_read(path)
        )
    if asked.jumps:
        results = replace(results, jump=jump_target(workspace, text))
    meaning.model()  # read once per process, which takes no time from the search
    cpu = Budget.of(_CPU_SECONDS, time.thread_time)
    budget = replace(Budget.of(_SECONDS), other=cpu)
    day = today.toordinal() if asked.recent else None
    try:
        with opened_lookup(workspace) as lookup:
            if lookup is None:
                return replace(results, behind=True)
            with interrupting(lookup.connection, budget):
                running = _Search(
                    workspace, lookup, results, budget, asked, day, tuple(unread)
                )
                running.elsewhere = list(_searches_elsewhere(running))
                results = running.run()
            if not asked.history:
                return results
            earlier = earlier_lines(
                workspace, query, lookup.found_in, lookup.blocks,
                current=[hit.text for hit in results.hits],
                typing=asked.typing, readable=asked.readable,
            )  # fmt: skip
            return replace(results, earlier=earlier)
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
