"""``memoryhub mcp``: the Model Context Protocol over standard input and output."""

from __future__ import annotations

import threading
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.journal.scopes import Scope
from memoryhub.management.command import Drain, HubCommand
from memoryhub.management.tool_command import caller_in
from memoryhub.mcp.stdio import serve_stdio
from memoryhub.people.access import own_access
from memoryhub.runtime.inbox_watch import InboxWatch
from memoryhub.runtime.live import live_stream
from memoryhub.runtime.worker import background_thread
from memoryhub.sync.scan.watcher import Watcher
from memoryhub.tools.calling import CallerOptions, caller_of
from memoryhub.tools.profiles import ALL, PROFILES
from memoryhub.web.kit.refusals import REFUSED, refusal_of

#: Retry pause of hindered hook events, in seconds.
_PAUSE = 1.0


class Command(HubCommand):
    help = (
        "Serve the tools, resources and prompts of the hub to one agent, as a Model"
        " Context Protocol server on standard input and output. Imports changed files"
        " while it runs."
    )
    runs_on = True
    example = "memoryhub mcp --workspace main --agent builder"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--workspace",
            metavar="S",
            default="",
            help="workspace (default: the one that contains the current folder; else"
            " each call names one)",
        )
        parser.add_argument(
            "--agent",
            metavar="NAME",
            default="",
            help="name of the calling agent (default: each call may name it)",
        )
        parser.add_argument(
            "--profile",
            choices=[*PROFILES, ALL],
            default="",
            help="which tools are listed, with short descriptions (default: the"
            " token's, else what an agent at work needs)",
        )
        parser.add_argument(
            "--no-watch",
            action="store_true",
            help="do not import changed files: memoryhub serve, watch or sync does",
        )

    def work(self, **options: Any) -> int:
        caller = _checked(options)
        stop = threading.Event()
        if not options["no_watch"]:
            # Imports are not announced: standard output belongs to MCP.
            watcher = Watcher(stop, lambda *_: None, slug=caller.workspace or None)
            background_thread("watcher", watcher.run).start()
        try:
            serve_stdio(
                caller,
                Drain(pause=_PAUSE),
                watch=lambda: InboxWatch(live_stream()),
                profile=options["profile"],
            )
        finally:
            stop.set()
        return 0


def _checked(options: dict[str, Any]) -> CallerOptions:
    """Return the caller; checked at the start, so that the host learns of errors.

    Raises:
        CommandError: no such workspace, or an invalid agent name.
    """
    try:
        caller = caller_in("mcp", options)
        if caller.workspace:
            caller_of(own_access(), caller, Scope.READ)
    except REFUSED as error:
        raise CommandError(refusal_of(error).as_text()) from error
    return caller
