"""What administrators and commands do to accounts, and what people do to their own."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.models import BrowserSession
from memoryhub.accounts.services.invitations import Offer, accept, invite
from memoryhub.accounts.services.persons import (
    create_person,
    reset_path,
    set_active,
    set_hub_administrator,
)
from memoryhub.accounts.signals import account_changed
from memoryhub.audit.models import AuditEntry
from memoryhub.people.marks import mark_seen
from memoryhub.people.models import SavedView, User
from memoryhub.people.policy import operator
from tests.accounts.conftest import PASSWORD
from tests.factories import make_workspace_row
from tests.running import done, refused, run
from tests.signing import PageReader
from tests.waiting import wait_for

NEW = "an entirely new one"
TEAM = {"MEMORYHUB_TEAM": "1"}


def follow(browser: Client, path: str) -> tuple[int, str]:
    """Open a reset link; return the last status and the address of its form."""
    answer = browser.get(path, follow=True)
    return answer.status_code, answer.redirect_chain[-1][
        0
    ] if answer.redirect_chain else ""


def set_password(browser: Client, path: str, password: str = NEW) -> Client:
    _, form = follow(browser, path)
    browser.post(form or path, {"password1": password, "password2": password})
    return browser


def can_sign_in(name: str, password: str) -> bool:
    form = {"login": name, "password": password}
    return PageReader().post("/accounts/login/", form).status_code == 302


def test_a_reset_link_sets_a_password_once_and_signs_in(kim: User) -> None:
    path = reset_path(kim)
    assert set_password(PageReader(), path).get("/me/").status_code == 200

    set_password(PageReader(), path, "yet another one 12")

    assert can_sign_in("kim", NEW)
    assert not can_sign_in("kim", "yet another one 12")


@pytest.mark.parametrize("way", ["demoted", "deactivated", "forged"])
def test_a_reset_link_ends_with_the_rights_of_who_made_it(kim: User, way: str) -> None:
    ann = create_person("ann", hub_administrator=True)
    path = reset_path(kim, ann)
    if way == "demoted":
        set_hub_administrator(ann, wanted=False, by="kim")
    elif way == "deactivated":
        set_active(ann, active=False, by="kim")
    else:
        path = path.replace(f"-{ann.pk}/", f"-{kim.pk}/")
        assert path != reset_path(kim, ann)

    set_password(PageReader(), path)
    set_password(PageReader(), re.sub(r"-\d+/$", "/", path))

    assert not can_sign_in("kim", NEW)


def test_a_reset_link_ends_with_the_next_sign_in(kim: User) -> None:
    path = reset_path(kim)
    assert can_sign_in("kim", PASSWORD)

    set_password(PageReader(), path)

    assert not can_sign_in("kim", NEW)


def test_a_password_that_is_too_easy_is_refused_with_the_reason(kim: User) -> None:
    browser = PageReader()
    _, form = follow(browser, reset_path(kim))
    answer = browser.post(form, {"password1": "kimkimkim", "password2": "kimkimkim"})

    assert "too short" in answer.content.decode()
    assert can_sign_in("kim", PASSWORD)


def test_an_administrators_link_is_shown_once_and_not_masked(
    kims: Client, kim: User
) -> None:
    lee = create_person("lee")
    page = kims.post(f"/accounts/people/{lee.pk}/reset-link/").content.decode()
    (link,) = re.findall(r"http://testserver(/accounts/password/reset/[^<]+)<", page)

    set_password(PageReader(), link)

    assert can_sign_in("lee", NEW)
    again = kims.get(f"/accounts/people/{lee.pk}/").content.decode()
    assert "/accounts/password/reset/" not in again


def test_every_act_is_done_and_sent_to_the_audit_log(kims: Client, kim: User) -> None:
    lee, seen = create_person("lee", password=PASSWORD), []

    def note(**named: object) -> None:
        seen.append((named["kind"], named["actor"], named["person"]))

    account_changed.connect(note)
    try:
        for act in ("promote", "demote", "end-sessions", "deactivate", "activate"):
            kims.post(f"/accounts/people/{lee.pk}/{act}/")
    finally:
        account_changed.disconnect(note)

    kinds = ["hub-administrator-changed"] * 2 + ["sessions-ended", "deactivated"]
    assert seen == [(kind, "kim", "lee") for kind in [*kinds, "activated"]]
    written = AuditEntry.objects.filter(actor="kim", subject__startswith="lee")
    assert [entry.action for entry in written.order_by("pk")] == [
        f"account.{kind}" for kind, *_ in seen
    ]
    assert can_sign_in("lee", PASSWORD)


def test_the_last_administrator_stays_one(kims: Client, kim: User) -> None:
    answer = kims.post(f"/accounts/people/{kim.pk}/demote/", follow=True)

    assert "The hub needs an administrator." in answer.content.decode()
    assert User.objects.get(pk=kim.pk).hub_administrator


def test_an_act_that_does_not_exist_and_the_operator_are_not_found(
    kims: Client, client: Client, kim: User
) -> None:
    operator = User.objects.get(username="operator")
    assert kims.post(f"/accounts/people/{kim.pk}/explode/").status_code == 404
    assert kims.get(f"/accounts/people/{operator.pk}/").status_code == 404


def test_a_name_is_changed_and_shown_with_its_initials(kims: Client) -> None:
    kims.post("/accounts/name/", {"name": "Kim <b>Ada</b> Lovelace"})
    page = kims.get("/me/").content.decode()

    assert "Kim &lt;b&gt;Ada&lt;/b&gt; Lovelace" in page
    assert re.search(r'class="av a\d round"[^>]*>KL<', page)


def test_an_address_is_saved_after_the_password_once_more(
    kims: Client, kim: User
) -> None:
    answer = kims.post("/accounts/email/", {"email": "Kim@Example.org"})
    assert urlsplit(answer["Location"]).path == "/accounts/confirm/"
    assert not EmailAddress.objects.exists()

    kims.post("/accounts/confirm/", {"password": PASSWORD})
    kims.post("/accounts/email/", {"email": "Kim@Example.org"})

    assert User.objects.get(pk=kim.pk).email == "kim@example.org"
    assert can_sign_in("kim@example.org", PASSWORD)


@pytest.fixture
def mail_server(settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"


def test_a_forgotten_password_is_reset_by_mail_and_strangers_learn_nothing(
    browser: Client, mail_server: None
) -> None:
    create_person("lee", name="Lee", email="lee@example.org", password=PASSWORD)
    answers = [
        browser.post("/accounts/password/reset/", {"email": address}, follow=True)
        for address in ("nobody@example.org", "lee@example.org")
    ]

    assert answers[0].content == answers[1].content
    wait_for(lambda: mail.outbox)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (
        ["lee@example.org"],
        "MemoryHub: Set a new password",
    )
    (path,) = re.findall(r"http://testserver(/\S+)", str(sent.body))
    set_password(PageReader(), path)
    assert can_sign_in("lee", NEW)


def test_without_a_mail_server_the_page_says_what_to_do(browser: Client) -> None:
    page = browser.get("/accounts/password/reset/").content.decode()

    assert "This hub sends no e-mail." in page and "<form" not in page


def test_an_invitation_is_sent_and_an_unreachable_server_stops_nothing(
    kims: Client, mail_server: None, settings: Settings
) -> None:
    form = {"role": 20, "days": 7, "email": "ada@example.org"}
    page = kims.post("/accounts/people/invite/", form).content.decode()
    (sent,) = mail.outbox
    (link,) = re.findall(r"http://testserver/accounts/join/\S+", str(sent.body))
    assert link in page and "It was sent by e-mail." in page

    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    page = kims.post("/accounts/people/invite/", form).content.decode()
    assert "/accounts/join/" in page and "It was sent by e-mail." not in page


def test_the_first_administrator_is_made_by_a_command(tmp_path: Path) -> None:
    data = tmp_path / "data"
    link = done(data, "person", "admin", "kim", env=TEAM).strip()

    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/accounts/password/reset/\S+/", link)
    assert "kim" in done(data, "person", "list", env=TEAM)
    assert "MEMORYHUB_TEAM=1" in refused(data, "person", "admin", "lee")
    easy = run(
        data, "person", "reset", "kim", "--password-stdin", stdin="kim\n", env=TEAM
    )
    assert easy.returncode == 1 and "too short" in easy.stderr
    assert "'operator'" not in refused(data, "person", "admin", "operator", env=TEAM)


@pytest.mark.parametrize("way", ["created", "promoted", "invited"])
def test_the_first_administrator_goes_on_where_the_operator_was(way: str) -> None:
    before, acme = operator(), make_workspace_row("acme")
    mark_seen(before, acme)
    SavedView.objects.create(user=before, workspace=acme, name="Mine", address="x")
    if way == "created":
        first = create_person("kim", hub_administrator=True)
    else:
        first = create_person("kim")
        if way == "promoted":
            set_hub_administrator(first, wanted=True, by="")
        else:
            accept(invite(Offer(hub_administrator=True), None).row, first)
    second = create_person("lee", hub_administrator=True)

    held = [
        (one.seen_marks.count(), one.saved_views.count())
        for one in (first, second, before)
    ]
    assert held == [(1, 1), (0, 0), (0, 0)]


def test_a_team_that_sends_mail_needs_the_address_that_links_begin_with(
    tmp_path: Path,
) -> None:
    mail = {"MEMORYHUB_EMAIL_URL": "smtp://a%40example.org:b@mail.example.org"}

    assert "MEMORYHUB_URL is missing" in refused(tmp_path, "serve", env=TEAM | mail)


def test_a_commands_link_begins_with_the_hubs_address(
    hub_data: Path, settings: Settings, capsys: pytest.CaptureFixture[str], kim: User
) -> None:
    settings.MEMORYHUB_URL = "https://hub.example.org/"
    call_command("person", "invite", "--days", "1")
    assert capsys.readouterr().out.startswith("https://hub.example.org/accounts/join/")

    BrowserSession.objects.all().delete()
    with pytest.raises(CommandError, match="last administrator"):
        call_command("person", "deactivate", "kim")
    with pytest.raises(CommandError, match="no account is called"):
        call_command("person", "reset", "nobody")


@pytest.mark.parametrize(
    "name",
    [
        "lee",
        "Lee Moss",
        "L\u0435e Moss",
        "operator",
        "Human",
        "\u202eeel",
        "Lee\u200b X",
    ],
)
def test_a_shown_name_cannot_be_taken_for_another_ones(
    kims: Client, kim: User, name: str
) -> None:
    create_person("lee", name="Lee Moss")

    answer = kims.post("/accounts/name/", {"name": name})

    assert (answer.status_code, shown(kim)) == (422, "Kim Park")
    assert "another&#x27;s name" in answer.content.decode()


@pytest.mark.parametrize("name", ["Kim", "Kim Park", "Kim  O'Neil-Żak", "金 明", ""])
def test_any_other_shown_name_is_possible(kims: Client, kim: User, name: str) -> None:
    assert kims.post("/accounts/name/", {"name": name}).status_code == 303
    assert shown(kim) == (" ".join(name.split()) or "kim")


def shown(person: User) -> str:
    person.refresh_from_db()
    return person.shown_name
