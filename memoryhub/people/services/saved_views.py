"""Views that a person saves: a page with its filters, under a name."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from memoryhub.journal.models import Workspace
from memoryhub.people.models import SavedView, User

#: Pages that have filters worth a name, below a workspace's address.
PLACES = frozenset({"timeline/", "decisions/", "topics/"})
#: Parts of an address that are a place in a list, not a filter of it.
_TRANSIENT = frozenset({"at", "auto", "before", "page"})
_LENGTH = 2_000
#: A sidebar with more would be a list of its own.
MOST_VIEWS = 20


def view_address(address: str) -> str:
    """Return an address as it is saved; empty if it is no page with a filter."""
    path, _, query = address.partition("?")
    if path not in PLACES:
        return ""
    filters = [pair for pair in parse_qsl(query) if pair[0] not in _TRANSIENT]
    saved = f"{path}?{urlencode(filters)}"
    return saved if filters and len(saved) <= _LENGTH else ""


def save_view(user: User, workspace: Workspace, name: str, address: str) -> SavedView:
    """Keep an address under a name; one of the same name leads there from now on."""
    saved, _ = SavedView.objects.update_or_create(
        user=user, workspace=workspace, name=name, defaults={"address": address}
    )
    return saved


def delete_view(user: User, workspace: Workspace, view_id: int) -> SavedView | None:
    """Return the view that was deleted; None where the person has none of this id."""
    views = SavedView.objects.filter(user=user, workspace=workspace)
    view = views.filter(pk=view_id).first()
    if view is not None:
        views.filter(pk=view_id).delete()
    return view
