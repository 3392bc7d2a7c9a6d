"""Importers: they turn the revisions of a projection session into rows.

The config of an app names its own, ``module:class`` in `importers`, behind those that
they use.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from pkgutil import resolve_name
from typing import Any, ClassVar, TypeVar

from django.apps import apps

from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.importers.files import FileImporter
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.rows import Rows


class Importer:
    """Makes the rows of some kinds; each session has one of its own."""

    #: Verbs without a file; they need the preceding rows stored.
    verbs: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, session: Session) -> None:
        """Find the importers that this one uses; they are in the session already."""

    def take(self, change: Change) -> None:
        """Import a revision."""

    def take_operation(self, operation: Operation) -> None:
        """Project an operation of one of `verbs`."""

    def flush(self, rows: Rows) -> None:
        """Write the collected rows to `rows`."""

    @staticmethod
    def conclude(workspace: Workspace) -> None:
        """Write the rows that depend on all others, once the journal is projected.

        The caller holds the lock of the workspace, or a transaction that wrote to it.
        """


Kind = TypeVar("Kind", bound=Importer)


@cache
def importers() -> tuple[type[Importer], ...]:
    """Return the importers of all apps in order."""
    names = (getattr(config, "importers", ()) for config in apps.get_app_configs())
    return tuple(map(resolve_name, chain.from_iterable(names)))


class Session:
    """The importers of one projection session, with the state that they share."""

    def __init__(self, workspace: WorkspaceFacts, until: int) -> None:
        self.workspace = workspace
        #: The last journal entry that has its rows; without one there are none.
        self.until = until
        self.empty = until == 0
        #: By row id, or key of a text: columns set by people, which later revisions
        #: keep.
        self.assigned: dict[int, dict[str, Any]] = {}
        #: Kind and text of what people have accepted, or assigned, at any time.
        self.accepted: frozenset[tuple[str, str]] = frozenset()
        self.files = FileImporter(workspace, empty=self.empty)
        self.agents = AgentImporter(workspace, empty=self.empty)
        self._importers: dict[type[Importer], Any] = {}
        for kind in importers():
            self._importers[kind] = kind(self)

    def __iter__(self) -> Iterator[Importer]:
        return iter(self._importers.values())

    def of(self, kind: type[Kind]) -> Kind:
        """Return the importer of a kind."""
        found: Kind = self._importers[kind]
        return found
