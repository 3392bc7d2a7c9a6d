"""A page that is looked at: what the person saw before, and that this was seen."""

from __future__ import annotations

from django.http import HttpRequest

from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen, seen_by, visit
from memoryhub.people.policy import person_of
from memoryhub.people.sites import is_from_another_site


def visited(
    request: HttpRequest, workspace: Workspace, topic_id: int | None = None
) -> Seen:
    """Return what was seen before this page, and note that it is looked at.

    Where another site led there nothing is noted: it could do so at any time.
    """
    look = seen_by if is_from_another_site(request.headers) else visit
    return look(person_of(request), workspace, topic_id)
