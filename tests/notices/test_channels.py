"""Channels: what waits reaches a person once, by the rules of each channel."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.forgetting import aims
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author
from memoryhub.journal.models import Workspace
from memoryhub.notices import deliveries
from memoryhub.notices.channels import (
    Rules,
    change_channel,
    channel_states,
    rules_of,
    send_test,
    timing_of,
)
from memoryhub.notices.models import Channel, Delivery, Notice
from memoryhub.notices.sending import BadAddress, NotSent
from memoryhub.notices.services import ATTEMPTS
from memoryhub.people.policy import operator
from memoryhub.runtime.channel_posts import send_due
from memoryhub.runtime.notifier import Notifier
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.turns import KINDS
from tests.factories import imported, write
from tests.handoffs.steps import revise, send_now, sign_off
from tests.notices.channel import BASE, Chat, channel_to, chat, make_due
from tests.notices.test_notices import decision

pytestmark = pytest.mark.django_db
#: Nobody listens there.
DEAD = "json://127.0.0.1:9/s3cretpath"


@pytest.fixture
def phone() -> Iterator[Chat]:
    with chat() as found:
        yield found


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return imported(workspace_root, decision(1))


def look() -> None:
    Notifier(threading.Event()).look()


def settle(task: str = "20261120-01") -> None:
    sign_off(Handoff.objects.get(task_id=task), Author("operator", person=True))


def test_what_waits_is_sent_once_also_after_a_restart(
    phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address)
    for _ in range(3):
        look()
        send_due(channel.pk)

    assert phone.titles == ["acme · Needs you: Sign off: Use events"]
    (state,) = channel_states()
    assert not state.is_failing and state.channel.delivered_at and not state.waiting


def test_a_message_says_what_whose_since_when_and_what_may_be_done(
    phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)

    (text,) = phone.texts
    what, whose, since, *links = text.split("\n\n")[0].splitlines()
    assert what == "Needs you: Sign off: Use events"
    assert whose == "acme · builder → planner · 20261120-01 · Because."
    assert since.startswith("since ")
    home = f"{BASE}w/acme/handoffs/{Handoff.objects.get().code}/"
    assert links == [f"Sign off: {home}sign-off/", f"Send back: {home}send-back/"]


def test_no_link_of_a_message_acts_or_lets_anybody_in(
    client: Client, phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)
    places = re.findall(r"http://localhost:8765(/\S+)", phone.texts[0])
    before = Path(workspace.root, "memory/handoffs/20261120-01.md").read_bytes()

    assert len(places) == 2
    for place in places:
        assert client.get(place).status_code == 200
        assert Client().get(place).status_code == 401
    assert Path(workspace.root, "memory/handoffs/20261120-01.md").read_bytes() == before
    assert Handoff.objects.get().signed_by == ""


def test_a_title_does_not_repeat_its_kind(phone: Chat, workspace: Workspace) -> None:
    settle()
    one = send_now(workspace, "bob")
    two = send_now(workspace, "cid", after=one.task_id)
    revise(one, Author("ann"), after=two.task_id)
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)

    assert phone.titles == ["acme · Deadlock: bob → cid → bob"]


def test_texts_are_in_the_persons_language_and_zone(
    phone: Chat, workspace: Workspace
) -> None:
    person = operator()
    person.language, person.time_zone = "zh-hans", "Asia/Shanghai"
    person.save()
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)

    assert "签核：Use events" in phone.titles[0]
    assert "在那里确认之前" in phone.texts[0]
    assert timing_of(channel).zone == ZoneInfo("Asia/Shanghai")
    assert Notice.objects.get().body["title"] == "Sign off: Use events"


def test_names_of_a_chat_are_not_called_and_secrets_are_masked(
    phone: Chat, hub_data: Path, workspace_root: Path
) -> None:
    secret = "AKIA" + "Q7" * 8
    imported(workspace_root, decision(1, f"Ask @everyone and <!here> for {secret}."))
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)

    sent = phone.titles[0] + phone.texts[0]
    assert secret not in sent and "••••" in sent
    assert "@everyone" not in sent and "<!here>" not in sent


def test_what_is_settled_before_it_is_sent_is_not_sent(
    phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address)
    look()
    settle()
    look()

    assert not send_due(channel.pk) and not phone.titles


def test_what_waits_again_is_new(phone: Chat, workspace: Workspace) -> None:
    channel, path = channel_to(phone.address), next(iter(decision(1)))
    for text in (decision(1)[path], None, decision(1)[path]):
        if text is None:
            Path(workspace.root, path).unlink()
        else:
            write(Path(workspace.root), {path: text})
        sync_workspace(workspace)
        workspace.refresh_from_db()
        look()
        send_due(channel.pk)

    assert len(phone.titles) == 2


def test_each_channel_gets_its_kinds_and_workspaces(
    phone: Chat, workspace: Workspace
) -> None:
    others = channel_to(phone.address, "Other kinds", kinds=("failed", "overdue"))
    elsewhere = channel_to(phone.address, "Elsewhere", workspaces=(workspace.pk + 1,))
    paused = channel_to(phone.address, "Paused", paused=True)
    wanted = channel_to(phone.address, "Here", workspaces=(workspace.pk,))
    look()

    owners = set(Delivery.objects.values_list("channel", flat=True))
    assert owners == {wanted.pk}
    assert not any(send_due(one.pk) for one in (others, elsewhere, paused))


def test_a_wider_rule_sends_what_waits_already_and_nothing_again(
    phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address, kinds=("failed",))
    look()
    assert not send_due(channel.pk)
    for kinds in ((), ("sign-off",), KINDS):
        change_channel(channel, "Phone", "", BASE, Rules(kinds))
        look()
        send_due(channel.pk)

    assert len(phone.titles) == 1


def test_quiet_hours_end_in_one_message_with_what_still_waits(
    phone: Chat, hub_data: Path, workspace_root: Path
) -> None:
    hour = timezone.now().hour
    workspace = imported(workspace_root, decision(1) | decision(2, "Buy."))
    end = (hour + 2) % 24
    channel = channel_to(phone.address, quiet_from=hour, quiet_to=end)
    look()
    write(workspace_root, decision(3, "Sell."))
    sync_workspace(workspace)
    look()
    assert not send_due(channel.pk)
    make_due()
    assert not send_due(channel.pk), "its quiet hours have not ended"
    settle("20261120-02")
    look()
    Channel.objects.update(quiet_from=None)
    make_due()

    assert send_due(channel.pk)
    assert phone.titles == ["MemoryHub: 2 need your answer"]
    assert "Use events" in phone.texts[0] and "Sell" in phone.texts[0]
    assert "Buy" not in phone.texts[0]


def test_a_sign_off_breaks_through_and_the_rest_waits_for_the_digest(
    phone: Chat, workspace: Workspace
) -> None:
    write(Path(workspace.root), {"memories/errors.md": BREAKER})
    sync_workspace(workspace)
    hour = (timezone.now().hour + 5) % 24
    channel = channel_to(phone.address, digest=hour, urgent=True)
    look()

    assert send_due(channel.pk) and len(phone.titles) == 1
    assert "Sign off" in phone.titles[0]
    (state,) = channel_states()
    assert state.waiting == 1
    (later,) = Delivery.objects.filter(state="waiting")
    assert later.due_at.hour == hour and later.notice.body["kind"] == "breaker"


BREAKER = """# Errors

- 2026-11-20 09:00 scout: compaction L2 failure 1 of 3: timed out
- 2026-11-20 09:05 scout: compaction L2 failure 2 of 3: timed out
- 2026-11-20 09:10 scout: compaction L2 failure 3 of 3: timed out, circuit breaker open
"""


def test_more_than_fits_is_counted(
    phone: Chat, hub_data: Path, workspace_root: Path
) -> None:
    many = {k: v for n in range(1, 40) for k, v in decision(n, "word " * 30).items()}
    imported(workspace_root, many)
    channel = channel_to(phone.address)
    look()
    send_due(channel.pk)

    (text,) = phone.texts
    shown = text.count("Send back: ")
    assert f"and {39 - shown} more: {BASE}" in text and len(text) < 4_000
    assert not Delivery.objects.exclude(state="delivered").exists()


def test_a_failing_channel_waits_longer_each_time_and_shows_why(
    workspace: Workspace, phone: Chat
) -> None:
    channel = channel_to(phone.address)
    phone.receiver.answers = [500, 502, 503]
    look()
    waits = []
    for _ in range(3):
        assert not send_due(channel.pk)
        channel.refresh_from_db()
        assert channel.next_at and channel.pk not in deliveries.due_channels(
            timezone.now()
        )
        waits.append(round((channel.next_at - timezone.now()).total_seconds() / 10))
        make_due()

    assert waits == [1, 2, 4]
    (state,) = channel_states()
    assert "503" in state.channel.error and state.waiting == 1
    assert send_due(channel.pk) and len(phone.titles) == 4
    channel.refresh_from_db()
    assert (channel.failures, channel.error, channel.next_at) == (0, "", None)


def test_after_the_last_attempt_it_is_given_up(workspace: Workspace) -> None:
    channel = channel_to(DEAD)
    look()
    Delivery.objects.update(attempts=ATTEMPTS - 1)

    assert not send_due(channel.pk)
    (state,) = channel_states()
    assert (state.waiting, state.given_up) == (0, 1)
    make_due()
    assert deliveries.due_channels(timezone.now()) == []


def test_what_is_on_its_way_is_sent_by_nobody_else_until_its_lease_ends(
    phone: Chat, workspace: Workspace
) -> None:
    channel = channel_to(phone.address)
    look()
    now = timezone.now()
    assert deliveries.begin(channel.pk, now)

    assert deliveries.begin(channel.pk, now + deliveries.LEASE / 2) is None
    later = now + deliveries.LEASE + timedelta(seconds=1)
    again = deliveries.begin(channel.pk, later)
    assert again is not None and again.again


def test_a_pair_of_notice_and_channel_has_one_delivery(workspace: Workspace) -> None:
    channel = channel_to(DEAD)
    look()
    (row,) = Delivery.objects.all()
    with pytest.raises(IntegrityError), transaction.atomic():
        row.pk = None
        row.save(force_insert=True)

    assert Delivery.objects.filter(channel=channel).count() == 1


def test_an_address_is_stored_sealed_and_no_error_tells_it(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    channel = channel_to(DEAD)
    look()
    send_due(channel.pk)
    with pytest.raises(NotSent):
        send_test(channel)

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM notices_channel")
        stored = str(cursor.fetchall())
    assert "s3cretpath" not in stored + caplog.text
    assert str(channel) == "Phone (JSON · 127.0.0.1:9)"


def test_another_key_or_a_narrower_setting_ends_a_channel(
    phone: Chat, workspace: Workspace, settings: Settings
) -> None:
    channel = channel_to(phone.address)
    settings.MEMORYHUB_CHANNELS = ["ntfys", "mailtos"]
    with pytest.raises(NotSent, match="MEMORYHUB_CHANNELS"):
        send_test(channel)
    with pytest.raises(BadAddress) as refused:
        channel_to(phone.address, "Another")
    assert refused.value.code == "not-allowed"
    settings.MEMORYHUB_CHANNELS = []
    broken = channel.address.replace("sealed.", "sealed.AAAA")
    Channel.objects.update(address=broken)
    with pytest.raises(NotSent, match=r"secret\.key"):
        send_test(Channel.objects.get())

    assert not phone.titles and rules_of(channel) == Rules()


def test_a_forgotten_text_is_in_no_delivery(workspace: Workspace) -> None:
    channel_to(DEAD)
    look()

    rows = aims.held_rows(workspace)
    held = next(row for row in rows if isinstance(row, Delivery))
    assert "Use events" in str(vars(held))


def test_alarms_of_handoffs_are_sent_as_time_passes(
    phone: Chat, workspace: Workspace
) -> None:
    settle()
    channel, notifier = channel_to(phone.address), Notifier(threading.Event())
    found = Handoff.objects.filter(pk=send_now(workspace, "ghost").pk)
    notifier.look()
    assert not send_due(channel.pk)
    past = timezone.now() - timedelta(minutes=30)
    texts = {"overdue": "Overdue: ", "unknown-recipient": "Unknown recipient: "}
    for kind, said in texts.items():
        found.update(due_at=past if kind == "overdue" else None, last_at=past)
        Workspace.objects.update(handoff_changes=F("handoff_changes") + 1)
        notifier.look()
        assert send_due(channel.pk), kind
        assert phone.titles[-1].startswith(f"acme · {said}"), phone.titles

    assert Notice.objects.filter(gone_at__isnull=False).count() >= 1
    assert "Hand off again: " in phone.texts[-1] and "ghost" in phone.texts[-1]
