"""Links of a workspace, and the folders into which the operator lets them lead."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from memoryhub.disk.files import UnreadableFile
from memoryhub.disk.places import read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.environment import env_folders
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.files import Who
from memoryhub.sync.read.reader import place_at
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.watcher import Watcher
from memoryhub.workspaces.services.documents import replace_document
from tests.factories import imported, write
from tests.waiting import wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

DAY = "# 2026-11-20\n\nQuiet.\n"
NOTE = "# Harbour\n\n- the gate opens at six\n"


@pytest.fixture
def vault(tmp_path: Path, settings: Settings) -> Path:
    """Return a folder outside of the workspace into which links may lead."""
    folder = tmp_path / "vault"
    write(folder, {"notes/harbour.md": NOTE, "2026-11-20.md": DAY})
    settings.MEMORYHUB_LINKED_FOLDERS = (folder.resolve(),)
    return folder


def links(root: Path, **targets: Path | str) -> None:
    for name, target in targets.items():
        link = root / "memory" / name.replace("__", ".")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)


def present(workspace: Workspace) -> list[str]:
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    return sorted(rows.values_list("path", flat=True))


def named(workspace: Workspace) -> list[str]:
    rows = current_problems(workspace).filter(code_name="link-not-followed")
    return sorted(rows.values_list("path", flat=True))


def save(workspace: Workspace, path: str, text: str) -> None:
    replace_document(workspace, path, text, lambda _: True, Who("dana", path))


def test_a_linked_folder_and_file_that_are_allowed_are_imported_and_written(
    workspace_root: Path, vault: Path, client: Client
) -> None:
    links(workspace_root, shared=vault, today__md=vault / "2026-11-20.md")
    workspace = imported(workspace_root, {"memory/own.md": "# Own\n"})

    assert present(workspace) == [
        "memory/own.md", "memory/shared/2026-11-20.md",
        "memory/shared/notes/harbour.md", "memory/today.md",
    ]  # fmt: skip
    assert named(workspace) == []
    save(workspace, "memory/shared/notes/harbour.md", NOTE.replace("six", "seven"))
    save(workspace, "memory/shared/notes/new.md", "# New\n")
    save(workspace, "memory/today.md", "# 2026-11-20\n\nLoud.\n")

    assert "seven" in (vault / "notes/harbour.md").read_text("utf-8")
    assert (vault / "notes/new.md").is_file()
    assert "Loud" in (vault / "2026-11-20.md").read_text("utf-8")
    assert (workspace_root / "memory/today.md").is_symlink()
    address = "/w/acme/files/memory/shared/notes/harbour.md"
    assert b"seven" in client.get(address).content
    sync_workspace(workspace)
    assert len(present(workspace)) == 5
    rebuild(workspace)


def test_memory_itself_may_be_a_link(workspace_root: Path, vault: Path) -> None:
    workspace_root.mkdir(parents=True, exist_ok=True)
    (workspace_root / "memory").symlink_to(vault)

    workspace = imported(workspace_root, {"AGENTS.md": "# Agents\n"})

    assert "memory/2026-11-20.md" in present(workspace) and named(workspace) == []


def test_without_the_setting_no_link_is_followed(
    workspace_root: Path, vault: Path, settings: Settings
) -> None:
    settings.MEMORYHUB_LINKED_FOLDERS = ()
    links(workspace_root, shared=vault)
    workspace = imported(workspace_root, {"memory/own.md": "# Own\n"})

    assert present(workspace) == ["memory/own.md"]
    assert named(workspace) == ["memory/shared"]
    with pytest.raises(FormatError, match="path-not-allowed"):
        save(workspace, "memory/shared/new.md", "# New\n")
    with pytest.raises(UnreadableFile):
        read_file(place_at(workspace_root, "memory/shared/2026-11-20.md"))


def test_a_link_that_leads_out_of_what_is_allowed_is_refused(
    workspace_root: Path, vault: Path, tmp_path: Path
) -> None:
    write(tmp_path / "other", {"secret.md": "# Secret\n"})
    write(tmp_path / "vault-2", {"near.md": "# Near\n"})
    (vault / "out").symlink_to(tmp_path / "other")
    (vault / "up.md").symlink_to("../other/secret.md")
    git = vault / ".git"
    write(git, {"notes.md": "# Hooks\n"})
    links(
        workspace_root,
        shared=vault,
        dots=f"{vault}/../other",
        near=tmp_path / "vault-2",
        through=vault / "out",
        hooks=git,
        gone=vault / "nothing",
    )
    workspace = imported(workspace_root, {"memory/own.md": "# Own\n"})

    assert not [path for path in present(workspace) if "secret" in path]
    assert named(workspace) == [
        "memory/dots", "memory/gone", "memory/hooks", "memory/near",
        "memory/shared/out", "memory/shared/up.md", "memory/through",
    ]  # fmt: skip
    for path in ("dots/secret.md", "shared/out/secret.md", "shared/up.md", "near/a.md"):
        with pytest.raises(UnreadableFile):
            read_file(place_at(workspace_root, f"memory/{path}"))
        with pytest.raises(FormatError, match="path-not-allowed"):
            save(workspace, f"memory/{path}", "# Mine\n")
    assert (tmp_path / "other/secret.md").read_text("utf-8") == "# Secret\n"


def test_a_link_that_turns_after_it_was_looked_at_leads_nowhere_else(
    workspace_root: Path, vault: Path, tmp_path: Path
) -> None:
    write(tmp_path / "other", {"harbour.md": "# Secret\n"})
    links(workspace_root, shared=vault)
    place = place_at(workspace_root, "memory/shared/notes/harbour.md")
    (vault / "notes").rename(vault / "before")
    (vault / "notes").symlink_to(tmp_path / "other")

    with pytest.raises(UnreadableFile):
        read_file(place)
    with pytest.raises(UnreadableFile):
        replace_file(place, b"# Mine\n", expected=None)
    (tmp_path / "vault").rename(tmp_path / "moved")
    vault.symlink_to(tmp_path / "other")
    with pytest.raises(UnreadableFile):
        read_file(place)


def test_circles_and_nested_links_come_to_an_end(
    workspace_root: Path, tmp_path: Path, settings: Settings
) -> None:
    folders = [tmp_path / f"part-{n}" for n in range(4)]
    for n, folder in enumerate(folders):
        write(folder, {f"note-{n}.md": f"# Note {n}\n"})
        for m, other in enumerate(folders):
            (folder / f"to-{m}").symlink_to(other)
    (folders[0] / "home").symlink_to(workspace_root)
    settings.MEMORYHUB_LINKED_FOLDERS = (tmp_path.resolve(),)
    links(workspace_root, a=folders[0], loop=".", up=tmp_path, self=workspace_root)

    workspace = imported(workspace_root, {"memory/own.md": "# Own\n"})

    assert present(workspace) == [
        "memory/a/note-0.md", *(f"memory/a/to-{n}/note-{n}.md" for n in (1, 2, 3)),
        "memory/own.md",
    ]  # fmt: skip
    assert {"memory/loop", "memory/up", "memory/self"} <= set(named(workspace))


def test_files_behind_a_link_whose_target_is_away_are_not_taken_for_deleted(
    workspace_root: Path, vault: Path
) -> None:
    links(workspace_root, shared=vault)
    workspace = imported(workspace_root, {f"memory/{n}.md": "# A\n" for n in range(9)})
    vault.rename(vault.with_name("away"))

    sync_workspace(workspace)

    assert "memory/shared/notes/harbour.md" in present(workspace)
    assert named(workspace) == ["memory/shared"]


@pytest.mark.django_db(transaction=True)
def test_a_change_in_a_linked_folder_is_seen_by_the_watcher(
    workspace_root: Path, vault: Path
) -> None:
    links(workspace_root, shared=vault)
    workspace = imported(workspace_root, {"memory/own.md": "# Own\n"})
    stop, seen = threading.Event(), threading.Event()
    watcher = Watcher(stop, lambda *_: seen.set(), rescan=600)
    thread = threading.Thread(target=watcher.run)
    thread.start()
    try:
        assert seen.wait(30)

        def is_imported() -> bool:
            # Written again until the watch has begun.
            write(vault, {"fresh.md": f"# Fresh {os.times().elapsed}\n"})
            return "memory/shared/fresh.md" in present(workspace)

        wait_for(is_imported)
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("value", ["vault", "{data}/in", "{data}", "/"])
def test_the_setting_takes_no_folder_around_or_within_the_hubs_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str
) -> None:
    monkeypatch.setenv("MEMORYHUB_TEST", value.format(data=tmp_path))

    with pytest.raises(ImproperlyConfigured, match="MEMORYHUB_TEST"):
        env_folders("MEMORYHUB_TEST", closed=tmp_path)


def test_the_setting_takes_folders_separated_by_commas(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORYHUB_TEST", f"{tmp_path}/a, {tmp_path}/b")

    found = env_folders("MEMORYHUB_TEST", closed=tmp_path / "data")
    assert found == (tmp_path / "a", tmp_path / "b")
