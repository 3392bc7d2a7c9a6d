"""Texts of agents in messages: they lead nowhere else, whatever the service renders."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from memoryhub.notices.channels import Rules, add_channel
from memoryhub.notices.sending import Message, NotSent, send
from memoryhub.people.policy import operator
from memoryhub.runtime.channel_posts import send_due
from memoryhub.runtime.notifier import Notifier
from tests.factories import imported
from tests.notices.channel import BASE, channel_to, chat
from tests.notices.push import Browser, certified
from tests.notices.receiver import receiver
from tests.notices.test_notices import decision

TRAP = "https://evil.example/x"


def sent_through(address: str) -> None:
    """Send what waits to a new channel."""
    channel = channel_to(address)
    Notifier(threading.Event()).look()
    assert send_due(channel.pk)


def test_telegram_shows_tags_of_an_agent_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls, authority = certified(tmp_path, "api.telegram.org")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority))
    text = f'<a href="{TRAP}">Sign off</a> if a <b & c'
    with receiver(tls, as_proxy=True) as telegram:
        telegram.answers = [200]
        monkeypatch.setenv("HTTPS_PROXY", telegram.url.removesuffix("/hook"))
        send("tgram://123456789:abcdefg_hijklmnop/12315544", Message(text, text))

    body = json.loads(telegram.got[0].body)
    assert body["parse_mode"] == "HTML"
    assert "<a" not in body["text"] and body["text"].count("&lt;b &amp; c") == 2


def test_a_service_of_html_gets_the_text_escaped() -> None:
    with chat() as phone:
        send(f"{phone.address}?format=html", Message("T", "a <i>b</i> & c"))

    assert "&lt;i&gt;" in phone.texts[0] and "<i>" not in phone.texts[0]


def test_a_service_of_markdown_gets_addresses_whole() -> None:
    link = f"{BASE}w/my_acme/handoffs/1-2/sign-off/"
    with chat() as phone:
        send(f"{phone.address}?format=markdown", Message("T", f"Sign off: {link}"))

    assert link in phone.texts[0]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "trap",
    [f"[Sign off]({TRAP})", f"[Sign off][{TRAP}]", f"<{TRAP}|Sign off>",
     f"<a href={TRAP}>Sign off</a>"],
)  # fmt: skip
def test_no_words_hide_the_address_of_a_link(
    hub_data: Path, workspace_root: Path, trap: str
) -> None:
    imported(workspace_root, decision(1, f"Read {trap} first."))
    with chat() as phone:
        sent_through(phone.address)

    (text,) = phone.texts
    assert trap not in text and trap.replace("Sign off", "") not in text
    # As people read it, nothing is lost.
    assert trap in text.replace("\u200b", "")


@pytest.mark.django_db
def test_a_click_on_a_notification_opens_the_hub_whatever_the_title_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hub_data: Path,
    workspace_root: Path,
) -> None:
    tls, authority = certified(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority))
    text = decision(1)
    (path,) = text
    imported(
        workspace_root, {path: str(text[path]).replace("Use events", f"Use {TRAP}")}
    )
    browser = Browser()
    with receiver(tls) as service:
        sent_through(browser.address(service.url))

    message = browser.opened(service.got[0].body)
    assert TRAP in message["title"]
    assert message["url"].startswith(f"{BASE}w/acme/handoffs/")
    assert message["url"].endswith("/sign-off/")


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        ("mailto://127.0.0.1:9?from=a@example.org&to=b@example.org", "refused"),
        ("ntfy://127.0.0.1:9/topic", "refused"),
        (
            "mailto://nosuch.invalid?from=a@example.org&to=b@example.org",
            "resol|not known",
        ),
    ],
)
def test_a_failure_names_its_cause(address: str, cause: str) -> None:
    with pytest.raises(NotSent, match=cause):
        send(address, Message("T", "B"))


@pytest.mark.django_db
def test_a_refused_address_shows_no_letter_of_its_password() -> None:
    address = "mailtos://kim%40example.org:qqzzjjqq@127.0.0.1:25?to=me@example.org"
    with pytest.raises(Exception, match="From") as refused:
        add_channel(operator(), "Mail", address, BASE, Rules())

    assert "://" not in str(refused.value) and "q.." not in str(refused.value)
