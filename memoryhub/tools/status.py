"""Tool that reports the hub's state of a workspace."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from pydantic import Field

from memoryhub.backups.ledger import known_backups
from memoryhub.journal.models import Operation, SourceFile
from memoryhub.journal.problems import current_problems
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.holding import held_files
from memoryhub.timeline.queries.turns import counts_of, losses_in, turn_facts, turns_of
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import may_read
from snapshots.queries.open_items import open_count


class StatusRequest(Request):
    """No fields."""


class LostLines(Answer):
    """A file that lost lines or was deleted, at which no person has looked."""

    path: str
    lines: int
    revision: int = Field(description="The version that has the lines")
    deleted: bool


class WorkspaceStatus(Answer):
    """How much the hub knows of a workspace, and how fresh it is."""

    workspace: str
    name: str
    files: int
    journal_entries: int
    checked_at: datetime | None
    open_problems: int
    open_items: int = Field(description="What is left to do, asked or waiting")
    needs_answer: int = Field(description="Rows that a person has to answer or decide")
    looks_stuck: int = Field(description="Work and files that stand still")
    losses: list[LostLines] = Field(
        description="Logs and long-lived files that lost lines or were deleted"
    )
    held_files: int = Field(
        description="Files that are gone at once: meanwhile nothing is written"
    )
    edits_to_write: int
    backup: str = Field(
        description="Concern about the hub's backups: none, old, gone or failed; empty"
        " if there is no concern"
    )


@tool("What the hub knows of this workspace", Scope.READ)
def workspace_status(caller: Caller, request: StatusRequest) -> WorkspaceStatus:
    """Return the number of files the hub knows here, and how fresh that is.

    Use it to check that the memory hub answers and has seen your newest files.
    """
    workspace = caller.workspace
    staged = Operation.State.STAGED
    answers, stuck = counts_of(turns_of(turn_facts(workspace), timezone.now()))
    return WorkspaceStatus(
        workspace=workspace.slug,
        name=workspace.name,
        files=SourceFile.objects.filter(workspace=workspace, present=True).count(),
        journal_entries=workspace.last_seq,
        checked_at=workspace.checked_at,
        open_problems=current_problems(workspace).count(),
        open_items=open_count(workspace),
        needs_answer=answers.number,
        looks_stuck=stuck.number,
        losses=[
            LostLines(
                path=loss.path,
                lines=loss.lines,
                revision=loss.seq,
                deleted=loss.is_gone,
            )
            for loss in losses_in(workspace)
            if may_read(caller, loss.path)
        ],
        held_files=held_files(workspace).count(),
        edits_to_write=Operation.objects.filter(
            workspace=workspace, state=staged
        ).count(),
        backup=known_backups(Path(settings.MEMORYHUB_DATA)).concern(timezone.now()),
    )


TOOLS = (workspace_status,)
