"""Decision log, detail page with its context, rejection and sign-off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.comments.models import Thread
from memoryhub.dialects.decision_log import render_decision, render_log
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import (
    DiffLine,
    Hunk,
    diff_lines,
    hunks,
    split_text,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import wanted_handoffs
from memoryhub.handoffs.queries.decisions import citing, unsigned
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries.days import changed_on_disk, directives_of
from memoryhub.web.comments import row_panel
from memoryhub.web.decisions.rows import (
    DecisionQuery,
    DirectiveQuery,
    dated_rows,
    day_of,
    day_with_source,
    directive_rows,
    dropped_text,
    facet_links,
    handoff_url,
    headed_by,
    month_links,
    months_of,
    rejected_text,
    signed_text,
    staged_rows,
)
from memoryhub.web.handoffs.cards import card_row, title_of
from memoryhub.web.kit.clock import recorded_text
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, markdown_response, page_or_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, names_known, takes
from memoryhub.web.kit.prose import without_marks
from memoryhub.web.kit.responses import SeeOther, answer_change
from memoryhub.web.kit.state_labels import DECISION_STATES, HANDOFF_STATES
from memoryhub.web.topics.forms import author_of, line
from topics.models import Decision
from topics.queries.decisions import (
    PAGE_SIZE,
    chain_of,
    decision_by_code,
    decision_text,
    decision_texts,
    decisions_page,
    facets_of,
    maybe_chained,
    newest_first,
    snapshots_with,
    spoken_in,
    staged_decisions,
    statements_of,
    version_and_before,
)
from topics.queries.topics import Spoken
from topics.services.decisions import (
    reject,
    standing,
    unsigned_line,
    write_sign_off,
)
from topics.services.topics import new_key

#: Most hunks shown of the revision that introduced a decision.
_HUNKS = 3
#: Lines shown before and after the decision's own.
_AROUND = 2
#: Characters of a line beside the decision's own.
_SHORT = 200
#: Most unsigned decisions above the log; with the filter "unsigned" all are shown.
_ABOVE = 5


def shown_spoken(spoken: Spoken, shell: Shell) -> dict[str, Any]:
    """Return one source of a decision, present or past."""
    source, addresses = spoken.source, shell.addresses
    path = source.file.path
    return {
        "path": path,
        "line": source.first_line,
        "url": addresses.file(path, line=source.first_line, rev=source.newest_seq),
        "reason": source.value,
        "since": recorded_text(spoken.first, shell.clock),
        "until": ""
        if source.last_seq is None
        else recorded_text(spoken.last, shell.clock),
    }


def introduced(
    spoken: Sequence[Spoken],
) -> tuple[Spoken | None, tuple[Hunk, ...]]:
    """Return the earliest source of a decision and the hunks around its line."""
    first = min(spoken, key=lambda each: each.source.first_seq, default=None)
    if first is None or first.first is None:
        return first, ()
    new, old = version_and_before(first.first)
    before = split_text(decode(old).text)
    found = hunks(diff_lines(before, split_text(decode(new).text)))
    return first, tuple(_near(found, first.source.first_line))


def _near(found: Sequence[Hunk], line: int) -> list[Hunk]:
    """Return up to three hunks, cut to a few lines around `line`.

    A new file is a single hunk as long as itself.
    """
    lines = [
        Hunk(
            tuple(
                each if each.new == line else _shortened(each)
                for each in hunk.lines
                if each.new is None or abs(each.new - line) <= _AROUND
            ),
            0,
        )
        for hunk in found
    ]
    return [hunk for hunk in lines if any(each.new for each in hunk.lines)][:_HUNKS]


def _shortened(line: DiffLine) -> DiffLine:
    """Cut a line of a comparison to the width of its column."""
    if len(line.text) <= _SHORT:
        return line
    return replace(line, parts=((f"{line.text[:_SHORT]}…", False),))


def waiting_for(query: DecisionQuery, shell: Shell) -> dict[str, Any]:
    """Return the decisions that wait for a sign-off and match the log's query.

    A handoff has no month, so a filter by month excludes all. Only the first page of
    the log shows cards.
    """
    filters = wanted_handoffs(
        shell.workspace, agent=query.agent, text=query.text, topic=query.topic
    )
    cards = cached(
        shell.workspace,
        ("unsigned", filters),
        lambda: unsigned(shell.workspace, filters, shell.clock.now),
    )
    if query.month:
        cards = ()
    most = {Decision.State.UNSIGNED.value: len(cards), "": _ABOVE}.get(query.state, 0)
    shown = cards[:most] if query.before is None else ()
    return {
        "total": len(cards),
        "shown": [card_row(card, shell) for card in shown],
        "more": len(cards) - len(shown) if shown else 0,
    }


def citing_rows(
    decision: Decision, spoken: Sequence[Spoken], shell: Shell
) -> list[dict[str, Any]]:
    """Return the handoffs that a decision cites, or that cite it."""
    texts = [decision.reason, *(each.source.value for each in spoken)]
    found = cached(
        shell.workspace,
        ("citing", decision.id),
        lambda: citing(shell.workspace, decision.text, texts),
    )
    return [_row(handoff, shell) for handoff in found]


def _row(handoff: Handoff, shell: Shell) -> dict[str, Any]:
    state, label = HANDOFF_STATES[handoff.state]
    return {
        "url": shell.addresses.handoff(handoff.code),
        "title": title_of(handoff),
        "id": handoff.name,
        "sender": handoff.sender or "?",
        "recipient": handoff.recipient or "?",
        "state": state,
        "state_label": str(label),
    }


@require_GET
def decision_list(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the decision log over all files."""
    workspace = workspace_or_404(slug)
    query = DecisionQuery.of(request, known=names_known(workspace))
    wanted, before = query.wanted(workspace), query.before
    entries, following = cached(
        workspace,
        ("decisions", wanted, before),
        lambda: decisions_page(wanted, before),
    )
    shell = shell_of(workspace, [(gettext("Decisions"), request.path)])
    facets = cached(workspace, ("facets", wanted), lambda: facets_of(wanted))
    context = {
        "shell": shell,
        "page": "decisions",
        "title": gettext("Decisions"),
        "query": query,
        "total": facets.total,
        "waiting": waiting_for(query, shell),
        "waiting_url": query.address(state=Decision.State.UNSIGNED),
        "months": months_of(entries, query.text, shell),
        "next": query.address(before=following) if following else "",
        "facets": facet_links(facets, query, workspace),
        "rail": month_links(facets, query),
        "staged": staged_rows(staged_decisions(workspace), shell),
        "new_url": shell.addresses.decision_new(topic=query.topic),
        "text_url": f"{request.path.removesuffix('/')}.md",
    }
    return page_or_partial(
        request, "decisions/decision_list.html", "decisions/_decisions.html", context
    )


@require_GET
def directive_list(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the directives of people, or the rules that memory notes."""
    workspace = workspace_or_404(slug)
    query = DirectiveQuery.of(request)
    people = query.origin == "people"
    title = (
        gettext("Directed by people") if people else gettext("Rules noted in memory")
    )
    shell = shell_of(workspace, [(title, request.path)])
    found = directives_of(workspace, people=people).filter(text__icontains=query.text)
    rows = [*newest_first(found, query.before)[: PAGE_SIZE + 1]]
    last = rows[PAGE_SIZE - 1] if len(rows) > PAGE_SIZE else None
    shown = directive_rows(workspace, rows[:PAGE_SIZE], shell.addresses)
    context = {
        "shell": shell,
        "page": "overview",
        "title": title,
        "query": query,
        "rows": dated_rows(shown, changed_on_disk(workspace, rows)),
        "next": query.address(before=(last.occurred_at, last.pk)) if last else "",
    }
    return page_or_partial(
        request, "decisions/directive_list.html", "decisions/_directives.html", context
    )


@require_GET
def decision_log_text(request: HttpRequest, slug: str) -> HttpResponse:
    """Return all decisions as one Markdown log, including those dropped from files."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    texts = list(decision_texts(workspace))
    return markdown_response(render_log(texts))


@require_GET
@takes("why")
def decision_detail(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show a decision: text, sources, chain of superseded decisions."""
    workspace = workspace_or_404(slug)
    shown = _decision_or_404(workspace, code)
    addresses = addresses_of(slug)
    text = without_marks(shown.text)
    heading, title = headed_by(text), text[:80]
    crumbs = [(gettext("Decisions"), addresses.decisions), (title, request.path)]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "decisions",
        "title": title,
        "decision": shown,
        "heading": heading,
        "whole": text if text != heading else "",
        "comments": row_panel(workspace, Thread.Kind.DECISION, shown.code, "", shell),
        **_story(shown, shell),
    }
    return render(request, "decisions/decision_detail.html", context)


def _story(shown: Decision, shell: Shell) -> dict[str, Any]:
    spoken = spoken_in(shown)
    first, found = introduced(spoken)
    state, label = DECISION_STATES[shown.state]
    perhaps = maybe_chained(shown)
    addresses = shell.addresses
    ends = [each.last for each in spoken if each.source.last_seq == shown.last_seq]
    return {
        "state": state,
        "state_label": label,
        "day": day_with_source(shown, spoken[0].source if spoken else None, shell),
        "signed": signed_text(shown, shell),
        "rejected": rejected_text(shown, shell),
        "handoff_url": handoff_url(shown, addresses),
        "unsigned": unsigned_line(shown),
        "gone": dropped_text(shown, next(iter(ends), None)),
        "sources": [shown_spoken(each, shell) for each in spoken],
        "first": shown_spoken(first, shell) if first else None,
        "hunks": found,
        "perhaps": [
            {
                "url": addresses.decision(row.code),
                "text": headed_by(without_marks(row.text)),
                "is_newer": is_newer,
            }
            for row, is_newer in perhaps
        ],
        "chain": [
            {
                "url": addresses.decision(row.code),
                "text": headed_by(without_marks(row.text)),
                "day": day_of(row, shell),
                "current": row.id == shown.id,
            }
            for row in chain_of(shown)
        ],
        "snapshots": [
            {"row": row, "url": addresses.snapshot(row.code)}
            for row in snapshots_with(spoken)
        ],
        "handoffs": citing_rows(shown, spoken, shell),
        "topic_url": addresses.topic(shown.topic.slug) if shown.topic else "",
        "text_url": f"{addresses.decision(shown.code).removesuffix('/')}.md",
        "reject_url": f"{addresses.decision(shown.code)}reject/",
        "replace_url": addresses.decision_new(
            supersedes=shown.code,
            text=next((row.text for row, is_newer in perhaps if is_newer), ""),
            topic=shown.topic.slug if shown.topic else "",
        ),
        "standing": standing(shown),
        "stands": shown.state in Decision.STANDING and shown.grade == Grade.DECLARED,
        "key": new_key(),
    }


@require_GET
def decision_as_text(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Return a decision as Markdown: its lines, its successor's, current sources."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    shown = _decision_or_404(workspace, code)
    places = [
        f"{spoken.source.file.path}:{spoken.source.first_line}"
        for spoken in spoken_in(shown)
        if spoken.source.last_seq is None
    ]
    by = Decision.objects.filter(supersedes=shown).select_related("workspace").first()
    said = [*statements_of(shown, has_successor=by is not None)]
    said += [decision_text(by)] if by else []
    lines = [f"- {render_decision(one)}\n" for one in said]
    if places:
        lines += ["\n## Sources\n\n", *(f"- {place}\n" for place in places)]
    return markdown_response("".join(lines))


@require_POST
def reject_decision(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Write the rejection of a decision with its reason.

    Without a reason, redirect to the form; 409 on a conflict.
    """
    workspace = workspace_or_404(slug)
    shown = _decision_or_404(workspace, code)
    back = addresses_of(slug).decision(code)
    reason = line(request.POST, "reason")
    if not reason:
        return SeeOther(f"{back}?why=missing#reject")
    seen = line(request.POST, "seen")
    who = author_of(request, workspace)
    change = partial(reject, workspace, shown, seen, reason, who)
    text = gettext("Decision rejected")
    return answer_change(request, workspace, change, text, back)


@require_POST
def write_sign_off_line(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Write a handoff's sign-off into the decision's line."""
    workspace = workspace_or_404(slug)
    shown = _decision_or_404(workspace, code)
    back = addresses_of(slug).decision(code)
    change = partial(write_sign_off, shown, author_of(request, workspace))
    text = gettext("Sign-off written")
    return answer_change(request, workspace, change, text, back)


def _decision_or_404(workspace: Workspace, code: str) -> Decision:
    found = decision_by_code(workspace, code)
    if found is None:
        raise Http404
    return found
