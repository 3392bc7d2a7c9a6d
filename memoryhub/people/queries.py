"""A person's own data on every page of a workspace."""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.db import connection

from memoryhub.journal.models import Workspace
from memoryhub.journal.sql import table_of
from memoryhub.people.models import SavedView, SeenMark, User


@dataclass(frozen=True, slots=True)
class Mine:
    """A person's seen position and saved views, the latter sorted by name.

    `seen` is None until a first visit has ended. A view is (id, name, address relative
    to the workspace's).
    """

    seen: int | None = None
    views: tuple[tuple[int, str, str], ...] = ()


def mine_in(workspace: Workspace, username: str) -> Mine:
    """Return a person's own data in a workspace, in one query."""
    user, mark, view = map(table_of, (User, SeenMark, SavedView))
    own = "user_id = u.id AND workspace_id = %s"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT seen_position FROM {mark} WHERE {own}"
            " AND topic_id IS NULL AND seen_at IS NOT NULL),"
            f" (SELECT json_group_array(json_array(id, name, address)) FROM {view}"
            f" WHERE {own}) FROM {user} AS u WHERE u.username = %s",
            [workspace.pk, workspace.pk, username],
        )
        found = cursor.fetchone()
    if found is None:
        return Mine()
    views = sorted(json.loads(found[1]), key=lambda view: (view[1], view[0]))
    return Mine(found[0], tuple((pk, name, address) for pk, name, address in views))
