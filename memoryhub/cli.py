"""The console script: every subcommand is a Django management command.

The overview is answered from here, without loading Django, and what the running server
can do is done there.
"""

from __future__ import annotations

import gc
import os
import sys

from memoryhub.management.client import run_by_server

#: Every command in the order people meet them, and what it does in a line.
COMMANDS = {
    "discover": "find the memory of agents on this machine, and add it",
    "add": "register the workspace of an agent",
    "move": "set the new folder of a moved workspace",
    "sync": "import changes of one workspace or of all",
    "serve": "serve the dashboard and keep all workspaces imported",
    "open": "open the dashboard in a browser, signed in",
    "watch": "import changes as they happen, without the dashboard",
    "status": "show the state of workspaces, imports and problems",
    "checkpoint": "save the state of a topic, like snap-memory",
    "recall": "print the context an agent needs to continue",
    "save": "save the state of a task as a snapshot",
    "search": "search memory files",
    "get": "print lines of a memory file",
    "open-items": "list open items: to-dos, next steps, questions",
    "reviews": "list, accept, revert what agents wrote into memory",
    "handoff": "send, list and take handoffs, report results",
    "compact": "shorten the transcript of a session",
    "translate": "convert a memory into another system's form",
    "tool": "call any tool for agents",
    "members": "list, grant and withdraw roles in a workspace",
    "token": "create, list and revoke tokens of remote agents",
    "person": "manage the accounts of a team: administrators, invitations",
    "channel": "add, test and remove ways to reach you: phone, chat, e-mail",
    "mcp": "serve one agent by MCP on standard input and output",
    "export": "export a workspace as files, or write edits into it",
    "rebuild": "recreate all rows of a workspace from its journal",
    "backup": "write one verified backup file of the whole hub",
    "restore": "restore the hub from a backup",
    "forget": "erase a text, file, version or entry from the hub",
    "compact-history": "reduce the space of stored versions",
    "audit": "list who did what, export it, verify the log",
    "install": "install hooks, tools and a skill into a host",
    "uninstall": "remove them from a host",
    "guard": "refuse git commits of files that another agent holds",
    "hook": "report a lifecycle event of an agent (run by hosts)",
    "doctor": "test exports, check and repair the database",
}
_OVERVIEW = """\
MemoryHub: a dashboard for the markdown memory of AI agents.

usage: memoryhub COMMAND ...

{commands}

memoryhub COMMAND --help shows the options of a command, with an example.
MEMORYHUB_DATA sets the data folder (default: the platform's).
"""


def main() -> int:
    """Run the command named on the command line and return its exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if not arguments or arguments[0] in ("--help", "-h"):
        sys.stdout.write(overview())
        return 0
    if arguments[0] == "--version":
        from memoryhub import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    if arguments[0] == "hook":
        # An agent waits for it: no Django, see memoryhub/hooks/client.py.
        from memoryhub.hooks.client import main as hook

        return hook(arguments[1:])
    try:
        code = run_by_server(arguments)
        return _started(arguments) if code is None else code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0


def overview() -> str:
    """Return the overview that `memoryhub` prints without a command."""
    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {does}" for name, does in COMMANDS.items())
    return _OVERVIEW.format(commands="\n".join(lines))


def _is_unknown(command: str) -> bool:
    """Return whether a command is neither ours nor one of Django's."""
    if command in COMMANDS or command.startswith("-"):
        return False
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    import django
    from django.core.management import get_commands

    # Before that Django knows its own commands alone, and keeps it so.
    django.setup()
    return command not in get_commands()


def _unknown(command: str) -> str:
    """Return the message for an unknown command, with the nearest name of ours."""
    from memoryhub.errors.base import did_you_mean
    from memoryhub.errors.terminal import one_line
    from memoryhub.tools.registry import TOOLS

    hint = did_you_mean(command, COMMANDS) or did_you_mean(command, TOOLS, "tool ")
    listed = "memoryhub --help lists the commands."
    said = (f"memoryhub: no command {one_line(command)}.", hint, listed)
    return " ".join(filter(None, said)) + "\n"


def _module_of(command: str) -> str:
    """Return the module of a command: its name has no hyphen."""
    return command.replace("-", "_") if command in COMMANDS else command


def _started(arguments: list[str]) -> int:
    """Run a command; a fault at start, such as a bad setting, is one line."""
    try:
        if arguments[0] in COMMANDS:
            # Until all is loaded, which is no garbage (`HubCommand.run_from_argv`).
            gc.disable()
        elif _is_unknown(arguments[0]):
            sys.stderr.write(_unknown(arguments[0]))
            return 2
        return _run([sys.argv[0], _module_of(arguments[0]), *arguments[1:]])
    except BrokenPipeError:
        raise
    except Exception as error:
        if arguments[0] not in COMMANDS or os.environ.get("MEMORYHUB_DEBUG") == "1":
            raise
        from memoryhub.errors.terminal import one_line

        text = one_line(str(error) or type(error).__name__)
        sys.stderr.write(f"memoryhub: {text}\n")
        return 1
    finally:
        gc.enable()


def _run(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(arguments)
    return 0


def _drop_output() -> None:
    """Discard buffered output when its reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
