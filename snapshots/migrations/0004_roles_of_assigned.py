"""Files with which people sorted rows stay memory, whatever their place."""

from __future__ import annotations

from collections import defaultdict
from glob import escape
from typing import Any

from django.db import migrations

from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.dialects.roles import Role, role_of
from memoryhub.values.identity import id_of

ROWS = {
    "snapshot": "Snapshot",
    "memory": "SessionMemory",
    "entry": "LogEntry",
    "item": "OpenItem",
}


def keep_memory(apps: Any, _editor: object) -> None:
    """Give the role memory to documents whose rows or topics people assigned."""
    topics = apps.get_model("topics", "Topic")._base_manager
    operations = apps.get_model("workspaces", "Operation")._base_manager.filter(
        verb="assign", state="applied"
    )
    files = defaultdict[int, set[tuple[str, str]]](set)
    for workspace_id, said in operations.values_list("workspace_id", "payload"):
        rows = [
            (apps.get_model("snapshots", ROWS[said["kind"]])._base_manager, said["id"])
        ]
        rows += [(topics, said["topic"])] if said["topic"] else []
        for known, code in rows:
            files[workspace_id].update(
                known.filter(id=id_of(code)).values_list("file__path", "file__format")
            )
    for workspace in apps.get_model("workspaces", "Workspace")._base_manager.filter(
        id__in=files
    ):
        for path, dialect in sorted(files[workspace.id], key=str):
            if (
                path
                and role_of(
                    placed(workspace.root, path), dialect, workspace.memory_folder
                )
                == Role.DOCUMENT
            ):
                workspace.roles.append([escape(path), Role.MEMORY.value])
        workspace.save(update_fields=["roles"])


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0003_kept_ids")]

    operations = [migrations.RunPython(keep_memory, migrations.RunPython.noop)]
