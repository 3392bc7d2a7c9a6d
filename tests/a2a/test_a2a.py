"""A2A: a client of the protocol sends, follows and cancels tasks of an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryhub.a2a.tasks import STATES, UNSIGNED, state_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.steps import Step, move, take
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import make_token
from tests.handoffs.sides import by, of
from tests.signing import own_program

URL = "/api/a2a/acme/builder/"
CARD = f"{URL}.well-known/agent-card.json"


@pytest.fixture
def remote(acme: Workspace) -> Client:
    return own_program(**{"memoryhub-agent": "visitor", "a2a-version": "1.0"})


def rpc(remote: Client, method: str, **params: Any) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    response = remote.post(URL, body, "application/json")
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    assert found["id"] == 7
    return found


def message(text: str, key: str = "m1", **more: Any) -> dict[str, Any]:
    parts = [{"text": text}]
    return {"messageId": key, "role": "ROLE_USER", "parts": parts, **more}


def sent(remote: Client, text: str = "Count the tests\nin tests/", **more: Any) -> Any:
    return rpc(remote, "SendMessage", message=message(text, **more))["result"]["task"]


def test_a_card_says_where_and_how_an_agent_is_reached(remote: Client) -> None:
    card = remote.get(CARD).json()

    (interface,) = card["supportedInterfaces"]
    assert interface["url"].endswith(URL)
    assert interface["protocolVersion"] == "1.0"
    assert (card["name"], card["capabilities"]["streaming"]) == ("builder", False)
    assert remote.get(CARD.replace("builder", "nobody")).status_code == 404
    assert Client().get(CARD).status_code == 401


def test_a_message_is_a_handoff_to_the_agent(acme: Workspace, remote: Client) -> None:
    task = sent(remote)

    handoff = of(acme)
    assert task["id"] == handoff.task_id == task["contextId"]
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
    assert (handoff.sender, handoff.recipient) == ("visitor", "builder")
    assert (handoff.type, handoff.context) == ("write", "Count the tests")
    assert "in tests/" in (Path(acme.root) / handoff.file.path).read_text()


def test_a_message_sent_again_makes_no_second_task(
    acme: Workspace, remote: Client
) -> None:
    assert sent(remote) == sent(remote)
    assert Handoff.objects.count() == 1


def test_the_sender_sees_the_work_and_its_result(
    acme: Workspace, remote: Client
) -> None:
    name = sent(remote)["id"]
    take(of(acme), by("builder", 1))
    working = rpc(remote, "GetTask", id=name)["result"]
    given_result(acme, "41 tests")

    done = rpc(remote, "GetTask", id=name)["result"]

    assert working["status"]["state"] == "TASK_STATE_WORKING"
    assert done["status"]["state"] == "TASK_STATE_COMPLETED"
    assert done["artifacts"][0]["parts"] == [{"text": "41 tests"}]


def test_a_secret_in_a_task_is_masked(acme: Workspace, remote: Client) -> None:
    task = sent(remote, "Deploy it\nwith password: Zx81-trsw-Q9")

    given = rpc(remote, "GetTask", id=task["id"])

    assert "password: ••••••••" in str(given) and "Zx81" not in f"{task}{given}"
    assert "Zx81-trsw-Q9" in (Path(acme.root) / of(acme).file.path).read_text()


def given_result(workspace: Workspace, output: str) -> None:
    token = make_token(workspace, "builder", [Scope.HANDOFF]).secret
    agent = Client(headers={"authorization": f"Bearer {token}"})
    url = "/api/v1/workspaces/acme/tools/handoff_report"
    body = {"task_id": of(workspace).task_id, "status": "done", "output": output}
    assert agent.post(url, body, "application/json").status_code == 200


def test_an_answer_to_a_blocked_task_opens_it_with_the_answer(
    acme: Workspace, remote: Client
) -> None:
    name = sent(remote)["id"]
    take(of(acme), by("builder", 1))
    move(of(acme), Step("blocked", "which tests?"), by("builder", 2))
    blocked = rpc(remote, "GetTask", id=name)["result"]["status"]

    task = sent(remote, "Only the slow ones", key="m2", taskId=name)

    assert blocked["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert blocked["message"]["parts"] == [{"text": "which tests?"}]
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
    assert of(acme).input == "Count the tests\nin tests/\n\nOnly the slow ones"


def test_a_task_is_canceled_once(acme: Workspace, remote: Client) -> None:
    name = sent(remote)["id"]

    canceled = rpc(remote, "CancelTask", id=name)["result"]
    again = rpc(remote, "CancelTask", id=name)["error"]
    late = rpc(remote, "SendMessage", message=message("go on", "m3", taskId=name))

    assert canceled["status"]["state"] == "TASK_STATE_CANCELED"
    assert again["code"] == -32002
    assert late["error"]["code"] == -32004


def test_metadata_of_the_request_count_as_those_of_the_message(
    acme: Workspace, remote: Client
) -> None:
    asked = {"memoryhub": {"type": "read_only", "priority": "high"}}
    plain, own = message("Count"), message("Sum", "m2", metadata={"memoryhub": {}})

    for each in (plain, own):
        rpc(remote, "SendMessage", message=each, metadata=asked)

    rows = Handoff.objects.filter(context__in=("Count", "Sum")).order_by("context")
    kinds = [(row.type, row.priority) for row in rows]
    assert kinds == [("read_only", "high"), ("write", "")]


def test_a_decision_needs_authorization_until_a_person_signs(
    acme: Workspace, remote: Client
) -> None:
    more = {"memoryhub": {"type": "decision", "expected_output": "yes or no"}}
    task = sent(remote, "Drop the old tables?", metadata=more)

    listed = rpc(remote, "ListTasks", status=UNSIGNED)["result"]["tasks"]
    open_ones = rpc(remote, "ListTasks", status="TASK_STATE_SUBMITTED")["result"]

    assert task["status"]["state"] == UNSIGNED
    assert [one["id"] for one in listed] == [task["id"]]
    assert open_ones["tasks"] == []


def test_tasks_are_listed_in_pages_each_once(acme: Workspace, remote: Client) -> None:
    names = [sent(remote, f"Task {n}", key=f"m{n}")["id"] for n in range(5)]

    first = rpc(remote, "ListTasks", pageSize=3)["result"]
    token = first["nextPageToken"]
    rest = rpc(remote, "ListTasks", pageSize=3, pageToken=token)["result"]

    found = [task["id"] for task in first["tasks"] + rest["tasks"]]
    assert sorted(found) == names
    assert (first["totalSize"], rest["nextPageToken"]) == (5, "")


def test_tasks_of_other_agents_are_not_found(acme: Workspace, remote: Client) -> None:
    name = sent(remote)["id"]
    body = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": name}}

    other = remote.post(URL.replace("builder", "scout"), body, "application/json")

    assert other.json()["error"]["code"] == -32001


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("SendStreamingMessage", {}, -32004),
        ("CreateTaskPushNotificationConfig", {}, -32003),
        ("GetExtendedAgentCard", {}, -32007),
        ("message/send", {}, -32601),
        ("SendMessage", {}, -32602),
        (
            "SendMessage",
            {"message": {"messageId": "x", "parts": [{"raw": "AA=="}]}},
            -32005,
        ),
        (
            "SendMessage",
            {"message": message("", metadata={"memoryhub": {"to": 5}})},
            -32602,
        ),
        ("GetTask", {"id": "none"}, -32001),
        ("ListTasks", {"pageToken": "{}"}, -32602),
        ("ListTasks", {"status": "TASK_STATE_ODD"}, -32602),
    ],
)
def test_what_cannot_be_done_is_an_error_of_the_protocol(
    remote: Client, method: str, params: dict[str, Any], code: int
) -> None:
    assert rpc(remote, method, **params)["error"]["code"] == code
    assert not Handoff.objects.exists()


def test_bodies_that_are_no_requests_are_errors(remote: Client) -> None:
    def code(body: str, **headers: str) -> int:
        response = remote.post(URL, body, "application/json", headers=headers)
        found: int = response.json()["error"]["code"]
        return found

    assert code("{") == -32700
    assert code("[]") == -32600
    assert code('{"jsonrpc": "2.0", "method": 5}') == -32602
    old = '{"jsonrpc": "2.0", "id": 1, "method": "GetTask"}'
    assert code(old, **{"a2a-version": "0.3"}) == -32009


def test_a_refusal_of_a_rule_is_an_error_of_the_protocol(
    acme: Workspace, remote: Client
) -> None:
    name = sent(remote)["id"]
    other = own_program(**{"memoryhub-agent": "intruder", "a2a-version": "1.0"})

    more = rpc(other, "SendMessage", message=message("Mine", "m2", taskId=name))
    gone = rpc(other, "CancelTask", id=name)

    assert more["error"]["code"] == -32004
    assert more["error"]["data"][0]["reason"] == "handoff-not-yours"
    assert gone["error"]["code"] == -32002
    assert of(acme).state == "open"


def test_a_token_without_the_scope_sends_nothing(acme: Workspace) -> None:
    token = make_token(acme, "visitor", [Scope.READ]).secret
    remote = Client(headers={"authorization": f"Bearer {token}", "a2a-version": "1.0"})
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "SendMessage",
        "params": {"message": message("Do it")},
    }

    assert remote.post(URL, body, "application/json").status_code == 403
    assert Client().post(URL, body, "application/json").status_code == 401
    assert not Handoff.objects.exists()


def test_every_state_of_a_handoff_has_its_own_state_of_a_task() -> None:
    states = {name for name, _ in Handoff._meta.get_field("state").flatchoices}

    assert states - {"review"} <= set(STATES)
    assert state_of(Handoff(state="review", type="write")) == STATES["blocked"]
    assert len({*STATES.values(), UNSIGNED}) == len(STATES) + 1
    assert state_of(Handoff(state="blocked", type="write")) == STATES["blocked"]


@pytest.mark.parametrize(
    ("after", "number"),
    [("0001-01-01T00:00:00+14:00", 1), ("9999-12-31T23:59:59-14:00", 0)],
)
def test_a_moment_out_of_the_calendar_is_before_or_after_all_tasks(
    remote: Client, after: str, number: int
) -> None:
    sent(remote)

    listed = rpc(remote, "ListTasks", statusTimestampAfter=after)["result"]

    assert listed["totalSize"] == number
