"""Writes that were in progress at the same time are told of, also when that is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.handoffs.queries.lane import past_overlaps
from memoryhub.journal.models import Workspace
from tests.writing import say

NOW = timezone.now().replace(microsecond=0)
TASK = (
    "<task>\n<from>ana</from>\n<to>dev</to>\n<task_id>{id}</task_id>\n"
    "<type>write</type>\n<context>c</context>\n<input>i</input>\n</task>\n\n## Log\n\n"
)


def handoff(name: str, *log: tuple[int, str]) -> dict[str, str | bytes | None]:
    """Return the file of a write, whose log is of so many minutes ago."""
    lines = "".join(
        f"- {(NOW - timedelta(minutes=ago)).isoformat()} dev: {verb}\n"
        for ago, verb in log
    )
    return {f"memory/handoffs/{name}.md": TASK.format(id=name) + lines}


@pytest.mark.parametrize(
    ("first", "second", "minutes"),
    [
        ([(60, "taken"), (30, "done")], [(40, "taken"), (20, "done")], (40, 30)),
        ([(60, "taken"), (40, "done")], [(40, "taken"), (20, "done")], None),
        ([(60, "taken"), (50, "put back")], [(40, "taken"), (20, "done")], None),
        (
            [(9_060, "taken"), (9_000, "done")],
            [(9_050, "taken"), (9_000, "done")],
            None,
        ),
        ([(60, "taken")], [(40, "taken")], None),
    ],
)
def test_overlaps_that_are_over_are_found(
    acme: Workspace,
    first: list[tuple[int, str]],
    second: list[tuple[int, str]],
    minutes: tuple[int, int] | None,
) -> None:
    say(acme, handoff("one", *first) | handoff("two", *second))

    found = [
        ((NOW - overlap.begun).seconds // 60, (NOW - overlap.ended).seconds // 60)
        for overlap in past_overlaps(acme, NOW)
    ]

    assert found == ([minutes] if minutes else [])


def test_the_lane_tells_of_them(client: Client, acme: Workspace) -> None:
    one = handoff("one", (60, "taken"), (30, "done"))
    say(acme, one | handoff("two", (40, "taken"), (20, "done")))

    page = client.get("/w/acme/handoffs/").content.decode()

    assert "2 writes overlapped" in page and ": one, two" in page
