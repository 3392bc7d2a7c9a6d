"""``memoryhub guard``: refuse commits of files that another agent holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

import memoryhub
from memoryhub.claims.guarding import (
    HELD,
    NoRepository,
    configured_agent,
    install_hook,
    staged_files,
    top_folder,
    uninstall_hook,
)
from memoryhub.claims.models import FileClaim
from memoryhub.claims.places import names_of_file
from memoryhub.claims.queries import (
    Holder,
    holders_of_file,
    live_claims,
    session_words,
    until_of,
)
from memoryhub.errors.terminal import quoted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import HubCommand
from memoryhub.people.access import host_session
from memoryhub.people.policy import (
    workspace_for_operator,
    workspace_of_folder,
    workspaces,
)
from memoryhub.tools.heard import is_alive

#: Variable that names the agent who commits.
AGENT = "MEMORYHUB_AGENT"
#: Most files that a refusal names.
_NAMED = 20
#: Exit code of a folder in no repository.
_WRONG = 2


class Command(HubCommand):
    help = (
        "Guard a git repository: its pre-commit hook refuses a commit of files that"
        " another agent holds. The exit code of check is 3 if one does."
    )
    example = "memoryhub guard install --agent builder"
    drains = False
    reads = True

    def audited_as(self, options: dict[str, Any]) -> str:
        return "" if options["action"] == "check" else "command.guard"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "action",
            choices=("install", "uninstall", "check"),
            help="add the hook, remove it, or check what is staged",
        )
        parser.add_argument(
            "--workspace",
            metavar="S",
            default="",
            help="the workspace of the claims; else the one around the repository",
        )
        parser.add_argument(
            "--agent",
            metavar="NAME",
            default="",
            help=f"who commits; else {AGENT}, else git's memoryhub.agent",
        )
        parser.add_argument(
            "--json", action="store_true", help="what is held, for programs"
        )

    def work(self, **options: Any) -> int:
        try:
            top = top_folder(Path.cwd())
            act = getattr(self, f"_{options['action']}")
            code: int = act(top, options)
        except NoRepository as error:
            raise CommandError(str(error), returncode=_WRONG) from error
        except FileExistsError as error:
            raise CommandError(str(error)) from error
        return code

    def _install(self, top: Path, options: dict[str, Any]) -> int:
        workspace = _workspace(top, options["workspace"])
        command = [sys.executable, "-m", "memoryhub", "guard", "check"]
        for name in ("workspace", "agent"):
            if options[name]:
                command += [f"--{name}", options[name]]
        root = str(Path(memoryhub.__path__[0]).parent)
        data = str(settings.MEMORYHUB_DATA)
        place = install_hook(top, command, {"MEMORYHUB_DATA": data, "PYTHONPATH": root})
        name = quoted(str(place))
        self.say(f"{name} guards this repository by the claims of {workspace.slug}.")
        return 0

    def _uninstall(self, top: Path, options: dict[str, Any]) -> int:
        was = uninstall_hook(top)
        self.say("The guard is removed." if was else "No guard was installed.")
        return 0

    def _check(self, top: Path, options: dict[str, Any]) -> int:
        workspace = _workspace(top, options["workspace"])
        agent = options["agent"] or os.environ.get(AGENT, "").strip()
        agent = agent or configured_agent(top)
        session = host_session()
        known = session if is_alive(workspace, agent, session) else ""
        live, holder = live_claims(workspace, timezone.now()), Holder(agent, known)
        root = Path(workspace.root)
        held = [
            (path, claim)
            for path in (staged_files(top) if live else ())
            for claim in holders_of_file(live, holder, names_of_file(top / path, root))
        ]
        if options["json"]:
            self.give([_shown(path, claim, workspace) for path, claim in held])
        elif held:
            self._refuse(held, workspace, agent)
        return HELD if held else 0

    def _refuse(
        self, held: list[tuple[str, FileClaim]], workspace: Workspace, agent: str
    ) -> None:
        for path, claim in held[:_NAMED]:
            why = f": {claim.reason}" if claim.reason else ""
            until = until_of(claim, workspace)
            by = claim.agent + session_words(claim, agent)
            self.complain(
                f"memoryhub: {quoted(path)} is held by {by} until {until}{why}"
            )
        if len(held) > _NAMED:
            self.complain(f"memoryhub: and {len(held) - _NAMED} more")
        self.complain(
            "memoryhub: nothing was committed; agree with the holder, or commit with"
            " --no-verify"
        )


def _workspace(top: Path, named: str) -> Workspace:
    """Return the workspace whose claims count in a repository."""
    if named:
        return workspace_for_operator(named)
    if around := workspace_of_folder(str(top)):
        return around
    inside = [one for one in workspaces() if Path(one.root).is_relative_to(top)]
    return inside[0] if len(inside) == 1 else workspace_for_operator(None)


def _shown(path: str, claim: FileClaim, workspace: Workspace) -> dict[str, str]:
    return {
        "path": path,
        "claim": claim.name,
        "agent": claim.agent,
        "until": until_of(claim, workspace),
        "reason": claim.reason,
    }
