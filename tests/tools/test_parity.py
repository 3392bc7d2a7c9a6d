"""Every tool can be reached through every door, and answers the same behind each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Self

import pytest
from pytest_django import DjangoDbBlocker

from memoryhub.tools.calling import CallerOptions
from memoryhub.tools.registry import TOOLS
from tests.tools.doors import DOORS, Door, Given, directly
from tests.tools.examples import EXAMPLES
from tests.tools.stage import Stage

pytestmark = pytest.mark.django_db(transaction=True)

SAID = CallerOptions(workspace="acme", agent="builder", session="agent:builder:main")


class Noon(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2026, 11, 20, 12, 0, tzinfo=UTC).astimezone(tz)


@pytest.fixture(scope="module")
def stage(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with django_db_blocker.unblock():
        made = Stage(tmp_path_factory.mktemp("stage"))
        yield made
        made.close()


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.datetime", Noon)


def played(stage: Stage, door: Door, name: str) -> tuple[list[Given], dict[str, bytes]]:
    """Return what the calls of a tool's example give, and the files after them."""
    calls = EXAMPLES[name]
    if not all(TOOLS[called].reads_only for called, _ in calls):
        stage.put_back()
    given = [
        door(SAID.model_copy(update={"key": f"call-{number}"}), called, fields)
        for number, (called, fields) in enumerate(calls)
    ]
    return given, stage.files()


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_answers_the_same_behind_every_door(stage: Stage, name: str) -> None:
    stage.put_back()
    expected, files = played(stage, directly, name)

    assert not any(each.refused for each in expected), expected
    for door in DOORS.values():
        given, written = played(stage, door, name)
        assert [each.fields for each in given] == [each.fields for each in expected]
        assert all(map(Given.has_text_of, given, expected))
        assert written == files


@pytest.mark.parametrize("door", DOORS)
def test_a_wrong_request_is_refused_by_every_door(stage: Stage, door: str) -> None:
    stage.put_back()
    wrong = {"no_such_field": 1}

    for name in TOOLS:
        refused = DOORS[door](SAID, name, wrong)
        assert refused.fields == directly(SAID, name, wrong).fields
        assert refused.fields["error"]["code"] == "request-invalid"


def test_every_tool_has_an_example() -> None:
    assert set(EXAMPLES) == set(TOOLS)
