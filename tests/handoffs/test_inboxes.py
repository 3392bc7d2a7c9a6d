"""Results in inboxes of Claude Code's teams."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.handoff import Result, Task
from memoryhub.disk.files import ExternallyChanged
from memoryhub.disk.places import Place, lock_folder
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.engine import sync_workspace
from tests.handoffs.sides import by, of
from tests.writing import assert_a_rebuild_changes_nothing, say

Both = tuple[Workspace, Workspace]
INBOX = "teams/bread/inboxes/team-lead.json"
#: As Claude Code writes one, with a message that it has read.
OLDER = """[
  {
    "from": "scout",
    "text": "The mill is open, \\u201cfinally\\u201d",
    "timestamp": "2026-11-20T11:58:03.120Z",
    "color": "blue",
    "type": "message",
    "read": true
  }
]"""


def messages(workspace: Workspace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((Path(workspace.root) / INBOX).read_text())
    return found


def done(workspace: Workspace, to: str) -> Handoff:
    """Return a handoff to `to`, done, whose result goes to the inbox."""
    task = Task("", "", to, "read_only", "Grind", "Wheat")
    send(workspace, task, by("baker"), Terms(result_to=INBOX))
    home = Workspace.objects.get(slug="mill" if "/" in to else workspace.slug)
    take(of(home), by("miller", 1))
    report(of(home), Result("", "done", "Flour"), by("miller", 2))
    return of(home)


def test_a_result_is_a_new_message_behind_the_others(both: Both) -> None:
    shop, _ = both
    say(shop, {INBOX: OLDER})
    done(shop, "miller")

    assert (Path(shop.root) / INBOX).read_text().startswith(OLDER[:-2] + ",\n  {\n")
    assert messages(shop)[1:] == [
        {
            "from": "miller",
            "text": "Handoff 20261120-01 done by miller: Grind\n\nFlour",
            "summary": "Handoff 20261120-01 done by miller: Grind",
            "timestamp": "2026-11-20T12:02:00Z",
            "type": "message",
            "read": False,
        }
    ]


def test_it_is_delivered_once_from_another_workspace_too(both: Both) -> None:
    shop, mill = both
    done(shop, "mill/miller")
    for workspace in (mill, shop, mill):
        sync_workspace(workspace)
        assert_a_rebuild_changes_nothing(workspace)

    (message,) = messages(shop)
    assert message["from"] == "mill/miller"
    assert not list(Path(shop.root).rglob("*.lock"))


def test_it_is_an_entry_of_its_sender_and_undone_leaves_the_others(both: Both) -> None:
    shop, _ = both
    say(shop, {INBOX: OLDER})
    done(shop, "miller")
    written = Operation.objects.get(workspace=shop, verb="add_inbox_message")

    undo(shop, written, "olga", clock=lambda: by("olga", 5).at)

    assert (Path(shop.root) / INBOX).read_text() == OLDER
    assert written.actor == "miller"


def test_work_handed_off_again_still_answers_into_the_inbox(both: Both) -> None:
    shop, _ = both
    task = Task("", "", "miller", "read_only", "Grind", "Wheat")
    sent = send(shop, task, by("baker"), Terms(result_to=INBOX)).handoff
    again = hand_off_again(sent, by("baker", 1), recipient="carter").handoff
    take(again, by("carter", 2))
    report(again, Result("", "done", "Flour"), by("carter", 3))

    (message,) = messages(shop)
    assert message["from"] == "carter"


@pytest.mark.parametrize("text", ['{"from": "x"}', "[{", "# Inbox\n"])
def test_what_is_no_inbox_stays_and_is_a_problem(both: Both, text: str) -> None:
    shop, _ = both
    (Path(shop.root) / INBOX).parent.mkdir(parents=True)
    (Path(shop.root) / INBOX).write_text(text)
    done(shop, "miller")

    codes = {problem.code for problem in sync_workspace(shop).problems}
    assert "result-not-delivered" in codes
    assert (Path(shop.root) / INBOX).read_text() == text


def test_a_lock_of_the_program_is_waited_for(both: Both) -> None:
    shop, _ = both
    say(shop, {INBOX: OLDER})
    lock = Path(shop.root) / f"{INBOX}.lock"
    lock.mkdir()
    threading.Timer(0.2, lock.rmdir).start()
    done(shop, "miller")

    assert len(messages(shop)) == 2


def test_an_abandoned_lock_is_taken_over_and_a_held_one_is_not(tmp_path: Path) -> None:
    place, lock = Place(tmp_path, "inbox.json"), tmp_path / "inbox.json.lock"
    lock.mkdir()
    os.utime(lock, (time.time() + 3_600,) * 2)
    with pytest.raises(ExternallyChanged), lock_folder(place):
        pass
    assert lock.is_dir()
    os.utime(lock, (abandoned := time.time() - 3_600,) * 2)

    with lock_folder(place):
        assert lock.stat().st_mtime > abandoned + 1
    assert not lock.exists()


@pytest.mark.parametrize(
    "path",
    ["teams/a/inboxes/../../../x.json", "teams/a/config.json", "inboxes/x.json",
     "teams/a/inboxes/x.md", "memories/project.md"],
)  # fmt: skip
def test_nothing_else_here_gets_a_result(both: Both, path: str) -> None:
    task = Task("", "", "miller", "write", "c", "i")

    with pytest.raises(NotAllowed, match=r"^handoff-result-to"):
        send(both[0], task, by("baker"), Terms(result_to=path))


def test_an_inbox_is_of_handoffs_not_of_instructions() -> None:
    assert scope_to_write(f".claude/{INBOX}") is Scope.HANDOFF
    assert scope_to_write(".claude/teams/bread/config.json") is Scope.INSTRUCTIONS
