"""Tables with texts of people and agents besides the versions.

Every table is listed here or rebuilt from the journal; a test compares the lists with
the models, so that a new table needs a decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.apps import apps
from django.db import models

from memoryhub.journal.models import Workspace

#: Tables that are searched, with their text columns.
PLACES: dict[str, tuple[str, ...]] = {
    "workspaces.Operation": ("payload", "base", "after", "inverse", "reason"),
    "workspaces.Problem": ("parameters",),
    "people.SavedView": ("name", "address"),
    "people.ReviewMark": ("title",),
    "tools.ToolCall": ("answer", "refusal"),
    "notices.Notice": ("body", "error"),
    "jobs.Job": ("payload", "message", "result", "error"),
}
#: Columns that relate operations to versions.
FACTS = {"workspaces.Operation": ("target", "before_sha", "after_sha", "state")}
#: Tables without file texts: numbers, hashes, names and settings of people.
WITHOUT = frozenset(
    {
        "workspaces.Workspace", "workspaces.Blob", "workspaces.Tombstone",
        "workspaces.SyncRun", "workspaces.Revision", "workspaces.FileStat",
        "people.User", "people.SeenMark", "people.AccessToken", "tools.HeardSession",
        "forgetting.Forgetting", "forgetting.SealedRow", "auth.Permission",
        "auth.Group", "contenttypes.ContentType", "sessions.Session",
    }
)  # fmt: skip
_CHUNK = 500


class Held(NamedTuple):
    """A row: the values of its text columns, and its relation to versions."""

    table: str
    pk: Any
    values: dict[str, Any]
    facts: dict[str, str]


def rows_of(workspace: Workspace, table: str) -> models.QuerySet[models.Model]:
    """Return a workspace's rows of a table."""
    model: type[models.Model] = apps.get_model(table)
    return model._default_manager.filter(workspace=workspace.pk).order_by("pk")


def held_rows(workspace: Workspace) -> Iterator[Held]:
    """Yield every row of a workspace that may have texts, table by table."""
    for table, columns in PLACES.items():
        facts = FACTS.get(table, ())
        names = "pk", *columns, *facts
        for row in rows_of(workspace, table).values(*names).iterator(_CHUNK):
            values = {name: row[name] for name in columns}
            yield Held(table, row["pk"], values, {name: row[name] for name in facts})
