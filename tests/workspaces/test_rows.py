from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from pytest_django import DjangoAssertNumQueries

from memoryhub.journal.models import Agent
from memoryhub.journal.rows import Entities, Rows
from snapshots.models import SessionMemory
from topics.models import Topic

pytestmark = pytest.mark.django_db
MOMENT = datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=UTC)


def test_inserted_rows_get_the_defaults_of_their_model() -> None:
    rows = Rows()
    rows.insert(Agent, id=7, workspace_id=1, name="dev", first_seq=3)
    rows.flush()

    agent = Agent.objects.get()
    assert (agent.id, agent.name, agent.role, agent.declared) == (7, "dev", "", False)


def test_times_days_and_lists_come_back_as_they_went() -> None:
    rows = Rows()
    rows.insert(
        SessionMemory, id=1, workspace_id=1, file_id=1, position=0, first_line=1,
        last_line=1, first_seq=1, occurred_at=MOMENT, precision="second",
        tags=["ü", {"a": None}],
    )  # fmt: skip
    rows.insert(
        Topic, id=1, workspace_id=1, name="a", slug="a", kind="note", file_id=1,
        first_seq=1, created_on=date(2026, 11, 1),
    )  # fmt: skip
    rows.flush()

    memory = SessionMemory.objects.get()
    assert (memory.occurred_at, memory.tags) == (MOMENT, ["ü", {"a": None}])
    assert Topic.objects.get().created_on == date(2026, 11, 1)


@pytest.mark.parametrize(
    "moment",
    [
        MOMENT,
        datetime(1, 1, 2, tzinfo=UTC),
        datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("Pacific/Auckland")),
        datetime(
            2026, 11, 20, 9, 30, tzinfo=timezone(timedelta(hours=-3, minutes=-30))
        ),
        datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("UTC")),
    ],
)
def test_a_time_is_written_as_django_looks_for_it(moment: datetime) -> None:
    rows = Rows()
    rows.insert(
        SessionMemory, id=1, workspace_id=1, file_id=1, position=0, first_line=1,
        last_line=1, first_seq=1, occurred_at=moment, precision="second", tags=[],
    )  # fmt: skip
    rows.flush()

    assert SessionMemory.objects.get(occurred_at=moment).occurred_at == moment


def test_an_upsert_replaces_the_row_of_its_id() -> None:
    for name in ("old", "new"):
        rows = Rows()
        rows.upsert(Agent, id=7, workspace_id=1, name=name, first_seq=3)
        rows.flush()

    assert [agent.name for agent in Agent.objects.all()] == ["new"]


def test_an_update_changes_only_the_columns_it_names() -> None:
    Agent.objects.create(id=7, workspace_id=1, name="dev", role="r", first_seq=3)

    rows = Rows()
    rows.update(Agent, 7, declared=True)
    rows.flush()

    agent = Agent.objects.get()
    assert (agent.declared, agent.role) == (True, "r")


def test_nothing_is_written_twice() -> None:
    rows = Rows()
    rows.insert(Agent, id=7, workspace_id=1, name="dev", first_seq=3)
    rows.flush()
    rows.flush()

    assert Agent.objects.count() == 1


def test_entities_are_seen_before_they_are_written() -> None:
    entities, rows = Entities(Agent, 1, empty=True), Rows()

    entities.put(7, name="dev", first_seq=3)
    entities.put(7, declared=True)

    assert not Agent.objects.exists()
    assert entities.get(7) == {
        "id": 7, "workspace_id": 1, "name": "dev", "role": "", "first_seq": 3,
        "declared": True,
    }  # fmt: skip
    entities.flush(rows)
    rows.flush()
    assert Agent.objects.get().declared


def test_entities_of_a_table_with_rows_start_from_what_is_there() -> None:
    Agent.objects.create(id=7, workspace_id=1, name="dev", first_seq=3)
    entities, rows = Entities(Agent, 1, empty=False), Rows()

    entities.put(7, role="writes")
    entities.flush(rows)
    rows.flush()

    agent = Agent.objects.get()
    assert (agent.name, agent.role) == ("dev", "writes")


def test_entities_are_looked_up_all_at_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in (1, 2):
        Agent.objects.create(id=number, workspace_id=1, name=f"{number}", first_seq=3)
    entities = Entities(Agent, 1, empty=False)

    with django_assert_num_queries(1):
        entities.look_up([1, 2, 3])
        found = [entities.get(number) for number in (1, 2, 3)]

    assert [row and row["name"] for row in found] == ["1", "2", None]
