from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from memoryhub.claims.models import FileClaim
from memoryhub.claims.services import Wanted, claim_files
from memoryhub.forgetting.aims import PLACES
from memoryhub.forgetting.forgettings import (
    Target,
    ask,
    carry_on,
    confirm,
    plan,
    take_back,
)
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.forgetting.rules import MARK
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import (
    Blob,
    Operation,
    Problem,
    Revision,
    Tombstone,
    Workspace,
)
from memoryhub.journal.problems import current_problems
from memoryhub.notices.models import Notice
from memoryhub.repair.checkup import check_database
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.sync.record.projection import projected, rebuild
from memoryhub.tools.models import ToolCall
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import LogEntry
from tests.factories import write
from tests.forgetting.conftest import (
    ENTRY,
    FIRST,
    LATER,
    LOG,
    OTHER,
    SECRET,
    begun,
    forgotten,
    rows,
)

TOPIC = "memory/context-api.md"


def texts_of(path: str) -> list[str]:
    """Return what each version of a file says; a version without bytes is empty."""
    ids = list(Revision.objects.filter(path=path).values_list("blob_id", flat=True))
    data = bytes_by_id([blob_id for blob_id in ids if blob_id])
    return [data.get(blob_id or 0, b"").decode() for blob_id in ids]


def test_a_plan_says_what_is_touched_and_gives_nothing_away(
    workspace: Workspace,
) -> None:
    asked = ask(workspace, Target("text", SECRET), "operator")
    found = plan(asked).plan

    assert (found["versions"], found["file_count"], found["now"]) == (2, 1, [LOG])
    # Both versions have the same line.
    samples = [sample["text"] for sample in found["samples"]]
    assert samples == [f"The password is {MARK} for staging."]
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


def test_claims_of_files_are_searched_too(workspace: Workspace) -> None:
    wanted = Wanted(["src"], reason=f"to use {SECRET} there")
    claim_files(workspace, "ann", wanted, timezone.now())

    forgotten(workspace, kind="text", text=SECRET)

    (claim,) = FileClaim.objects.all()
    assert (claim.path, claim.reason) == ("src", f"to use {MARK} there")


def test_what_is_hidden_is_gone_from_disk_at_once_and_can_be_taken_back(
    workspace: Workspace,
) -> None:
    place = Path(workspace.root, LOG)
    before, text = texts_of(LOG), place.read_text()
    hidden = begun(workspace, kind="text", text=SECRET)
    assert hidden.state == "hidden" and SECRET not in str(texts_of(LOG)) + str(rows())
    assert place.read_text() == text.replace(SECRET, MARK)

    carry_on(take_back(hidden))

    assert hidden.state == "taken_back"
    assert texts_of(LOG)[: len(before)] == before and texts_of(LOG)[-1] == text
    assert not (SealedRow.objects.exists() or Tombstone.objects.exists())
    assert place.read_text() == text
    known = rows()
    rebuild(workspace)
    assert rows() == known


def test_a_file_that_was_forgotten_whole_comes_back(workspace: Workspace) -> None:
    place = Path(workspace.root, LOG)
    text = place.read_text()
    hidden = begun(workspace, kind="file", path=LOG)
    assert not place.exists()

    carry_on(take_back(hidden))

    assert place.read_text() == text


def test_taking_back_leaves_what_was_written_since(workspace: Workspace) -> None:
    place = Path(workspace.root, LOG)
    hidden = begun(workspace, kind="text", text=SECRET)
    place.write_text(FIRST)

    carry_on(take_back(hidden))

    assert place.read_text() == FIRST


def test_a_file_that_is_written_back_meanwhile_is_redacted_again(
    workspace: Workspace,
) -> None:
    place = Path(workspace.root, LOG)
    text = place.read_text()
    hidden = begun(workspace, kind="text", text=SECRET)
    place.write_text(text)
    Forgetting.objects.filter(pk=hidden.pk).update(due_at=timezone.now())

    carry_on(hidden)

    assert place.read_text() == text.replace(SECRET, MARK)


def test_the_secrets_that_were_found_are_forgotten_together(
    workspace: Workspace,
) -> None:
    write(Path(workspace.root), {OTHER: "token: `m0-" + "aB3x" * 8 + "`\n"})
    sync_workspace(workspace)

    forgotten(workspace, kind="secrets")

    for path in (LOG, OTHER):
        assert MARK in Path(workspace.root, path).read_text()
    assert not current_problems(workspace).filter(code_name="secrets").exists()
    with pytest.raises(FormatError, match="forgetting-empty"):
        ask(workspace, Target("secrets"), "operator")


def test_rebuild_and_check_hold_afterwards(workspace: Workspace) -> None:
    forgotten(workspace, kind="text", text=SECRET)
    before = rows()
    rebuild(workspace)

    assert rows() == before
    assert [f.name for f in check_database() if not f.holds] == []


def test_the_journal_is_replayed_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays: list[Workspace] = []

    def counted(workspace: Workspace, **options: Any) -> None:
        replays.append(workspace)
        rebuild(workspace, **options)

    monkeypatch.setattr("memoryhub.forgetting.hiding.rebuild", counted)
    forgotten(workspace, kind="text", text=SECRET)

    assert len(replays) == 1 and SECRET not in str(texts_of(LOG))


def test_a_version_that_comes_again_is_not_stored_but_noted(
    workspace: Workspace,
) -> None:
    place = Path(workspace.root, LOG)
    before = place.read_text()
    forgotten(workspace, kind="text", text=SECRET)
    place.write_text(before)
    sync_workspace(workspace)

    assert SECRET not in str(texts_of(LOG)) + str(rows())
    (problem,) = Problem.objects.filter(code_name="forgotten-again")
    assert problem.path == LOG and problem.until_seq is None
    known = rows()
    rebuild(workspace)
    assert rows() == known


def test_a_version_that_comes_again_and_is_read_by_an_edit_is_not_stored(
    workspace: Workspace,
) -> None:
    forgotten(workspace, kind="text", text=SECRET)
    place = Path(workspace.root, LOG)
    place.write_text(FIRST + ENTRY)

    apply_edit(workspace, Edit(LOG, "replace_file", {"text": FIRST}, "ada"))

    assert SECRET not in str(texts_of(LOG))
    assert Problem.objects.filter(code_name="forgotten-again").exists()
    assert SECRET not in str(rows())


def test_what_says_something_else_afterwards_is_read_again(
    workspace: Workspace,
) -> None:
    place = Path(workspace.root, LOG)
    before = place.read_text()
    forgotten(workspace, kind="text", text=SECRET)
    for text in (before, "# 2026-11-20\n\n## 10:00 - New\nAll else.\n"):
        place.write_text(text)
        sync_workspace(workspace)

    assert texts_of(LOG)[-1].endswith("All else.\n")
    open_ones = Problem.objects.filter(until_seq__isnull=True)
    assert not open_ones.filter(code_name="forgotten-again").exists()


def test_files_that_are_left_alone_still_hold_it(workspace: Workspace) -> None:
    done = forgotten(workspace, kind="text", text=SECRET, keep_files=True)

    assert done.result["kept"] == [LOG]
    assert SECRET in Path(workspace.root, LOG).read_text()
    assert SECRET not in str(texts_of(LOG)) + str(rows())
    assert sync_workspace(workspace).is_empty


def test_a_file_is_gone_with_all_its_versions(workspace: Workspace) -> None:
    done = forgotten(workspace, kind="file", path=LOG)

    assert texts_of(LOG) == ["", "", "", ""]
    assert not Path(workspace.root, LOG).exists()
    assert "Looked at the queue" not in str(rows())
    assert done.result["left"] == [] and sync_workspace(workspace).is_empty


def test_one_version_is_gone_and_those_around_it_stay(workspace: Workspace) -> None:
    seq = Revision.objects.filter(path=LOG)[1].seq
    first, _, last = texts_of(LOG)
    forgotten(workspace, kind="version", path=LOG, seq=seq)

    assert texts_of(LOG) == [first, "", last]
    assert Path(workspace.root, LOG).read_text() == last
    assert "Done" in str(rows()["LogEntry"])


def test_answers_about_a_forgotten_version_quote_it_no_more(
    workspace: Workspace,
) -> None:
    seq = Revision.objects.filter(path=LOG)[1].seq
    now = timezone.now()
    quote = {"path": LOG, "text": f"The password is {SECRET}"}
    ToolCall.objects.create(
        workspace=workspace, key="k", caller="ana", tool="memory_get",
        request_sha="0", answer=quote, made_at=now,
    )  # fmt: skip
    Notice.objects.create(
        workspace=workspace, delivery=uuid4(), body={"items": [quote]}, made_at=now
    )
    forgotten(workspace, kind="version", path=LOG, seq=seq)

    held = str([*ToolCall.objects.values(), *Notice.objects.values()])
    assert SECRET not in held and "version-gone" in held


def test_the_newest_version_gives_way_to_the_one_before(workspace: Workspace) -> None:
    seq = Revision.objects.filter(path=LOG)[2].seq
    before = texts_of(LOG)[1]
    forgotten(workspace, kind="version", path=LOG, seq=seq)

    assert Path(workspace.root, LOG).read_text() == before
    assert texts_of(LOG)[2:] == ["", before]
    assert "All green" not in str(rows())


def test_an_entry_is_taken_out_of_every_version(workspace: Workspace) -> None:
    entry = LogEntry.objects.get(title="Deployed")
    forgotten(workspace, kind="entry", text=f"/w/acme/entries/{entry.code}/")

    assert all("Deployed" not in text for text in texts_of(LOG))
    assert texts_of(LOG)[-1].count(MARK) == 1 and LATER in texts_of(LOG)[-1]
    assert not LogEntry.objects.filter(title="Deployed").exists()


def test_a_pattern_finds_all_that_is_like_it(workspace: Workspace) -> None:
    forgotten(workspace, kind="regex", text=r"hunter\d-\w+")

    assert SECRET not in str(texts_of(LOG)) + str(rows())


def test_other_encodings_keep_theirs(workspace: Workspace) -> None:
    place = Path(workspace.root, OTHER)
    text = f"Grüße {SECRET}\r\nund mehr\r\n"
    for data in (
        text.encode("utf-16"),
        text.encode("cp1252"),
        text.encode("utf-8-sig"),
    ):
        place.write_bytes(data)
        sync_workspace(workspace)
    forgotten(workspace, kind="text", text=SECRET)

    left = text.replace(SECRET, MARK)
    expected = [left.encode(code) for code in ("utf-16", "cp1252", "utf-8-sig")]
    ids = Revision.objects.filter(path=OTHER).values_list("blob_id", flat=True)
    held = bytes_by_id(list(ids))
    assert [held[blob_id] for blob_id in ids][1:4] == expected


def test_operations_say_no_more_what_was_forgotten(workspace: Workspace) -> None:
    edit = Edit(TOPIC, "add_decision", {"text": f"Use {SECRET}"}, "ana")
    undo(workspace, apply_edit(workspace, edit), "ana")
    forgotten(workspace, kind="text", text=SECRET)

    held = list(Operation.objects.values())
    assert SECRET not in str(held) and f"Use {MARK}" in str(held)


def test_what_wrote_a_forgotten_file_cannot_be_taken_back(
    workspace: Workspace,
) -> None:
    done = apply_edit(workspace, Edit(TOPIC, "set_status", {"text": "A"}, "ana"))
    apply_edit(workspace, Edit(TOPIC, "set_status", {"text": "B"}, "ana"))
    forgotten(workspace, kind="file", path=TOPIC)
    done.refresh_from_db()

    with pytest.raises(FormatError) as refused:
        undo(workspace, done, "ana")
    assert refused.value.code == "version-gone"
    assert (done.payload, done.after, done.verb) == ({}, None, "set_status")


def test_staged_operations_of_a_forgotten_file_come_to_nothing(
    workspace: Workspace,
) -> None:
    Workspace.objects.update(review_before_writing=True)
    workspace.refresh_from_db()
    edit = Edit(TOPIC, "set_status", {"text": f"Use {SECRET}"}, "ana")
    staged = apply_edit(workspace, edit)
    forgotten(workspace, kind="file", path=LOG)
    staged.refresh_from_db()
    assert staged.state == "staged"
    forgotten(workspace, kind="text", text=SECRET)
    staged.refresh_from_db()

    assert (staged.state, staged.payload) == ("staged", {"text": f"Use {MARK}"})


def test_other_workspaces_keep_their_versions(
    workspace: Workspace, tmp_path: Path
) -> None:
    write(tmp_path / "b", {"same.md": Path(workspace.root, LOG).read_text()})
    other = add_workspace(tmp_path / "b", slug="other")
    sync_workspace(other)
    done = forgotten(workspace, kind="text", text=SECRET)

    assert done.plan["elsewhere"] == done.result["elsewhere"] == ["other"]
    assert SECRET in texts_of("same.md")[0]
    assert SECRET not in str(texts_of(LOG))


def test_one_of_two_that_wait_is_taken_back_in_its_turn(workspace: Workspace) -> None:
    first = begun(workspace, kind="text", text=SECRET)
    second = begun(workspace, kind="text", text="All green")
    with pytest.raises(FormatError, match=r"^forgetting-order"):
        take_back(first)
    with pytest.raises(FormatError, match=r"^forgetting-order"):
        begun_now = plan(ask(workspace, Target("text", "nothing left"), "operator"))
        confirm(begun_now, now=True)
    carry_on(take_back(second))
    carry_on(take_back(first))

    assert SECRET in texts_of(LOG)[-1] and "All green" in texts_of(LOG)[-1]


def test_history_export_blame_and_diff_hold(
    client: Client, workspace: Workspace
) -> None:
    seq = Revision.objects.filter(path=LOG)[1].seq
    forgotten(workspace, kind="version", path=LOG, seq=seq, reason="a mistake")
    page = f"/w/acme/files/{LOG}"
    shown = client.get(f"{page}?rev={seq}").content.decode()

    assert "Forgotten by operator on" in shown and "a mistake" in shown
    assert "This version was forgotten" in shown
    for view in ("raw", "blame", "history", "text"):
        assert client.get(f"{page}?view={view}&rev={seq}").status_code == 200
        assert client.get(f"{page}?view={view}").status_code == 200
    assert client.get(f"{page}?view=history&rev={seq + 1}&vs={seq}").status_code == 200
    assert {file.path for file in workspace_files(workspace)} == {LOG, OTHER}
    then = Revision.objects.get(seq=seq).recorded_at
    assert [file.path for file in workspace_files(workspace, as_of=then)] == [OTHER]


def test_a_forgotten_version_cannot_be_restored(
    client: Client, workspace: Workspace
) -> None:
    revisions = Revision.objects.filter(path=LOG)
    seq, newest = revisions[1].seq, revisions[2].seq
    forgotten(workspace, kind="version", path=LOG, seq=seq)
    said = {"rev": seq, "seen": newest, "key": "k"}
    answer = client.post(f"/w/acme/restore/{LOG}", said, follow=True)

    assert "This version was forgotten" in answer.content.decode()
    assert Path(workspace.root, LOG).read_text() == texts_of(LOG)[2]


#: Tables without file texts: numbers, hashes, names and settings of people.
WITHOUT = frozenset(
    {
        "workspaces.Workspace", "workspaces.Blob", "workspaces.Tombstone",
        "workspaces.SyncRun", "workspaces.Revision", "workspaces.FileStat",
        "people.User", "people.SeenMark", "people.AccessToken", "tools.HeardSession",
        "notices.Channel", "handoffs.SignOfLife", "workspaces.StoredCount",
        "workspaces.KeptId", "handoffs.ReadThread", "audit.AuditEntry",
        "forgetting.Forgetting", "forgetting.SealedRow", "auth.Permission",
        "auth.Group", "contenttypes.ContentType", "sessions.Session",
        # Of accounts: nothing that a file says.
        "people.Group", "people.Membership", "people.TurnAssignment",
        "accounts.BrowserSession", "accounts.Invitation", "account.EmailAddress",
        "account.EmailConfirmation", "mfa.Authenticator", "socialaccount.SocialAccount",
        "socialaccount.SocialApp", "socialaccount.SocialToken", "accounts.Attempt",
    }
)  # fmt: skip


def test_every_table_is_looked_through_or_named_as_without_texts() -> None:
    tables = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    anew = {model._meta.label for model in projected()}
    joins = {label for label in tables if "_" in label.partition(".")[2]}

    assert tables - anew - joins == WITHOUT | PLACES.keys()
