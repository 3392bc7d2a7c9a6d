"""What the courier sends, and what it refuses, against real receivers."""

from __future__ import annotations

import json
import netrc
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from memoryhub.notices import sending
from memoryhub.notices.courier import masked
from memoryhub.notices.sending import (
    BadAddress,
    Message,
    NotSent,
    dismiss,
    prepare,
    send,
    service_of,
)
from tests.notices.receiver import Receiver, receiver


@pytest.fixture
def chat() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


def address(found: Receiver, scheme: str = "json", path: str = "/hook") -> str:
    return found.url.replace("http", scheme, 1).replace("/hook", path)


def test_a_message_arrives_as_it_is(chat: Receiver) -> None:
    send(address(chat), Message("T\u200bé", "one & <two>\nhttp://localhost:8765/w/a/"))

    body = json.loads(chat.got[0].body)
    assert body["title"] == "T\u200bé"
    assert body["message"] == "one & <two>\nhttp://localhost:8765/w/a/"


def test_the_hub_itself_never_loads_apprise(chat: Receiver) -> None:
    send(address(chat), Message("T", "B"))

    assert not {"apprise", "requests_oauthlib"} & sys.modules.keys()


def test_ntfy_gets_a_message_in_its_own_form(chat: Receiver) -> None:
    chat.answers = [200]
    send(address(chat, "ntfy", "/alarms"), Message("Overdue", "Ship it"))

    body = json.loads(chat.got[0].body)
    assert (body["topic"], body["title"]) == ("alarms", "Overdue")
    assert body["message"] == "Ship it"


def test_a_refusal_says_the_status_and_no_part_of_the_address(chat: Receiver) -> None:
    chat.answers = [403]
    with pytest.raises(NotSent, match="403") as refused:
        send(address(chat, path="/s3cretpath?token=abcdef"), Message("T", "B"))

    assert not {"s3cretpath", "abcdef"} & set(str(refused.value).split("/"))
    assert masked("no /s3cretpath?a%20bc d", "json://h/s3cretpath?q=a%20bc") == (
        "no /…?… d"
    )


def test_a_redirect_is_not_followed_even_if_the_address_wants_it(
    chat: Receiver,
) -> None:
    chat.answers, chat.location = [302], chat.url
    with pytest.raises(NotSent, match="302"):
        send(f"{address(chat)}?redirect=yes", Message("T", "B"))

    assert len(chat.got) == 1


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "0.0.0.0:9", "[fe80::1]", "224.0.0.1"),
        *("[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[::ffff:a9fe:a9fe]"),
        *("[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1::7f00:1]", "[::ffff:0:a00:1]"),
        "[::7f00:1]",
    ],
)
def test_no_message_goes_to_the_addresses_of_links_and_groups(host: str) -> None:
    with pytest.raises(NotSent, match="no address for messages"):
        send(f"json://{host}/latest/meta-data", Message("T", "B"))


def test_a_module_that_is_not_compiled_yet_refuses_no_message(chat: Receiver) -> None:
    Path(cache_from_source(str(netrc.__file__))).unlink(missing_ok=True)

    send(address(chat), Message("T", "B"))

    assert len(chat.got) == 1


def test_a_private_network_can_be_forbidden(chat: Receiver) -> None:
    named = address(chat).replace("127.0.0.1", "localhost")
    inside = (
        "::ffff:a01:203",
        "64:ff9b::7f00:1",
        "64:ff9b::10.1.2.3",
        "2002:7f00:1::",
        "fc00::1",
        "fec0::2",
    )
    others = ("10.1.2.3", "192.168.0.9", *(f"[{one}]" for one in inside))
    for one in (address(chat), named, *(f"json://{other}/" for other in others)):
        with pytest.raises(NotSent, match="private network"):
            send(one, Message("T", "B"), private=False)

    assert not chat.got


def test_a_name_is_judged_by_the_address_that_it_leads_to(chat: Receiver) -> None:
    with closing(socket.create_server(("0.0.0.0", 0))) as server:
        port = server.getsockname()[1]
        for name in ("localhost", "localhost.", "2130706433", "0x7f000001"):
            with pytest.raises(NotSent, match="private network"):
                send(f"json://{name}:{port}/", Message("T", "B"), private=False)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("host", ["[fd00:ec2::254]", "100.100.100.200"])
def test_no_message_goes_to_what_tells_a_machine_its_secrets(host: str) -> None:
    with pytest.raises(NotSent, match="private network"):
        send(f"json://{host}/latest/meta-data", Message("T", "B"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("syslog://", "local"),
        ("nosuch://host/x", "unknown-service"),
        ("file:///etc/passwd", "unknown-service"),
        ("just words", "unknown-service"),
        ("", "unknown-service"),
        ("slack://", "invalid"),
        ("mailto://h?from=a@example.org&to=b@example.org,c@example.org", "several"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544/99", "several"),
        ("json://[::1/x", "invalid"),
    ],
)
def test_what_is_no_address_is_refused_with_a_code(text: str, code: str) -> None:
    with pytest.raises(BadAddress) as refused:
        service_of(text)

    assert refused.value.code == code


def test_a_service_reads_no_file_of_the_computer(tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text('{"stolen": "{{app_body}}"}')
    with pytest.raises(NotSent, match="would use a file"):
        send(f"workflows://127.0.0.1:9/a/b?template={card}", Message("T", "B"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ntfy://my-topic", "ntfy"),
        ("ntfys://me:pw@ntfy.example.org/topic", "ntfy · ntfy.example.org"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544", "Telegram"),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#a", "Slack"),
    ],
)
def test_a_service_is_shown_without_secrets(text: str, shown: str) -> None:
    assert str(service_of(text)) == shown


def test_the_courier_gets_no_variable_of_the_hub(
    chat: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYHUB_BACKUP_PASSPHRASE", "s3cret")
    courier = sending._started()
    try:
        place = Path(f"/proc/{courier.pid}/environ")
        found = place.read_bytes() if place.exists() else b""
    finally:
        courier.communicate()

    assert b"s3cret" in bytes(os.environb[b"MEMORYHUB_BACKUP_PASSPHRASE"])
    assert b"MEMORYHUB" not in found


def test_a_service_that_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "PATIENCE", 3.0)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(NotSent, match="no answer within 3"),
    ):
        send(f"json://127.0.0.1:{silent.getsockname()[1]}/", Message("T", "B"))


def test_a_courier_that_waited_sends_one_message_and_ends(chat: Receiver) -> None:
    prepare()
    waiting = sending._ahead.courier
    assert waiting is not None
    send(address(chat), Message("T", "B"))

    assert waiting.returncode is not None and sending._ahead.courier is None
    dismiss()


def test_a_courier_that_died_is_no_hindrance_and_not_replaced_at_once(
    chat: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_ahead", sending._Ahead())
    prepare()
    waiting = sending._ahead.courier
    assert waiting is not None
    waiting.kill()
    waiting.wait()
    for _ in range(3):
        prepare()
        assert sending._ahead.courier is None
    send(address(chat), Message("T", "B"))

    assert len(chat.got) == 1
