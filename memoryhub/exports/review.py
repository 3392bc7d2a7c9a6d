"""Open comments as a review file in the workspace, for agents that read files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath

from memoryhub.comments.models import Thread
from memoryhub.comments.queries import (
    PlacedThread,
    in_order,
    named_for_agents,
    open_threads,
    placed,
)
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.files import Who
from memoryhub.workspaces.services.documents import replace_document

_FOLDER = "memory/reviews"


def review_path(path: str) -> str:
    """Return the path of the review file of a file."""
    stem = PurePosixPath(path).with_suffix("").as_posix().replace("/", "-")
    return f"{_FOLDER}/{stem[-150:].lstrip('-.')}.md"


def export_review(workspace: Workspace, path: str, who: Who, at: datetime) -> Operation:
    """Write the open comments on a file into its review file, as an operation.

    An earlier review file is replaced.

    Raises:
        FormatError: ``no-comments``, none is open; or see `replace_document`.
        Conflict, FileError: as `replace_document` raises them.
    """
    rows = open_threads(workspace).order_by("id")
    found = [one for one in placed(workspace, rows) if one.path == path]
    if not found:
        raise FormatError("no-comments", path=path)
    text = review_text(path, list(in_order(found)), at)
    return replace_document(workspace, review_path(path), text, lambda _: True, who)


def review_text(path: str, threads: Sequence[PlacedThread], at: datetime) -> str:
    """Return threads as Markdown: a section each, with place, quote and comments."""
    head = [
        f"# Review of {path}",
        "",
        f"Open comments of people as of {_utc(at)}, written by MemoryHub.",
        "Change what they ask for, and reply with the tool `comments`.",
    ]
    sections = (line for one in threads for line in _section(one))
    return "\n".join([*head, *sections, ""])


def _section(found: PlacedThread) -> Iterator[str]:
    row = found.thread
    state = ", outdated" if found.is_outdated else ""
    yield ""
    yield f"## {found.place} (comment {row.pk}{state})"
    yield ""
    if row.section:
        yield f"Section: {row.section}"
        yield ""
    elif row.kind != Thread.Kind.SNAPSHOT and row.quote.strip():
        yield from (f"> {line}" for line in row.quote.strip().splitlines())
        yield ""
    for comment in found.comments:
        first, *others = comment.text.splitlines()
        yield f"- {comment.author}, {_utc(comment.made_at)}: {first}"
        yield from (f"  {line}".rstrip() for line in others)
    if row.waits_for:
        yield f"- waits for: {named_for_agents(row.waits_for)}"


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
