"""Feeds and polling: events and turns as Atom, news of open pages as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from html import escape
from uuid import uuid5

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition, conditional_page, require_GET

from memoryhub.formats.secrets.detection import masked
from memoryhub.journal.authors import owners_of
from memoryhub.journal.models import Revision, Workspace
from memoryhub.people.models import User
from memoryhub.people.policy import admit, me, person_of, workspace_or_404, workspaces
from memoryhub.people.rights import Right
from memoryhub.people.services.feed_keys import person_by_feed_key
from memoryhub.timeline.queries.events import (
    Count,
    EventRow,
    event_author,
    event_rows_after,
    timeline_page,
)
from memoryhub.timeline.queries.filters import Filter
from memoryhub.timeline.queries.turns import (
    OTHERS,
    Turn,
    answers_in,
    counts_of,
    turn_counts,
    turn_facts,
    turns_of,
)
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Version, checked_label
from memoryhub.web.kit.labels import headed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.served import absolute, absolute_for
from memoryhub.web.overview.turns import TurnRow, turn_row
from memoryhub.web.people.middleware import signed_out
from memoryhub.web.timeline.events import EventContext, EventPresenter
from topics.queries.topics import topics_named

#: Characters that XML does not allow, even escaped.
_UNUSABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPE = "application/atom+xml; charset=utf-8"


def feed_of(
    events: Sequence[EventRow], look: EventContext, title: str, page: str
) -> Atom1Feed:
    """Return events as a feed; `page` is the absolute address of their page.

    Ids of entries derive from the workspace's uuid and the row's id: they survive a
    move to another address and a rebuild.
    """
    root = page.partition("/w/")[0]
    feed = _feed(look.workspace, title, page, page.removeprefix(root))
    presenter, owner = EventPresenter(look, events), owners_of(look.workspace)
    for row in events:
        shown = presenter.show(row)
        facts = " · ".join(fact.text for fact in shown.facts)
        feed.add_item(
            title=_plain(headed(shown.kind, shown.title)),
            link=absolute(shown.url, root),
            description=_summary(f"{shown.detail}\n{facts}".strip()),
            unique_id=_urn(look.workspace, code_of(row.id)),
            pubdate=row.occurred_at,
            updateddate=row.recorded_at,
            author_name=_plain(event_author(row, owner) or look.workspace.name),
            categories=[row.kind],
        )
    return feed


def turn_feed_of(
    turns: Iterable[Turn], workspace: Workspace, title: str, page: str
) -> Atom1Feed:
    """Return the items that wait for a person as a feed; `page`: overview's address.

    Atom requires a time: items without one are of the newest journal entry.
    """
    root = page.partition("/w/")[0]
    feed = _feed(workspace, title, page, "your-turn")
    addresses = addresses_of(workspace.slug)
    entries = Revision.objects.filter(workspace=workspace).order_by("-seq")
    newest = entries.values_list("recorded_at", flat=True).first()
    for turn in turns:
        row = turn_row(turn, addresses)
        feed.add_item(
            title=_plain(_titled(row)),
            link=absolute(row.url, root),
            description=_summary(" · ".join(row.facts)),
            unique_id=_urn(workspace, turn.key),
            pubdate=row.at or newest or workspace.created_at,
            updateddate=row.at or newest or workspace.created_at,
            author_name=_plain(workspace.name),
            categories=[turn.kind],
        )
    return feed


def _feed(workspace: Workspace, title: str, page: str, name: str) -> Atom1Feed:
    return Atom1Feed(
        title=_plain(title),
        link=page,
        description="",
        feed_guid=_urn(workspace, name),
    )


def _urn(workspace: Workspace, name: str) -> str:
    return f"urn:uuid:{uuid5(workspace.uuid, name.encode('utf-8', 'replace').decode())}"


def _titled(row: TurnRow) -> str:
    """Prefix a title with its state unless it begins with that."""
    has_state = row.title.casefold().startswith(row.state.casefold())
    return row.title if has_state else headed(row.state, row.title)


def _summary(text: str) -> str:
    """Escape a text as HTML, which readers expect in a summary."""
    return escape(_plain(text), quote=False)


def _plain(text: str) -> str:
    """Replace characters that XML does not allow; mask secrets."""
    return _UNUSABLE.sub("\ufffd", masked(text)[0])


@dataclass(frozen=True, slots=True)
class FeedQuery(ListQuery):
    """Key of the person whose feed it is."""

    key: str = parameter("key")


@dataclass(frozen=True, slots=True)
class NewsQuery(ListQuery):
    """Version that the open page was rendered from; without one, everything is news."""

    after: Version = parameter("after", default=Version(0, 0, 0), read=Version.read)


def by_key(
    feed: Callable[..., HttpResponse],
) -> Callable[..., HttpResponse]:
    """Return a view that accepts a sign-in or the feed's key in its address."""

    @login_not_required
    @wraps(feed)
    def view(request: HttpRequest, slug: str, **named: str) -> HttpResponse:
        person: User | None = None
        if request.user.is_authenticated:
            person = person_of(request)
        elif key := request.GET.get("key", ""):
            person = person_by_feed_key(key, slug)
        if person is None:
            return signed_out(request)
        admit(person, Right.READ, slug)
        FeedQuery.of_text(request)
        return feed(request, slug, **named)

    return view


def _etag(request: HttpRequest, slug: str, address: str = "") -> str:
    workspace = workspace_or_404(slug)
    version = Version.of([workspace])
    return f'"{workspace.uuid.hex}-{version}-{request.get_host()}"'


@by_key
@require_GET
@condition(etag_func=_etag)
def workspace_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the feed of the events recorded last."""
    workspace = workspace_or_404(slug)
    wanted = Filter(workspace.pk, after=0)
    page = absolute_for(request, addresses_of(slug).timeline)
    title = gettext("Timeline of %(name)s") % {"name": workspace.name}
    return _answer(workspace, wanted, title, page)


@by_key
@require_GET
@condition(etag_func=_etag)
def topic_feed(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the feed of a topic's newest events; 404 unless one topic has the name."""
    workspace = workspace_or_404(slug)
    found = topics_named(workspace, address)
    if len(found) != 1:
        raise Http404
    wanted = Filter(workspace.pk, topic_ids=(found[0].pk,))
    page = absolute_for(request, addresses_of(slug).topic(address))
    title = gettext("%(topic)s in %(name)s") % {
        "topic": found[0].name,
        "name": workspace.name,
    }
    return _answer(workspace, wanted, title, page)


@by_key
@require_GET
@conditional_page
def turn_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the feed of items that wait for the person whose key it is."""
    workspace = workspace_or_404(slug)
    found = turns_of(turn_facts(workspace), timezone.now())
    turns = [turn for turn in found if turn.is_for(me()) and turn.group != OTHERS]
    title = gettext("Your turn in %(name)s") % {"name": workspace.name}
    page = absolute_for(request, addresses_of(slug).base)
    feed = turn_feed_of(turns, workspace, title, page)
    return HttpResponse(feed.writeString("utf-8"), content_type=_TYPE)


def _answer(
    workspace: Workspace, wanted: Filter, title: str, page: str
) -> HttpResponse:
    clock, addresses = Clock.of(workspace.time_zone), addresses_of(workspace.slug)
    look = EventContext(workspace, wanted, addresses, clock)
    newest = wanted.after is not None
    events = event_rows_after(wanted) if newest else timeline_page(wanted).events
    events = tuple(event for event in events if event.has_time)
    feed = feed_of(events, look, title, page)
    return HttpResponse(feed.writeString("utf-8"), content_type=_TYPE)


@require_GET
@never_cache
def news(request: HttpRequest, slug: str) -> JsonResponse:
    """Return the news of a workspace's page as JSON."""
    workspace = workspace_or_404(slug)
    turns = counts_of(turns_of(turn_facts(workspace), timezone.now())).answers
    label = checked_label(workspace, Clock.of(workspace.time_zone))
    return _news(request, [workspace], turns, label)


@require_GET
@never_cache
def hub_news(request: HttpRequest) -> JsonResponse:
    """Return the news of a page over all workspaces as JSON."""
    known = workspaces()
    turns = answers_in(turn_counts(known, timezone.now()).values())
    return _news(request, known, turns, "")


def _news(
    request: HttpRequest, known: Sequence[Workspace], turns: Count, label: str
) -> JsonResponse:
    """Return the pill's text, empty if the page is current, with label and turns.

    ``seq`` is the journal's cursor as of this response.
    """
    version, seen = Version.of(known), NewsQuery.of_text(request).after
    words = gettext("%(n)s new, show") % {"n": max(version.seq - seen.seq, 1)}
    return JsonResponse(
        {
            "seq": version.seq,
            "pill": "" if seen == version else words,
            "label": label,
            "turns": str(turns) if turns.number else "",
        }
    )
