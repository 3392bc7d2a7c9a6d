"""Protocol of the apps' importers; settings name the class."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string

from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.importers.files import FileImporter
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.rows import Rows


class AppImporters(Protocol):
    """Importers of a projection session, run after the file's and the agents'."""

    #: Models whose tables a rebuild empties, referenced ones first.
    tables: ClassVar[tuple[type[models.Model], ...]]
    #: Verbs without a file; they need the preceding rows stored.
    verbs: ClassVar[frozenset[str]]
    #: By row id: column values set by a person, which later revisions keep.
    assigned: dict[int, dict[str, Any]]

    def __init__(
        self,
        facts: WorkspaceFacts,
        files: FileImporter,
        agents: AgentImporter,
        *,
        until: int,
    ) -> None: ...

    def take(self, change: Change) -> bool:
        """Import a revision; return whether an event of it follows at `settle`."""
        ...

    def take_operation(self, operation: Operation) -> None:
        """Project an operation of one of `verbs`."""
        ...

    def flush(self, rows: Rows) -> None:
        """Write the collected rows to `rows`."""
        ...

    def settle(self, rows: Rows) -> None:
        """Write rows that depend on stored rows of all apps."""
        ...

    @staticmethod
    def conclude(workspace: Workspace) -> None:
        """Write the rows that depend on all others, once the journal is projected.

        The caller holds the lock of the workspace, or a transaction that wrote to it.
        """
        ...


def app_importers() -> type[AppImporters]:
    """Return the class named by `MEMORYHUB_IMPORTERS`."""
    found: type[AppImporters] = import_string(settings.MEMORYHUB_IMPORTERS)
    return found
