"""The importers of the apps, as the projection runs them; settings name the class."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string

from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.importers.files import FileImporter
from memoryhub.journal.models import Operation
from memoryhub.journal.rows import Rows


class AppImporters(Protocol):
    """What one projection session makes of each revision, after its file and agents."""

    #: The tables that a rebuild empties, those that others point to first.
    tables: ClassVar[tuple[type[models.Model], ...]]
    #: Verbs of operations on rows alone; they need the rows before them stored.
    verbs: ClassVar[frozenset[str]]
    #: For each row that a person assigned the columns that later revisions keep.
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
        """Hand over the rows collected so far."""
        ...

    def settle(self, rows: Rows) -> None:
        """Write what needs the rows of all apps stored."""
        ...


def app_importers() -> type[AppImporters]:
    """Return the class that `MEMORYHUB_IMPORTERS` names."""
    found: type[AppImporters] = import_string(settings.MEMORYHUB_IMPORTERS)
    return found
