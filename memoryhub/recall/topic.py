"""Recall of a topic: the exact text an agent will be given, by blocks, with its cuts.

Texts for agents are never translated; notices are codes, worded where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from memoryhub.disk.places import Presence
from memoryhub.formats.openclaw.startup_context import (
    DailyFile,
    index_text,
    quoted_files,
    startup_text,
)
from memoryhub.formats.snap_memory import injection
from memoryhub.journal.models import Workspace
from memoryhub.recall.blocks import ALWAYS, RESERVE, Block, fitted
from memoryhub.recall.facts import (
    Context,
    hub_facts,
    last_compaction,
    topic_facts,
)
from memoryhub.recall.hub import HubFacts
from memoryhub.recall.start import StartFacts, start_facts
from memoryhub.recall.texts import NamedPaths, Passage, TextAt, named_paths, texts_at
from memoryhub.recall.workspace import workspace_facts
from memoryhub.values import tokens
from memoryhub.values.limits import RECALL_LEAST, RECALL_MOST, RECALL_TOKENS
from snapshots.models import Snapshot
from topics.models import Topic

FORMS = ("hub", "snap-memory", "openclaw")
#: The share of the budget reserved for missing paths.
_PATHS_SHARE = 6
#: Files that other agents change too, as far as they are named.
_OVERLAPS = 3
#: Claims of others, as far as they are named.
_CLAIMS = 10
#: Messages to the agent, as far as they are given.
_MESSAGES = 10


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Parameters of a recall: form, agent, excluded blocks, budget, moment.

    `only` names the requested blocks, None means all. `text` replaces the topic's file
    where edits wait to be written. With `seq` the answer is that of the past moment,
    with `now` as the time. `there` checks whether a path named in the text is in the
    workspace; without it none is checked. `overlaps` are files that the agent and
    others are changing now, each with the others' names; `claims` are files that others
    hold, `messages` those to the agent, `moved` its handoffs that others have ended or
    sent back, `comments` open ones of people, `reverted` the
    agent's changes of memory that people took back. Without `private` what the private
    file alone states is left out. `found` answers a question and comes first.
    `guessed`: nobody named the topic.
    """

    form: str = "hub"
    agent: str = ""
    without: frozenset[str] = frozenset()
    budget: int = RECALL_TOKENS
    text: str | None = None
    seq: int | None = None
    now: datetime | None = None
    only: frozenset[str] | None = None
    there: Presence | None = None
    overlaps: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    reverted: tuple[str, ...] = ()
    private: bool = True
    found: Passage | None = None
    guessed: bool = False

    def leaves_out(self, key: str) -> bool:
        """Return whether a block is excluded."""
        unwanted = self.only is not None and key not in self.only
        return key in self.without or (unwanted and key not in ALWAYS)


@dataclass(frozen=True, slots=True)
class Notice:
    """A remark on a recall: a code and its parameters."""

    code: str
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recall:
    """The text given to an agent, whole and in blocks, and remarks on it.

    `fallback` names the substitute for the newest snapshot of a topic without any;
    `requested_at` is the requested time.
    """

    form: str
    text: str
    blocks: tuple[Block, ...]
    budget: int = 0
    snapshot: Snapshot | None = None
    fallback: str = ""
    requested_at: datetime | None = None
    notices: tuple[Notice, ...] = ()
    paths: NamedPaths = field(default_factory=NamedPaths)
    requested_precision: str = ""

    @property
    def tokens(self) -> int:
        return tokens.shown(self.text)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The blocks with something missing."""
        return tuple(block.key for block in self.blocks if block.cut)


def injected_tokens(workspace: Workspace, topics: Sequence[Topic]) -> dict[int, int]:
    """Return the tokens of topics in snap-memory's form, by row id, in two queries."""
    texts = texts_at(workspace, [TextAt(one.file, one.last_seq) for one in topics])
    return {
        topic.pk: tokens.shown(injection.wrap(text))
        if text.strip() and topic.last_seq is None
        else 0
        for topic, text in zip(topics, texts, strict=True)
    }


def recall_for(topic: Topic, request: RecallRequest | None = None) -> Recall:
    """Return exactly the text an agent will be given for a topic."""
    request = request or RecallRequest()
    context = _context(topic, request)
    if request.form == "openclaw":
        return _openclaw(
            start_facts(topic.workspace, context.now, request.seq), request
        )
    if request.form == "snap-memory":
        is_gone = topic.last_seq is not None and request.seq is None
        return _nothing() if is_gone else _snap_memory(topic_facts(context))
    (facts,) = hub_facts(context, last_compaction(topic), request.seq)
    return _hub(facts, request)


def recall_without_topic(
    workspace: Workspace, agent: str, request: RecallRequest
) -> Recall:
    """Return the text an agent will be given without a known topic.

    OpenClaw's form never has one, and snap-memory's is empty without one.
    """
    if request.form == "openclaw":
        return _openclaw(start_facts(workspace, request.now or timezone.now()), request)
    facts = workspace_facts(workspace, agent, private=request.private)
    is_empty = not (request.found or request.moved or any(facts.passages()))
    if request.form == "snap-memory" or is_empty:
        return Recall(request.form, "", (), notices=(Notice("no-topic-text"),))
    return _hub(facts, request)


def recall_and_last(
    topic: Topic, request: RecallRequest
) -> tuple[Recall, Recall | None]:
    """Return the text an agent will be given, and that after the last compaction.

    The second is None if the topic's history has no compaction.
    """
    compaction = last_compaction(topic)
    if compaction is None:
        return recall_for(topic, request), None
    then = replace(
        request,
        text=None,
        seq=compaction.first_seq,
        now=compaction.occurred_at,
        overlaps=(),
        claims=(),
        messages=(),
        moved=(),
        comments=(),
        reverted=(),
    )
    if request.form != "hub":
        now, last = recall_for(topic, request), recall_for(topic, then)
    else:
        context = _context(topic, request)
        now_facts, then_facts = hub_facts(context, compaction, None, then.seq)
        now, last = _hub(now_facts, request), _hub(then_facts, then)
    precision = compaction.precision
    return now, replace(last, requested_at=then.now, requested_precision=precision)


def _context(topic: Topic, request: RecallRequest) -> Context:
    now = request.now or timezone.now()
    return Context(
        topic,
        request.agent,
        request.text,
        now,
        request.seq,
        request.private,
        request.guessed,
    )


def _nothing() -> Recall:
    """Return snap-memory's answer for a topic whose file is deleted or empty."""
    return Recall("snap-memory", "", (), notices=(Notice("no-topic-text"),))


def _snap_memory(facts: HubFacts) -> Recall:
    """Return the text of snap-memory's `before_prompt_build`, which is never cut."""
    if not facts.topic.text.strip():
        return _nothing()
    head = injection.wrap("")
    whole = injection.wrap(facts.topic.text)
    blocks = (
        Block("safety", head, whole=tokens.shown(head), fixed=True),
        Block(
            "topic",
            facts.topic.text,
            facts.topic.path,
            tokens.shown(facts.topic.text),
            fixed=True,
        ),
    )
    notices = () if facts.sessions else (Notice("unbound"),)
    return Recall("snap-memory", whole, blocks, notices=notices)


def _openclaw(facts: StartFacts, request: RecallRequest) -> Recall:
    """Return MEMORY.md and the startup context, in the form of OpenClaw 2026.9."""
    index, files = facts
    blocks: list[Block] = []
    if index is not None:
        blocks.append(_index_block(index, request))
    daily = _daily_blocks(files, request)
    quoted = [block.text for block in daily if block.text]
    more = any(block.cut == "total-chars" and not block.text for block in daily)
    start = startup_text(quoted, more=more)
    parts = [block.text for block in blocks if block.text]
    if start:
        parts.append(start)
        head = start[: start.index(quoted[0])]
        blocks.append(Block("safety", head, whole=tokens.shown(head), fixed=True))
    notices = [] if index is not None else [Notice("no-index")]
    notices += [] if files else [Notice("no-daily")]
    text = "\n\n".join(parts)
    return Recall("openclaw", text, (*blocks, *daily), notices=tuple(notices))


def _index_block(index: Passage, request: RecallRequest) -> Block:
    whole = tokens.shown(index.text)
    if request.leaves_out("index"):
        return Block("index", "", index.path, whole, "unchecked")
    text = index_text(index.path.rpartition("/")[2], index.text)
    cut = "index-chars" if "\n[...truncated, read " in text else ""
    return Block("index", text, index.path, whole, cut)


def _daily_blocks(files: Sequence[DailyFile], request: RecallRequest) -> list[Block]:
    kept = [file for file in files if not request.leaves_out(f"daily:{file.path}")]
    quoted = {found.path: found for found in quoted_files(kept)}
    blocks = []
    for file in files:
        key, whole = f"daily:{file.path}", tokens.shown(file.text)
        if request.leaves_out(key):
            blocks.append(Block(key, "", file.path, whole, "unchecked"))
        elif found := quoted.get(file.path):
            blocks.append(Block(key, found.block, file.path, whole, found.cut))
    return blocks


def _hub(facts: HubFacts, request: RecallRequest) -> Recall:
    budget = min(max(request.budget, RECALL_LEAST), RECALL_MOST)
    head = injection.HUB_HEADER
    left = 4 * budget - tokens.quarters(head) - RESERVE
    said = (request.overlaps, request.claims, request.messages, request.moved)
    warns = request.there or request.comments or request.reverted or any(said)
    reserve = left // _PATHS_SHARE if warns else 0
    passages = [("found", request.found)] if request.found else []
    passages += facts.passages()
    quoted = fitted(passages, left - reserve, request.leaves_out)
    left -= sum(tokens.quarters(block.text) + 1 for block in quoted if block.text)
    paths = NamedPaths()
    if request.there is not None:
        texts = [(block.path, injection.unquoted(block.text)) for block in quoted]
        paths = named_paths(texts, facts.root, request.there)
    added = fitted(list(_warnings(request, paths)), left, request.leaves_out)
    safety = Block("safety", head, whole=tokens.shown(head), fixed=True)
    blocks = (safety, *quoted, *added)
    text = "\n".join(block.text for block in blocks if block.text)
    # Of a key the part before the path: no word of a file stands outside quotes.
    gone = [b.key.partition(":")[0] for b in blocks if b.cut == "budget-all"]
    if gone := list(dict.fromkeys(gone)):
        text += f"\n[Left out for the budget of {budget} tokens: {', '.join(gone)}]\n"
    return Recall(
        "hub",
        text,
        blocks,
        budget,
        facts.snapshot,
        facts.fallback,
        request.now,
        tuple(_notices(facts, blocks, budget)),
        paths,
    )


def _warnings(
    request: RecallRequest, paths: NamedPaths
) -> Iterator[tuple[str, Passage]]:
    """Yield the passages on files that others change, are missing or elsewhere."""
    if request.messages:
        heading = f"Messages to you ({len(request.messages)})"
        yield "messages", Passage(heading, "\n".join(request.messages[-_MESSAGES:]))
    if request.moved:
        heading = f"What others did with your handoffs ({len(request.moved)})"
        yield "moved", Passage(heading, "\n".join(request.moved))
    if request.comments:
        heading = f"Open comments on this memory ({len(request.comments)})"
        yield "comments", Passage(heading, "\n".join(request.comments))
    if request.claims:
        heading = f"Held by other agents: leave them alone ({len(request.claims)})"
        yield "claims", Passage(heading, "\n".join(request.claims[:_CLAIMS]))
    if request.reverted:
        heading = f"Reverted by people: do not write it again ({len(request.reverted)})"
        yield "reverted", Passage(heading, "\n".join(request.reverted))
    if overlaps := request.overlaps:
        heading = f"Also being changed by another agent ({len(overlaps)})"
        more = "; …" if len(overlaps) > _OVERLAPS else ""
        yield "overlaps", Passage(heading, "; ".join(overlaps[:_OVERLAPS]) + more)

    if paths.gone:
        heading = f"Named above, but not in this workspace ({len(paths.gone)})"
        yield "gone", Passage(heading, "\n".join(paths.gone))
    if paths.outside:
        heading = f"Named above, outside this workspace ({len(paths.outside)})"
        yield "outside", Passage(f"{heading}: not checked", "\n".join(paths.outside))


def _notices(facts: HubFacts, blocks: Sequence[Block], budget: int) -> list[Notice]:
    found = []
    taken = facts.snapshot.occurred_at if facts.snapshot else None
    compacted = facts.compaction.occurred_at if facts.compaction else None
    if taken and compacted and taken < compacted:
        found.append(Notice("snapshot-before-compaction", {"at": compacted}))
    newer = facts.newer_decision
    if taken and newer is not None:
        words = {"text": newer.text, "code": newer.code, "at": newer.occurred_at}
        found.append(Notice("decision-after-snapshot", words))
    if cut := [block for block in blocks if block.cut in {"budget", "budget-all"}]:
        found.append(
            Notice("over-budget", {"budget": budget, "blocks": [b.key for b in cut]})
        )
    if not facts.topic.text.strip():
        found.append(Notice("no-topic-text"))
    elif facts.is_deleted:
        found.append(Notice("topic-deleted"))
    return found
