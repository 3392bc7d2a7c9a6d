"""A workspace that holds a secret in several versions and files, and its hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.forgetting.forgettings import (
    Target,
    ask,
    carry_on,
    confirm,
    plan,
)
from memoryhub.forgetting.models import Forgetting
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import projected
from tests.factories import imported

SECRET = "hunter2-Kd93vXq"
LOG = "memory/2026-11-20.md"
OTHER = "notes.md"
FIRST = "# 2026-11-20\n\n## 07:30 - Started\nLooked at the queue.\n"
ENTRY = f"\n## 08:00 - Deployed\nThe password is {SECRET} for staging.\n"
LATER = "\n## 09:00 - Done\nAll green, nothing left.\n"


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path, db: None) -> Workspace:
    """Return a workspace whose log said a secret from its second version on."""
    found = imported(workspace_root, {LOG: FIRST, OTHER: "Nothing here.\n"})
    for addition in (ENTRY, LATER):
        with (workspace_root / LOG).open("a") as log:
            log.write(addition)
        sync_workspace(found)
    return found


def begun(workspace: Workspace, **wanted: object) -> Forgetting:
    """Return a forgetting after it was confirmed and hidden."""
    asked = ask(workspace, Target(**{"minutes": 10, **wanted}), "operator")  # type: ignore[arg-type]
    return carry_on(confirm(plan(asked)))


def forgotten(workspace: Workspace, **wanted: object) -> Forgetting:
    """Return a forgetting that is done."""
    done = begun(workspace, minutes=0, **wanted)
    assert done.state == Forgetting.State.DONE
    return done


def rows() -> dict[str, list[dict[str, object]]]:
    return {
        m.__name__: list(m._default_manager.order_by("pk").values())
        for m in projected()
    }
