"""What a signed-in person does is no work of an agent, under whatever name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent
from memoryhub.people.models import User
from memoryhub.sync.record.projection import rebuild
from tests.factories import small
from tests.signing import PageReader

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]
URL = "/w/acme/topics/api/status/"


def test_an_edit_of_a_person_makes_no_agent_now_or_after_a_rebuild(
    workspace_root: Path,
) -> None:
    workspace = small(workspace_root)
    client = PageReader()
    client.force_login(User.objects.create_user("dana"))
    form = re.search(r'name="base" value="([^"]*)"', client.get(URL).content.decode())
    assert form

    client.post(URL, {"text": "All done.", "base": form[1]})

    for _ in range(2):
        event = Event.objects.get(kind="edit")
        assert (event.actor, event.agent_id) == ("dana", None)
        assert not Agent.objects.filter(name="dana").exists()
        workspace.refresh_from_db()
        rebuild(workspace)
