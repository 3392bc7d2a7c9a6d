"""``memoryhub mcp``: the Model Context Protocol over standard input and output."""

from __future__ import annotations

import threading
from typing import Any

from django.core.management.base import CommandParser

from memoryhub.management.command import HubCommand
from memoryhub.mcp.stdio import serve_stdio
from memoryhub.people.policy import workspace_for_operator
from memoryhub.sync.engine import SyncReport
from memoryhub.sync.watcher import Watcher
from memoryhub.tools.callers import Said
from memoryhub.workspaces.models import Workspace


class Command(HubCommand):
    help = (
        "Serve the tools, resources and prompts of the hub to one agent, as a Model"
        " Context Protocol server on standard input and output; imports what changes."
    )
    example = "memoryhub mcp --workspace main --agent builder"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--workspace",
            metavar="S",
            default="",
            help="the workspace; without it calls name one where there are several",
        )
        parser.add_argument(
            "--agent",
            metavar="NAME",
            default="",
            help="whom the hub takes the caller for; without it each call may say",
        )
        parser.add_argument(
            "--no-watch",
            action="store_true",
            help="leave importing to memoryhub serve, watch or sync",
        )

    def work(self, **options: Any) -> int:
        slug = options["workspace"]
        if slug:
            workspace_for_operator(slug)
        stop = threading.Event()
        if not options["no_watch"]:
            watcher = Watcher(stop, _untold, slug=slug or None)
            threading.Thread(target=watcher.run, name="watcher", daemon=True).start()
        try:
            serve_stdio(Said(workspace=slug, agent=options["agent"]))
        finally:
            stop.set()
        return 0


def _untold(workspace: Workspace, report: SyncReport) -> None:
    """Standard output is the protocol's: imports are seen in what tools answer."""
