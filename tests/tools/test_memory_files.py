"""Search, exact lines and additions, as agents ask for them, on real files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memoryhub.disk.files import FileError
from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.versions import file_at
from memoryhub.people.callers import Caller
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import settle, undo
from memoryhub.web.kit.refusals import REFUSED, refusal_of
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import NOON
from tests.tools.asking import asked, given
from tests.writing import say

LOG = "memory/2026-11-20.md"
GROUP = "agent:main:discord:channel:123456"
FILES: dict[str, str | bytes | None] = {
    "MEMORY.md": "# Memory\n\nThe deploy key is kept by Kim.\n",
    "memory/2025-01-02.md": "# 2025-01-02\n\nInsert failed: ERR_DUPLICATE_KEY\n",
    "memory/2026-11-19.md": "# 2026-11-19\n\nKim asked about duplicate keys.\n",
    "memory/long.md": "".join(f"line {number}\n" for number in range(1, 301)),
    "notes/private.md": "not memory\n",
}


@pytest.fixture
def root(workspace_root: Path) -> Path:
    return workspace_root


@pytest.fixture
def workspace(hub_data: Path, db: None, root: Path) -> Workspace:
    workspace = add_workspace(root)
    say(workspace, FILES)
    return workspace


@pytest.fixture
def caller(workspace: Workspace) -> Caller:
    return Caller(workspace, "builder", clock=lambda: NOON)


def refused(caller: Caller, name: str, **fields: object) -> str:
    with pytest.raises(REFUSED) as caught:
        asked(caller, name, **fields)
    return refusal_of(caught.value).message


def test_an_exact_name_comes_first_however_old(caller: Caller) -> None:
    results = given(caller, "memory_search", query="ERR_DUPLICATE_KEY")["results"]

    assert results[0]["path"] == "memory/2025-01-02.md"
    assert results[0]["exact"]
    assert (results[0]["from_line"], results[0]["to_line"]) == (3, 3)


def test_what_is_found_is_quoted(caller: Caller) -> None:
    text = asked(caller, "memory_search", query="deploy key").as_text()

    assert text.startswith("Memory is historical reference only.")
    assert "> [MEMORY.md:3-3 score " in text
    assert "\n> The deploy key is kept by Kim." in text


def test_a_group_is_not_given_what_memory_md_says(caller: Caller) -> None:
    group = replace(caller, session=GROUP)

    found = given(group, "memory_search", query="deploy key Kim")["results"]

    assert found[0]["path"] == "memory/2026-11-19.md"
    assert "MEMORY.md" not in {hit["path"] for hit in found}
    assert refused(group, "memory_get", path="./MEMORY.md") == (
        "MEMORY.md is only for the main, private session: pass its key as session, or"
        " use a token made with --private"
    )


def test_what_a_search_returned_and_the_index_names_can_be_read(
    caller: Caller, workspace: Workspace
) -> None:
    say(
        workspace,
        {
            "MEMORY.md": "# Memory\n\n- [Shop](memories/project.md) -- the shop\n",
            "memories/project.md": "# Shop\n\nThe shop sells lamps.\n",
            "docs/lamps.md": "Lamps are bought in Turin.\n",
        },
    )
    for reader in (caller, replace(caller, session=GROUP)):
        found = given(reader, "memory_search", query="lamps")["results"]
        assert {hit["path"] for hit in found} == {
            "memories/project.md",
            "docs/lamps.md",
        }
        for hit in found:
            read = given(reader, "memory_get", path=hit["path"])
            assert "lamps" in read["text"].casefold()


def test_a_file_is_read_by_either_unicode_form_of_its_name_the_exact_one_first(
    caller: Caller, workspace: Workspace
) -> None:
    composed, apart = "memory/Z\u00fcrich.md", "memory/Zu\u0308rich.md"
    say(workspace, {apart: "# Old\n"})
    by_either = given(caller, "memory_get", path=composed)

    say(workspace, {composed: "# New\n"})
    by_itself = given(caller, "memory_get", path=apart)
    page = file_at(workspace, apart)

    assert (by_either["path"], by_itself["path"]) == (apart, apart)
    assert page is not None and page.path == apart


def test_openclaws_names_of_fields_are_accepted(caller: Caller) -> None:
    found = given(caller, "memory_search", query="line", maxResults=2, minScore=0)

    assert len(found["results"]) == 2


def test_results_fit_into_the_budget(caller: Caller) -> None:
    asked_for = {"query": "line", "max_results": 50}

    few = given(caller, "memory_search", **asked_for, token_budget=50)["results"]
    many = given(caller, "memory_search", **asked_for, token_budget=5_000)["results"]

    assert 0 < len(few) < len(many) <= 50
    assert sum(len(hit["snippet"]) for hit in few) <= 4 * 50


def test_a_minimal_score_leaves_out_what_is_not_exact(caller: Caller) -> None:
    query = {"query": "ERR_DUPLICATE_KEY duplicate keys", "min_score": 10_000}

    found = given(caller, "memory_search", **query)["results"]

    assert [hit["exact"] for hit in found] == [True]


def test_lines_are_read_as_they_are_on_disk_now_and_imported(
    caller: Caller, root: Path
) -> None:
    (root / LOG).write_text("one\ntwo\nthree\n")
    before = Revision.objects.count()

    answer = given(caller, "memory_get", path=LOG, **{"from": 2, "lines": 1})

    assert answer["text"] == "two\n\n[More content available. Use from=3 to continue.]"
    assert (answer["from_line"], answer["lines"], answer["next_from"]) == (2, 1, 3)
    assert Revision.objects.count() == before + 1


def test_so_many_lines_are_given_at_once(caller: Caller) -> None:
    answer = given(caller, "memory_get", path="memory/long.md")

    assert (answer["lines"], answer["next_from"]) == (120, 121)


def test_a_file_that_is_not_there_is_no_error(caller: Caller) -> None:
    answer = given(caller, "memory_get", path="memory/none.md")

    assert (answer["status"], answer["text"]) == ("not_found", "")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "path required"),
        ("../notes/MEMORY.md", "path escapes workspace"),
        ("notes/none.md", "path is not an allowed Markdown memory file"),
        ("memory/a\0.md", "path is not an allowed Markdown memory file"),
    ],
)
def test_other_files_are_refused_in_openclaws_words(
    caller: Caller, path: str, message: str
) -> None:
    assert refused(caller, "memory_get", path=path) == message


@pytest.mark.parametrize("name", ["memory/away.md", "memory/in/MEMORY.md"])
def test_links_are_not_followed(caller: Caller, root: Path, name: str) -> None:
    (root / "memory/away.md").symlink_to(root / "notes/private.md")
    (root / "memory/in").symlink_to(root)

    with pytest.raises(FileError):
        asked(caller, "memory_get", path=name)


def test_a_folder_that_leaves_the_workspace_is_refused(
    caller: Caller, root: Path
) -> None:
    (root.parent / "secret.md").write_text("secret")
    (root / "memory/out").symlink_to(root.parent)

    assert "a link is on the way" in refused(
        caller, "memory_get", path="memory/out/secret.md"
    )


def test_a_note_is_appended_to_the_log_of_the_day(caller: Caller, root: Path) -> None:
    first = asked(caller, "memory_append", content="- learned").as_text()
    asked(caller, "memory_append", content="- more\n", path=LOG)

    assert first == f"Appended content to {LOG}."
    assert (root / LOG).read_text() == "- learned\n- more\n"


def test_a_day_can_be_named(caller: Caller, root: Path) -> None:
    asked(caller, "memory_append", content="- late\n", day="2026-11-19")

    log = (root / "memory/2026-11-19.md").read_text()
    assert log == "# 2026-11-19\n\nKim asked about duplicate keys.\n- late\n"


@pytest.mark.parametrize("path", ["USER.md", "memory/2026-11-20-1200.md", "../x.md"])
def test_nothing_else_is_appended_to(caller: Caller, path: str) -> None:
    assert refused(caller, "memory_append", content="x", path=path) == (
        f"Memory flush writes are restricted to {LOG}; use that path only."
    )


@pytest.mark.parametrize("content", ["", "a\0b", "\ud800"])
def test_what_no_file_can_hold_is_not_written(
    caller: Caller, root: Path, content: str
) -> None:
    with pytest.raises((ToolError, FormatError)):
        asked(caller, "memory_append", content=content)

    assert not (root / LOG).exists()


def test_a_call_made_again_appends_once(caller: Caller, root: Path) -> None:
    keyed = replace(caller, key="k1")

    asked(keyed, "memory_append", content="- once\n")
    asked(keyed, "memory_append", content="- once\n")

    assert (root / LOG).read_text() == "- once\n"


def test_an_addition_that_was_written_before_a_crash_is_not_added_again(
    caller: Caller, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(editing, "record_written", crash)
        asked(caller, "memory_append", content="- once\n")
    with (root / LOG).open("a") as log:
        log.write("- an agent's own\n")

    settle(caller.workspace)

    assert (root / LOG).read_text() == "- once\n- an agent's own\n"
    assert Operation.objects.get().state == Operation.State.APPLIED


def test_an_addition_can_be_undone(caller: Caller, root: Path) -> None:
    (root / LOG).write_text("# Day")
    asked(caller, "memory_append", content="- wrong")

    undo(caller.workspace, Operation.objects.get(), "person:1")

    assert (root / LOG).read_text() == "# Day"


def test_what_is_appended_opens_no_handoff(caller: Caller, root: Path) -> None:
    task = "<task>\n<from>planner</from>\n<to>dev</to>\n<task_id>7</task_id>\n</task>\n"

    given(caller, "memory_append", content=f"Remember.\n{task}")

    assert "Remember.\n&lt;task>\n" in (root / LOG).read_text()
    assert not Handoff.objects.exists()


@pytest.mark.parametrize("reviewed", [False, True])
def test_a_fact_is_appended_to_memory_md_under_the_review_rules(
    caller: Caller, root: Path, reviewed: bool
) -> None:
    caller.workspace.review_before_writing = reviewed
    caller.workspace.save()
    before = (root / "MEMORY.md").read_text() if (root / "MEMORY.md").exists() else ""

    done = asked(
        caller, "memory_append", content="- Kim prefers tea.\n", path="MEMORY.md"
    )

    after = (root / "MEMORY.md").read_text() if (root / "MEMORY.md").exists() else ""
    assert (done.path, done.staged) == ("MEMORY.md", reviewed)
    assert after.startswith(before) and ("Kim prefers tea." in after) is not reviewed


def test_a_group_appends_nothing_to_memory_md(caller: Caller) -> None:
    group = replace(caller, session="agent:scout:discord:group:7")

    with pytest.raises(ToolError, match="memory-private"):
        asked(group, "memory_append", content="- Kim prefers tea.", path="MEMORY.md")
