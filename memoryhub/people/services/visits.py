"""Recording of a page view for a request."""

from __future__ import annotations

from django.http import HttpRequest

from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen, seen_by, visit
from memoryhub.people.policy import person_of
from memoryhub.people.sites import is_from_another_site


def visited(
    request: HttpRequest, workspace: Workspace, topic_id: int | None = None
) -> Seen:
    """Record a page view; return the seen mark from before this visit.

    Nothing is recorded if another site led there: it could do so at any time.
    """
    look = seen_by if is_from_another_site(request.headers) else visit
    return look(person_of(request), workspace, topic_id)
