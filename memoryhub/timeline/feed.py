"""Events as an Atom feed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from uuid import uuid5

from django.utils.feedgenerator import Atom1Feed

from memoryhub.identity import code_of
from memoryhub.timeline.days import Look, Shower
from memoryhub.timeline.queries import EventRow

#: What XML cannot hold at all, not even escaped.
_UNUSABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed_of(events: Iterable[EventRow], look: Look, title: str, page: str) -> Atom1Feed:
    """Return events as a feed; `page` is the absolute address they are shown at.

    The ids of entries are made of the workspace's and the row's own: they stay when
    the hub moves to another address or is rebuilt.
    """
    root = page.partition("/w/")[0]
    feed = Atom1Feed(
        title=_plain(title),
        link=page,
        description="",
        feed_guid=_urn(look, page.removeprefix(root)),
    )
    shower = Shower(look)
    for row in events:
        shown = shower.show(row)
        facts = " · ".join(fact.text for fact in shown.facts)
        feed.add_item(
            title=_plain(f"{shown.kind}: {shown.title}"),
            link=root + shown.url,
            description=_plain(f"{shown.detail}\n{facts}".strip()),
            unique_id=_urn(look, code_of(row.id)),
            pubdate=row.occurred_at,
            updateddate=row.recorded_at,
            author_name=_plain(row.agent or row.actor or look.workspace.name),
            categories=[row.kind],
        )
    return feed


def _urn(look: Look, name: str) -> str:
    return f"urn:uuid:{uuid5(look.workspace.uuid, name)}"


def _plain(text: str) -> str:
    return _UNUSABLE.sub("\ufffd", text)
