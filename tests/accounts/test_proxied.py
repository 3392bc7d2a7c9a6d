"""A proxy's header: which connections may send it, and whom it signs in."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from django.db import connections
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.proxied import PASSED_ON, person_named
from memoryhub.accounts.services.persons import create_person, set_active
from memoryhub.audit.models import AuditEntry
from memoryhub.people.models import User
from memoryhub.runtime.serving.proxied import pass_on
from tests.running import refused
from tests.signing import PageReader


@pytest.fixture(autouse=True)
def proxy(settings: Settings) -> None:
    settings.MEMORYHUB_PROXY_USER_HEADER = "Remote-User"
    settings.MEMORYHUB_TRUSTED_PROXIES = ["10.0.0.0/8", "fd00::1"]


def passed_on(peer: str, *headers: tuple[bytes, bytes]) -> list[bytes]:
    """Return the names that reach Django; every header of the user is gone."""
    kept = [(b"host", b"hub"), *headers]
    pass_on(kept, peer)
    assert (b"host", b"hub") in kept
    assert b"remote-user" not in {name.lower().replace(b"_", b"-") for name, _ in kept}
    return [value for name, value in kept if name == PASSED_ON.encode()]


@pytest.mark.parametrize("peer", ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"])
def test_a_trusted_peers_header_is_passed_on(peer: str) -> None:
    assert passed_on(peer, (b"remote-user", b"ann")) == [b"ann"]
    assert passed_on(peer, (b"Remote-User", b"ann")) == [b"ann"]


@pytest.mark.parametrize("name", [b"remote_user", b"Remote_User"])
def test_another_spelling_which_a_proxy_does_not_remove_counts_as_none(
    name: bytes,
) -> None:
    assert passed_on("10.1.2.3", (name, b"kim")) == []


@pytest.mark.parametrize(
    "peer", ["127.0.0.1", "::1", "11.0.0.1", "fd00::2", "", "unix", "10.1.2.3.evil"]
)
def test_the_header_of_others_is_dropped(peer: str) -> None:
    for name in (b"remote-user", b"Remote-User", b"remote_user", b"REMOTE_user"):
        assert passed_on(peer, (name, b"ann")) == []


def test_our_own_name_and_a_second_header_count_as_none() -> None:
    forged = (b"memoryhub_proxied-user", b"kim")
    assert passed_on("10.1.2.3", forged) == []
    assert passed_on("10.1.2.3", (PASSED_ON.encode(), b"kim")) == []
    both = (b"remote-user", b"ann"), (b"remote_user", b"kim")
    assert passed_on("10.1.2.3", *both) == []


def test_without_the_setting_our_own_name_is_dropped_too(settings: Settings) -> None:
    settings.MEMORYHUB_PROXY_USER_HEADER = ""
    kept = [(PASSED_ON.encode(), b"kim"), (b"remote-user", b"kim")]
    pass_on(kept, "10.1.2.3")

    assert kept == [(b"remote-user", b"kim")]


def named(browser: Client, name: str, path: str = "/me/") -> int:
    return browser.get(path, headers={PASSED_ON: name}).status_code


def test_who_is_named_has_a_session_that_ends_with_the_naming(browser: Client) -> None:
    assert named(browser, "ann") == 200
    assert named(browser, "ANN") == 200
    ann = User.objects.get(username="ann")
    assert not ann.has_usable_password() and not ann.hub_administrator
    assert ann.sessions.count() == 1

    assert browser.get("/me/").status_code == 302
    assert not ann.sessions.exists()


def test_another_name_is_another_person_at_once(browser: Client) -> None:
    named(browser, "anneliese")
    assert named(browser, "bob") == 200
    page = browser.get("/me/", headers={PASSED_ON: "bob"}).content.decode()

    assert "bob" in page and "anneliese" not in page


@pytest.mark.parametrize(
    "name", ["operator", "you", "a/b", "system", "0perator", "k" * 60_000]
)
def test_a_name_that_means_nobody_signs_nobody_in(browser: Client, name: str) -> None:
    assert named(browser, name) == 302
    assert not User.objects.filter(username=name).exclude(username="operator").exists()


def test_neither_a_deactivated_person_nor_the_operator_is_signed_in(
    client: Client, kim: User
) -> None:
    set_active(create_person("lee"), active=False, by="kim")

    assert named(PageReader(), "lee") == 302
    assert named(PageReader(), "operator") == 302


def test_letters_beyond_latin_1_arrive_as_they_were_sent(browser: Client) -> None:
    assert named(browser, "小明".encode().decode("latin-1")) == 200
    assert User.objects.filter(username="小明").exists()


def test_a_sign_in_by_password_goes_on_without_the_header(kims: Client) -> None:
    assert kims.get("/me/").status_code == 200


def test_programs_are_not_signed_in_by_the_header(browser: Client) -> None:
    answer = browser.get("/api/v1/workspaces", headers={PASSED_ON: "ann"})

    assert answer.status_code == 401
    assert not User.objects.filter(username="ann").exists()


def test_the_header_needs_trusted_proxies(tmp_path: object) -> None:
    env = {"MEMORYHUB_TEAM": "1", "MEMORYHUB_PROXY_USER_HEADER": "Remote-User"}
    line = refused(tmp_path, "status", env=env)  # type: ignore[arg-type]

    assert "MEMORYHUB_TRUSTED_PROXIES is missing" in line


def test_the_audit_log_names_whom_the_proxy_named_not_who_was_here_before(
    browser: Client,
) -> None:
    named(browser, "anneliese")
    name = {"name": "Bob"}
    browser.post("/accounts/name/", name, headers={PASSED_ON: "bob"})

    assert User.objects.get(username="bob").name == "Bob"
    begun = AuditEntry.objects.filter(action="sign-in", subject="bob").get()
    after = AuditEntry.objects.filter(pk__gte=begun.pk)
    assert {entry.actor for entry in after} == {"bob"}


@pytest.mark.django_db(transaction=True)
def test_the_first_requests_of_a_new_person_come_together() -> None:
    crowd, found = 8, []
    for number in range(4):
        start = Barrier(crowd)

        def asks(start: Barrier = start, name: str = f"newcomer{number}") -> None:
            start.wait()
            person = person_named(name)
            found.append(person.username if person else "nobody")
            connections.close_all()

        threads = [Thread(target=asks) for _ in range(crowd)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert "nobody" not in found and len(found) == 4 * crowd
    assert User.objects.filter(username__startswith="newcomer").count() == 4
