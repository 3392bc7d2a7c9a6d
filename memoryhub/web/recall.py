"""Recall of a topic, or of a workspace without one: page and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.diffing import (
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.versions import text_of, version_at
from memoryhub.people.policy import workspace_or_404
from memoryhub.recall.blocks import Block
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import FORMS, Notice, Recall, recall_and_last, recall_of
from memoryhub.sync.edit.editing import staged_text
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.writing import presence_in
from memoryhub.timeline.queries.in_play import overlaps_of
from memoryhub.values.limits import (
    RECALL_LEAST,
    RECALL_MOST,
    RECALL_TOKENS,
    STARTUP_ALL,
    STARTUP_FILE,
    STARTUP_FILE_BYTES,
    STARTUP_INDEX,
)
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    typed,
    whole_number,
)
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import (
    FilterLink,
    ListQuery,
    names_known,
    parameter,
    whole,
)
from topics.models import Topic
from topics.queries.topics import agents_of, topics_named

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
                "url": self._addresses.file(block.path, line=block.first)
                if block.path
                else "",
                "tokens": block.tokens,
                "whole": block.whole,
                "cut": _cut(block),
                "checked": block.cut != "unchecked",
                "fixed": block.fixed,
            }
            for block in self.recall.blocks
        ]

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


@require_GET
def recall(request: HtmxRequest, slug: str, address: str) -> HttpResponse:
    """Show the exact recall that agents get for a topic, block by block."""
    workspace = workspace_or_404(slug)
    topic = _topic(workspace, address)
    addresses = addresses_of(slug)
    if topic is None:
        return redirect(addresses.topic(address))
    wanted, staged = _request(request, workspace, topic)
    query = RecallQuery.of(request, known=_known(workspace))
    given = query.given(request)
    recalls: tuple[Recall, Recall | None] = (
        recall_and_last(topic, wanted)
        if request.GET.get("view") == "changes"
        else (recall_of(workspace, topic, wanted), None)
    )
    page = addresses.topic(address, "recall")
    crumbs = [
        (gettext("Topics"), addresses.topics),
        (topic.name, addresses.topic(address)),
        (gettext("Recall"), page),
    ]
    shell = shell_of(workspace, crumbs, topic=topic.slug)
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("What agents get about %(topic)s") % {"topic": topic.name},
        "recall_page": RecallPage(shell, topic, page, given, recalls, staged),
        "query": query,
    }
    return page_or_partial(
        request, "recall/recall.html", "recall/_recall_parts.html", context
    )


@require_GET
def workspace_recall(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the exact recall that agents get that work on no topic, block by block."""
    workspace = workspace_or_404(slug)
    wanted = _plain_request(request, workspace)
    query = RecallQuery.of(request, known=_known(workspace))
    given = query.given(request)
    found = recall_of(workspace, None, wanted)
    page = addresses_of(slug).recall
    shell = shell_of(workspace, [(gettext("Recall"), page)])
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("What agents get without a topic"),
        "recall_page": RecallPage(shell, None, page, given, (found, None), ""),
        "query": query,
    }
    return page_or_partial(
        request, "recall/recall.html", "recall/_recall_parts.html", context
    )


@require_GET
def workspace_recall_text(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the recall of a workspace as text."""
    workspace = workspace_or_404(slug)
    RecallQuery.of_text(request)
    wanted = _plain_request(request, workspace)
    text = recall_of(workspace, None, wanted).text
    return markdown_response(masked_for_agents(workspace, text))


@require_GET
def recall_text(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the recall of a topic as text."""
    workspace = workspace_or_404(slug)
    topic = _topic(workspace, address)
    if topic is None:
        raise Http404
    RecallQuery.of_text(request)
    wanted, _ = _request(request, workspace, topic)
    text = recall_of(workspace, topic, wanted).text
    return markdown_response(masked_for_agents(workspace, text))


def _known(workspace: Workspace) -> dict[str, Callable[[str], object]]:
    return {"agent": names_known(workspace)["agent"]}


def _topic(workspace: Workspace, address: str) -> Topic | None:
    """Return the topic of an address; None if several have the name.

    Raises:
        Http404: None has it.
    """
    found = topics_named(workspace, address)
    if not found:
        raise Http404
    return found[0] if len(found) == 1 else None


def _plain_request(request: HttpRequest, workspace: Workspace) -> RecallRequest:
    wanted = request_of(request.GET.dict(), request.GET.getlist("block"))
    return replace(
        wanted,
        there=presence_in(workspace),
        news={"overlaps": overlaps_of(workspace, wanted.agent, timezone.now())},
    )


def _request(
    request: HttpRequest, workspace: Workspace, topic: Topic
) -> tuple[RecallRequest, str]:
    """Return the request, and the state of staged edits.

    "" for none, ``there`` if not included, ``in`` if included, ``conflict``.
    """
    wanted = _plain_request(request, workspace)
    topic.workspace = workspace
    if not workspace.review_before_writing:
        return wanted, ""
    path = topic.file.path
    version = version_at(workspace, path)
    text = text_of(version) if version else ""
    try:
        after = staged_text(workspace, path, text)
    except (Conflict, FormatError):
        return wanted, "conflict"
    if after == text:
        return wanted, ""
    if not request.GET.get("staged"):
        return wanted, "there"
    return replace(wanted, text=after), "in"
