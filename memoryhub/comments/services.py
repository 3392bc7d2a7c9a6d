"""Comments: threads opened, answered, resolved and reopened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F

from memoryhub.audit.recording import record
from memoryhub.comments.models import Comment, Thread
from memoryhub.comments.rules.anchoring import NOWHERE, Anchor, anchor_at
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.rules.parties import mentioned_in
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import PEOPLE
from memoryhub.journal.versions import text_of, version_at
from memoryhub.people.roles import OPERATOR, people_of

#: Characters of a comment; comments of a thread, and open threads of a workspace.
LONGEST, MOST_REPLIES, MOST_OPEN = 10_000, 200, 2_000


class CommentRefused(FormatError):
    """A refusal by the rules of comments: a code with parameters."""


@dataclass(frozen=True, slots=True)
class Author:
    """Author of a comment; `key`: of the request, done once."""

    name: str
    at: datetime
    is_agent: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Subject of a thread; fields as in `Thread`."""

    kind: str
    path: str
    seq: int = 0
    code: str = ""
    section: str = ""
    anchor: Anchor = NOWHERE


def line_place(
    workspace: Workspace, path: str, line: int, seq: int | None = None
) -> Place:
    """Return the place of a line in a version, by default the newest.

    Line 0 is the whole file.

    Raises:
        CommentRefused: ``file-unknown``, ``line-unknown``.
    """
    version = version_at(workspace, path, seq)
    if version is None:
        raise CommentRefused("file-unknown", path=path)
    if line == 0:
        return Place(Thread.Kind.FILE, version.path, version.seq)
    lines = text_of(version).splitlines()
    if not 1 <= line <= len(lines):
        raise CommentRefused("line-unknown", path=path, line=line, lines=len(lines))
    anchor = anchor_at(lines, line)
    return Place(Thread.Kind.FILE, version.path, version.seq, anchor=anchor)


def open_thread(
    workspace: Workspace, place: Place, text: str, author: Author
) -> Thread:
    """Open a thread with a comment; a repeated key returns its thread.

    Raises:
        CommentRefused: ``comment-empty``, ``comment-long``, ``threads-too-many``.
    """
    text = _checked(text)
    with transaction.atomic():
        if known := _done_before(workspace, author.key):
            return known.thread
        is_open = Thread.objects.filter(workspace=workspace, resolved_at=None)
        if is_open.count() >= MOST_OPEN:
            raise CommentRefused("threads-too-many", most=MOST_OPEN)
        thread = Thread.objects.create(
            workspace=workspace,
            kind=place.kind,
            path=place.path,
            line=place.anchor.line,
            seq=place.seq,
            code=place.code,
            section=place.section[:200],
            quote=place.anchor.quote,
            before=place.anchor.before,
            after=place.anchor.after,
            made_at=author.at,
            last_at=author.at,
        )
        _add(thread, text, author)
        _record("comment.written", thread, author)
    return thread


def reply(thread: Thread, text: str, author: Author) -> Comment:
    """Add a comment to a thread; an answer of the person asked ends the waiting.

    Raises:
        CommentRefused: ``comment-empty``, ``comment-long``; ``thread-resolved``, an
            agent writes to a resolved one; ``replies-too-many``.
    """
    text = _checked(text)
    with transaction.atomic():
        if known := _done_before(thread.workspace, author.key):
            return known
        thread.refresh_from_db()
        if thread.is_resolved and author.is_agent:
            raise CommentRefused("thread-resolved", thread=thread.pk)
        if thread.comments.count() >= MOST_REPLIES:
            raise CommentRefused("replies-too-many", most=MOST_REPLIES)
        made = _add(thread, text, author)
        _record("comment.replied", thread, author)
    return made


def resolve(thread: Thread, person: str, at: datetime) -> bool:
    """Resolve a thread; return False if it was. Only people do."""
    with transaction.atomic():
        rows = Thread.objects.filter(pk=thread.pk, resolved_at=None)
        if not rows.update(resolved_at=at, resolved_by=person):
            return False
        _renew(thread.workspace)
        _record("comment.resolved", thread, Author(person, at))
    return True


def reopen(thread: Thread, person: str, at: datetime) -> bool:
    """Reopen a resolved thread; return False if it was open."""
    with transaction.atomic():
        rows = Thread.objects.filter(pk=thread.pk, resolved_at__isnull=False)
        if not rows.update(resolved_at=None, resolved_by=""):
            return False
        _renew(thread.workspace)
        _record("comment.reopened", thread, Author(person, at))
    return True


def _add(thread: Thread, text: str, author: Author) -> Comment:
    """Store a comment, and whom its thread waits for."""
    made = Comment.objects.create(
        workspace=thread.workspace,
        thread=thread,
        author=author.name,
        is_agent=author.is_agent,
        text=text,
        made_at=author.at,
        key=author.key,
    )
    answered = {author.name} if author.is_agent else {author.name, OPERATOR}
    asked = [name for name in thread.waits_for if name not in answered]
    asked += [name for name in asked_in(thread.workspace, text) if name != author.name]
    thread.waits_for = list(dict.fromkeys(asked))
    thread.last_at = author.at
    thread.save(update_fields=["waits_for", "last_at"])
    _renew(thread.workspace)
    return made


def asked_in(workspace: Workspace, text: str) -> list[str]:
    """Return the people and agents whom a text mentions as ``@name``.

    Words such as ``@you`` mean the operator, in a team everybody: one answer is enough.
    People without a role in the workspace are not asked.
    """
    said = mentioned_in(text)
    if not said:
        return []
    known = {_mention(person.get_username()): person.get_username()
             for person in people_of(workspace)}  # fmt: skip
    agents = Agent.objects.filter(workspace=workspace).values_list("name", flat=True)
    known = {_mention(name): name for name in agents} | known
    found = (known.get(name) or (OPERATOR if name in PEOPLE else "") for name in said)
    return [name for name in found if name]


def _mention(name: str) -> str:
    return "-".join(name.casefold().split())


def _checked(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise CommentRefused("comment-empty")
    if len(text) > LONGEST or "\0" in text:
        raise CommentRefused("comment-long", most=LONGEST)
    return text


def _done_before(workspace: Workspace, key: str) -> Comment | None:
    if not key:
        return None
    rows = Comment.objects.filter(workspace=workspace, key=key)
    return rows.select_related("thread").first()


def _renew(workspace: Workspace) -> None:
    """Invalidate cached rows of pages, which no journal announces."""
    rows = Workspace.objects.filter(pk=workspace.pk)
    rows.update(handoff_changes=F("handoff_changes") + 1)


def _record(action: str, thread: Thread, author: Author) -> None:
    record(
        action,
        workspace=thread.workspace.slug,
        subject=f"{thread.pk} {thread.path}",
        actor=author.name,
    )
