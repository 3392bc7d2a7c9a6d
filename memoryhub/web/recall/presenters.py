"""Presenter of a recall: of a topic, or of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.formats.text.diffing import (
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.journal.models import Agent, Workspace
from memoryhub.recall.blocks import Block
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import FORMS, Notice, Recall
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
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter, whole
from snapshots.queries.snapshots import agents_of
from topics.models import Topic

#: Most changed lines of a comparison.
_SHOWN_CHANGES = 400
#: Most agents that can be chosen.
_AGENTS = 50
_FORM_LABELS: dict[str, Promise] = {
    "hub": gettext_lazy("MemoryHub"),
    "snap-memory": gettext_lazy("snap-memory"),
    "openclaw": gettext_lazy("OpenClaw start"),
}
_BLOCKS: dict[str, Promise] = {
    "safety": gettext_lazy("Safety header"),
    "topic": gettext_lazy("Topic file"),
    "snapshot": gettext_lazy("Newest snapshot"),
    "decision-states": gettext_lazy("State of decisions"),
    "handoffs": gettext_lazy("Open handoffs"),
    "handoff-note": gettext_lazy("Newest handoff note"),
    "directives": gettext_lazy("Directed by people"),
    "rules": gettext_lazy("Rules noted in memory"),
    "suggested": gettext_lazy("Suggested from the text"),
    "decisions": gettext_lazy("Recent decisions"),
    "found": gettext_lazy("Found for the question"),
    "open-items": gettext_lazy("Open items"),
    "other-items": gettext_lazy("Other open items"),
    "other-decisions": gettext_lazy("Other decisions"),
    "topics": gettext_lazy("Other topics"),
    "entries": gettext_lazy("Newest entries of logs"),
    "files": gettext_lazy("Newest notes"),
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
    "topic-deleted": (
        gettext_lazy("The topic's file was deleted: this is its last version."),
        gettext_lazy("Open the file"),
    ),
    "no-index": (
        gettext_lazy("There is no MEMORY.md at the top of this workspace."),
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
class RecallQuery(ListQuery):
    """Parameters of a recall's page, to name those that it does not know."""

    form: str = parameter("form", choices=FORMS)
    agent: str = parameter("agent")
    budget: int = parameter("budget", default=0, read=whole(7))
    block: str = parameter("block")
    chosen: str = parameter("chosen")
    staged: str = parameter("staged")
    view: str = parameter("view", choices=("changes",))


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


class RecallPage:
    """A recall as its page shows it, with the one after the last compaction, if any.

    Without a topic it is what agents get that work on none. `staged` is the state of
    edits that are not exported: "", ``there`` if not included, ``in`` if included,
    ``conflict``.
    """

    least, most = RECALL_LEAST, RECALL_MOST

    def __init__(
        self,
        shell: Shell,
        topic: Topic | None,
        path: str,
        query: QueryDict,
        recalls: tuple[Recall, Recall | None],
        staged: str,
    ) -> None:
        self.topic, self.path, self.staged = topic, path, staged
        self.recall, self._last = recalls
        self.agent = typed(query, "agent")
        self.agents = agents_of(topic) if topic else agent_names(shell.workspace)
        self.budget = self.recall.budget
        self.view = "changes" if query.get("view") == "changes" else ""
        self._addresses, self._clock = shell.addresses, shell.clock
        self._query = query

    @property
    def text_url(self) -> str:
        path = f"{self.path.removesuffix('/')}.md"
        return _with(path, self._query, view="")

    @property
    def age(self) -> str:
        snapshot = self.recall.snapshot
        at = snapshot.stated_at if snapshot else None
        return self._clock.age(at) if at else ""

    @property
    def forms(self) -> list[FilterLink]:
        return [
            FilterLink(
                str(_FORM_LABELS[form]),
                with_query(self.path, form=form, agent=self.agent),
                current=form == self.recall.form,
            )
            for form in FORMS
            if self.topic or form != "snap-memory"
        ]

    @property
    def views(self) -> list[FilterLink]:
        labels = {"": gettext("Text"), "changes": gettext("Changes since last time")}
        if self.topic is None:
            return []
        return [
            FilterLink(
                label,
                _with(self.path, self._query, view=view),
                current=view == self.view,
            )
            for view, label in labels.items()
        ]

    @property
    def blocks(self) -> list[dict[str, object]]:
        """Return the blocks with label, address and reason of a cut."""
        return [
            {
                "key": block.key,
                "label": _label(block),
                "url": self._file(block) if block.path else "",
                "tokens": block.tokens,
                "whole": block.whole,
                "cut": _cut(block),
                "checked": block.cut != "unchecked",
                "fixed": block.fixed,
            }
            for block in self.recall.blocks
        ]

    def _file(self, block: Block) -> str:
        return self._addresses.file(block.path, line=block.first)

    @property
    def notices(self) -> list[dict[str, str]]:
        notices = self.recall.notices
        if self.topic is None:
            return [self._notice(one) for one in notices if one.code != "no-topic-text"]
        found = [self._notice(notice) for notice in notices]
        if self.recall.fallback:
            words = str(_FALLBACKS[self.recall.fallback])
            url = self._addresses.topic(self.topic.slug, "snapshots")
            action = gettext("Snapshots of this topic")
            found.append({"text": words, "url": url, "action": action})
        return found

    def _notice(self, notice: Notice) -> dict[str, str]:
        if notice.code == "over-budget":
            return self._over_budget()
        text, action = _NOTICES[notice.code]
        url = self._remedy(notice)
        words = str(text) % notice.parameters
        return {"text": words, "url": url, "action": str(action)}

    def _remedy(self, notice: Notice) -> str:
        """Return the address of a notice's remedy."""
        addresses, topic = self._addresses, self.topic
        decision = str(notice.parameters.get("code", ""))
        places = {
            "decision-after-snapshot": addresses.decision(decision),
            "unbound": addresses.sessions,
        }
        if topic is not None:
            places["snapshot-before-compaction"] = addresses.topic(topic.slug)
            file = addresses.file(topic.file.path)
            places |= dict.fromkeys(("no-topic-text", "topic-deleted"), file)
        return places.get(notice.code, addresses.files)

    def _over_budget(self) -> dict[str, str]:
        cut = [b for b in self.recall.blocks if b.cut in {"budget", "budget-all"}]
        words = {
            "budget": self.budget,
            "what": gettext("; ").join(_cut_words(block) for block in cut),
        }
        text = gettext("Left out to stay within %(budget)s tokens: %(what)s.")
        more = min(self.budget * 2, RECALL_MOST)
        url = _with(self.path, self._query, budget=str(more))
        action = gettext("Show with %(n)s tokens") % {"n": more}
        return {"text": text % words, "url": url, "action": action}

    @cached_property
    def changes(self) -> dict[str, Any]:
        """Return the differences from the recall after the last compaction."""
        if not self.view or self._last is None:
            return {}
        lines = diff_lines(split_text(self._last.text), split_text(self.recall.text))
        added, removed = change_counts(lines)
        found = hunks(lines)
        cut = added + removed > _SHOWN_CHANGES
        shown = first_changes(found, _SHOWN_CHANGES) if cut else found
        at = self._last.requested_at
        when = self._clock.stated(at, self._last.requested_precision) if at else ""
        return {
            "when": when,
            "hunks": shown,
            "added": added,
            "removed": removed,
            "cut": cut,
        }


def agent_names(workspace: Workspace) -> tuple[str, ...]:
    """Return the names of a workspace's agents."""
    rows = Agent.objects.filter(workspace=workspace)
    return tuple(rows.order_by("name").values_list("name", flat=True)[:_AGENTS])


def _label(block: Block) -> str:
    name, _, path = block.key.partition(":")
    return path or str(_BLOCKS.get(name, name))


def _cut(block: Block) -> str:
    """Return why a block is cut, and which lines; "" where nothing is missing."""
    cut = str(_CUTS.get(block.cut, "")) % {"n": f"{_CUT_AT.get(block.cut, 0):,}"}
    if block.first:
        words = {"first": block.first, "last": block.last, "why": cut}
        cut = gettext("lines %(first)s–%(last)s %(why)s") % words
    return cut


def _cut_words(block: Block) -> str:
    if not block.first:
        return _label(block)
    words = {"first": block.first, "last": block.last, "path": block.path}
    return gettext("lines %(first)s–%(last)s of %(path)s") % words


def _with(path: str, query: QueryDict, **changes: str) -> str:
    """Return an address with parameters of its query replaced or removed."""
    copy = query.copy()
    for name, value in changes.items():
        copy.pop(name, None)
        if value:
            copy[name] = value
    return f"{path}?{copy.urlencode()}" if copy else path
