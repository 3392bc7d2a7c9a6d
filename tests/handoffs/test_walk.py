"""A random walk by every door agrees with a model of the manual after each step."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from random import Random

import pytest
from django.utils import timezone

from memoryhub.handoffs.services import leases
from tests.conftest import MakeWorkspace
from tests.handoffs.walk.doors import Doors, mcp_door
from tests.handoffs.walk.walking import Walk
from tests.handoffs.walk.world import World
from tests.writing import say

#: What files say of the agents' roles, and the role's name.
_ROLES = {
    "ann": ("Planner", "planner"),
    "bob": ("**Builder**, mends doors", "builder"),
    "cid": ("the builder", "builder"),
    "dan": ("Reviewer (of builders)", "reviewer"),
    "规划者": ("Builder of plans", "builder of plans"),
    "lead": ("Coordinator", "coordinator"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(6))
def test_every_door_agrees_with_the_manual_after_each_step(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    found = differences(make_workspace, workspace_root, monkeypatch, seed, 125)
    if found:
        pytest.fail(found, pytrace=False)


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(100, 200))
def test_every_door_agrees_for_twenty_thousand_steps(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    found = differences(
        make_workspace, workspace_root, monkeypatch, seed, 200, thorough=True
    )
    if found:
        pytest.fail(found, pytrace=False)


def differences(
    make_workspace: MakeWorkspace,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    steps: int,
    *,
    thorough: bool = False,
) -> str:
    """Walk through a fresh workspace; return where the hub and the model differ."""
    world = World(
        datetime.now(UTC).replace(microsecond=0),
        {name: role for name, (_, role) in _ROLES.items()},
        coordinators=("lead",),
    )
    monkeypatch.setattr(timezone, "datetime", _clock(world))
    monkeypatch.setattr(leases, "_ONCE_IN", 0.0)
    workspace = make_workspace(root)
    workspace.coordinators = ["lead"]
    workspace.save(update_fields=["coordinators"])
    table = "".join(f"| {name} | {role} |\n" for name, (role, _) in _ROLES.items())
    head = "# Agents\n\n| Agent | Role |\n| --- | --- |\n"
    say(workspace, {"AGENTS.md": head + table})
    with mcp_door(workspace.slug) as mcp:
        doors = Doors(workspace.slug, root, mcp)
        walk = Walk(workspace, world, doors, Random(seed), thorough=thorough)
        return walk.go(steps)


def _clock(world: World) -> type[datetime]:
    """Return what `timezone.now` reads: the time in the model."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return world.now

    return Clock
