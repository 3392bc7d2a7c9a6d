"""``memoryhub token``: make, list and revoke tokens of agents."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.base import ToolError
from memoryhub.errors.terminal import quoted
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.management.command import HubCommand
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import workspace_for_operator
from memoryhub.people.services.local_token import (
    local_token,
    local_token_file,
    rotated_local_token,
)
from memoryhub.people.services.tokens import (
    DAYS,
    MOST_DAYS,
    make_token,
    revoke_token,
    scopes_of,
    tokens_of,
)
from memoryhub.tools.profiles import ALL, DEFAULT, PROFILES
from memoryhub.web.kit.refusals import refusal_of

_ACTIONS = ("make", "list", "revoke", "local")


class Command(HubCommand):
    help = (
        "Create a token that gives an agent on another computer access to one"
        " workspace, list tokens, or revoke one. A token is printed once, when it is"
        " created. local prints the path of the full-access token for your own"
        " programs."
    )
    looks = ("list", "local")
    example = "memoryhub token make builder --scope read --scope memory --days 90"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=_ACTIONS, help="action to perform")
        parser.add_argument(
            "name",
            nargs="?",
            default="",
            help="make: name of the agent; revoke: prefix of the token, as shown by"
            " list",
        )
        parser.add_argument("--workspace", metavar="S", help="the workspace")
        parser.add_argument(
            "--scope",
            action="append",
            choices=[*(scope.value for scope in Scope), "write"],
            help="permission of the agent; repeatable (default: read); write is an"
            " earlier name of memory",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=DAYS,
            help=f"validity in days; 0: until revoked (default: {DAYS})",
        )
        self._add_options(parser)

    def _add_options(self, parser: CommandParser) -> None:
        readers = parser.add_mutually_exclusive_group()
        readers.add_argument(
            "--shared",
            dest="reader",
            action="store_const",
            const="shared",
            default="",
            help="for sessions of groups and channels: no access to MEMORY.md",
        )
        readers.add_argument(
            "--private",
            dest="reader",
            action="store_const",
            const="private",
            help="for the agent's main session: access to MEMORY.md even in requests"
            " that name no session",
        )
        parser.add_argument(
            "--profile",
            choices=[*PROFILES, ALL],
            default="",
            help="which tools MCP lists to it (default: what an agent at work needs)",
        )
        parser.add_argument(
            "--show", action="store_true", help="local: print the token itself"
        )
        parser.add_argument(
            "--rotate", action="store_true", help="local: replace the token first"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        if options["action"] == "local":
            self._local(options)
            return 0
        workspace = workspace_for_operator(options["workspace"])
        if options["action"] == "make":
            self._make(workspace, options)
        elif options["action"] == "revoke":
            self._revoke(workspace, options)
        else:
            self._list(workspace, as_json=options["json"])
        return 0

    def _local(self, options: dict[str, Any]) -> None:
        token = rotated_local_token() if options["rotate"] else local_token()
        path = str(local_token_file())
        if options["json"]:
            self.give({"path": path} | ({"token": token} if options["show"] else {}))
        else:
            self.say(token if options["show"] else path)

    def _make(self, workspace: Workspace, options: dict[str, Any]) -> None:
        days = options["days"]
        if not 0 <= days <= MOST_DAYS:
            raise CommandError(f"--days is a number from 0 to {MOST_DAYS}")
        scopes = [Scope(name) for name in options["scope"] or ["read"]]
        try:
            new = make_token(
                workspace,
                options["name"],
                scopes,
                days=days,
                reader=options["reader"],
                profile=options["profile"],
            )
        except ToolError as error:
            raise CommandError(refusal_of(error).message) from error
        if options["json"]:
            self.give({**_as_json(new.row), "token": new.secret})
        else:
            self.say(new.secret)

    def _revoke(self, workspace: Workspace, options: dict[str, Any]) -> None:
        gone = revoke_token(workspace, options["name"].rstrip("…"))
        if gone is None:
            raise CommandError(f"no token begins with {options['name']}")
        if options["json"]:
            self.give(_as_json(gone))
        else:
            self.say(f"the token of {quoted(gone.agent)} is no longer valid")

    def _list(self, workspace: Workspace, *, as_json: bool) -> None:
        found = tokens_of(workspace)
        if as_json:
            self.give([_as_json(token) for token in found])
        for token in () if as_json else found:
            until = token.expires_at
            ends = f"until {until:%Y-%m-%d}" if until else "never expires"
            used = token.last_used_at
            last = f"used {used:%Y-%m-%d %H:%M}" if used else "not used yet"
            kind = ["shared"] * token.shared + ["private"] * token.private
            kind += [token.profile] * bool(token.profile)
            scopes = ",".join(_scopes(token) + kind)
            self.say(f"{token.prefix}… {quoted(token.agent)}: {scopes}, {ends}, {last}")


def _scopes(token: AccessToken) -> list[str]:
    return [scope.value for scope in Scope if scope in scopes_of(token)]


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _as_json(token: AccessToken) -> dict[str, Any]:
    return {
        "workspace": token.workspace.slug,
        "agent": token.agent,
        "prefix": token.prefix,
        "scopes": _scopes(token),
        "shared": token.shared,
        "private": token.private,
        "profile": token.profile or DEFAULT,
        "made_at": _iso(token.made_at),
        "expires_at": _iso(token.expires_at),
        "last_used_at": _iso(token.last_used_at),
    }
