"""What snap-memory answered and wrote, asked through every door for a part of it."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from memoryhub.tools.callers import Said
from tests.tools.doors import DOORS, Door
from tests.tools.test_snap_memory_conformance import (
    LOADED,
    SCENARIOS,
    assert_holds,
    configured,
)

pytestmark = pytest.mark.django_db(transaction=True)

EVERY = 14


class ThatDay(datetime):
    """A clock that stands still on the day on which the program was asked."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        day = cls.fromisoformat(LOADED["today"])
        return day.replace(tzinfo=UTC).astimezone(tz)


@pytest.mark.parametrize("name", DOORS)
def test_a_door_answers_as_snap_memory_does(
    hub_data: Path, workspace_root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.utils.timezone.datetime", ThatDay)
    for number, case in enumerate(SCENARIOS[::EVERY]):
        root = workspace_root / str(number)
        root.mkdir()
        slug = configured(root, case["input"]["config"]).slug

        assert answers(DOORS[name], slug, case["input"]) == case["output"]["out"]
        assert_holds(root / "memory", case["output"]["files"], case["lossless"])


def answers(door: Door, slug: str, scenario: dict[str, Any]) -> list[object]:
    given = []
    for number, op in enumerate(scenario["ops"]):
        session = op.get("sessionKey", scenario["sessionKey"]) or ""
        said = Said(workspace=slug, session=session, key=f"{slug}-{number}")
        if "tool" in op:
            given.append(door(said, "context_snap", op["tool"]).fields["text"])
            continue
        told = {"event": op["event"], "ctx": op["ctx"]}
        fields = {"host": "openclaw", "event": op["hook"], "said": told}
        given.append(door(said, "lifecycle_event", fields).fields["output"])
    return given
