"""Forgetting by REST: for the operator and for tokens that may do everything."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from memoryhub.forgetting.forgettings import carry_on
from memoryhub.forgetting.models import Forgetting
from memoryhub.journal.models import Workspace

PLACE = "/api/v1/workspaces/acme/forgettings"
ASKED = {"kind": "text", "text": "Poll every minute", "reason": "no longer true"}


def sent(program: Client, address: str, **said: Any) -> tuple[int, dict[str, Any]]:
    answer = program.post(address, json.dumps(said), content_type="application/json")
    return answer.status_code, json.loads(answer.content)


def test_it_is_asked_confirmed_and_taken_back(
    program: Client, workspace: Workspace
) -> None:
    status, answer = sent(program, PLACE, **ASKED)
    number = answer["data"]["number"]
    assert (status, answer["data"]["state"]) == (200, "planned")
    assert answer["data"]["plan"]["file_count"] == 2
    assert "Poll every minute" not in json.dumps(answer)
    assert sent(program, f"{PLACE}/{number}/confirm")[1]["data"]["state"] == "hiding"
    carry_on(Forgetting.objects.get())
    assert program.get(f"{PLACE}/{number}").json()["data"]["state"] == "hidden"
    sent(program, f"{PLACE}/{number}/take-back")
    carry_on(Forgetting.objects.get())

    (listed,) = program.get(PLACE).json()["data"]
    assert (listed["number"], listed["state"]) == (number, "taken_back")


def test_a_token_that_reads_is_refused(agent: Client, workspace: Workspace) -> None:
    assert sent(agent, PLACE, **ASKED)[0] == 403
    assert agent.get(PLACE).status_code == 403
    assert not Forgetting.objects.exists()


def test_what_is_not_planned_cannot_be_confirmed(
    program: Client, workspace: Workspace
) -> None:
    number = sent(program, PLACE, **ASKED)[1]["data"]["number"]
    sent(program, f"{PLACE}/{number}/take-back")

    status, answer = sent(program, f"{PLACE}/{number}/confirm")
    assert (status, answer["error"]["code"]) == (409, "forgetting-state")
    assert sent(program, f"{PLACE}/{number + 1}/confirm")[0] == 404


def test_a_pattern_that_is_none_is_refused(
    program: Client, workspace: Workspace
) -> None:
    status, answer = sent(program, PLACE, kind="regex", text="(")

    assert (status, answer["error"]["code"]) == (422, "pattern-invalid")
