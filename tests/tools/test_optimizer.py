"""The optimizer's tools: files that are missing are made, memory is corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.formats.injection import quoted
from memoryhub.journal.models import Operation
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from tests.factories import NOON, imported, write
from tests.tools.asking import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

INDEX = """# MEMORY INDEX

## Current Project
- Name: shop | Details → memories/project.md

## Recently Referenced Files
- src/a.py | the engine
- Cart | Details → src/a.py
- Prices | Details → src/old.py
"""
LOG = """# Errors

- 2026-11-18 scout: PermissionDenied: /etc/shadow
- 2026-11-19 scout: FileNotFound: src/gone.py
"""


@pytest.fixture
def caller(workspace_root: Path) -> Caller:
    files = {"MEMORY.md": INDEX, "memories/errors.md": LOG}
    workspace = imported(workspace_root, files)
    return Caller(workspace, "agent:scout", agent="scout", clock=lambda: NOON)


def test_the_budget_adds_up_line_by_line(caller: Caller) -> None:
    budget = asked(caller, "memory_budget", session_chars=500_000)

    assert budget.tokens == len(INDEX) // 4 == budget.lines[-1].running
    assert budget.left == 800 - budget.tokens and budget.cut_after is None
    assert (budget.session_tokens, budget.session_state) == (125_000, "prepare")


def test_the_budget_says_where_it_cuts(caller: Caller) -> None:
    root = Path(caller.workspace.root)
    write(root, {"MEMORY.md": "- " + "x" * 200 + "\n" + "- y\n" * 2000})
    sync_workspace(caller.workspace)

    budget = asked(caller, "memory_budget")

    assert budget.long_lines == [1] and 1 < budget.cut_after < 2000
    assert "Only lines 1 to" in budget.as_text()


def test_errors_are_found_by_words_and_kind_newest_first(caller: Caller) -> None:
    assert [e.line for e in asked(caller, "errors_consult").errors] == [4, 3]
    assert asked(caller, "errors_consult", words="GONE src").matching == 1
    assert asked(caller, "errors_consult", kind="PermissionDenied").errors[0].line == 3
    assert asked(caller, "errors_consult", words="nothing").errors == []


def test_an_error_is_one_line_at_the_end(caller: Caller) -> None:
    place = Path(caller.workspace.root) / "memories/errors.md"

    asked(caller, "error_append", text="src/b.py", kind="FileNotFound")

    added = "- 2026-11-20 12:00 scout: FileNotFound: src/b.py\n"
    assert place.read_text() == LOG + added
    assert asked(caller, "errors_consult", limit=1).errors[0].kind == "FileNotFound"


@pytest.mark.parametrize(
    "path", ["notes.md", "../errors.md", "/errors.md", "~/errors.md", "MEMORY.md"]
)
def test_only_logs_of_errors_are_written(caller: Caller, path: str) -> None:
    with pytest.raises(ToolError, match="path-not-allowed"):
        asked(caller, "error_append", text="x", path=path)


def test_another_log_that_is_there_is_a_log_too(caller: Caller) -> None:
    write(Path(caller.workspace.root), {"memory/ops/errors.md": "- x\n"})
    sync_workspace(caller.workspace)

    asked(caller, "error_append", text="y", path="memory/ops/errors.md")

    told = asked(caller, "errors_consult", path="memory/ops/errors.md")
    assert told.matching == 2 and "\n> x" in told.as_text()


def test_an_error_of_two_lines_is_refused(caller: Caller) -> None:
    with pytest.raises(FormatError):
        asked(caller, "error_append", text="a\nb")


def test_a_source_is_trusted_in_both_files(caller: Caller) -> None:
    root = Path(caller.workspace.root)

    asked(
        caller, "trust_source", target="src/old.py", source="src/new.py", mismatch="no"
    )

    assert "Prices | Details → src/new.py" in (root / "MEMORY.md").read_text()
    log = (root / "memories/errors.md").read_text()
    assert log.endswith(
        "scout: mismatch: no (MEMORY.md said src/old.py, source is src/new.py)\n"
    )


def test_a_pointer_comes_back_where_the_log_cannot_be_written(caller: Caller) -> None:
    root = Path(caller.workspace.root)
    (root / "memories/errors.md").unlink()
    (root / "memories/errors.md").mkdir()
    keyed = Caller(caller.workspace, "agent:scout", key="k", clock=lambda: NOON)
    fields = {"target": "src/old.py", "source": "src/new.py", "mismatch": "no"}

    with pytest.raises(Exception, match="regular file"):
        asked(keyed, "trust_source", **fields)
    assert (root / "MEMORY.md").read_text() == INDEX

    (root / "memories/errors.md").rmdir()
    asked(keyed, "trust_source", **fields)
    assert "src/new.py" in (root / "MEMORY.md").read_text()


def test_two_pointers_to_one_file_are_told_apart_by_line(caller: Caller) -> None:
    fields = {"target": "src/a.py", "source": "src/b.py", "mismatch": "moved"}

    with pytest.raises(ToolError, match="refused"):
        asked(caller, "trust_source", **fields)
    with pytest.raises(ToolError, match="not-found"):
        asked(caller, "trust_source", **fields, line=1)
    asked(caller, "trust_source", **fields, line=8)

    said = (Path(caller.workspace.root) / "MEMORY.md").read_text()
    assert "- src/a.py | the engine" in said and "Cart | Details → src/b.py" in said


def test_scaffolding_makes_only_what_is_missing(caller: Caller) -> None:
    root = Path(caller.workspace.root)
    write(root, {"AGENTS.md": "mine\n"})

    made = asked(caller, "scaffold", project="Shop", task="Ship it")

    assert made.made == [
        "memories/project.md", "memories/decisions.md", "memories/context.md",
    ]  # fmt: skip
    assert made.kept == ["MEMORY.md", "memories/errors.md", "AGENTS.md"]
    assert (root / "AGENTS.md").read_text() == "mine\n"
    assert (root / "memories/context.md").read_text() == "# Current Task\n\nShip it\n"


@pytest.mark.parametrize(
    ("ignored", "offered"),
    [(None, ["memories/"]), ("*.log\n", ["memories/"]), ("/memories\n", [])],
)
def test_scaffolding_in_a_repository_offers_the_line_that_keeps_memory_out(
    caller: Caller, ignored: str | None, offered: list[str]
) -> None:
    root = Path(caller.workspace.root)
    assert asked(caller, "scaffold").gitignore == []

    (root / ".git").mkdir()
    if ignored is not None:
        (root / ".gitignore").write_text(ignored)

    again = asked(caller, "scaffold")
    assert again.gitignore == offered
    assert ("To be added to .gitignore: memories/" in again.as_text()) == bool(offered)


def test_scaffolding_again_keeps_everything(caller: Caller) -> None:
    asked(caller, "scaffold")

    again = asked(caller, "scaffold")

    assert again.made == [] and len(again.kept) == 6


def test_scaffolding_is_staged_where_a_person_reviews(caller: Caller) -> None:
    caller.workspace.review_before_writing = True
    caller.workspace.save()

    made = asked(caller, "scaffold")

    assert made.made == [] and len(made.staged) == 4
    assert not (Path(caller.workspace.root) / "AGENTS.md").exists()
    states = set(Operation.objects.values_list("state", flat=True))
    assert states == {Operation.State.STAGED}


def test_a_link_in_the_place_of_a_file_is_left_alone(caller: Caller) -> None:
    root = Path(caller.workspace.root)
    (root / "memories").mkdir(exist_ok=True)
    (root / "memories/context.md").symlink_to(root / "nowhere.md")

    made = asked(caller, "scaffold")

    assert list(made.failed) == ["memories/context.md"]
    assert not (root / "nowhere.md").exists()


def test_a_file_that_no_disk_can_hold_does_not_keep_the_others(caller: Caller) -> None:
    roles = [{"agent": "qa", "responsibility": "\0"}]

    made = asked(caller, "scaffold", roles=roles)

    assert len(made.made) == 3 and list(made.failed) == ["AGENTS.md"]


def test_the_prompt_quotes_memory_behind_the_boundary(caller: Caller) -> None:
    prompt = asked(caller, "prompt_sections", static="You build.", task="Ship\nit")

    static, _, dynamic = prompt.text.partition("--- DYNAMIC BOUNDARY ---")
    assert "You build." in static and "MEMORY INDEX" not in static
    assert quoted(INDEX.strip()) in dynamic
    assert dynamic.endswith("Current task: Ship it\nTimestamp: 2026-11-20 12:00 UTC\n")


def test_a_group_is_not_given_memory(caller: Caller) -> None:
    group = replace(caller, session="agent:scout:telegram:group:1")

    assert "shop" not in asked(group, "prompt_sections").text
    with pytest.raises(ToolError, match="memory-private"):
        asked(group, "memory_budget")


def test_without_a_static_text_the_prompt_has_the_rules(caller: Caller) -> None:
    assert "## Memory Integrity Rules" in asked(caller, "prompt_sections").static
