"""The rules by which news stops being news, and reviewed sections stay reviewed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection

from memoryhub.database.passing import write_in_passing
from memoryhub.journal.models import Workspace
from memoryhub.people import marks
from memoryhub.people.models import SeenMark, User
from memoryhub.people.policy import operator

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def workspace_at(seq: int) -> Workspace:
    return Workspace.objects.create(
        uuid="00000000-0000-0000-0000-000000000001",
        slug="acme",
        name="Acme",
        root="/nowhere",
        created_at=NOW,
        projected_seq=seq,
    )


def later(**units: int) -> datetime:
    return NOW + timedelta(**units)


def test_everything_is_new_at_the_first_visit() -> None:
    seen = marks.visit(operator(), workspace_at(3), now=NOW)

    assert seen == marks.Seen(0, None)
    assert seen.is_new(1)


def test_reloading_and_reading_on_keep_the_news() -> None:
    person, workspace = operator(), workspace_at(3)
    for minutes in (0, 1, 29, 58, 80):
        seen = marks.visit(person, workspace, now=later(minutes=minutes))

    assert seen.position == 0


def test_after_half_an_hour_without_a_page_the_last_visit_is_seen() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.visit(person, workspace, now=NOW)
    workspace.projected_seq = 9

    seen = marks.visit(person, workspace, now=later(minutes=30))

    assert seen.at == NOW
    assert not seen.is_new(3 << 20 | 17)
    assert seen.is_new(4 << 20)


def test_a_mark_is_written_once_a_minute_at_most() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.visit(person, workspace, now=NOW)
    marks.visit(person, workspace, now=later(seconds=59))
    assert SeenMark.objects.get().viewed_at == NOW

    marks.visit(person, workspace, now=later(seconds=60))
    assert SeenMark.objects.get().viewed_at == later(seconds=60)


def test_polling_notes_no_visit() -> None:
    person, workspace = operator(), workspace_at(3)

    assert marks.seen_by(person, workspace) == marks.Seen(0, None)
    assert not SeenMark.objects.exists()


def test_marking_all_seen_can_be_taken_back_for_ten_seconds() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.visit(person, workspace, now=NOW)

    seen = marks.mark_seen(person, workspace, now=NOW)
    assert (seen.is_new(3 << 20 | 5), seen.undo_until) == (False, later(seconds=10))
    assert marks.undo_seen(person, workspace, now=later(seconds=9))

    assert marks.seen_by(person, workspace, now=later(seconds=9)).is_new(1)
    assert not marks.undo_seen(person, workspace, now=later(seconds=9))


def test_after_that_it_stays_seen() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.mark_seen(person, workspace, now=NOW)

    assert not marks.undo_seen(person, workspace, now=later(minutes=1))
    seen = marks.visit(person, workspace, now=later(minutes=2))
    assert (seen.is_new(3 << 20), seen.undo_until) == (False, None)


def test_an_old_page_does_not_move_the_mark_back() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.mark_seen(person, workspace, now=NOW)

    assert marks.mark_seen(person, workspace, upto=5).is_new(3 << 20) is False


def test_topics_are_seen_apart_from_their_workspace() -> None:
    person, workspace = operator(), workspace_at(3)
    marks.mark_seen(person, workspace, 77, now=NOW)

    assert marks.seen_by(person, workspace).is_new(1)
    assert not marks.seen_by(person, workspace, 77).is_new(1)


def test_people_have_marks_of_their_own() -> None:
    other = User.objects.create(username="dana")
    workspace = workspace_at(3)
    marks.mark_seen(other, workspace)

    assert marks.seen_by(operator(), workspace).is_new(1)


@pytest.mark.django_db(transaction=True)
def test_the_wait_for_a_busy_database_is_the_usual_one_again() -> None:
    marks.visit(operator(), workspace_at(3))

    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)


@pytest.mark.django_db(transaction=True)
def test_two_pages_of_a_first_visit_at_once_make_one_mark() -> None:
    workspace, both_looked = workspace_at(3), Barrier(2)

    def first_visit(user: User) -> marks.Seen:
        mark = SeenMark(user=user, workspace=workspace, viewed_at=NOW)
        both_looked.wait()
        write_in_passing(mark.save)
        connection.close()
        return marks.visit(user, workspace, now=NOW)

    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(first_visit, [operator()] * 2))

    assert seen == [marks.Seen(0, None)] * 2
    assert SeenMark.objects.count() == 1


def test_a_reviewed_text_stays_reviewed_and_another_is_not() -> None:
    person, workspace = operator(), workspace_at(3)
    for _ in range(2):
        marks.mark_reviewed(person, workspace, ("Goal", "aaaa"))

    asked = [("Goal", "aaaa"), ("Goal", "bbbb"), ("Mood", "aaaa")]
    assert marks.reviewed(person, workspace, asked) == {("Goal", "aaaa")}

    marks.clear_reviewed(person, workspace, ("Goal", "aaaa"))
    assert not marks.reviewed(person, workspace, asked)
