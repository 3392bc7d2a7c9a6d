"""Web push: a message reaches a subscribed browser, encrypted and signed by the hub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from memoryhub.notices.channels import send_test
from memoryhub.notices.sending import (
    BadAddress,
    Message,
    NotSent,
    send,
    service_of,
)
from memoryhub.notices.web_push import application_key
from tests.notices.channel import channel_to
from tests.notices.push import Browser, certified, decoded, encoded
from tests.notices.receiver import Receiver, receiver


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    tls, authority = certified(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority))
    with receiver(tls) as found:
        yield found


def test_a_browser_reads_the_message_that_was_sent(service: Receiver) -> None:
    browser = Browser()
    body = "planner → you\nSign off: http://localhost:8765/w/acme/handoffs/1/sign-off/"
    link = "http://localhost:8765/w/acme/handoffs/1/sign-off/"

    send(browser.address(service.url), Message("acme · Sign off: 支付", body, link))

    (got,) = service.got
    assert browser.opened(got.body) == {
        "title": "acme · Sign off: 支付",
        "body": body,
        "url": link,
    }
    assert (got.headers["Content-Encoding"], got.headers["TTL"]) == (
        "aes128gcm",
        "86400",
    )


def test_the_hub_signs_for_the_service_with_the_key_of_the_page(
    service: Receiver,
) -> None:
    send(Browser().address(service.url), Message("T", "B"))

    kind, token, key = service.got[0].headers["Authorization"].split()
    public = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256R1(), decoded(application_key())
    )
    origin = service.url.rpartition("/")[0]
    known = jwt.decode(token[2:].rstrip(","), public, ["ES256"], audience=origin)
    assert (kind, key) == ("vapid", f"k={application_key()}")
    assert known["sub"].startswith("mailto:")


def test_a_long_message_is_cut_to_what_services_take(service: Receiver) -> None:
    browser = Browser()
    send(browser.address(service.url), Message("T", "支付" * 5_000))

    (got,) = service.got
    assert len(got.body) <= 4_096
    assert browser.opened(got.body)["body"].startswith("支付" * 400)


def test_a_subscription_that_has_ended_is_a_failure(service: Receiver) -> None:
    service.answers = [410]
    with pytest.raises(NotSent) as failed:
        send(Browser().address(service.url), Message("T", "B"))

    assert "127.0.0.1" not in str(failed.value)


@pytest.mark.django_db
def test_a_channel_to_a_browser_shows_the_service_alone(service: Receiver) -> None:
    browser = Browser()
    channel = channel_to(browser.address(service.url))

    send_test(channel)

    assert channel.service.startswith("Web push · 127.0.0.1")
    assert "auth" not in channel.address and len(service.got) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "%%%",
        encoded(b"[]"),
        encoded(b"\xff\xfe"),
        encoded(json.dumps({"endpoint": "http://127.0.0.1:1/x", "keys": {}}).encode()),
        encoded(Browser().subscription("file:///etc/passwd").encode()),
        encoded(b"[" * 1_400),
    ],
)
def test_no_subscription_of_a_browser_is_refused(text: str) -> None:
    with pytest.raises(BadAddress) as refused:
        service_of(f"webpush://{text}")

    assert refused.value.code == "invalid"
