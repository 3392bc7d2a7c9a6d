from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.apps import apps

from memoryhub.events.models import Event
from memoryhub.journal.models import (
    DerivedModel,
    FileStat,
    Operation,
    Problem,
    Workspace,
)
from memoryhub.sync.edit.editing import apply_edit, settle
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import projection
from memoryhub.sync.record.projection import catch_up, projected, rebuild
from tests.every_dialect import write_every_dialect
from tests.projected import differences, projected_rows
from tests.writing import say

MakeWorkspace = Callable[[Path], Workspace]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def kill(done: int, total: int) -> None:
    raise Killed


def test_every_derived_table_is_emptied_by_a_rebuild() -> None:
    derived = {model for model in apps.get_models() if issubclass(model, DerivedModel)}

    assert derived - {*projected(), FileStat} == {Problem}


def test_every_projected_table_has_rows_of_the_samples(workspace: Workspace) -> None:
    write_every_dialect(Path(workspace.root))

    sync_workspace(workspace)

    rows = projected_rows(workspace)
    assert [name for name, table in rows.items() if not table] == []


def test_another_version_of_the_importers_projects_anew(workspace: Workspace) -> None:
    say(workspace, {"memory/context-a.md": "# a\n\n## Current Status\nok\n"})
    before = projected_rows(workspace)
    Event.objects.all().delete()
    Workspace.objects.update(projection_version=0)

    sync_workspace(workspace)

    assert not differences(before, projected_rows(workspace))


def test_rows_of_another_workspace_stay(
    workspace: Workspace, tmp_path: Path, make_workspace: MakeWorkspace
) -> None:
    (tmp_path / "other").mkdir()
    other = make_workspace(tmp_path / "other")
    for each in (workspace, other):
        say(each, {"memory/2026-11-01.md": "# Day\n\n## 10:00 - One\n"})
    before = projected_rows(other)

    rebuild(workspace)

    assert not differences(before, projected_rows(other))


def test_an_edit_during_a_replay_is_told_by_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "_REPLAY_BATCH", 1)
    for status in ("one", "two", "three"):
        say(workspace, {"memory/context-a.md": f"# a\n\n## Current Status\n{status}\n"})
    with pytest.raises(Killed):
        rebuild(workspace, progress=kill)

    edit = Edit("memory/context-a.md", "set_status", {"text": "edited"}, "person:1")
    apply_edit(workspace, edit)
    catch_up(workspace)

    replayed = projected_rows(workspace)
    assert Event.objects.filter(kind="edit").count() == 1
    rebuild(workspace)
    assert not differences(replayed, projected_rows(workspace))


def test_an_operation_that_a_replay_passed_while_it_was_pending_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "_REPLAY_BATCH", 1)
    say(workspace, {"memory/context-a.md": "# a\n\n## Current Status\none\n"})
    edit = Edit("memory/context-a.md", "set_status", {"text": "edited"}, "person:1")
    operation = apply_edit(workspace, edit)
    say(workspace, {"memory/b.md": "# B\n"})
    Operation.objects.update(state=Operation.State.PENDING)

    def kill_behind(done: int, total: int) -> None:
        if done == operation.seq:
            raise Killed

    with pytest.raises(Killed):
        rebuild(workspace, progress=kill_behind)
    settle(workspace)
    catch_up(workspace)

    replayed = projected_rows(workspace)
    assert Event.objects.filter(kind="edit").count() == 1
    rebuild(workspace)
    assert not differences(replayed, projected_rows(workspace))


@pytest.mark.parametrize(
    ("actor", "agent"), [("scout", "scout"), ("relay", "relay"), ("operator", None)]
)
def test_what_an_agent_does_here_is_its_own_and_makes_it_known(
    workspace: Workspace, actor: str, agent: str | None
) -> None:
    say(workspace, {"memory/context-session-map.json": '{"agent:scout:main": "a"}'})
    say(workspace, {"memory/context-a.md": "# a\n\n## Current Status\none\n"})
    edit = Edit("memory/context-a.md", "set_status", {"text": "edited"}, actor)

    apply_edit(workspace, edit)

    told = Event.objects.select_related("agent").get(kind="edit")
    assert (told.actor, told.agent and told.agent.name) == (actor, agent)
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))
