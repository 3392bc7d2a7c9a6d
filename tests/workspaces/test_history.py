"""History costs little, and what a person lets go is gone and told."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.blobs import Gone, blob_bytes
from memoryhub.journal.models import Blob, Revision, Tombstone, Workspace
from memoryhub.repair.checkup import check_database
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.history import cost_of, repack, thin, thinning
from tests.writing import assert_a_rebuild_changes_nothing

MakeWorkspace = Callable[[Path], Workspace]
LOG, NOTE = "memory/2026-11-01.md", "memory/note.md"
HEAD = "# Day\n" + "".join(f"- line {number} of the log\n" for number in range(60))
START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def say(workspace: Workspace, path: str, text: str, at: datetime) -> None:
    """Have a file say something at a time, and import it."""
    place = Path(workspace.root, path)
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    sync_workspace(workspace, clock=lambda: at)


def notes(workspace: Workspace, count: int) -> None:
    """Rewrite a note every six hours, four times a day."""
    for number in range(count):
        text = f"# Note\n\nIt is {number}.\n" + "words " * 40
        say(workspace, NOTE, text, START + timedelta(hours=6 * number))


def full_copies(workspace: Workspace) -> int:
    """Store every version as a full copy; return how many bytes they take."""
    for blob in Blob.objects.filter(encoding="tail").order_by("-id"):
        data = zlib.compress(blob_bytes(blob))
        row = Blob.objects.filter(pk=blob.pk)
        row.update(encoding="deflate", data=data, base=None, depth=0)
    return cost_of(workspace).stored


def numbers(workspace: Workspace) -> list[int]:
    """Return which versions of the note are left, by their number."""
    versions = Revision.objects.filter(path=NOTE).order_by("seq")
    kept = versions.exclude(blob__encoding="gone").select_related("blob")
    texts = [blob_bytes(each.blob).decode() for each in kept if each.blob]
    return [int(text.split("It is ")[1].split(".")[0]) for text in texts]


def test_full_copies_of_a_growing_log_become_tails(workspace: Workspace) -> None:
    texts = [HEAD + "- more\n" * number for number in range(40)]
    for number, text in enumerate(texts):
        say(workspace, LOG, text, START + timedelta(hours=number))
    before = full_copies(workspace)

    saved = repack(workspace)

    versions = Revision.objects.order_by("seq").select_related("blob")
    assert [blob_bytes(v.blob).decode() for v in versions if v.blob] == texts
    assert cost_of(workspace).stored == before - saved
    assert before - saved < before / 3
    assert repack(workspace) == 0


def test_old_versions_go_but_for_the_last_of_each_day(workspace: Workspace) -> None:
    notes(workspace, 12)
    chosen = thinning(workspace, START + timedelta(days=2), "day")

    thin(workspace, chosen, "ann", "older than 30 days", START + timedelta(days=40))

    assert numbers(workspace) == [2, 6, 8, 9, 10, 11]
    assert set(Tombstone.objects.values_list("kind", "actor", "reason")) == {
        ("thinned", "ann", "older than 30 days")
    }
    assert all(finding.holds for finding in check_database())
    assert_a_rebuild_changes_nothing(workspace)


def test_a_version_that_was_thinned_out_says_so(workspace: Workspace) -> None:
    notes(workspace, 3)
    thin(
        workspace,
        thinning(workspace, START + timedelta(days=9), "month"),
        "",
        "",
        START,
    )

    first = Revision.objects.select_related("blob").get(seq=1).blob

    assert first is not None
    with pytest.raises(Gone):
        blob_bytes(first)


def test_the_newest_version_of_a_file_never_goes(workspace: Workspace) -> None:
    notes(workspace, 5)

    chosen = thinning(workspace, START + timedelta(days=900), "month")
    thin(workspace, chosen, "", "", START)

    assert numbers(workspace) == [4]


def test_versions_stored_as_tails_or_under_them_stay(workspace: Workspace) -> None:
    for number in range(6):
        text = HEAD + "- more\n" * number
        say(workspace, LOG, text, START + timedelta(minutes=number))

    assert thinning(workspace, START + timedelta(days=900), "month").versions == ()


def test_text_that_was_thinned_out_can_come_again(workspace: Workspace) -> None:
    notes(workspace, 3)
    thin(
        workspace,
        thinning(workspace, START + timedelta(days=9), "month"),
        "",
        "",
        START,
    )

    say(workspace, NOTE, "# Note\n\nIt is 0.\n" + "words " * 40, START)

    assert numbers(workspace) == [2, 0]


@pytest.mark.django_db(transaction=True)
def test_the_command_shows_what_would_go_and_needs_a_yes(workspace: Workspace) -> None:
    notes(workspace, 8)
    out = StringIO()
    rule = {"thin_older_than": 1, "keep": "month", "json": True}

    call_command("compact_history", stdout=out, **rule)
    call_command("compact_history", stdout=out, **rule, yes=True)

    shown, done = map(json.loads, out.getvalue().splitlines())
    assert (shown["would_thin"], done["thinned"]) == (7, 7)
    assert shown["stored"] == done["stored_before"] > done["stored"]
    assert numbers(workspace) == [7]


@pytest.mark.parametrize("wrong", [{"thin_older_than": 0}, {"yes": True}])
def test_a_rule_that_cannot_be_is_refused(
    workspace: Workspace, wrong: dict[str, int]
) -> None:
    with pytest.raises(CommandError):
        call_command("compact_history", **wrong)
