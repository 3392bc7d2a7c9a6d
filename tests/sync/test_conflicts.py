"""Conflict markers, conflict copies and unreadable encodings: nothing is stated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.formats.text.merging import Clash, parts_of
from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.journal.versions import file_at, versions_of
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.timeline.queries.frame import files_in
from snapshots.models import OpenItem
from tests.factories import imported
from tests.projected import differences, projected_rows
from topics.models import Decision, Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

OURS, MIDDLE, THEIRS = "<<<<<<< HEAD", "=======", ">>>>>>> 3f2a9c1"
MEMORY = f"""# Memory

## Rules
- Use the staging gateway for tests
{OURS}
- [ ] Ask ops about the tunnel
{MIDDLE}
- [ ] Ask nobody about the tunnel
{THEIRS}
- Keep logs for 30 days
"""
DECISIONS = f"""# Decisions

{OURS}
- 2026-11-10: Use Postgres 17 for the ledger
{MIDDLE}
- 2026-11-10: Use SQLite for the ledger
{THEIRS}
"""
TOLL = """# Toll topic

**Status:** active

## Decisions
- 2026-11-10: Use Postgres 17 for the ledger

## Next steps
- [ ] Ask ops about the tunnel
"""
COPIES = [
    "context-toll (Kim's conflicted copy 2026-11-20).md",
    "context-toll 2.md",
    "context-toll-MacBook Pro.md",
    "context-toll.sync-conflict-20261120-101112-ABCDEFG.md",
    ".#context-toll.md",
]
#: What editors and merges leave.
LEFT = [
    "context-toll.md.orig", "context-toll.md~", "context-toll.md.~3~",
    "#context-toll.md#",
]  # fmt: skip


def problems(workspace: Workspace) -> list[tuple[str, str, int]]:
    rows = current_problems(workspace).order_by("path", "line")
    return [(row.path, row.code_name, row.line) for row in rows]


def recalled(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> str:
    call_command("recall", workspace=workspace.slug, json=True)
    return str(json.loads(capsys.readouterr().out))


def test_neither_side_of_conflict_markers_is_stated(
    workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"MEMORY.md": MEMORY, "memory/decisions.md": DECISIONS}
    workspace = imported(workspace_root, files)

    assert problems(workspace) == [
        ("MEMORY.md", "conflict-markers", 5),
        ("memory/decisions.md", "conflict-markers", 3),
    ]
    assert not Decision.objects.exists() and not OpenItem.objects.exists()
    text = recalled(workspace, capsys)
    assert "staging gateway" in text and "30 days" in text
    for line in (OURS, THEIRS, "tunnel", "Postgres", "SQLite"):
        assert line not in text
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_the_newest_notes_of_the_overview_are_neither_sides_nor_copies(
    workspace_root: Path, client: Client
) -> None:
    files = {f"memory/{name}": TOLL for name in [*COPIES, "context-toll.md"]}
    workspace = imported(workspace_root, files | {"memory/rules.md": MEMORY})

    page = client.get(f"/w/{workspace.slug}/").content.decode()

    assert page.count("Status:") == 1 and "Keep logs for 30 days" in page
    for line in ("HEAD", MIDDLE, "nobody about the tunnel", "3f2a9c1"):
        assert line not in page


def test_a_settled_conflict_is_stated_again(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/decisions.md": DECISIONS})
    chosen = "# Decisions\n\n- 2026-11-10: Use SQLite for the ledger\n"
    (workspace_root / "memory/decisions.md").write_text(chosen, "utf-8")

    sync_workspace(workspace)

    assert problems(workspace) == []
    assert Decision.objects.get().text == "Use SQLite for the ledger"


def test_of_a_half_settled_conflict_nothing_is_stated_either(
    workspace_root: Path,
) -> None:
    text = DECISIONS.replace(f"{THEIRS}\n", "- 2026-11-11: Use Redis for the cache\n")
    workspace = imported(workspace_root, {"memory/decisions.md": text})

    assert problems(workspace) == [("memory/decisions.md", "conflict-markers", 3)]
    assert not Decision.objects.exists()
    title = "# Title\n=======\n\n- 2026-11-10: Use SQLite for the ledger\n"
    (workspace_root / "memory/decisions.md").write_text(title, "utf-8")
    sync_workspace(workspace)
    assert problems(workspace) == []


def test_markers_that_a_code_block_shows_are_text(workspace_root: Path) -> None:
    shown = f"# How to merge\n\n```\n{OURS}\na\n{MIDDLE}\nb\n{THEIRS}\n```\n"

    assert problems(imported(workspace_root, {"memory/merge.md": shown})) == []


def test_copies_of_a_file_are_named_as_that_and_state_nothing(
    workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"memory/{name}": TOLL for name in [*COPIES, "context-toll.md"]}
    workspace = imported(workspace_root, files)
    for name in LEFT:
        (workspace_root / "memory" / name).write_text(TOLL, "utf-8")
    sync_workspace(workspace)

    copies = {path for path, code, _ in problems(workspace) if code == "conflict-copy"}
    assert copies == {f"memory/{name}" for name in COPIES}
    left = {path for path, code, _ in problems(workspace) if code == "backup-copy"}
    assert left == {f"memory/{name}" for name in LEFT}
    assert Topic.objects.count() == 1
    assert Decision.objects.count() == 1
    assert OpenItem.objects.get().file.path == "memory/context-toll.md"
    told = recalled(workspace, capsys)
    assert not [name for name in COPIES if name in told]
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


@pytest.mark.parametrize(
    "name",
    [
        "toll (In Konflikt stehende Kopie von Kim 2026-11-20).md",
        "toll (Copie en conflit de Kim 2026-11-20).md",
        "toll (Kim の競合コピー 2026-11-20).md",
        "toll 2.md",
        "toll-DESKTOP-7AB12CD.md",
    ],
)
def test_a_copy_is_known_in_any_language_though_both_texts_were_changed(
    workspace_root: Path, name: str
) -> None:
    files = {
        "memory/toll.md": TOLL.replace("17", "18") + "- [ ] Ask Ana for the key\n",
        f"memory/{name}": TOLL + "- [ ] Ask Kim for the keys\n- [ ] Paint it\n",
    }

    workspace = imported(workspace_root, files)

    assert problems(workspace) == [(f"memory/{name}", "conflict-copy", 0)]
    texts = OpenItem.objects.values_list("text", flat=True)
    assert {*texts} == {"Ask ops about the tunnel", "Ask Ana for the key"}


def test_agents_find_a_conflict_copy_only_by_a_path_that_tells_it_from_its_file(
    workspace_root: Path, capsys: pytest.CaptureFixture[str], client: Client
) -> None:
    files = {f"memory/{name}": TOLL for name in [*COPIES, "context-toll.md"]}
    workspace = imported(workspace_root, files)

    def found(query: str) -> set[str]:
        call_command("search", query, workspace=workspace.slug, json=True)
        results = json.loads(capsys.readouterr().out)["results"]
        return {result["path"] for result in results}

    assert found("ops tunnel") == {"memory/context-toll.md"}
    assert found("ops tunnel path:context-toll") == {"memory/context-toll.md"}
    assert found("ops tunnel path:sync-conflict") == {f"memory/{COPIES[3]}"}
    call_command("recall", question="ops tunnel", workspace=workspace.slug, json=True)
    assert not [name for name in COPIES if name in capsys.readouterr().out]
    page = client.get(f"/w/{workspace.slug}/search/", {"q": "ops tunnel", "every": "1"})
    assert "conflict copy" in page.content.decode()


def test_a_swap_file_of_vim_is_named_with_its_file(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": "# Memory\n\n- The kettle.\n"})
    (workspace_root / ".MEMORY.md.swp").write_bytes(b"b0VIM 9.1\0\0")
    (workspace_root / ".plan.md.swo").write_bytes(b"b0VIM 9.1\0\0")

    sync_workspace(workspace)

    assert problems(workspace) == [(".MEMORY.md.swp", "swap-file", 0)]


def test_each_linked_folder_of_memory_is_named(
    workspace_root: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (workspace_root / "memory").mkdir()
    for name in ("shared", "2026-11-21.md"):
        (workspace_root / "memory" / name).symlink_to(vault)
    (workspace_root / "memory/loop").symlink_to(".")

    workspace = imported(workspace_root, {"memory/notes.md": "# Notes\n"})

    assert [path for path, code, _ in problems(workspace)] == [
        "memory/2026-11-21.md", "memory/loop", "memory/shared",
    ]  # fmt: skip


def test_a_file_with_a_number_behind_its_name_is_no_copy(workspace_root: Path) -> None:
    files = {
        "memory/chapter.md": "# Chapter\n\n- The harbour opens.\n",
        "memory/chapter 2.md": "# Chapter 2\n\n- The harbour closes.\n",
    }

    assert problems(imported(workspace_root, files)) == []


@pytest.mark.parametrize(
    ("text", "encoding", "is_read"),
    [
        ("Déjà vu à l'été, naïve café — “œuvre”", "cp1252", True),
        ("Größe, Übung, Straße", "cp1252", True),
        ("Решение принято: оставить Виктора", "cp1251", False),
        ("用户选择了蓝色网关", "gbk", False),
        ("It’s Zoë’s, don’t—ever—ask", "cp1252", True),
        ("ゆりかごの門を閉める", "shift_jis", False),
        ("テスト", "shift_jis", False),
        ("仕様。", "shift_jis", False),
    ],
)
def test_text_of_an_unknown_encoding_is_a_problem(
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    encoding: str,
    *,
    is_read: bool,
) -> None:
    folder = workspace_root / "memory"
    folder.mkdir()
    (folder / "2026-11-20.md").write_bytes(f"# 2026-11-20\n- {text}\n".encode(encoding))
    workspace = imported(workspace_root, {})

    codes = [code for _, code, _ in problems(workspace)]
    assert codes == ([] if is_read else ["encoding-unknown"])
    (folder / "rope.md").write_bytes(f"# Rope\n\n{text}\n".encode(encoding))
    sync_workspace(workspace)
    assert ("rope.md" in recalled(workspace, capsys)) == is_read


def test_a_file_whose_name_changes_its_form_and_its_text_keeps_its_history(
    workspace_root: Path,
) -> None:
    composed, apart = "memory/context-Z\u00fcrich.md", "memory/context-Zu\u0308rich.md"
    workspace = imported(workspace_root, {composed: TOLL})
    (workspace_root / composed).unlink()
    (workspace_root / apart).write_text("# Elsewhere\n\n- nothing alike\n", "utf-8")

    assert sync_workspace(workspace).moved == 1

    assert SourceFile.objects.count() == 1
    for form in (composed, apart):
        file = file_at(workspace, form)
        assert file is not None and file.path == apart
    assert len(versions_of(workspace, apart)) == 2
    assert not Problem.objects.filter(code_name="memory-gone").exists()


@pytest.mark.parametrize("asked", ["Z\u00fcrich", "Zu\u0308rich"])
def test_either_form_of_a_name_finds_its_file(
    workspace_root: Path, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    name = "memory/context-Zu\u0308rich.md"
    workspace = imported(workspace_root, {name: "# Elsewhere\n\nThe ferry is late.\n"})

    assert [row.path for row in files_in(workspace, text=asked)] == [name]
    call_command("search", f"path:{asked} ferry")
    assert "The ferry is late." in capsys.readouterr().out
    call_command("search", f"-path:{asked} ferry")
    assert "The ferry is late." not in capsys.readouterr().out


JJ = """# Decisions

<<<<<<< Conflict 1 of 1
%%%%%%% Changes from base to side #1
 ### Decision: Keep logs for a month
-### Decision: Use MySQL for the ledger
+### Decision: Use Postgres 17 for the ledger
+++++++ Contents of side #2
### Decision: Keep logs for a month
### Decision: Use SQLite for the ledger
>>>>>>> Conflict 1 of 1 ends
"""


@pytest.mark.parametrize(
    "text",
    [
        JJ,
        JJ.replace(
            "%%%%%%% Changes from base to side #1",
            "%%%%%%% diff from: vqpxnzmt (original)\n\\\\\\\\\\\\\\        to: kuvo",
        ),
        JJ.replace("%%%%%%%", "+++++++").replace("\n -", "\n"),
    ],
)
def test_neither_side_of_a_conflict_of_jj_is_stated(
    workspace_root: Path, text: str
) -> None:
    workspace = imported(workspace_root, {"memory/decisions.md": text})

    assert problems(workspace) == [("memory/decisions.md", "conflict-markers", 3)]
    assert not Decision.objects.exists()


def test_a_conflict_of_jj_is_merged_from_its_sides_and_its_base() -> None:
    parts = parts_of(JJ)

    (clash,) = (part for part in parts if isinstance(part, Clash))
    assert clash.disk == "### Decision: Use Postgres 17 for the ledger\n"
    assert clash.here == "### Decision: Use SQLite for the ledger\n"
    assert clash.base == "### Decision: Use MySQL for the ledger\n"


@pytest.mark.parametrize(
    "name", ["Copy of toll.md", "toll copy.md", "toll (copy).md", "toll - Kopie.md"]
)
def test_a_copy_made_by_hand_is_one_only_while_its_text_is_alike(
    workspace_root: Path, name: str
) -> None:
    files = {"memory/toll.md": TOLL, f"memory/{name}": f"{TOLL}- [ ] Paint the gate\n"}
    workspace = imported(workspace_root, files)
    assert problems(workspace) == [(f"memory/{name}", "conflict-copy", 0)]

    (workspace_root / f"memory/{name}").write_text(
        "# Another\n\n**Status:** active\n\n- [ ] Paint the gate of the north pier\n"
    )
    sync_workspace(workspace)

    assert "conflict-copy" not in [code for _, code, _ in problems(workspace)]
    assert OpenItem.objects.filter(text__contains="north pier").exists()


def test_conflict_copies_take_no_places_of_an_agents_search(
    workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = "tunnel.sync-conflict-20261120-10{:02}12-ABCDEFG.md"
    files = {f"memory/{copy.format(at)}": "# Tunnel\n\n- tunnel\n" for at in range(60)}
    files["memory/tunnel.md"] = "# Log\n\n- the tunnel is closed for some hours\n"
    workspace = imported(workspace_root, files)

    call_command("search", "tunnel", workspace=workspace.slug, json=True)

    results = json.loads(capsys.readouterr().out)["results"]
    assert {result["path"] for result in results} == {"memory/tunnel.md"}
