"""Fixtures: real files in temporary folders, a real database as a file."""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import time_machine
from django.conf import settings as django_settings
from django.db import connection, connections, transaction
from django.test import Client, TransactionTestCase
from django.utils.module_loading import import_string
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from memoryhub.audit import failures
from memoryhub.database.schema import schema_number
from memoryhub.journal.models import Workspace
from memoryhub.search import meaning, paraphrases
from memoryhub.values import budgets
from memoryhub.workspaces.services.adding import add_workspace
from tests.clock import TODAY, machine_clock, pin
from tests.migrated import migrated, share
from tests.signing import signed_in

#: A busy machine draws slowly: that is no fault of a strategy.
hypothesis_settings.register_profile(
    "hub", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("hub")

MakeWorkspace = Callable[[Path], Workspace]


def pytest_configure() -> None:
    """Let all workers of a run have one clock, and one migrated database to copy."""
    pin()
    share()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run take a tenth of the tests, the same ones each time."""
    help_ = "a tenth of the tests that start no browser or proxy, by their names"
    parser.addoption("--tenth", action="store_true", help=help_)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep the tenth that was asked for."""
    if not config.getoption("--tenth"):
        return
    slow = tuple(f"tests/{name}/" for name in ("browser", "deploy", "durability"))
    items[:] = [
        item
        for item in items
        if not item.nodeid.startswith(slow) and crc32(item.nodeid.encode()) % 10 == 0
    ]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from going through thousands of tests each time.

    Afterwards it looks at what is young more rarely: a test leaves little behind.
    """
    gc.disable()
    found = yield
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    return found


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give every run, and every worker of one, a database file of its own."""
    place = tmp_path_factory.mktemp("database") / "test.sqlite3"
    place.write_bytes(migrated())
    connections["default"].settings_dict["TEST"]["NAME"] = str(place)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Have that database begin as the copy that was put there."""
    return True


@pytest.fixture(scope="session", autouse=True)
def no_power_cut() -> Iterator[None]:
    """Wait for no disk: only a power cut could take away what was written."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def rows_deleted_alone() -> Iterator[None]:
    """After a test of several connections delete its rows, and make none anew.

    Django's `flush` would delete what migrations made, too, and make that again.
    """
    with pytest.MonkeyPatch.context() as patched:
        name = "_fixture_teardown"
        patched.setattr(TransactionTestCase, name, lambda case: _delete_rows())
        yield


def _delete_rows() -> None:
    made = {"django_content_type", "auth_permission"}
    tables = connection.introspection.django_table_names(only_existing=True)
    with (
        connection.constraint_checks_disabled(),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        for table in set(tables) - made:
            cursor.execute(f'DELETE FROM "{table}"')


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once() -> Iterator[None]:
    """Give each client's chain of middleware the static files of the first one."""
    found: dict[tuple[str, int], dict[str, object]] = {}
    serving = import_string("whitenoise.middleware.WhiteNoiseMiddleware")
    find = serving.add_files_from_finders

    def find_once(middleware: Any) -> None:
        key = middleware.static_prefix, middleware.max_age
        if key not in found:
            find(middleware)
            found[key] = dict(middleware.files)
        middleware.files.update(found[key])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(serving, "add_files_from_finders", find_once)
        yield


@pytest.fixture(autouse=True)
def no_strangers_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record refusals of a test in the audit log, however many others had."""
    monkeypatch.setattr(failures, "_MINUTE_NOW", failures._Minute())


@pytest.fixture(scope="session", autouse=True)
def words_alone() -> Iterator[None]:
    """Search without the extra ``semantic``, which is installed for its own tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(meaning, "model", lambda: None)
        patched.setattr(paraphrases, "is_there", lambda: False)
        patched.setenv("MEMORYHUB_SEMANTIC", "0")
        yield


@pytest.fixture(scope="session", autouse=True)
def time_enough() -> Iterator[None]:
    """Let work that ends in time have a thousand times as long: the machine is busy.

    Budgets of no seconds, and those by a clock of a test's own, stay as they are.
    """
    limited = budgets.Budget.of

    def of(seconds: float, clock: Callable[[], float] = time.monotonic) -> Any:
        is_real = clock in (time.monotonic, time.thread_time)
        return limited(seconds * 1_000 if is_real else seconds, clock)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(budgets.Budget, "of", of)
        patched.setenv("MEMORYHUB_PAGE_SECONDS", "0")  # in processes that tests start
        yield


@pytest.fixture(scope="session", autouse=True)
def nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Look for agents' memory in an empty folder, never in that of who runs tests."""
    with pytest.MonkeyPatch.context() as patched:
        empty = tmp_path_factory.mktemp("home")
        patched.setattr(django_settings, "MEMORYHUB_HOME", empty)
        yield


@pytest.fixture(scope="session", autouse=True)
def nobodys_zone() -> Iterator[None]:
    """Have times without a zone be of UTC, wherever the machine is."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(django_settings, "MACHINE_ZONE", "UTC")
        yield


@pytest.fixture(autouse=True)
def whole_minute(request: pytest.FixtureRequest) -> Iterator[None]:
    """Begin a test that counts queries with a minute: some values are kept for one."""
    counting = {"CaptureQueriesContext", "statements"} & set(vars(request.module))
    if counting or any("_num_queries" in name for name in request.fixturenames):
        with time_machine.travel(time.time() // 60 * 60 + 60):
            yield
    else:
        yield


@pytest.fixture(name="machine_clock")
def _machine_clock() -> Iterator[None]:
    """Have the clock of files: for what compares a file's time with now."""
    with machine_clock():
        yield


@pytest.fixture
def day_of_rows() -> Iterator[None]:
    """Have the day of the rows that a test writes, whatever the day of the run is."""
    with time_machine.travel(TODAY):
        yield


@pytest.fixture
def hub_data(tmp_path: Path, settings: Settings) -> Path:
    """Return a fresh folder for locks, spool and secrets."""
    folder = tmp_path / "hub-data"
    folder.mkdir()
    settings.MEMORYHUB_DATA = folder
    return folder


@pytest.fixture
def workspace_root(tmp_path: Path) -> Path:
    """Return an empty folder to be a workspace."""
    root = tmp_path / "workspace-under-test" / "notes"
    root.mkdir(parents=True)
    return root


@pytest.fixture
def make_workspace(hub_data: Path, db: None) -> MakeWorkspace:
    """Return what makes the workspace of a folder known to the hub."""
    return add_workspace


@pytest.fixture
def client(db: None) -> Client:
    """Return a browser that is signed in; `Client()` is a stranger."""
    return signed_in()


class _Loud(logging.Handler):
    """Raises what an importer raised: outside of tests it becomes a problem."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            raise record.exc_info[1]


_GUARDS = (
    "memoryhub.search.index",
    "memoryhub.sync.record.projection",
    "memoryhub.journal.reading",
)


@pytest.fixture(autouse=True, scope="session")
def _importers_fail_loudly() -> None:
    for name in _GUARDS:
        logging.getLogger(name).addHandler(_Loud())


@pytest.fixture
def quiet_importers() -> Iterator[None]:
    """Have importers that raise do so as they do outside of tests."""
    handlers = {name: logging.getLogger(name).handlers for name in _GUARDS}
    for name in _GUARDS:
        logging.getLogger(name).handlers = []
    yield
    for name, before in handlers.items():
        logging.getLogger(name).handlers = before


@pytest.fixture
def other_version(db: None) -> Iterator[None]:
    """Have the database be of another version, as another program leaves it."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA user_version = 77")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA user_version = {schema_number()}")
