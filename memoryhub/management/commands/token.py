"""``memoryhub token``: make, list, rotate and revoke tokens of agents."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

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
    OVERLAP,
    VALID,
    NewToken,
    extend_token,
    make_token,
    revoke_token,
    rotate_token,
    scopes_of,
    states_of,
    tokens_of,
)
from memoryhub.tools.profiles import ALL, DEFAULT, PROFILES
from memoryhub.web.kit.refusals import refusal_of

_ACTIONS = ("make", "list", "rotate", "revoke", "local")
#: Seconds of the units of --overlap.
_UNITS = {"m": 60, "h": 3_600, "d": 86_400}


class Command(HubCommand):
    help = (
        "Create a token that gives an agent on another computer access to one or more"
        " workspaces, list tokens, replace or revoke one. A token is printed once, when"
        " it is created. local prints the path of the full-access token for your own"
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
            help="make: name of the agent; rotate, revoke: prefix of the token, as"
            " shown by list",
        )
        parser.add_argument(
            "--workspace",
            metavar="S",
            action="append",
            help="the workspace; make: repeatable, the token is for all of them",
        )
        parser.add_argument(
            "--names",
            metavar="FILE",
            help="make: a token for each agent whose name is a line of the file; - is"
            " standard input",
        )
        parser.add_argument(
            "--overlap",
            metavar="TIME",
            type=_time,
            default=OVERLAP,
            help="rotate: how long the old token is valid beside the new one, such as"
            " 90m, 24h or 2d (default: 24h)",
        )
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
        named = options["workspace"] or [None]
        workspace, *also = map(workspace_for_operator, named)
        if options["action"] == "make":
            self._make(workspace, also, options)
        elif options["action"] == "list":
            self._list(workspace, as_json=options["json"])
        elif options["action"] == "rotate":
            old = _token(workspace, options["name"])
            new = rotate_token(old, options["overlap"])
            self._give_new([new], as_json=options["json"])
        else:
            gone = revoke_token(workspace, _token(workspace, options["name"]).prefix)
            assert gone is not None
            if options["json"]:
                self.give(_as_json(gone))
            else:
                self.say(f"the token of {quoted(gone.agent)} is no longer valid")
        return 0

    def _local(self, options: dict[str, Any]) -> None:
        token = rotated_local_token() if options["rotate"] else local_token()
        path = str(local_token_file())
        if options["json"]:
            self.give({"path": path} | ({"token": token} if options["show"] else {}))
        else:
            self.say(token if options["show"] else path)

    def _make(
        self, workspace: Workspace, also: list[Workspace], options: dict[str, Any]
    ) -> None:
        days = options["days"]
        if not 0 <= days <= MOST_DAYS:
            raise CommandError(f"--days is a number from 0 to {MOST_DAYS}")
        names = _names(options["names"]) if options["names"] else [options["name"]]
        try:
            with transaction.atomic():
                made = [
                    make_token(
                        workspace,
                        name,
                        [Scope(scope) for scope in options["scope"] or ["read"]],
                        days=days,
                        reader=options["reader"],
                        profile=options["profile"],
                    )
                    for name in names
                ]
                for new, other in product(made, also):
                    extend_token(new.row, other)
        except ToolError as error:
            raise CommandError(refusal_of(error).message) from error
        self._give_new(made, as_json=options["json"], several=bool(options["names"]))

    def _give_new(
        self, made: list[NewToken], *, as_json: bool, several: bool = False
    ) -> None:
        """Print secrets, of `several` each after the name of its agent."""
        if as_json:
            found = [{**_as_json(new.row), "token": new.secret} for new in made]
            self.give(found if several else found[0])
        for new in () if as_json else made:
            self.say(f"{new.row.agent}\t{new.secret}" if several else new.secret)

    def _list(self, workspace: Workspace, *, as_json: bool) -> None:
        found = tokens_of(workspace)
        states = states_of(found)
        if as_json:
            self.give([_as_json(one) | {"state": states[one.pk]} for one in found])
        for token in () if as_json else found:
            until, state = token.expires_at, states[token.pk]
            ends = f"until {until:%Y-%m-%d}" if until else "never expires"
            ends = ends if state == VALID else f"{state}, refused"
            used = token.last_used_at
            last = f"used {used:%Y-%m-%d %H:%M}" if used else "not used yet"
            kind = ["shared"] * token.shared + ["private"] * token.private
            kind += [token.profile] * bool(token.profile)
            scopes = ",".join(_scopes(token) + kind)
            self.say(f"{token.prefix}… {quoted(token.agent)}: {scopes}, {ends}, {last}")


def _token(workspace: Workspace, prefix: str) -> AccessToken:
    for token in tokens_of(workspace):
        if token.prefix == prefix.rstrip("…"):
            return token
    raise CommandError(f"no token begins with {prefix}")


def _names(file: str) -> list[str]:
    """Return the lines of a file of names, without empty ones."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read {quoted(file)}: {error}") from error
    names = list(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))
    if not names:
        raise CommandError(f"{quoted(file)} has no name")
    return names


def _time(text: str) -> timedelta:
    """Return a time such as ``24h``."""
    number, unit = text[:-1], _UNITS.get(text[-1:])
    if unit is None or not number.isdecimal() or len(number) > 5:
        raise argparse.ArgumentTypeError("a number with m, h or d, such as 24h")
    return timedelta(seconds=int(number) * unit)


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
