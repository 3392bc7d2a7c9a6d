"""Seen marks and review marks of a person, and how they advance.

Reloads and a long reading session never lose news: `viewed` follows the pages that are
looked at, `seen` catches up after half an hour without any.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.database.passing import write_in_passing
from memoryhub.journal.changes import end_of
from memoryhub.journal.models import Workspace
from memoryhub.people.models import ReviewMark, SeenMark, User
from memoryhub.people.policy import person_of
from memoryhub.people.sites import is_from_another_site

#: Pause after which the next page starts a new visit.
IDLE = timedelta(minutes=30)
#: Minimum interval of writes to a mark while pages are looked at.
WRITE_EVERY = timedelta(minutes=1)
#: How long "mark all seen" can be undone.
UNDO = timedelta(seconds=10)
#: Added to `UNDO` for the click and its request.
_GRACE = timedelta(seconds=5)

SectionKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a person has read: events with a greater position are new to them.

    `at`: time of that, None at the first visit, where everything is new. `undo_until`:
    set while the last "mark all seen" can be undone.
    """

    position: int
    at: datetime | None
    undo_until: datetime | None = None

    def is_new(self, position: int) -> bool:
        """Return whether the event at this position is new to the person."""
        return position > self.position


def newest_position(workspace: Workspace) -> int:
    """Return a position after all events that are projected."""
    return end_of(workspace.projected_seq)


def visit(
    user: User,
    workspace: Workspace,
    topic_id: int | None = None,
    *,
    now: datetime | None = None,
) -> Seen:
    """Record that a page is viewed; return the seen mark from before this visit.

    One query, and a write at most once a minute, skipped if the database is busy.
    """
    now = now or timezone.now()
    mark = _mark_of(user, workspace, topic_id)
    if mark is None:
        mark = SeenMark(
            user=user, workspace=workspace, topic_id=topic_id, viewed_at=now
        )
    elif now - mark.viewed_at < WRITE_EVERY:
        return _seen(mark, now)
    elif now - mark.viewed_at >= IDLE:
        mark.seen_position, mark.seen_at = mark.viewed_position, mark.viewed_at
        mark.marked_at = None
    mark.viewed_position = max(mark.viewed_position, newest_position(workspace))
    mark.viewed_at = now
    write_in_passing(mark.save)
    return _seen(mark, now)


def seen_by(
    user: User,
    workspace: Workspace,
    topic_id: int | None = None,
    *,
    now: datetime | None = None,
) -> Seen:
    """Return the seen mark from before this visit, without recording: for polling."""
    mark = _mark_of(user, workspace, topic_id)
    return _seen(mark, now or timezone.now()) if mark else Seen(0, None)


def mark_seen(
    user: User,
    workspace: Workspace,
    topic_id: int | None = None,
    *,
    upto: int | None = None,
    now: datetime | None = None,
) -> Seen:
    """Mark everything as seen, or everything up to the position a page showed.

    A page that is older than the mark does not move it back.
    """
    now = now or timezone.now()
    newest = newest_position(workspace)
    with transaction.atomic():
        mark = _mark_of(user, workspace, topic_id)
        if mark is None:
            mark = SeenMark(user=user, workspace=workspace, topic_id=topic_id)
        reached = newest if upto is None else min(upto, newest)
        mark.undo_position, mark.undo_at = mark.seen_position, mark.seen_at
        mark.seen_position = max(mark.seen_position, reached)
        mark.viewed_position = max(mark.viewed_position, mark.seen_position)
        mark.seen_at = mark.viewed_at = mark.marked_at = now
        mark.save()
    return _seen(mark, now)


def undo_seen(
    user: User,
    workspace: Workspace,
    topic_id: int | None = None,
    *,
    now: datetime | None = None,
) -> bool:
    """Undo the last "mark all seen"; return False if it is too late."""
    now = now or timezone.now()
    with transaction.atomic():
        mark = _mark_of(user, workspace, topic_id)
        if mark is None or not mark.marked_at or mark.undo_position is None:
            return False
        if now - mark.marked_at > UNDO + _GRACE:
            return False
        mark.seen_position, mark.seen_at = mark.undo_position, mark.undo_at
        mark.marked_at = mark.undo_position = mark.undo_at = None
        mark.save()
    return True


def reviewed(
    user: User, workspace: Workspace, sections: Iterable[SectionKey]
) -> set[SectionKey]:
    """Return which sections, as (title, hash of the text), the person has reviewed."""
    wanted = set(sections)
    marks = ReviewMark.objects.filter(
        user=user, workspace=workspace, body_sha__in={sha for _, sha in wanted}
    )
    return wanted & set(marks.values_list("title", "body_sha"))


def mark_reviewed(user: User, workspace: Workspace, section: SectionKey) -> None:
    """Mark the text of a section as reviewed; idempotent."""
    title, body_sha = section
    ReviewMark.objects.get_or_create(
        user=user,
        workspace=workspace,
        title=title,
        body_sha=body_sha,
        defaults={"reviewed_at": timezone.now()},
    )


def clear_reviewed(user: User, workspace: Workspace, section: SectionKey) -> None:
    """Remove the review mark of a section."""
    title, body_sha = section
    ReviewMark.objects.filter(
        user=user, workspace=workspace, title=title, body_sha=body_sha
    ).delete()


def _mark_of(user: User, workspace: Workspace, topic_id: int | None) -> SeenMark | None:
    topic = {"topic_id__isnull": True} if topic_id is None else {"topic_id": topic_id}
    return SeenMark.objects.filter(user=user, workspace=workspace, **topic).first()


def _seen(mark: SeenMark, now: datetime) -> Seen:
    until = mark.marked_at + UNDO if mark.marked_at else None
    return Seen(
        mark.seen_position, mark.seen_at, until if until and until > now else None
    )


def last_seen(workspace: Workspace, username: str) -> Seen | None:
    """Return a person's seen mark; None until a first visit has ended."""
    marks = SeenMark.objects.filter(
        user__username=username, workspace=workspace, topic_id__isnull=True
    )
    ended = marks.filter(seen_at__isnull=False)
    found = ended.values_list("seen_position", "seen_at").first()
    return Seen(*found) if found else None


def visited(
    request: HttpRequest, workspace: Workspace, topic_id: int | None = None
) -> Seen:
    """Record a page view; return the seen mark from before this visit.

    Nothing is recorded if another site led there: it could do so at any time.
    """
    look = seen_by if is_from_another_site(request.headers) else visit
    return look(person_of(request), workspace, topic_id)
