"""Two people of a team: each one's channel and feed have what waits for that one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.comments.models import Thread
from memoryhub.comments.services import Author, line_place, open_thread, reply
from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import Step, move
from memoryhub.journal.models import Workspace
from memoryhub.notices.channels import send_test
from memoryhub.notices.models import Notice
from memoryhub.notices.sending import NotSent
from memoryhub.people.models import User
from memoryhub.runtime.channel_posts import send_due
from memoryhub.runtime.notifier import Notifier
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.sides import by
from tests.notices.channel import Chat, channel_to, chat
from tests.people.team import browser_of, person

pytestmark = pytest.mark.django_db
NAMES = ("zofia", "yusuf")


@pytest.fixture
def acme(hub_data: Path, workspace_root: Path, settings: Settings) -> Workspace:
    settings.MEMORYHUB_TEAM, settings.MEMORYHUB_CHANNELS_PRIVATE = True, True
    (workspace_root / "AGENTS.md").write_text("# Rules\n\nAgent: builder\n")
    found = add_workspace(workspace_root, slug="acme", name="Acme")
    sync_workspace(found)
    return found


@pytest.fixture
def people(acme: Workspace) -> dict[str, User]:
    return {name: person(name, acme, "coordinator") for name in NAMES}


@pytest.fixture
def chats(people: dict[str, User]) -> Iterator[dict[str, Chat]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(chat()) for name in people}


def ask(workspace: Workspace, text: str, author: str = "builder") -> None:
    place = line_place(workspace, "AGENTS.md", 1)
    open_thread(
        workspace, place, text, Author(author, timezone.now(), author == "builder")
    )


def heard(people: dict[str, User], chats: dict[str, Chat]) -> dict[str, str]:
    """Look once, send what is due, and return what each person's chat has got."""
    channels = {
        name: channel_to(chats[name].address, of=who) for name, who in people.items()
    }
    Notifier(threading.Event()).look()
    for channel in channels.values():
        send_due(channel.pk)
    return {name: " ".join(one.titles + one.texts) for name, one in chats.items()}


def feed_of(who: User) -> str:
    address = browser_of(who).get("/w/acme/").context["feed_url"]
    return Client().get(address).content.decode()


def test_you_in_a_comment_asks_everybody_until_one_answers(
    acme: Workspace, people: dict[str, User], chats: dict[str, Chat]
) -> None:
    ask(acme, "@you keep the rule?")

    got = heard(people, chats)

    assert all("keep the rule" in got[name] for name in NAMES), got
    html = browser_of(people["yusuf"]).get("/w/acme/").content.decode()
    assert "keep the rule" in html
    reply(Thread.objects.get(), "Yes", Author("zofia", timezone.now()))
    assert Thread.objects.get().waits_for == []


def test_a_comment_reaches_the_channels_and_feeds_of_those_it_mentions(
    acme: Workspace, people: dict[str, User], chats: dict[str, Chat]
) -> None:
    ask(acme, "@zofia Blue or green?")
    ask(acme, "@yusuf Round or square?", "zofia")
    ask(acme, "@builder Wide or narrow?", "zofia")
    got = heard(people, chats)

    for found in (got, {name: feed_of(who) for name, who in people.items()}):
        assert ["Blue" in found[name] for name in NAMES] == [True, False]
        assert ["Round" in found[name] for name in NAMES] == [False, True]
        assert "Wide" not in str(found)


@pytest.mark.parametrize(
    ("setting", "reached"),
    [(None, {"kim"}), (True, {"kim", *NAMES}), (False, set())],
)
def test_channels_to_private_networks_are_for_those_who_run_the_hub(
    people: dict[str, User], settings: Settings, setting: bool | None, reached: set[str]
) -> None:
    settings.MEMORYHUB_CHANNELS_PRIVATE = setting
    found = set()
    for who in (*people.values(), person("kim", role="hub")):
        with chat() as private:
            with suppress(NotSent):
                send_test(channel_to(private.address, of=who))
            found |= {who.username} if private.titles else set()

    assert found == reached


def test_a_handoff_or_message_to_a_person_by_name_is_in_no_others_channel(
    acme: Workspace, people: dict[str, User], chats: dict[str, Chat]
) -> None:
    for recipient in ("Zofia", "you"):
        task = Task("", "", recipient, "write", f"Look as {recipient}", "Now")
        handoff = send(acme, task, by("builder")).handoff
    move(handoff, Step("said", "@yusuf Which oven?"), by("builder", 1))
    got = heard(people, chats)

    for found in (got, {name: feed_of(who) for name, who in people.items()}):
        assert ["Look as Zofia" in found[name] for name in NAMES] == [True, False]
        assert ["asks you: Look as you" in found[name] for name in NAMES] == [True] * 2
        assert ["Which oven" in found[name] for name in NAMES] == [False, True]


def test_a_comment_made_after_the_first_look_is_noticed_by_the_next(
    acme: Workspace, people: dict[str, User], chats: dict[str, Chat]
) -> None:
    channel = channel_to(chats["yusuf"].address, of=people["yusuf"])
    notifier = Notifier(threading.Event())
    notifier.look()
    ask(acme, "@yusuf Late?")
    notifier.look()
    assert send_due(channel.pk)
    assert "Late?" in str(chats["yusuf"].titles)

    reply(Thread.objects.get(), "No, early", Author("yusuf", timezone.now()))
    notifier.look()
    assert not Notice.objects.filter(body__kind="comment", gone_at=None).exists()
