"""The sample as a workspace of the hub, which can be put back to how it was."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.db import connection

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace

SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"


class Stage:
    """A workspace's files, the hub's folder and its database, all as they were.

    `change` is what the sample's files go through before they are imported.
    """

    def __init__(
        self, folder: Path, change: Callable[[Path], object] = lambda root: None
    ) -> None:
        self._folder = folder
        self._model = folder / "model"
        shutil.copytree(SAMPLE, self._model)
        change(self._model)
        self._takes = 0
        self._database = sqlite3.connect(":memory:")
        self.root = folder / "acme"
        shutil.copytree(self._model, self.root)
        self._begin_data()
        sync_workspace(add_workspace(self.root))
        _raw().backup(self._database)

    def put_back(self) -> Workspace:
        """Return the workspace as it was after its import."""
        shutil.rmtree(self.root)
        shutil.copytree(self._model, self.root)
        self._begin_data()
        self._database.backup(_raw())
        cache.clear()
        return Workspace.objects.get()

    def files(self) -> dict[str, bytes]:
        """Return what the workspace holds by now."""
        places = (place for place in self.root.rglob("*") if place.is_file())
        return {str(p.relative_to(self.root)): p.read_bytes() for p in places}

    def close(self) -> None:
        """Give the memory back."""
        self._database.close()

    def _begin_data(self) -> None:
        """Begin with an empty folder for what the hub keeps beside its database."""
        self._takes += 1
        data = self._folder / f"data-{self._takes}"
        data.mkdir()
        settings.MEMORYHUB_DATA = data


def _raw() -> sqlite3.Connection:
    connection.ensure_connection()
    assert isinstance(connection.connection, sqlite3.Connection)
    return connection.connection
