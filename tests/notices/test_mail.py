"""Mail of the hub's own server: one tick, at the confirmed address."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.accounts.services.invitations import Offer, invite
from memoryhub.comments.services import Author, line_place, open_thread
from memoryhub.journal.models import Workspace
from memoryhub.notices.channels import mail_channel
from memoryhub.people.models import User
from memoryhub.runtime.channel_posts import send_due
from memoryhub.runtime.notifier import Notifier
from tests.factories import small
from tests.people.team import browser_of, person
from tests.signing import PageReader

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme(hub_data: Path, workspace_root: Path, settings: Settings) -> Workspace:
    settings.MEMORYHUB_TEAM = True
    settings.EMAIL_HOST = "mail.example.org"
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    return small(workspace_root)


@pytest.fixture
def edi(acme: Workspace) -> User:
    made = person("edi", acme, "editor")
    made.email = "edi@example.org"
    made.time_zone = "Pacific/Kiritimati"
    made.save()
    EmailAddress.objects.create(
        user=made, email=made.email, primary=True, verified=True
    )
    return made


def tick(edi: User) -> str:
    browser = browser_of(edi)
    answer = browser.post("/me/channels/mail/", {"wanted": "1"}, follow=True)
    return answer.content.decode()


def look() -> None:
    """Notice what waits, and send it now, whatever the quiet hours are."""
    Notifier(threading.Event()).look()


def test_a_mention_is_mailed_after_one_tick(acme: Workspace, edi: User) -> None:
    assert "Mail me what waits for me" in tick(edi)
    channel = mail_channel(edi)
    assert channel
    channel.quiet_from = channel.quiet_to = None
    channel.save()
    place = line_place(acme, "MEMORY.md", 1)
    open_thread(acme, place, "Is that so, @edi?", Author("ada", timezone.now()))

    look()
    assert send_due(channel.pk)

    (sent,) = mail.outbox
    assert sent.to == ["edi@example.org"]
    assert "Is that so" in f"{sent.subject} {sent.body}"
    browser_of(edi).post("/me/channels/mail/", {})
    assert mail_channel(edi) is None


def test_nothing_goes_to_an_address_that_is_not_confirmed(
    acme: Workspace, edi: User
) -> None:
    tick(edi)
    EmailAddress.objects.update(verified=False)
    channel = mail_channel(edi)
    assert channel

    page = browser_of(edi).post(f"/me/channels/{channel.pk}/test/", follow=True)

    assert "not sent. the e-mail address is not confirmed" in page.content.decode()
    assert not mail.outbox
    EmailAddress.objects.all().delete()
    mail_channel(edi).delete()  # type: ignore[union-attr]
    assert (
        browser_of(edi).post("/me/channels/mail/", {"wanted": "1"}).status_code == 404
    )


def joined(acme: Workspace) -> str:
    """Join by a link, and return the page after it."""
    secret = invite(Offer(acme), None).secret
    form = {"username": "dora", "email": "dora@example.org"}
    form |= dict.fromkeys(("password", "again"), "correct horse battery")
    browser: Client = PageReader()
    return browser.post(f"/accounts/join/{secret}/", form, follow=True).content.decode()


def test_who_joins_is_told_to_look_only_when_a_mail_went_out(
    acme: Workspace, settings: Settings
) -> None:
    assert "Look into your mail" in joined(acme)
    assert [sent.to for sent in mail.outbox] == [["dora@example.org"]]

    User.objects.filter(username="dora").delete()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert "Look into your mail" not in joined(acme)


def test_the_command_sends_its_invitation(
    acme: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "new@example.org"
    call_command("person", "invite", "--email", address, "--json")

    told = json.loads(capsys.readouterr().out)
    (sent,) = mail.outbox
    assert told["sent"] and told["link"] in sent.body and sent.to == [address]
