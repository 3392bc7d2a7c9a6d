"""What waits in several workspaces is what waits in each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.turns import (
    TurnCounts,
    answers_in,
    counts_of,
    turn_counts,
    turn_facts,
    turns_of,
)
from tests.conftest import MakeWorkspace
from tests.factories import make_workspace_row
from tests.writing import say

NONE = Count(0)
TEXT = "# Context: api\n\n## Current Status\n{}\n\n## History\n"


@pytest.fixture
def several(tmp_path: Path, make_workspace: MakeWorkspace) -> list[Workspace]:
    """Return three workspaces, with as many files changed here and on disk."""
    made = []
    for number in range(3):
        (tmp_path / f"w{number}").mkdir()
        workspace = make_workspace(tmp_path / f"w{number}")
        workspace.review_before_writing = True
        workspace.save()
        for path in (f"memory/context-t{n}.md" for n in range(3)):
            say(workspace, {path: TEXT.format("one")})
            said = Edit(path, "set_status", {"text": "two"}, "dana", base="one")
            apply_edit(workspace, said)
        other = TEXT.format("other")
        say(workspace, {f"memory/context-t{n}.md": other for n in range(number)})
        made.append(workspace)
    return made


def test_each_has_as_many_as_on_its_own_pages(
    several: list[Workspace], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    own = {one.pk: turn_facts(one) for one in several}

    turn_counts(several, now)

    # Staged edits, open problems, signs of life, and what is stored.
    with django_assert_num_queries(4):
        found = turn_counts(several, now)

    assert [len(facts.conflicts) for facts in own.values()] == [0, 1, 2]
    assert found == {pk: counts_of(turns_of(own[pk], now)) for pk in own}
    # Three conflicts, and in each workspace a row of changed memory and one of edits.
    assert answers_in(found.values()) == Count(9)


def test_more_than_is_looked_at_in_one_is_more_in_all() -> None:
    assert (
        str(
            answers_in(
                [TurnCounts(Count(99, more=True), NONE), TurnCounts(Count(2), NONE)]
            )
        )
        == "101+"
    )


@pytest.mark.django_db
def test_what_was_not_imported_is_not_counted() -> None:
    assert turn_counts([make_workspace_row()], timezone.now()) == {}
