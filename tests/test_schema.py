"""The database's tables are those of this version, or nothing is done with it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from memoryhub.database.schema import (
    TABLES,
    OtherVersion,
    ensure_schema,
    is_current,
)
from memoryhub.errors.base import ToolError
from memoryhub.hooks.delivery import deliver
from memoryhub.hooks.spool import NotNow
from memoryhub.journal.models import Operation
from memoryhub.people.callers import Caller
from memoryhub.runtime.notifier import Notifier
from memoryhub.runtime.worker import Worker, background_thread
from memoryhub.sync.scan.watcher import Watcher
from memoryhub.tools.calling import call
from memoryhub.tools.memory_files import AppendRequest, GetRequest
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.refusals import refusal_of
from tests.conftest import MakeWorkspace
from tests.migrated import migrated
from tests.tables import migrated_script, script_of

pytestmark = pytest.mark.django_db


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_migrated_database_is_of_this_version(hub_data: Path) -> None:
    assert is_current()
    ensure_schema()


def test_a_new_hub_gets_the_tables_that_all_migrations_make(tmp_path: Path) -> None:
    written = TABLES.read_text()

    assert written == migrated_script(tmp_path), "run python -m tests.tables"
    assert written == script_of(migrated())


def test_a_database_of_an_earlier_version_is_migrated(
    hub_data: Path, other_version: None
) -> None:
    ensure_schema()

    assert is_current()


def test_a_database_of_a_later_version_is_left_alone(
    hub_data: Path, other_version: None
) -> None:
    run(
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('topics', '0099_later', '2027-01-01')"
    )

    with pytest.raises(OtherVersion, match=r"topics\.0099_later"):
        ensure_schema()
    assert not is_current()


def test_a_database_with_a_part_of_replaced_migrations_is_left_alone(
    hub_data: Path, other_version: None
) -> None:
    later = "app = 'topics' AND name <> '0001_initial'"
    run(f"CREATE TABLE others AS SELECT * FROM django_migrations WHERE {later}")
    run(f"DELETE FROM django_migrations WHERE {later}")

    with pytest.raises(OtherVersion, match=r"topics\.0001_initial"):
        ensure_schema()
    assert not is_current()
    run("INSERT INTO django_migrations SELECT * FROM others")
    run("DROP TABLE others")


def test_tables_that_no_version_had_are_left_alone(
    hub_data: Path, other_version: None
) -> None:
    run("ALTER TABLE topics_topic ADD COLUMN mood text")

    with pytest.raises(OtherVersion, match="topics_topic"):
        ensure_schema()
    assert not is_current()


def test_a_command_says_so_in_a_line(hub_data: Path, other_version: None) -> None:
    run("ALTER TABLE topics_topic ADD COLUMN mood text")

    with pytest.raises(CommandError, match="is of another version of MemoryHub"):
        call_command("status")


def test_a_call_does_nothing_when_the_database_is_of_another_version(
    make_workspace: MakeWorkspace, workspace_root: Path, other_version: None
) -> None:
    caller = Caller(make_workspace(workspace_root), "builder", key="k1")
    asked = {
        "memory_append": AppendRequest(content="A note."),
        "memory_get": GetRequest(path="MEMORY.md"),
    }

    for name, request in asked.items():
        with pytest.raises(ToolError, match="database-other") as refused:
            call(tool_named(name), caller, request)
        assert refusal_of(refused.value).status == 503
    assert not Operation.objects.exists()
    assert list(workspace_root.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "text/html"), ("/api/v1/workspaces", "application/")]
)
def test_pages_and_rest_say_so(
    client: Client, other_version: None, path: str, kind: str
) -> None:
    response = client.get(path)

    assert response.status_code == 503
    assert response["Content-Type"].startswith(kind)
    assert int(response["Retry-After"]) > 0
    assert b"another version of MemoryHub" in response.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["watcher", "worker", "notifier"])
def test_threads_beside_a_server_end_with_one_line(
    hub_data: Path,
    other_version: None,
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    stop = threading.Event()
    work = {
        "watcher": Watcher(stop, lambda workspace, report: None).run,
        "worker": Worker(stop, {}).run,
        "notifier": Notifier(stop).run,
    }
    thread = background_thread(name, work[name])
    thread.start()
    thread.join(30)
    stop.set()

    assert not thread.is_alive()
    (said,) = caplog.messages
    assert f"the {name} has ended" in said and "start it again" in said


def test_a_watch_that_finds_it_does_not_take_it_for_a_failed_import(
    make_workspace: MakeWorkspace, workspace_root: Path, other_version: None
) -> None:
    watcher = Watcher(threading.Event(), lambda workspace, report: None)

    with pytest.raises(OtherVersion):
        watcher.sync(make_workspace(workspace_root))


def test_what_hooks_tell_waits_for_the_other_version(
    hub_data: Path, other_version: None
) -> None:
    with pytest.raises(NotNow, match="start it again"):
        deliver({})
