"""Presenter of a topic's recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.formats.text.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.recall.blocks import Block
from memoryhub.recall.topic import FORMS, Notice, Recall, RecallRequest
from memoryhub.values.limits import (
    RECALL_LEAST,
    RECALL_MOST,
    RECALL_TOKENS,
    STARTUP_ALL,
    STARTUP_FILE,
    STARTUP_FILE_BYTES,
    STARTUP_INDEX,
)
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.links import with_query
from topics.models import Topic

#: Most changed lines of a comparison.
_SHOWN_CHANGES = 400
_FORM_LABELS: dict[str, Promise] = {
    "hub": gettext_lazy("MemoryHub"),
    "snap-memory": gettext_lazy("snap-memory"),
    "openclaw": gettext_lazy("OpenClaw start"),
}
_BLOCKS: dict[str, Promise] = {
    "safety": gettext_lazy("Safety header"),
    "topic": gettext_lazy("Topic file"),
    "snapshot": gettext_lazy("Newest snapshot"),
    "handoffs": gettext_lazy("Open handoffs"),
    "decisions": gettext_lazy("Recent decisions"),
    "index": gettext_lazy("Memory index"),
    "overlaps": gettext_lazy("Files that another agent changes too"),
    "gone": gettext_lazy("Paths that are not there"),
    "outside": gettext_lazy("Paths outside the workspace"),
}
_CUTS: dict[str, Promise] = {
    "unchecked": gettext_lazy("left out by you"),
    "budget": gettext_lazy("cut to stay within the budget"),
    "budget-all": gettext_lazy("left out to stay within the budget"),
    "file-bytes": gettext_lazy("not read: larger than %(n)s bytes"),
    "file-chars": gettext_lazy("cut after %(n)s characters"),
    "total-chars": gettext_lazy("cut: %(n)s characters for all days"),
    "index-chars": gettext_lazy("its middle is cut: %(n)s characters"),
}
_CUT_AT = {
    "file-bytes": STARTUP_FILE_BYTES,
    "file-chars": STARTUP_FILE,
    "total-chars": STARTUP_ALL,
    "index-chars": STARTUP_INDEX,
}
_FALLBACKS: dict[str, Promise] = {
    "session-memory": gettext_lazy(
        "No snapshot of this topic; its newest session memory is used instead."
    ),
    "agent-snapshot": gettext_lazy(
        "No snapshot names this topic; the newest one of an agent bound to it is used"
        " instead."
    ),
    "notes": gettext_lazy(
        "No snapshot of this topic; its newest notes are used instead."
    ),
    "none": gettext_lazy(
        "No snapshot, session memory or notes for this topic: only its file."
    ),
}


#: Text of a notice, and label of its action.
_NOTICES: dict[str, tuple[Promise, Promise]] = {
    "snapshot-before-compaction": (
        gettext_lazy("The newest snapshot is older than the last compaction."),
        gettext_lazy("See what happened since"),
    ),
    "decision-after-snapshot": (
        gettext_lazy("A decision is newer than the snapshot: “%(text)s”"),
        gettext_lazy("Open the decision"),
    ),
    "unbound": (
        gettext_lazy(
            "No session is bound to this topic: snap-memory gives nothing until one is."
        ),
        gettext_lazy("Bind a session"),
    ),
    "no-topic-text": (
        gettext_lazy(
            "The topic's file is empty or deleted, so nothing of it is included."
        ),
        gettext_lazy("Open the file"),
    ),
    "no-index": (
        gettext_lazy("There is no MEMORY.md in this workspace."),
        gettext_lazy("See the files"),
    ),
    "no-daily": (
        gettext_lazy(
            "There is no log of today or yesterday, so no start context is given."
        ),
        gettext_lazy("See the files"),
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A link to another form or view of the recall."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of the recall; a fixed one cannot be left out."""

    key: str
    label: str
    url: str
    tokens: int
    whole: int
    cut: str
    checked: bool
    fixed: bool


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice with the address of its remedy."""

    text: str
    url: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """Differences from the recall after the last compaction."""

    when: str
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    cut: bool


@dataclass(frozen=True, slots=True)
class RecallPage:
    """Template values of the recall's page."""

    topic: Topic
    recall: Recall
    path: str
    text_url: str
    forms: tuple[Choice, ...]
    views: tuple[Choice, ...]
    blocks: tuple[ShownBlock, ...]
    notices: tuple[ShownNotice, ...]
    age: str
    agent: str
    agents: tuple[str, ...]
    view: str
    changes: Changes | None
    compared: bool
    staged: str
    budget: int
    least: int = RECALL_LEAST
    most: int = RECALL_MOST


def request_of(query: Mapping[str, str], blocks: list[str]) -> RecallRequest:
    """Parse the query of a recall; invalid values are ignored."""
    form = query.get("form", "")
    budget = whole_number(query.get("budget", ""), digits=7)
    return RecallRequest(
        form=form if form in FORMS else FORMS[0],
        agent=typed(query, "agent"),
        budget=RECALL_TOKENS if budget is None else budget,
        only=frozenset(blocks) if query.get("chosen") else None,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """Context of a recall's page."""

    shell: Shell
    topic: Topic
    path: str
    text_path: str
    query: QueryDict
    agents: tuple[str, ...]
    staged: str = ""


def recall_page(
    shown: Shown, asked: RecallRequest, recall: Recall, last: Recall | None
) -> RecallPage:
    """Return the page of a recall; with `last` also the differences from it."""
    comparing = shown.query.get("view") == "changes"
    snapshot = recall.snapshot
    return RecallPage(
        topic=shown.topic,
        recall=recall,
        path=shown.path,
        text_url=_with(shown.text_path, shown.query, view=""),
        forms=tuple(
            Choice(
                str(_FORM_LABELS[form]),
                with_query(shown.path, form=form, agent=asked.agent),
                form == recall.form,
            )
            for form in FORMS
        ),
        views=(
            Choice(gettext("Text"), _address(shown, view=""), not comparing),
            Choice(
                gettext("Changes since last time"),
                _address(shown, view="changes"),
                comparing,
            ),
        ),
        blocks=tuple(_shown_block(shown, block) for block in recall.blocks),
        notices=tuple(_notices(shown, recall)),
        age=shown.shell.clock.age(snapshot.occurred_at) if snapshot else "",
        agent=asked.agent,
        agents=shown.agents,
        view="changes" if comparing else "",
        changes=_changes(shown, recall, last) if comparing else None,
        compared=last is not None,
        staged=shown.staged,
        budget=recall.budget,
    )


def _address(shown: Shown, **query: str) -> str:
    return _with(shown.path, shown.query, **query)


def _with(path: str, query: QueryDict, **said: str) -> str:
    """Return an address with parameters of its query replaced or removed."""
    copy = query.copy()
    for name, value in said.items():
        copy.pop(name, None)
        if value:
            copy[name] = value
    return f"{path}?{copy.urlencode()}" if copy else path


def _shown_block(shown: Shown, block: Block) -> ShownBlock:
    name, _, path = block.key.partition(":")
    label = path or str(_BLOCKS.get(name, name))
    cut = str(_CUTS.get(block.cut, "")) % {"n": f"{_CUT_AT.get(block.cut, 0):,}"}
    if block.first:
        words = {"first": block.first, "last": block.last, "why": cut}
        cut = gettext("lines %(first)s–%(last)s %(why)s") % words
    url = ""
    if block.path:
        url = shown.shell.addresses.file(block.path, line=block.first)
    return ShownBlock(
        block.key,
        label,
        url,
        block.tokens,
        block.whole,
        cut,
        block.cut != "unchecked",
        block.fixed,
    )


def _notices(shown: Shown, recall: Recall) -> list[ShownNotice]:
    found = [_notice(shown, recall, notice) for notice in recall.notices]
    if recall.fallback:
        words = str(_FALLBACKS[recall.fallback])
        url = shown.shell.addresses.topic(shown.topic.slug, "snapshots")
        found.append(ShownNotice(words, url, gettext("Snapshots of this topic")))
    return found


def _notice(shown: Shown, recall: Recall, notice: Notice) -> ShownNotice:
    if notice.code == "over-budget":
        return _over_budget(shown, recall)
    text, action = _NOTICES[notice.code]
    url = _place(shown, notice)
    return ShownNotice(str(text) % notice.parameters, url, str(action))


def _place(shown: Shown, notice: Notice) -> str:
    """Return the address of a notice's remedy."""
    addresses, topic = shown.shell.addresses, shown.topic
    code = notice.parameters.get("code", "")
    places = {
        "snapshot-before-compaction": addresses.topic(topic.slug),
        "decision-after-snapshot": addresses.decision(str(code)),
        "unbound": addresses.sessions,
        "no-topic-text": addresses.file(topic.file.path),
    }
    return places.get(notice.code, addresses.files)


def _over_budget(shown: Shown, recall: Recall) -> ShownNotice:
    cut = [b for b in recall.blocks if b.cut in {"budget", "budget-all"}]
    words = {
        "budget": recall.budget,
        "what": "; ".join(_cut_words(block) for block in cut),
    }
    text = gettext("Over the budget of %(budget)s tokens. Left out: %(what)s.") % words
    budget = min(recall.budget * 2, RECALL_MOST)
    action = gettext("Show with %(n)s tokens") % {"n": budget}
    return ShownNotice(text, _address(shown, budget=str(budget)), action)


def _cut_words(block: Block) -> str:
    if not block.first:
        return str(_BLOCKS.get(block.key, block.key))
    words = {"first": block.first, "last": block.last, "path": block.path}
    return gettext("lines %(first)s–%(last)s of %(path)s") % words


def _changes(shown: Shown, recall: Recall, last: Recall | None) -> Changes | None:
    if last is None:
        return None
    lines = diff_lines(split_text(last.text), split_text(recall.text))
    added, removed = change_counts(lines)
    found = hunks(lines)
    cut = added + removed > _SHOWN_CHANGES
    shown_hunks = first_changes(found, _SHOWN_CHANGES) if cut else found
    clock, at = shown.shell.clock, last.told_at
    when = clock.stated(at, last.told_precision) if at else ""
    return Changes(when, tuple(shown_hunks), added, removed, cut)
