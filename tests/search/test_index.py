"""The index: in step with the journal, small, mended when it is damaged."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest import MonkeyPatch

from bench.corpus import generate
from memoryhub.journal.models import Workspace
from memoryhub.search import index, store
from memoryhub.search.lookup import opened_lookup
from memoryhub.search.queries import search
from memoryhub.search.words import stem
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from memoryhub.workspaces.services.removal import remove_workspace
from tests.factories import imported, write

pytestmark = pytest.mark.django_db


def found(workspace: Workspace, text: str) -> set[str]:
    return {hit.path for hit in search(workspace, text).hits}


def contents(workspace: Workspace) -> tuple[list[store.Row], list[store.Row]]:
    """Return the blocks by path, and every term with the blocks it is in."""
    with opened_lookup(workspace) as lookup:
        assert lookup
        n = lookup.number
        blocks = lookup.connection.execute(
            "SELECT f.path, b.first, b.last, b.day, b.begins, b.id"
            f" FROM blocks_{n} b JOIN files_{n} f ON f.number = b.file ORDER BY 1, 2"
        ).fetchall()
        lookup.connection.execute(
            "CREATE VIRTUAL TABLE temp.places"
            f" USING fts5vocab(main, texts_{n}, instance)"
        )
        names = {row[5]: row[:3] for row in blocks}
        terms = lookup.connection.execute("SELECT term, doc, col FROM temp.places")
        placed = sorted((term, names[doc], column) for term, doc, column in terms)
    assert lookup.blocks == len(blocks)
    return [row[:5] for row in blocks], placed


def test_a_sync_indexes_what_it_imported(hub_data: Path, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})

    assert found(workspace, "walrus") == {"memory/a.md"}
    assert (hub_data / store.FILE_NAME).exists()


def test_changed_moved_and_deleted_files_are_followed(
    hub_data: Path, workspace_root: Path
) -> None:
    files = {f"memory/{n}.md": f"# {n}\n\nThe walrus of {n}.\n" for n in "abc"}
    workspace = imported(workspace_root, files)
    write(workspace_root, {"memory/a.md": "# a\n\nThe heron.\n"})
    (workspace_root / "memory/b.md").rename(workspace_root / "memory/moved.md")
    (workspace_root / "memory/c.md").unlink()
    sync_workspace(workspace)

    assert found(workspace, "walrus") == {"memory/moved.md"}
    assert found(workspace, "heron") == {"memory/a.md"}


def test_only_changed_blocks_are_written_again(
    hub_data: Path, workspace_root: Path
) -> None:
    text = "".join(f"## Part {n}\n\nfiller words {n}\n\n" for n in range(30))
    workspace = imported(workspace_root, {"memory/a.md": text})
    with opened_lookup(workspace) as lookup:
        assert lookup
        before = lookup.connection.execute("SELECT id FROM blocks_1").fetchall()
    write(workspace_root, {"memory/a.md": "## New\n\nfirst\n\n" + text})
    sync_workspace(workspace)
    with opened_lookup(workspace) as lookup:
        assert lookup
        rows = lookup.connection.execute("SELECT id, first FROM blocks_1").fetchall()

    assert len({row[0] for row in rows} - {row[0] for row in before}) == 1
    assert dict(rows)[before[0][0]] == 5


def test_after_random_changes_it_is_what_a_rebuild_makes(
    hub_data: Path, workspace_root: Path
) -> None:
    rng = random.Random(11)
    words = [f"{a}{b}ing" for a in "bdfgkl" for b in ("ar", "er", "or", "存一下")]
    workspace = add_workspace(workspace_root, slug="acme")
    for _ in range(12):
        for _ in range(4):
            name = f"memory/2026-11-{rng.randint(1, 12):02}.md"
            text = "".join(
                f"## {rng.choice(words)}\n{' '.join(rng.choices(words, k=9))}\n"
                for _ in range(rng.randint(1, 5))
            )
            write(workspace_root, {name: text})
        present = sorted((workspace_root / "memory").iterdir())
        if len(present) > 3:
            rng.choice(present).unlink()
        sync_workspace(workspace)
    kept = contents(workspace)
    index.rebuild(workspace)

    assert contents(workspace) == kept


_PIECES = (
    "## 2026-03-0{n} Walrus\n\nThe heron of {n}.\n\n",
    "# Part {n}\n\n",
    "```\n# no heading {n}\n",
    "~~~\n",
    "```\n",
    "\n\n \n",
    "plain words {n}\n" * 150,
    "no line end {n}",
    "## Part\r\n\r\n- item {n}\r\n",
    "# Weekly, Friday {n} May 2026\n\n",
    "## {n}.11.2026\n- Zähler {n}\n",
    "## 2026年5月{n}日\n- 项目 {n}\n",
)
_FRONT = "---\ndate: 2026-05-0{n}\n---\n"


def changed(rng: random.Random, text: str) -> str:
    """Return a text that something was appended to, or put into, or cut out of."""
    piece = "".join(rng.choices(_PIECES, k=rng.randint(1, 6))).format(
        n=rng.randint(1, 9)
    )
    if rng.random() < 0.6:
        return text + piece
    if rng.random() < 0.3:
        return _FRONT.format(n=rng.randint(1, 9)) + text
    start = rng.randint(0, len(text))
    return text[:start] + piece + text[start + rng.randint(0, 400) :]


@pytest.mark.parametrize("seed", range(8))
def test_after_versions_of_one_file_it_is_what_a_rebuild_makes(
    hub_data: Path, workspace_root: Path, seed: int
) -> None:
    rng, text = random.Random(seed), ""
    workspace = add_workspace(workspace_root, slug="acme")
    for _ in range(12):
        text = changed(rng, text)
        name = "memory/2026-02-01.md" if rng.random() < 0.9 else "memory/other.md"
        if seed % 2:
            name = "notes/undated.md"
        write(workspace_root, {name: text.encode()})
        sync_workspace(workspace)
        kept = contents(workspace)
        index.rebuild(workspace)
        assert contents(workspace) == kept


def test_a_killed_run_goes_on(
    hub_data: Path, workspace_root: Path, monkeypatch: MonkeyPatch
) -> None:
    generate(workspace_root, files=30, seed=2)
    workspace = add_workspace(workspace_root, slug="acme")
    real, calls = store.note_seq, []

    def killed(
        connection: sqlite3.Connection, number: int, seq: int, more: int
    ) -> None:
        real(connection, number, seq, more)
        calls.append(seq)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(index, "_BATCH", 7)
    monkeypatch.setattr(store, "note_seq", killed)
    with pytest.raises(KeyboardInterrupt):
        sync_workspace(workspace)
    monkeypatch.setattr(store, "note_seq", real)
    index.bring_up_to_date(workspace)
    kept = contents(workspace)
    index.rebuild(workspace)

    assert contents(workspace) == kept
    assert calls[:2] == [7, 14]


@pytest.mark.parametrize("damage", [b"no database at all", b"", None])
def test_a_damaged_or_missing_file_is_made_anew(
    hub_data: Path, workspace_root: Path, damage: bytes | None
) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})
    for path in hub_data.glob(f"{store.FILE_NAME}*"):
        path.unlink()
    if damage is not None:
        (hub_data / store.FILE_NAME).write_bytes(damage)

    assert search(workspace, "walrus").behind
    sync_workspace(workspace)
    assert found(workspace, "walrus") == {"memory/a.md"}


def test_other_rules_make_it_anew(
    hub_data: Path, workspace_root: Path, monkeypatch: MonkeyPatch
) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})
    monkeypatch.setattr(store, "RULES_VERSION", 999)

    assert search(workspace, "walrus").behind
    index.bring_up_to_date(workspace)
    assert found(workspace, "walrus") == {"memory/a.md"}


def test_blocks_out_of_step_make_it_anew(hub_data: Path, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})
    with store.opened() as connection:
        connection.execute("UPDATE blocks_1 SET last = 77")
    write(workspace_root, {"memory/a.md": "The heron.\n"})
    sync_workspace(workspace)

    assert found(workspace, "walrus") == set()
    assert found(workspace, "heron") == {"memory/a.md"}


def test_a_search_leaves_no_snapshot_open_and_follows_a_new_file(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})
    assert found(workspace, "walrus")

    assert store.sweep()  # no reader keeps the log from being emptied
    store.remove_file()
    assert search(workspace, "walrus").behind
    index.bring_up_to_date(workspace)
    assert found(workspace, "walrus") == {"memory/a.md"}


def test_the_command_rebuilds_it(hub_data: Path, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/a.md": "The walrus.\n"})
    with store.opened() as connection:
        connection.execute("DELETE FROM blocks_1")
    call_command("rebuild", "acme")

    assert found(workspace, "walrus") == {"memory/a.md"}


def test_workspaces_are_apart_and_go_alone(hub_data: Path, tmp_path: Path) -> None:
    both = []
    for name in ("one", "two"):
        root = tmp_path / name
        write(root, {"memory/a.md": f"The walrus of {name}.\n"})
        both.append(add_workspace(root, slug=name))
        sync_workspace(both[-1])
    remove_workspace(both[0])

    assert found(both[1], "walrus") == {"memory/a.md"}
    with store.opened() as connection:
        assert connection.execute("SELECT count(*) FROM state").fetchone() == (1,)


def test_odd_texts_are_indexed_and_deleted_again(
    hub_data: Path, workspace_root: Path
) -> None:
    odd = {
        "memory/nul.md": b"walrus \0 nul\n",
        "memory/bytes.md": b"walrus \xff\xfe\xed\xa0\x80\n",
        "memory/utf16.md": "walrus ünï\n".encode("utf-16"),
        "memory/empty.md": b"",
        "memory/long.md": b"walrus " * 50_000,
        "memory/cr.md": b"one\rwalrus\r\n",
    }
    workspace = imported(workspace_root, odd)
    assert len(found(workspace, "walrus")) == 5
    for path in odd:
        (workspace_root / path).unlink()
    sync_workspace(workspace, accept_deletions=True)

    assert contents(workspace) == ([], [])


def test_its_terms_are_our_stems(hub_data: Path, workspace_root: Path) -> None:
    generate(workspace_root, files=60, seed=4)
    workspace = add_workspace(workspace_root, slug="acme")
    sync_workspace(workspace)
    with opened_lookup(workspace) as lookup:
        assert lookup
        for word in ("decisions", "running", "endpoints", "session", "notes"):
            for hit in search(workspace, word).hits:
                assert lookup.found_in(stem(word)), hit


def test_its_size_stays_in_its_budget(hub_data: Path, workspace_root: Path) -> None:
    corpus = generate(workspace_root, files=600, seed=1)
    sync_workspace(add_workspace(workspace_root, slug="acme"))
    size = (hub_data / store.FILE_NAME).stat().st_size

    assert size <= 0.75 * corpus.bytes
