"""What a hub does while it is killed, and what must hold afterwards.

An act is done in a process of its own, step by step; after each step its key is put on
the list of what was acknowledged. After a kill the next run settles what was left and
every step is tried again with its key.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from io import StringIO
from pathlib import Path
from random import Random
from socket import socket

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from memoryhub.backups.restoring import verify
from memoryhub.backups.taking import Source, Wish, take_backup
from memoryhub.files import ExternallyChanged
from memoryhub.forgetting.services.forgettings import (
    Wanted,
    ask,
    carry_on,
    carry_out_due,
    confirm,
    plan,
    take_back,
)
from memoryhub.forgetting.services.planning import is_empty
from memoryhub.hooks.client import keep
from memoryhub.hooks.delivery import OperatorsHub
from memoryhub.hooks.spool import Spool
from memoryhub.people.services.local_token import local_token
from memoryhub.sync.checkup import check_database
from memoryhub.sync.editing import apply_edit
from memoryhub.sync.edits import Conflict, Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.projection import catch_up, projected, rebuild
from memoryhub.sync.scan import scan
from memoryhub.sync.staging import write_staged
from memoryhub.tools.base import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from memoryhub.workspaces.journal import blob_bytes
from memoryhub.workspaces.models import Revision, Workspace
from memoryhub.workspaces.services.adding import add_workspace
from memoryhub.workspaces.services.documents import document_at, replace_document
from memoryhub.workspaces.services.files import Who
from tests.every_dialect import Changer, write_every_dialect

LOG, TOPIC = "memory/2026-11-20.md", "memory/context-everybody.md"
_STEPS = 6
_APPEND = "/api/v1/workspaces/shop/tools/memory_append"
_HEAD = "# 2026-11-20\n\n## 09:00 - Start\n" + "- a line of the log\n" * 40


@dataclass(frozen=True, slots=True)
class Field:
    """Where it happens: the workspace's folder, the hub's, and the acknowledgements."""

    root: Path
    data: Path
    chance: Random

    @property
    def acks(self) -> Path:
        return self.data.parent / "acknowledged"

    def workspace(self) -> Workspace:
        return add_workspace(self.root)

    def acknowledge(self, key: str) -> None:
        """Note that a step was answered; it survives a kill."""
        descriptor = os.open(self.acks, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(descriptor, f"{key}\n".encode())
        os.close(descriptor)

    def acknowledged(self) -> list[str]:
        """Return the keys of the steps that were answered, each once."""
        with suppress(FileNotFoundError):
            return list(dict.fromkeys(self.acks.read_text().split()))
        return []


@dataclass(frozen=True, slots=True)
class Act:
    """Something a hub does: prepared once, done in rounds, settled, and checked.

    `before` is what other programs do before a round, `meanwhile` what they do during
    it; `work` is killed at any moment; `again` is the run after it.
    """

    prepare: Callable[[Field], None]
    work: Callable[[Field, int], None]
    check: Callable[[Field], None]
    before: Callable[[Field, int], None] = lambda field, number: None
    meanwhile: Callable[[Field, int], None] | None = None
    again: Callable[[Field, int], None] | None = None
    writer: str = ""


def settled(field: Field, act: Act, number: int) -> None:
    """Do what the run after a kill does: import, and try every step again."""
    sync_workspace(field.workspace())
    (act.again or act.work)(field, number)


def holds(field: Field, act: Act) -> None:
    """Check what is promised of every hub, then what the act promises."""
    workspace = field.workspace()
    sync_workspace(workspace)
    wrong = [finding for finding in check_database() if not finding.holds]
    assert not wrong, wrong
    disk, journal = _on_disk(field.root), _in_the_journal(workspace)
    differ = {path for path in {*disk, *journal} if disk.get(path) != journal.get(path)}
    assert not differ, {path: (path in disk, path in journal) for path in differ}
    assert not list(field.root.rglob(".*memoryhub-*")), "a draft was left behind"
    act.check(field)
    rows = _rows(workspace)
    rebuild(workspace)
    again = _rows(workspace)
    other = {
        name: (rows[name] - again[name], again[name] - rows[name]) for name in rows
    }
    assert not any(map(any, other.values())), f"a rebuild gives other rows: {other}"


def _on_disk(root: Path) -> dict[str, bytes]:
    """Return the files that an import takes: no JSON outside memory folders."""
    return {file.path: (root / file.path).read_bytes() for file in scan(root).found}


def _in_the_journal(workspace: Workspace) -> dict[str, bytes]:
    newest: dict[str, Revision] = {}
    for revision in workspace.revisions.select_related("blob").order_by("seq"):
        newest[revision.path] = revision
        newest.pop(revision.moved_from, None)
    return {
        path: blob_bytes(revision.blob)
        for path, revision in newest.items()
        if revision.kind != Revision.Kind.DELETED and revision.blob
    }


def _rows(workspace: Workspace) -> dict[str, set[str]]:
    return {
        model.__name__: set(
            map(repr, model._default_manager.filter(workspace=workspace).values())
        )
        for model in projected()
    }


def _keys(name: str, number: int) -> Iterator[str]:
    yield from (f"{name}-{number:04d}-{step}" for step in range(_STEPS))


def _notes(field: Field) -> None:
    for path, text in {LOG: _HEAD, TOPIC: "# everybody\n"}.items():
        place = field.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    workspace = field.workspace()
    sync_workspace(workspace)
    # Nothing is to leave a file by its limits, so that it can be counted.
    workspace.max_decisions = workspace.max_history = 1_000_000
    workspace.save()


def _asked(field: Field, tool: str, key: str, **fields: object) -> None:
    caller = Caller(field.workspace(), "builder", "builder", key=key)
    call(tool_named(tool), caller, request_of(tool_named(tool), fields))
    field.acknowledge(key)


def _stands_once(field: Field, path: str) -> None:
    text = (field.root / path).read_text(encoding="utf-8")
    counts = {key: text.count(key) for key in field.acknowledged()}
    assert {key: n for key, n in counts.items() if n != 1} == {}


# Imports


def _every_dialect(field: Field) -> None:
    write_every_dialect(field.root, small=True)


def _change(field: Field, number: int) -> None:
    changer = Changer(field.root, field.chance.randrange(1_000_000))
    for _ in range(6):
        changer.change()


def _import(field: Field, number: int) -> None:
    sync_workspace(field.workspace())


# Appends and edits


def _append(field: Field, number: int) -> None:
    for key in _keys("append", number):
        _asked(field, "memory_append", key, content=f"- {key}\n", day="2026-11-20")


def _edit(field: Field, number: int) -> None:
    for key in _keys("edit", number):
        fields = {"status": f"At {number}.", "decisions": [f"2026-11-20: Use {key}"]}
        saved = {"action": "checkpoint", "topic": "everybody", **fields}
        _asked(field, "context_snap", key, **saved)


def _replace(field: Field, number: int) -> None:
    """Put a line near the top, while another program appends at the end."""
    for key in _keys("replace", number):
        workspace = field.workspace()
        known = document_at(workspace, LOG)
        assert known is not None
        text = known.decoded.text.replace("Start\n", f"Start\n- {key}\n", 1)
        who = Who("builder", key)
        with suppress(Conflict, ExternallyChanged):
            replace_document(workspace, LOG, text, known.sha256.__eq__, who)
            field.acknowledge(key)


def _nothing_of_others_is_lost(field: Field) -> None:
    """Every line of the other program stands once, and so does what was answered."""
    _stands_once(field, LOG)
    text = (field.root / LOG).read_text(encoding="utf-8")
    written = int((field.data.parent / "written").read_text() or 0)
    found = [line for line in text.splitlines() if line.startswith("- other ")]
    assert sorted(found) == sorted(f"- other {n:06d}" for n in range(written))


# Exports, rebuilds, the spool


def _reviewed(field: Field) -> None:
    _notes(field)
    workspace = field.workspace()
    workspace.review_before_writing = True
    workspace.save()


def _export(field: Field, number: int) -> None:
    workspace = field.workspace()
    for key in _keys("export", number):
        payload = {"text": f"2026-11-20: Use {key}"}
        edit = Edit(TOPIC, "add_decision", payload, "builder", None, key=key)
        apply_edit(workspace, edit)
        field.acknowledge(key)
    write_staged(workspace)


def _all_written(field: Field) -> None:
    write_staged(field.workspace())
    _stands_once(field, TOPIC)


def _rebuild(field: Field, number: int) -> None:
    workspace = field.workspace()
    if workspace.projected_seq == workspace.last_seq:
        rebuild(workspace)
    else:
        catch_up(workspace)


def _spool(field: Field, number: int) -> None:
    for key in _keys("spool", number):
        if key not in field.acknowledged():
            keep(_compaction(field, key), str(field.data))
            field.acknowledge(key)
    Spool(field.data, OperatorsHub()).deliver()


def _compaction(field: Field, key: str) -> dict[str, bytes]:
    said = (
        f'{{"event": {{"messageCount": 7}}, "ctx": {{"sessionKey": "agent:x:{key}"}}}}'
    )
    return {
        "event": b"before_compaction",
        "key": key.encode(),
        "at_ns": str(time.time_ns()).encode(),
        "folder": os.fsencode(field.root),
        "workspace": b"",
        "agent": b"",
        "body": said.encode(),
    }


def _each_is_saved_once(field: Field) -> None:
    Spool(field.data, OperatorsHub()).deliver()
    topics = list((field.root / "memory").glob("context-*spool*.md"))
    saves = [place.read_text().count("Auto-saved") for place in topics]
    assert len(topics) == len(field.acknowledged())
    assert set(saves) <= {1}


# Backups, forgetting, a server


def _backup(field: Field, number: int) -> None:
    for key in _keys("backup", number):
        _asked(field, "memory_append", key, content=f"- {key}\n", day="2026-11-20")
        database = Path(connection.settings_dict["NAME"])
        wish = Wish(field.data.parent / "backups", keep=5)
        take_backup(Source(field.data, database), wish, timezone.now)


def _every_backup_is_whole(field: Field) -> None:
    _stands_once(field, LOG)
    backups = list((field.data.parent / "backups").glob("[!.]*"))
    assert backups
    for backup in backups:
        verify(backup)


def _secret_of(number: int) -> str:
    return f"zebra{number * 7919:08d}quagga"


def _write_a_secret(field: Field, number: int) -> None:
    with (field.root / LOG).open("a", encoding="utf-8") as log:
        log.write(f"- the word is {_secret_of(number)}, for now\n")


def _forget(field: Field, number: int) -> None:
    workspace = field.workspace()
    sync_workspace(workspace)
    carry_out_due()
    forgetting = plan(ask(workspace, Wanted("text", _secret_of(number)), "operator"))
    if is_empty(forgetting.plan):
        take_back(forgetting)
    else:
        confirm(forgetting, now=True)
        carry_on(forgetting)
    field.acknowledge(f"forget-{number}")


def _nowhere_any_more(field: Field) -> None:
    """Read the raw bytes of all files: those of the hub and of the workspace."""
    numbers = [int(key.removeprefix("forget-")) for key in field.acknowledged()]
    secrets = [_secret_of(number).encode() for number in numbers]
    for folder in (field.data, field.root):
        for place in folder.rglob("*"):
            held = place.read_bytes() if place.is_file() else b""
            assert [word for word in secrets if word in held] == [], place


def _with_a_port(field: Field) -> None:
    _notes(field)
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        (field.data.parent / "port").write_text(str(free.getsockname()[1]))


def _serve(field: Field, number: int) -> None:
    port = int((field.data.parent / "port").read_text())
    call_command("serve", port=port, no_watch=True, open=False, stdout=StringIO())


def _ask_the_server(field: Field, number: int) -> None:
    """Send notes until the server is gone, or all were answered."""
    port = int((field.data.parent / "port").read_text())
    token = local_token()
    for key in _keys("server", number):
        body = json.dumps({"content": f"- {key}\n", "day": "2026-11-20"})
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        if not _answered(port, body, headers):
            return
        field.acknowledge(key)


def _answered(port: int, body: str, headers: dict[str, str]) -> bool:
    """Send a request; where the server does not listen yet, again for a while."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        server = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            server.request("POST", _APPEND, body, headers)
            answer = server.getresponse()
            said = answer.read()
            assert answer.status == 200, said
            return True
        except ConnectionRefusedError:
            time.sleep(0.02)
        except (ConnectionError, HTTPException):
            return False
        finally:
            server.close()
    return False


def _serve_again(field: Field, number: int) -> None:
    """Start the server anew, and send every note of the round once more."""
    port = (field.data.parent / "port").read_text()
    command = [sys.executable, "manage.py", "serve", "--no-watch", "--port", port]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            _ask_the_server(field, number)
        finally:
            server.terminate()
            server.wait(60)


def _nothing_more(field: Field) -> None:
    """Promise no more than every act does."""


def _is_written_once(field: Field) -> None:
    _stands_once(field, LOG)


def _is_decided_once(field: Field) -> None:
    _stands_once(field, TOPIC)


ACTS = {
    "import": Act(_every_dialect, _import, _nothing_more, _change),
    "append": Act(_notes, _append, _is_written_once),
    "edit": Act(_notes, _edit, _is_decided_once),
    "replace": Act(_notes, _replace, _nothing_of_others_is_lost, writer=LOG),
    "export": Act(_reviewed, _export, _all_written),
    "rebuild": Act(_every_dialect, _rebuild, _nothing_more, _change),
    "spool": Act(_notes, _spool, _each_is_saved_once),
    "backup": Act(_notes, _backup, _every_backup_is_whole),
    "forget": Act(_notes, _forget, _nowhere_any_more, _write_a_secret),
    "server": Act(
        _with_a_port,
        _serve,
        _is_written_once,
        meanwhile=_ask_the_server,
        again=_serve_again,
    ),
}
