"""Searching earlier versions: lines that no file has any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.formats.secrets import MASK
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.search.history import LostLine
from memoryhub.search.queries import search
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import call
from memoryhub.tools.memory_files import Found, SearchRequest
from memoryhub.tools.registry import tool_named
from tests.factories import imported, write
from tests.forgetting.conftest import begun

pytestmark = pytest.mark.django_db

LOG = "memory/2026-11-02.md"
ENTRIES = (
    "# 2026-11-02\n\n## 09:00 Launch\n- The flumox valve was replaced.\n\n"
    "## 10:00 Review\n- Ana read the report.\n\n## 11:00 End\n- All is well.\n"
)
ANEW = "# 2026-11-02\n\n## 12:00 Anew\n- Started over.\n"


@pytest.fixture
def rewritten(hub_data: Path, workspace_root: Path) -> Workspace:
    workspace = imported(workspace_root, {LOG: ENTRIES, "MEMORY.md": "# Memory\n"})
    return changed(workspace, {LOG: ANEW})


def changed(workspace: Workspace, files: dict[str, str]) -> Workspace:
    write(Path(workspace.root), files)
    return synced(workspace)


def synced(workspace: Workspace) -> Workspace:
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def earlier(workspace: Workspace, text: str) -> tuple[LostLine, ...]:
    return search(workspace, text, history=True).earlier.lines


def texts(workspace: Workspace, text: str) -> list[str]:
    return [line.snippet.text for line in earlier(workspace, text)]


def asked(
    workspace: Workspace, caller: Caller | None = None, **request: object
) -> Found:
    answer = call(
        tool_named("memory_search"),
        caller or Caller(workspace, "scout"),
        SearchRequest.model_validate(request),
    )
    assert isinstance(answer, Found)
    return answer


def test_a_word_of_a_rewritten_log_is_found_in_its_earlier_version(
    rewritten: Workspace,
) -> None:
    found = search(rewritten, "flumox", history=True)

    assert not found.hits
    (line,) = found.earlier.lines
    assert line.snippet.text == "- The flumox valve was replaced."
    assert (line.path, line.line, line.place) == (LOG, 4, LOG)
    assert line.removed_seq == rewritten.last_seq
    assert line.removed_by == "on disk"
    assert not line.is_deleted
    assert not found.earlier.is_cut


def test_the_page_shows_them_with_who_removed_them_and_a_way_to_restore(
    client: Client, rewritten: Workspace
) -> None:
    html = client.get("/w/acme/search/", {"q": "flumox"}).content.decode()

    assert "In earlier versions" in html
    assert "The <mark>flumox</mark> valve was replaced." in html
    assert "on disk" in html
    seq = earlier(rewritten, "flumox")[0].seq
    assert f'href="/w/acme/files/{LOG}?rev={seq}"' in html
    restore = client.get(f"/w/acme/files/{LOG}", {"rev": seq}).content.decode()
    assert f'action="/w/acme/restore/{LOG}"' in restore


def test_a_page_of_earlier_versions_alone_does_not_speak_of_current_ones(
    client: Client, rewritten: Workspace
) -> None:
    html = client.get("/w/acme/search/", {"q": "in:history flumox"}).content.decode()
    nothing = client.get("/w/acme/search/", {"q": "in:history zork"}).content.decode()

    assert "1 removed line" in html
    assert "Nothing found" not in html and "No current file" not in html
    assert "No earlier version" in nothing and "No current file" not in nothing


def test_agents_are_given_them_with_the_revisions(rewritten: Workspace) -> None:
    found = asked(rewritten, query="flumox")

    assert not found.results
    (line,) = found.earlier
    assert line.removed_rev == rewritten.last_seq
    assert "In earlier versions: 1" in found.as_text()
    assert "> - The flumox valve was replaced." in found.as_text()


def test_in_history_searches_earlier_versions_alone(rewritten: Workspace) -> None:
    changed(rewritten, {"memory/notes.md": "# Notes\n\nThe flumox valve is new.\n"})

    assert search(rewritten, "flumox", history=True).hits
    found = search(rewritten, "in:history flumox", history=True)
    assert not found.hits
    assert [line.line for line in found.earlier.lines] == [4]
    assert not earlier(rewritten, "-in:history flumox")
    assert len(earlier(rewritten, "in:history")) == 6


def test_filters_of_rows_do_not_narrow_history_and_it_says_so(
    rewritten: Workspace,
) -> None:
    found = search(rewritten, "in:history topic:api flumox", history=True)

    assert [note.code for note in found.notes] == ["not-in-history"]
    assert found.earlier.lines
    assert not earlier(rewritten, "topic:api flumox")
    assert not earlier(rewritten, "in:history path:notes flumox")
    assert earlier(rewritten, "in:history path:memory/2026-* flumox")
    assert not earlier(rewritten, "in:history before:2020 flumox")


def test_what_a_file_has_again_is_not_lost(rewritten: Workspace) -> None:
    changed(rewritten, {LOG: ENTRIES + ANEW})

    assert not earlier(rewritten, "flumox")


def test_a_line_that_another_file_has_now_is_not_lost(rewritten: Workspace) -> None:
    changed(rewritten, {"memory/notes.md": ENTRIES})

    assert not earlier(rewritten, "flumox")


def test_lines_of_deleted_and_moved_files_are_found(rewritten: Workspace) -> None:
    root = Path(rewritten.root)
    (root / "memory/archive").mkdir()
    (root / LOG).rename(root / "memory/archive/old.md")
    synced(rewritten)
    (line,) = earlier(rewritten, "flumox")
    assert (line.path, line.place) == (LOG, "memory/archive/old.md")

    (root / "memory/archive/old.md").unlink()
    synced(rewritten)
    (gone,) = earlier(rewritten, "started")
    assert gone.is_deleted
    assert gone.place == "memory/archive/old.md"


def test_a_new_file_in_the_place_of_a_moved_one_lost_nothing(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {LOG: ENTRIES})
    (workspace_root / LOG).rename(workspace_root / "memory/old.md")
    synced(workspace)
    changed(workspace, {LOG: ANEW})

    assert not earlier(workspace, "in:history flumox")


def test_private_memory_stays_private_in_history(rewritten: Workspace) -> None:
    changed(rewritten, {"MEMORY.md": "# Memory\n\n- The brondel key is Kim's.\n"})
    changed(rewritten, {"MEMORY.md": "# Memory\n\n- Nothing.\n"})
    (Path(rewritten.root) / "MEMORY.md").rename(Path(rewritten.root) / "memory/m.md")
    synced(rewritten)

    group = Caller(rewritten, "scout", shared=True)
    assert asked(rewritten, query="brondel").earlier
    assert not asked(rewritten, group, query="brondel").earlier


def test_many_current_lines_with_the_words_make_history_needless(
    rewritten: Workspace,
) -> None:
    lines = "".join(f"Flumox valve number {n} is new.\n\n" for n in "abcdefgh")
    changed(rewritten, {"memory/notes.md": f"# Notes\n\n{lines}"})

    assert not earlier(rewritten, "flumox valve")
    assert earlier(rewritten, "in:history flumox valve")


def test_a_question_is_answered_by_its_rarest_words(rewritten: Workspace) -> None:
    assert texts(rewritten, "who did replace the flumox thing") == [
        "- The flumox valve was replaced."
    ]
    assert not earlier(rewritten, "all")


def test_it_says_when_not_all_earlier_versions_were_searched(
    rewritten: Workspace,
) -> None:
    for n in range(3):
        lines = "".join(f"- Flumox {n} of {m} is due.\n" for m in range(20))
        changed(rewritten, {LOG: f"# 2026-11-02\n\n{lines}"})
    changed(rewritten, {LOG: ANEW})

    found = asked(rewritten, query="in:history flumox", max_results=50)
    assert len(found.earlier) == 20
    assert found.earlier_partly
    assert "Not all earlier versions were searched." in found.as_text()


def test_forgotten_lines_are_in_no_earlier_version(rewritten: Workspace) -> None:
    hidden = begun(rewritten, kind="text", text="flumox valve")
    rewritten.refresh_from_db()
    assert hidden.state == "hidden"
    assert not earlier(rewritten, "flumox")

    begun(rewritten, kind="file", path=LOG)
    rewritten.refresh_from_db()
    assert not earlier(rewritten, "in:history report")


def test_secrets_in_earlier_versions_are_masked_at_every_door(
    client: Client, rewritten: Workspace
) -> None:
    key, password = "m0-" + "aB3x" * 8, "Zx81-trsw-Q9"
    notes = (
        f"# Notes\n\nThe brondel answers with {key}.\n\nbrondel password: {password}\n"
    )
    changed(rewritten, {"memory/notes.md": notes})
    changed(rewritten, {"memory/notes.md": "# Notes\n"})

    found = asked(rewritten, query="brondel")
    html = client.get("/w/acme/search/", {"q": "brondel"}).content.decode()

    assert len(found.earlier) == 2
    for shown in (found.as_text(), html):
        assert MASK in shown
        assert key not in shown and password not in shown
