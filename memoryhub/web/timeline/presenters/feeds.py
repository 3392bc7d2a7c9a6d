"""Presenter of Atom feeds: events, and items that wait for a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from uuid import uuid5

from django.utils.feedgenerator import Atom1Feed

from memoryhub.formats.secrets.detection import masked
from memoryhub.journal.authors import owners_of
from memoryhub.journal.models import Revision, Workspace
from memoryhub.timeline.queries.events import EventRow, event_author
from memoryhub.timeline.queries.turns import Turn
from memoryhub.values.identity import code_of
from memoryhub.web.kit.labels import headed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.served import absolute
from memoryhub.web.overview.presenters.turns import TurnRow, turn_row
from memoryhub.web.timeline.presenters.events import EventContext, EventPresenter

#: Characters that XML does not allow, even escaped.
_UNUSABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
