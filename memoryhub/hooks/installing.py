"""Installation of the hub in a host: a plugin, and its registration.

The plugin is a copy of the shipped one whose commands run this installation on this
database. It stays in the hub's data folder; the host gets its path.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

import memoryhub
from memoryhub.dialects.host_events import CLAUDE_AGENT, CLAUDE_CODE
from memoryhub.hooks import client

_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Plan:
    """Files of a plugin's folder, and the host's commands that register it.

    Without files the folder is removed.
    """

    host: str
    folder: Path
    files: Mapping[str, str]
    commands: tuple[tuple[str, ...], ...]


class HostFailed(Exception):
    """A command of the host's program failed; the text is its own."""


def plan_to_install(host: str, workspace: str = "", agent: str = "") -> Plan:
    """Return the plan that installs the hub in a host.

    Without a workspace or an agent these are determined at each event.
    """
    folder = _folder(host)
    files = {
        str(path.relative_to(_shipped(host))): path.read_text(encoding="utf-8")
        for path in sorted(_shipped(host).rglob("*"))
        if path.is_file()
    }
    if host == CLAUDE_CODE:
        files |= _claude_files(files, _options(workspace, agent or CLAUDE_AGENT))
        add = ("claude", "plugin", "marketplace", "add", str(folder))
        install = ("claude", "plugin", "install", "memoryhub@memoryhub")
        return Plan(host, folder, files, (add, install))
    files["hub.json"] = _json(_hub_facts(_options(workspace, agent)))
    options = ("--force", "--accept-capabilities", "-l", str(folder))
    link = ("openclaw", "plugins", "install", *options)
    # OpenClaw requires this for external plugins that add to prompts.
    allow = "plugins.entries.memoryhub.hooks.allowConversationAccess"
    return Plan(
        host, folder, files, (link, ("openclaw", "config", "set", allow, "true"))
    )


def plan_to_uninstall(host: str) -> Plan:
    """Return the plan that uninstalls; its folder is removed too."""
    if host == CLAUDE_CODE:
        commands: tuple[tuple[str, ...], ...] = (
            ("claude", "plugin", "uninstall", "memoryhub@memoryhub"),
            ("claude", "plugin", "marketplace", "remove", "memoryhub"),
        )
    else:
        commands = (("openclaw", "plugins", "uninstall", "--force", "memoryhub"),)
    return Plan(host, _folder(host), {}, commands)


def carry_out(plan: Plan) -> None:
    """Write a plan's files and run its commands.

    Raises:
        HostFailed: the host's program is missing or refuses. Written files stay: the
            commands can be run by hand. A folder to be removed stays as well if the
            host's program is missing, whose settings still name it.
    """
    for name, text in plan.files.items():
        place = plan.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    program = plan.commands[0][0]
    if shutil.which(program) is None:
        by_hand = "; ".join(map(shlex.join, plan.commands))
        raise HostFailed(f"{program} is not on the PATH; run by hand: {by_hand}")
    try:
        for command in plan.commands:
            _run(command)
    finally:
        if not plan.files:
            shutil.rmtree(plan.folder, ignore_errors=True)


def _run(command: tuple[str, ...]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        path = error.filename or command[0]
        raise HostFailed(f"{path} cannot be run: {error.strerror}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it failed"]
        raise HostFailed(f"{shlex.join(command)[:_LONGEST]}: {said[-1]}")


def _claude_files(files: Mapping[str, str], options: list[str]) -> dict[str, str]:
    """Return the files of Claude Code's plugin that point to this installation."""
    hooks = json.loads(files["hooks/hooks.json"])
    for event, matchers in hooks["hooks"].items():
        for matcher in matchers:
            for hook in matcher["hooks"]:
                hook["command"] = shlex.join(_hook_command(options, event))
    server = {
        "command": sys.executable,
        "args": ["-m", "memoryhub", "mcp", *options],
        "env": _environment(),
    }
    servers = {"mcpServers": {"memoryhub": server}}
    return {"hooks/hooks.json": _json(hooks), ".mcp.json": _json(servers)}


def _hook_command(options: list[str], event: str) -> list[str]:
    """Return the command of a hook: the client, run without site-packages."""
    program = [sys.executable, "-S", "-E", client.__file__, event]
    return [*program, *options, "--data", str(settings.MEMORYHUB_DATA)]


def _hub_facts(options: list[str]) -> dict[str, object]:
    """Return the facts about this installation that OpenClaw's plugin needs."""
    return {
        "hook": _hook_command(options, "EVENT"),
        "tool": [sys.executable, "-m", "memoryhub", "tool"],
        "options": options,
        "env": _environment(),
    }


def _options(workspace: str, agent: str) -> list[str]:
    named = {"--workspace": workspace, "--agent": agent}
    return [part for name, value in named.items() if value for part in (name, value)]


def _environment() -> dict[str, str]:
    root = Path(memoryhub.__path__[0]).parent
    return {"MEMORYHUB_DATA": str(settings.MEMORYHUB_DATA), "PYTHONPATH": str(root)}


def _folder(host: str) -> Path:
    return Path(settings.MEMORYHUB_DATA) / "integrations" / host


def _shipped(host: str) -> Path:
    return Path(settings.BASE_DIR) / "integrations" / host


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
