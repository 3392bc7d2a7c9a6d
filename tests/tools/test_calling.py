"""Calling a tool: requests are checked, and a call made twice is done once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from memoryhub.database.schema import turn
from memoryhub.disk.files import ExternallyChanged, locked
from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.writing import file_lock
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.calling import call, forget_calls, request_of
from memoryhub.tools.models import ToolCall
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.refusals import refusal_of
from tests.conftest import MakeWorkspace
from tests.waiting import wait_for

DONE: list[str] = []
#: What is against the next calls: why a rule refuses them, or what hinders them.
RULES: list[str | Exception] = []


class Note(Request):
    text: str


class Noted(Answer):
    number: int


@tool("Note a text", Scope.WRITE)
def note(caller: Caller, request: Note) -> Noted:
    """Note a text."""
    for hindrance in RULES:
        if isinstance(hindrance, Exception):
            raise hindrance
        raise ToolError("refused", reason=hindrance)
    DONE.append(request.text)
    return Noted(number=len(DONE))


@pytest.fixture
def caller(make_workspace: MakeWorkspace, workspace_root: Path) -> Caller:
    DONE.clear()
    RULES.clear()
    return Caller(make_workspace(workspace_root), "builder", key="k1")


def test_a_call_made_twice_with_one_key_is_done_once(caller: Caller) -> None:
    first = call(note, caller, Note(text="a"))
    again = call(note, caller, Note(text="a"))

    assert first == again == Noted(number=1)
    assert DONE == ["a"]


def test_a_key_with_another_request_is_refused(caller: Caller) -> None:
    call(note, caller, Note(text="a"))

    with pytest.raises(ToolError, match="key-reused"):
        call(note, caller, Note(text="b"))


def test_what_was_refused_is_refused_again_until_asked_with_another_key(
    caller: Caller,
) -> None:
    RULES.append("no")
    with pytest.raises(ToolError) as first:
        call(note, caller, Note(text="a"))
    RULES.clear()
    with pytest.raises(ToolError) as again:
        call(note, caller, Note(text="a"))

    one, other = refusal_of(first.value), refusal_of(again.value)
    assert (other.code, other.status, other.details) == (
        one.code, one.status, one.details
    )  # fmt: skip
    assert "another key" in other.message and "another key" not in one.message
    assert call(note, replace(caller, key="k2"), Note(text="a")) == Noted(number=1)


def test_a_call_that_was_only_hindered_can_be_made_again(caller: Caller) -> None:
    RULES.append(ExternallyChanged("memory/a.md"))
    with pytest.raises(ExternallyChanged):
        call(note, caller, Note(text="a"))
    RULES.clear()

    assert call(note, caller, Note(text="a")) == Noted(number=1)


def test_a_refusal_that_names_what_no_json_holds_is_kept(caller: Caller) -> None:
    RULES.append("\0\ud800")
    for _ in range(2):
        with pytest.raises(ToolError) as caught:
            call(note, caller, Note(text="a"))

        assert caught.value.parameters == {"reason": "\0\ud800"}


def test_a_call_that_was_killed_before_its_answer_is_made_again(caller: Caller) -> None:
    call(note, caller, Note(text="a"))
    ToolCall.objects.update(answer=None)

    assert call(note, caller, Note(text="a")) == Noted(number=2)


def test_a_call_is_remembered_for_a_month(caller: Caller) -> None:
    call(note, caller, Note(text="a"))
    made = ToolCall.objects.get().made_at

    assert forget_calls(made + timedelta(days=30)) == 0
    assert forget_calls(made + timedelta(days=30, seconds=1)) == 1
    assert not ToolCall.objects.exists()


def test_a_request_names_every_field_that_is_wrong() -> None:
    with pytest.raises(ToolError) as caught:
        request_of(note, {"text": 1, "txt": ""})

    told = refusal_of(caught.value)
    assert told.status == 422
    assert [wrong["field"] for wrong in told.details["fields"]] == ["text", "txt"]


def test_a_request_with_many_wrong_fields_is_answered_with_the_first_of_them() -> None:
    with pytest.raises(ToolError) as caught:
        request_of(note, {f"{n:05}{'x' * 5_000}": 1 for n in range(900)})

    told = refusal_of(caught.value)
    assert len(told.details["fields"]) == 20
    assert told.details["more"] == 881
    assert told.as_text().endswith("; and 881 more")
    assert len(json.dumps(told.as_json())) < 10_000


def test_a_tool_that_can_write_lets_a_reader_read() -> None:
    snap = tool_named("context_snap")

    asked = [request_of(snap, {"action": a}) for a in ("list", "read", "checkpoint")]

    assert [snap.scope_for(a) for a in asked] == [Scope.READ, Scope.READ, Scope.WRITE]


def test_the_status_tells_what_the_hub_knows(caller: Caller) -> None:
    tool = tool_named("workspace_status")
    answer = call(tool, caller, request_of(tool, {}))

    assert '"files": 0' in answer.as_text()


def test_an_unknown_tool_is_not_found() -> None:
    with pytest.raises(ToolError) as caught:
        tool_named("nothing")

    assert refusal_of(caught.value).status == 404


@pytest.mark.usefixtures("transactional_db")
def test_calls_that_add_to_different_logs_do_not_wait_for_each_other(
    make_workspace: MakeWorkspace, workspace_root: Path, hub_data: Path
) -> None:
    workspace = make_workspace(workspace_root)
    done = list[str]()

    def append(day: str) -> None:
        asked = request_of(tool_named("memory_append"), {"content": "x", "day": day})
        call(tool_named("memory_append"), Caller(workspace, "builder"), asked)
        done.append(day)
        connection.close()

    days = ("2026-11-19", "2026-11-20")
    with ThreadPoolExecutor(2) as pool, file_lock(workspace, f"memory/{days[0]}.md"):
        pool.submit(append, days[0])
        wait_for(lambda: is_locked(hub_data / "locks/turn"))
        pool.submit(append, days[1])
        wait_for(lambda: done == [days[1]])

    assert sorted(done) == list(days)


@pytest.mark.usefixtures("transactional_db")
def test_whoever_wants_the_turn_alone_is_not_passed(hub_data: Path) -> None:
    order = list[str]()

    def take(name: str, *, together: bool) -> None:
        with turn(together=together):
            order.append(name)

    with ThreadPoolExecutor(2) as pool, turn(together=True):
        pool.submit(take, "alone", together=False)
        wait_for(lambda: is_locked(hub_data / "locks/turn-gate"))
        pool.submit(take, "late", together=True)

    assert order == ["alone", "late"]


def is_locked(lock: Path) -> bool:
    """Tell whether somebody holds a lock."""
    try:
        with locked(lock, wait=False):
            return False
    except BlockingIOError:
        return True
