"""Saved views: a page with its filters, under a name."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from memoryhub.journal.models import Workspace
from memoryhub.people.models import SavedView, User

#: Pages with filters, relative to a workspace's address.
PLACES = frozenset({"timeline/", "decisions/", "topics/"})
#: Query parameters of a position in a list, not of a filter.
_TRANSIENT = frozenset({"at", "auto", "before", "page"})
_LENGTH = 2_000
#: Most views in the sidebar.
MOST_VIEWS = 20


def view_address(address: str) -> str:
    """Return an address as it is saved; "" if it is no page with a filter."""
    path, _, query = address.partition("?")
    if path not in PLACES:
        return ""
    filters = [pair for pair in parse_qsl(query) if pair[0] not in _TRANSIENT]
    saved = f"{path}?{urlencode(filters)}"
    return saved if filters and len(saved) <= _LENGTH else ""


def save_view(user: User, workspace: Workspace, name: str, address: str) -> SavedView:
    """Save an address under a name; replaces a view of the same name."""
    saved, _ = SavedView.objects.update_or_create(
        user=user, workspace=workspace, name=name, defaults={"address": address}
    )
    return saved


def delete_view(user: User, workspace: Workspace, view_id: int) -> SavedView | None:
    """Delete a view; return it, or None if the person has none with this id."""
    views = SavedView.objects.filter(user=user, workspace=workspace)
    view = views.filter(pk=view_id).first()
    if view is not None:
        views.filter(pk=view_id).delete()
    return view


def views_of(username: str, workspace: Workspace) -> list[SavedView]:
    """Return a person's views of a workspace, by name."""
    rows = SavedView.objects.filter(user__username=username, workspace=workspace)
    return list(rows.order_by("name", "pk"))
