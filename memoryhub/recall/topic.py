"""Recall: the exact text an agent will be given, by blocks, with its cuts.

Texts for agents are never translated; notices are codes, worded where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memoryhub.formats import injection
from memoryhub.formats.openclaw.startup_context import (
    DailyFile,
    index_text,
    quoted_files,
    startup_text,
)
from memoryhub.formats.text.frontmatter import without_markup
from memoryhub.journal.models import Workspace
from memoryhub.recall import files, lists
from memoryhub.recall.blocks import RESERVE, Block, fitted
from memoryhub.recall.request import NEWS, RecallRequest
from memoryhub.recall.start import StartFacts, start_facts
from memoryhub.recall.texts import NamedPaths, Passage, TextAt, named_paths, texts_at
from memoryhub.recall.work import Work, newest_work
from memoryhub.sync.edit.gate import is_private
from memoryhub.values import tokens
from memoryhub.values.limits import RECALL_LEAST, RECALL_MOST
from snapshots.models import Compaction, Snapshot
from topics.models import SessionBinding, Topic

FORMS = ("hub", "snap-memory", "openclaw")
#: The parts of the budget reserved for news and missing paths, and for what stands
#: beside a topic.
_PATHS_SHARE, _BESIDE_SHARE = 6, 4
#: Most lines of each kind of news.
_NEWS = 10


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


def last_compaction(topic: Topic) -> Compaction | None:
    """Return the newest compaction in a topic's history."""
    rows = Compaction.objects.filter(topic=topic)
    return rows.order_by("-first_seq", "-occurred_at").first()


def recall_of(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Recall:
    """Return exactly the text an agent will be given, for a topic or without one.

    OpenClaw's form never has a topic, and snap-memory's is empty without one.
    """
    if request.form == "openclaw":
        return _openclaw(start_facts(workspace, request.now, request.seq), request)
    if request.form == "snap-memory":
        is_gone = topic is None or (topic.last_seq is not None and request.seq is None)
        text = "" if topic is None or is_gone else _topic_text(topic, request)
        if topic is None or not text.strip():
            return Recall("snap-memory", "", (), notices=(Notice("no-topic-text"),))
        head = injection.wrap("")
        whole = tokens.shown(text)
        blocks = (
            Block("safety", head, whole=tokens.shown(head), fixed=True),
            Block("topic", text, topic.file.path, whole, fixed=True),
        )
        bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
        notices = () if bound.exists() else (Notice("unbound"),)
        return Recall("snap-memory", injection.wrap(text), blocks, notices=notices)
    return _hub(workspace, topic, request)


def recall_and_last(
    topic: Topic, request: RecallRequest
) -> tuple[Recall, Recall | None]:
    """Return the text an agent will be given, and that after the last compaction.

    The second is None if the topic's history has no compaction.
    """
    now = recall_of(topic.workspace, topic, request)
    compaction = last_compaction(topic)
    if compaction is None:
        return now, None
    seq, at = compaction.first_seq, compaction.occurred_at
    then = replace(request, text=None, seq=seq, now=at, news={})
    last = recall_of(topic.workspace, topic, then)
    precision = compaction.precision
    return now, replace(last, requested_at=at, requested_precision=precision)


def _topic_text(topic: Topic, request: RecallRequest) -> str:
    """Return the text of a topic's file; empty if it is for private sessions only."""
    if not request.private and is_private(topic.file.path):
        return ""
    if request.text is not None:
        return request.text
    wanted = TextAt(topic.file, topic.last_seq, request.seq)
    return texts_at(topic.workspace, [wanted])[0]


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


def _sections(
    workspace: Workspace,
    topic: Topic | None,
    request: RecallRequest,
    work: Work,
    text: str,
) -> Iterator[tuple[str, Passage | None]]:
    """Yield the passages of the hub's form, in their order.

    First the topic, or without one long-term memory; then what concerns it; without a
    topic also the newest notes.
    """
    known = files.files_of_recall(workspace, request.agent, private=request.private)
    yield "found", request.found
    if topic is not None:
        gone = ", whose file was deleted" if _is_gone(topic, request) else ""
        path = topic.file.path
        yield "topic", Passage(f"Topic{gone}", text, path, 1, f"{topic.name} ({path})")
    else:
        yield from files.memory_passages(known.memory, workspace)
    yield "snapshot", work.passage
    if topic is not None and request.seq is None:
        yield "decision-states", lists.decision_states(topic, text)
    yield "handoffs", lists.handoffs(workspace, topic, request)
    if topic is None and known.handoff:
        heading = "Newest handoff note"
        for _, passage in files.file_passages([known.handoff], heading, ""):
            yield "handoff-note", passage
    yield from lists.directives(workspace, topic, request)
    yield "decisions", lists.decisions(workspace, topic, request)
    yield "open-items", lists.open_items(workspace, topic, request)
    if topic is None:
        yield "entries", lists.entries(workspace, request)
        yield from files.note_passages(known.notes)


def _beside(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Iterator[tuple[str, Passage | None]]:
    """Yield what stands beside a topic: long-term memory, and what others have."""
    if topic is not None:
        known = files.files_of_recall(workspace, request.agent, private=request.private)
        index = [file for file in known.memory if file.is_index]
        yield from files.memory_passages(index, workspace, request.seq)
        yield "other-decisions", lists.other_decisions(topic, request)
        yield "other-items", lists.other_items(topic, request)
    yield "topics", lists.topics(workspace, topic, request)
    if request.seq is None:
        yield "suggested", lists.suggested(workspace, topic, request)


def _is_gone(topic: Topic, request: RecallRequest) -> bool:
    end = topic.last_seq
    return end is not None and (request.seq is None or end <= request.seq)


def _hub(workspace: Workspace, topic: Topic | None, request: RecallRequest) -> Recall:
    work = newest_work(workspace, topic, request)
    said = "" if topic is None else _topic_text(topic, request)
    passages = _with_text(_sections(workspace, topic, request, work, said))
    others = _with_text(_beside(workspace, topic, request)) if request.beside else []
    news = [
        (key, passage)
        for key, heading in NEWS.items()
        if (passage := lists.listed(heading, request.news.get(key, ()), _NEWS))
    ]
    if not passages and topic is None:
        rest = files.files_of_recall(workspace, request.agent, private=request.private)
        passages = list(files.file_passages(rest.rest, "Newest file", "file"))
    if not (passages or others or news):
        return Recall("hub", "", (), notices=(Notice("no-topic-text"),))
    budget = min(max(request.budget, RECALL_LEAST), RECALL_MOST)
    head = injection.HUB_HEADER
    left = 4 * budget - tokens.quarters(head) - RESERVE
    reserve = left // _PATHS_SHARE if request.there or news else 0
    aside = _size(fitted(others, left // _BESIDE_SHARE, request.leaves_out))
    quoted = fitted(passages, left - reserve - aside, request.leaves_out)
    quoted += fitted(others, left - reserve - _size(quoted), request.leaves_out)
    left -= _size(quoted)
    paths = NamedPaths()
    if request.there is not None:
        texts = [(block.path, injection.unquoted(block.text)) for block in quoted]
        paths = named_paths(texts, workspace.root, request.there)
    added = fitted([*news, *_missing(paths)], left, request.leaves_out)
    safety = Block("safety", head, whole=tokens.shown(head), fixed=True)
    blocks = (safety, *quoted, *added)
    text = "\n".join(block.text for block in blocks if block.text)
    # Of a key the part before the path: no word of a file stands outside quotes.
    gone = [b.key.partition(":")[0] for b in blocks if b.cut == "budget-all"]
    if gone := list(dict.fromkeys(gone)):
        text += f"\n[Left out for the budget of {budget} tokens: {', '.join(gone)}]\n"
    notices = list(_notices(topic, request, work.snapshot))
    if cut := [block.key for block in blocks if block.cut in {"budget", "budget-all"}]:
        notices.append(Notice("over-budget", {"budget": budget, "blocks": cut}))
    if not said.strip():
        notices.append(Notice("no-topic-text"))
    elif topic is not None and _is_gone(topic, request):
        notices.append(Notice("topic-deleted"))
    return Recall(
        "hub",
        text,
        blocks,
        budget,
        work.snapshot,
        work.fallback,
        request.now,
        tuple(notices),
        paths,
    )


def _with_text(
    passages: Iterable[tuple[str, Passage | None]],
) -> list[tuple[str, Passage]]:
    return [
        (key, passage)
        for key, passage in passages
        if passage is not None and without_markup(passage.text).strip()
    ]


def _size(blocks: Iterable[Block]) -> int:
    """Return the size of blocks in quarters of a token."""
    return sum(tokens.quarters(block.text) + 1 for block in blocks if block.text)


def _missing(paths: NamedPaths) -> Iterator[tuple[str, Passage]]:
    """Yield the passages on paths that are missing or elsewhere."""
    if paths.gone:
        heading = f"Named above, but not in this workspace ({len(paths.gone)})"
        yield "gone", Passage(heading, "\n".join(paths.gone))
    if paths.outside:
        heading = f"Named above, outside this workspace ({len(paths.outside)})"
        yield "outside", Passage(f"{heading}: not checked", "\n".join(paths.outside))


def _notices(
    topic: Topic | None, request: RecallRequest, snapshot: Snapshot | None
) -> Iterator[Notice]:
    """Yield the compaction and the decision that are newer than a topic's snapshot."""
    taken = snapshot.stated_at if snapshot else None
    if topic is None or taken is None:
        return
    compaction = last_compaction(topic)
    if compaction is not None and taken < compaction.occurred_at:
        yield Notice("snapshot-before-compaction", {"at": compaction.occurred_at})
    newest = lists.standing(topic.workspace, request).filter(topic=topic).first()
    if newest and newest.occurred_at > taken and not vars(newest)["is_untimed"]:
        words = {"text": newest.text, "code": newest.code, "at": newest.occurred_at}
        yield Notice("decision-after-snapshot", words)
