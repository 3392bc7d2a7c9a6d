"""Pages that show held files, and the doors that name overlaps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.claims.models import FileClaim
from memoryhub.claims.queries import overlaps_shown
from memoryhub.claims.services import Wanted, claim_files, end_claims
from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Notice
from memoryhub.runtime.notifier import notify
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.signing import own_program

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    (workspace_root / "AGENTS.md").write_text(
        "# Agents\n\n- ann: writes\n- bob: reads\n"
    )
    made = make_workspace(workspace_root)
    sync_workspace(made)
    made.refresh_from_db()
    return made


def hold(workspace: Workspace, agent: str, path: str, *, force: bool = False) -> None:
    now = timezone.now() - timedelta(minutes=1)
    wanted = Wanted([path], minutes=30, reason="parser <b>", force=force)
    claim_files(workspace, agent, wanted, now)


@pytest.mark.parametrize("page", ["handoffs/", "files-in-play/"])
def test_pages_show_who_holds_what(
    workspace: Workspace, client: Client, page: str
) -> None:
    address = f"/w/{workspace.slug}/{page}"
    assert b"Held files" not in client.get(address).content
    hold(workspace, "ann", "src/api")

    shown = client.get(address).content.decode()

    assert "src/api" in shown
    assert "parser &lt;b&gt;" in shown


def test_a_person_ends_a_claim_on_its_page(
    workspace: Workspace, client: Client
) -> None:
    hold(workspace, "ann", "src")
    (claim,) = FileClaim.objects.all()
    address = f"/w/{workspace.slug}/files-in-play/{claim.pk}/end/"

    assert client.get(address).status_code == 405
    answer = client.post(address, {"next": f"/w/{workspace.slug}/handoffs/"})

    claim.refresh_from_db()
    assert (answer.status_code, claim.ended_by) == (303, "operator")
    assert b"Held files" not in client.get(f"/w/{workspace.slug}/handoffs/").content


def test_a_forced_overlap_waits_for_a_person_at_every_door(
    workspace: Workspace, client: Client
) -> None:
    hold(workspace, "ann", "src")
    hold(workspace, "bob", "src/app.py", force=True)

    overview = client.get(f"/w/{workspace.slug}/").content.decode()
    alarms = own_program().get(f"/api/v1/workspaces/{workspace.slug}/alarms").json()
    notify(workspace)

    assert "ann and bob hold the same files" in overview
    (alarm,) = alarms["data"]
    assert alarm["names"] == ["ann", "src", "bob", "src/app.py"]
    assert Notice.objects.get().body["kind"] == "claims"


def test_pages_follow_overlaps_within_the_minute(workspace: Workspace) -> None:
    def shown() -> bool:
        workspace.refresh_from_db()
        return bool(overlaps_shown(workspace, NOON))

    claim_files(workspace, "ann", Wanted(["src"]), NOON)
    assert not shown()
    claim_files(workspace, "bob", Wanted(["src/a.py"], force=True), NOON)
    assert shown()
    claim = FileClaim.objects.get(agent="ann")

    end_claims(workspace, [claim.pk], "operator", NOON)

    assert not shown()


def test_files_in_play_names_no_overlap_only_where_no_claims_overlap(
    workspace: Workspace, client: Client
) -> None:
    address = f"/w/{workspace.slug}/files-in-play/"
    hold(workspace, "ann", "docs/plan.md")
    assert "No overlaps." in client.get(address).content.decode()
    hold(workspace, "bob", "docs/*.md", force=True)

    shown = client.get(address).content.decode()

    assert "No overlaps." not in shown
    assert "2 claims overlap another agent" in shown


def test_a_number_that_no_claim_can_have_is_unknown(
    workspace: Workspace, client: Client
) -> None:
    page = f"/w/{workspace.slug}/files-in-play/{10**30}/end/"

    assert client.post(page).status_code == 404
