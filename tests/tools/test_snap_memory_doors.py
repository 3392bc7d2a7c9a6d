"""What snap-memory answered and wrote, asked through each door in every shape."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from memoryhub.tools.calling import CallerOptions
from tests.tools.doors import DOORS, Door
from tests.tools.test_snap_memory_conformance import (
    LOADED,
    SCENARIOS,
    assert_holds,
    configured,
)

pytestmark = pytest.mark.django_db(transaction=True)

Shape = tuple[str, ...]


def shapes(scenario: dict[str, Any]) -> set[Shape]:
    """Return what a scenario asks, by its names: that is what a door passes on."""
    found: set[Shape] = {("config", name) for name in scenario["config"]}
    for op in scenario["ops"]:
        found.add(tuple(sorted(op)))
        if "tool" in op:
            found.add((op["tool"].get("action", ""), *sorted(op["tool"])))
        else:
            found |= {(op["hook"], *sorted(op["event"])), ("ctx", *sorted(op["ctx"]))}
    return found


def short_ones() -> list[dict[str, Any]]:
    """Return the shortest cases that have every shape between them."""
    seen: set[Shape] = set()
    chosen = []
    for case in sorted(SCENARIOS, key=lambda case: len(case["input"]["ops"])):
        if not shapes(case["input"]) <= seen:
            seen |= shapes(case["input"])
            chosen.append(case)
    return chosen


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
    for number, case in enumerate(short_ones()):
        root = workspace_root / str(number)
        root.mkdir()
        slug = configured(root, case["input"]["config"]).slug

        assert answers(DOORS[name], slug, case["input"]) == case["output"]["out"]
        assert_holds(root / "memory", case["output"]["files"], case["lossless"])


def answers(door: Door, slug: str, scenario: dict[str, Any]) -> list[object]:
    given = []
    for number, op in enumerate(scenario["ops"]):
        session = op.get("sessionKey", scenario["sessionKey"]) or ""
        said = CallerOptions(workspace=slug, session=session, key=f"{slug}-{number}")
        if "tool" in op:
            given.append(door(said, "context_snap", op["tool"]).fields["text"])
            continue
        told = {"event": op["event"], "ctx": op["ctx"]}
        fields = {"host": "openclaw", "event": op["hook"], "said": told}
        given.append(door(said, "lifecycle_event", fields).fields["output"])
    return given
