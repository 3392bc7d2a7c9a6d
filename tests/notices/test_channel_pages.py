"""The page of channels, Health and the commands, each against a real receiver."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Channel, Delivery
from memoryhub.people.models import User
from memoryhub.runtime.channel_posts import send_due
from memoryhub.runtime.notifier import notify
from memoryhub.timeline.queries.turns import KINDS
from memoryhub.web.channels import KIND_LABELS
from memoryhub.web.kit.served import noted
from tests.factories import imported
from tests.notices.channel import BASE, Chat, channel_to, chat
from tests.notices.test_notices import decision
from tests.people.team import browser_of, person

pytestmark = pytest.mark.django_db
PAGE = "/me/channels/"
DEAD = "json://127.0.0.1:9/s3cretpath?token=t0ken123"


@pytest.fixture
def phone() -> Iterator[Chat]:
    with chat() as found:
        yield found


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return imported(workspace_root, decision(1))


def fields(**changed: object) -> dict[str, object]:
    known = {"name": "Phone", "address": DEAD, "kinds": ["sign-off", "failed"]}
    return {**known, "base": "http://hub.local:8765", **changed}


def text_of(client: Client, address: str = PAGE) -> str:
    return client.get(address).content.decode()


def test_every_kind_that_can_wait_has_a_name() -> None:
    assert tuple(KIND_LABELS) == KINDS


def test_a_channel_is_added_changed_and_removed(
    client: Client, workspace: Workspace
) -> None:
    assert client.post(PAGE, fields(quiet_from=22, quiet_to=7)).status_code == 303
    channel = Channel.objects.get()
    assert channel.base == "http://hub.local:8765/" and channel.quiet_from == 22
    own = f"{PAGE}{channel.pk}/"
    sealed = channel.address
    changed = fields(name="Desk", address="", kinds=["gone"], digest=8, urgent="on")

    assert client.post(own, changed).status_code == 303
    channel.refresh_from_db()
    assert (channel.name, channel.digest, channel.kinds) == ("Desk", 8, ["gone"])
    assert channel.address == sealed and channel.quiet_from is None
    assert client.post(f"{own}remove/").status_code == 303
    assert not Channel.objects.exists()


def test_all_kinds_are_chosen_at_first_and_later_ones_belong_to_them(
    client: Client, workspace: Workspace
) -> None:
    assert text_of(client).count(" checked") == len(KINDS)
    client.post(PAGE, fields(kinds=list(KINDS)))

    channel = Channel.objects.get()
    assert channel.kinds == []
    assert text_of(client, f"{PAGE}{channel.pk}/").count(" checked") == len(KINDS)


def test_no_page_shows_an_address_again(client: Client, workspace: Workspace) -> None:
    client.post(PAGE, fields())
    channel = Channel.objects.get()
    client.post(f"{PAGE}{channel.pk}/test/")
    for place in (PAGE, f"{PAGE}{channel.pk}/", "/w/acme/health/", "/me/"):
        text = text_of(client, place)
        assert "s3cretpath" not in text and "t0ken123" not in text
    assert "JSON · 127.0.0.1:9" in text_of(client)


def test_a_test_is_sent_and_its_outcome_shown(
    client: Client, workspace: Workspace, phone: Chat
) -> None:
    channel = channel_to(phone.address)
    client.post(f"{PAGE}{channel.pk}/test/")
    assert phone.titles == ["MemoryHub: a test"] and BASE in phone.texts[0]
    assert "A test was sent to Phone" in text_of(client)
    phone.receiver.answers = [418]
    client.post(f"{PAGE}{channel.pk}/test/")

    text = text_of(client)
    assert "Phone: not sent." in text and "error=418" in text


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"address": "syslog://"}, "acts on the hub"),
        ({"address": "nosuch://x"}, "no service of this name"),
        ({"address": "slack://"}, "cannot use this address"),
        ({"address": ""}, "This field is required"),
        ({"kinds": []}, "Choose at least one."),
        ({"kinds": ["nonsense"]}, "nonsense"),
        ({"quiet_from": 22}, "Choose both hours"),
        ({"digest": 24}, "24"),
        ({"base": "javascript:alert(1)"}, "https://"),
        ({"workspaces": [99]}, "99"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_made(
    client: Client, workspace: Workspace, changed: dict[str, object], said: str
) -> None:
    answer = client.post(PAGE, fields(**changed))

    assert answer.status_code == 422 and said in answer.content.decode()
    assert not Channel.objects.exists()


def test_a_name_is_given_once(client: Client, workspace: Workspace) -> None:
    channel_to(DEAD)

    answer = client.post(PAGE, fields())
    assert "Another channel has this name." in answer.content.decode()


def test_only_its_own_person_reaches_a_channel(
    client: Client, workspace: Workspace
) -> None:
    channel = channel_to(DEAD)
    other = Client()
    other.force_login(User.objects.create_user("visitor"))
    for step in ("", "test/", "remove/"):
        place = f"{PAGE}{channel.pk}/{step}"
        assert other.post(place, fields()).status_code == 404
        assert Client().post(place, fields()).status_code in (401, 403)
    assert "Phone" not in text_of(other)
    assert Channel.objects.get() == channel


def test_health_shows_a_channel_of_ones_own_that_fails_and_no_other(
    client: Client, workspace: Workspace, phone: Chat, settings: Settings
) -> None:
    channel_to(phone.address, "Works")
    broken = channel_to(DEAD, "Broken")
    notify(workspace)
    for channel in Channel.objects.all():
        send_due(channel.pk)

    text = text_of(client, "/w/acme/health/")
    assert "Channel fails" in text and "Broken: JSON" in text
    assert "1 to deliver" in text and f'href="{PAGE}{broken.pk}/"' in text
    assert "Works: JSON" not in text and "1 fault of the hub" in text
    settings.MEMORYHUB_TEAM = True
    edi = browser_of(person("edi", workspace, "editor"))
    assert "Broken: JSON" not in text_of(edi, "/w/acme/health/")


def test_status_names_each_channel(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    channel_to(DEAD)
    Channel.objects.update(error="it is gone", tried_at=timezone.now())
    call_command("status", json=True)
    call_command("status")

    first, *rest = capsys.readouterr().out.splitlines()
    (found,) = json.loads(first)["channels"]
    assert (found["name"], found["failing"]) == ("Phone", True)
    assert any(line.startswith("Channel Phone: failing, it is gone") for line in rest)


def test_channels_are_made_tested_and_removed_by_command(
    workspace: Workspace,
    phone: Chat,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    typed = tmp_path / "address.txt"
    typed.write_text(f"{phone.address}\n")
    with typed.open() as given:
        monkeypatch.setattr("sys.stdin", given)
        options = {"quiet": "22-7", "workspace": "acme", "kind": "gone"}
        arguments = [f"--{name}={value}" for name, value in options.items()]
        call_command("channel", "add", "Phone", *arguments)
    call_command("channel", "test", "Phone")
    call_command("channel", "list", json=True)

    (found,) = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["service"].startswith("JSON · 127.0.0.1") and "hook" not in str(found)
    assert phone.titles == ["MemoryHub: a test"]
    channel = Channel.objects.get()
    assert (channel.workspaces, channel.kinds) == ([workspace.pk], ["gone"])
    assert (channel.quiet_from, channel.quiet_to) == (22, 7)
    call_command("channel", "remove", "Phone")
    with pytest.raises(CommandError, match="no channel is called Phone"):
        call_command("channel", "test", "Phone")


def test_links_of_a_channel_made_by_command_lead_to_the_running_server(
    hub_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, address in (("One", "http://127.0.0.1:8999/"), ("Two", "")):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{DEAD}\n"))
        with noted(hub_data, address) if address else nullcontext():
            call_command("channel", "add", name)

    bases = dict(Channel.objects.values_list("name", "base"))
    assert bases == {"One": "http://127.0.0.1:8999/", "Two": "http://127.0.0.1:8765/"}


def test_what_waits_is_planned_again_for_a_new_time_zone_and_language(
    client: Client, workspace: Workspace
) -> None:
    channel_to(DEAD, digest=9)
    notify(workspace)
    zone = ZoneInfo("Asia/Kolkata")
    known = {"theme": "system", "density": "comfortable", "single_keys": "on"}
    assert Delivery.objects.get().due_at.astimezone(zone).minute == 30

    wanted = {**known, "time_zone": "Asia/Kolkata", "language": "zh-hans"}
    assert client.post("/me/", wanted).status_code == 303
    notify(workspace)
    delivery = Delivery.objects.get()
    at = delivery.due_at.astimezone(zone)
    assert (at.hour, at.minute) == (9, 0) and "签核" in delivery.body["title"]
