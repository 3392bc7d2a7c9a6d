from __future__ import annotations

from pathlib import Path

from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.forgetting.rules import MARK
from memoryhub.forgetting.services.forgettings import (
    Wanted,
    ask,
    carry_on,
    confirm,
    plan,
    take_back,
)
from memoryhub.sync.checkup import check_database
from memoryhub.sync.projection import PROJECTED, rebuild
from memoryhub.workspaces.journal import bytes_by_id
from memoryhub.workspaces.models import Blob, Revision, Tombstone, Workspace
from tests.forgetting.conftest import FIRST, LOG, SECRET


def begun(workspace: Workspace, **wanted: object) -> Forgetting:
    """Return a forgetting after it was confirmed and hidden."""
    asked = ask(workspace, Wanted(**{"minutes": 10, **wanted}), "operator")  # type: ignore[arg-type]
    return carry_on(confirm(plan(asked)))


def forgotten(workspace: Workspace, **wanted: object) -> Forgetting:
    """Return a forgetting that is done."""
    done = begun(workspace, minutes=0, **wanted)
    assert done.state == Forgetting.State.DONE
    return done


def texts_of(path: str) -> list[str]:
    """Return what each version of a file says; a version without bytes is empty."""
    ids = list(Revision.objects.filter(path=path).values_list("blob_id", flat=True))
    data = bytes_by_id([blob_id for blob_id in ids if blob_id])
    return [data.get(blob_id or 0, b"").decode() for blob_id in ids]


def rows() -> dict[str, list[dict[str, object]]]:
    return {
        m.__name__: list(m._default_manager.order_by("pk").values()) for m in PROJECTED
    }


def test_a_plan_says_what_is_touched_and_gives_nothing_away(
    workspace: Workspace,
) -> None:
    asked = ask(workspace, Wanted("text", SECRET), "operator")
    found = plan(asked).plan

    assert (found["versions"], found["file_count"], found["now"]) == (2, 1, [LOG])
    assert found["samples"][0]["text"] == f"The password is {MARK} for staging."
    assert SECRET not in str(found) + asked.label
    assert SECRET in texts_of(LOG)[1]


def test_a_text_is_redacted_in_every_version_and_on_disk(workspace: Workspace) -> None:
    forgotten(workspace, kind="text", text=SECRET, reason="a password")

    assert texts_of(LOG)[0] == FIRST
    assert all(SECRET not in text for text in texts_of(LOG))
    assert f"The password is {MARK} for staging." in texts_of(LOG)[1]
    on_disk = Path(workspace.root, LOG).read_text()
    assert MARK in on_disk and SECRET not in on_disk


def test_a_tombstone_keeps_hash_time_who_and_why(workspace: Workspace) -> None:
    old = Revision.objects.filter(path=LOG)[1].blob
    assert old is not None
    forgotten(workspace, kind="text", text=SECRET, reason="a password")

    left = Tombstone.objects.get(sha256=old.sha256)
    assert (left.kind, left.actor, left.reason) == (
        "forgotten",
        "operator",
        "a password",
    )
    blob = Blob.objects.get(sha256=old.sha256)
    assert (blob.encoding, blob.size, bytes(blob.data)) == ("gone", old.size, b"")


def test_what_is_hidden_can_be_taken_back(workspace: Workspace) -> None:
    before, known = texts_of(LOG), rows()
    hidden = begun(workspace, kind="text", text=SECRET)
    assert hidden.state == "hidden" and SECRET not in str(texts_of(LOG)) + str(rows())
    carry_on(take_back(hidden))

    assert hidden.state == "taken_back"
    assert (texts_of(LOG), rows()) == (before, known)
    assert not (SealedRow.objects.exists() or Tombstone.objects.exists())
    assert SECRET in Path(workspace.root, LOG).read_text()


def test_rebuild_and_check_hold_afterwards(workspace: Workspace) -> None:
    forgotten(workspace, kind="text", text=SECRET)
    before = rows()
    rebuild(workspace)

    assert rows() == before
    assert [f.name for f in check_database() if not f.holds] == []
