"""``memoryhub person``: accounts of a team, from the server's command line."""

from __future__ import annotations

import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from memoryhub.accounts.services import invitations, persons
from memoryhub.errors.base import ToolError
from memoryhub.errors.terminal import quoted
from memoryhub.management.command import HubCommand
from memoryhub.people.models import User
from memoryhub.people.policy import workspace_for_operator
from memoryhub.people.rights import Role
from memoryhub.web.kit.refusals import refusal_of
from memoryhub.web.kit.served import absolute, hub_address
from memoryhub.workspaces.services.leaving import deactivate, hanging_on, heirs_of

_ACTIONS = (
    "admin",
    "invite",
    "list",
    "reset",
    "reset-second-factor",
    "end-sessions",
    "deactivate",
    "activate",
)


class Command(HubCommand):
    help = (
        "Manage the accounts of a team (MEMORYHUB_TEAM=1): make the first"
        " administrator, invite people, list them, print a link that sets a password,"
        " remove second factors, end sessions, deactivate and activate. Links are"
        " printed once and work once."
    )
    example = "memoryhub person admin kim"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=_ACTIONS, help="action to perform")
        parser.add_argument(
            "name",
            nargs="?",
            default="",
            help="user name; invite: name of the invited person, not required",
        )
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="admin, reset: read the password from standard input, print no link",
        )
        parser.add_argument("--email", default="", help="admin, invite: e-mail address")
        parser.add_argument("--workspace", metavar="S", help="invite: a workspace")
        parser.add_argument(
            "--role",
            choices=[role.word for role in Role],
            default=Role.EDITOR.word,
            help="invite: role in the workspace (default: %(default)s)",
        )
        parser.add_argument(
            "--hub-administrator",
            action="store_true",
            help="invite: an administrator of the hub",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=invitations.DAYS,
            help="invite: validity in days (default: %(default)s)",
        )
        parser.add_argument(
            "--heir",
            metavar="NAME",
            default="",
            help="deactivate: who gets the person's tokens, comments and sign-offs, as"
            " far as their role allows (default: nobody)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def begins(self, options: dict[str, Any]) -> bool:
        return bool(settings.MEMORYHUB_TEAM and options["action"] == "admin")

    def work(self, **options: Any) -> int:
        if not settings.MEMORYHUB_TEAM:
            raise CommandError("accounts are for teams: set MEMORYHUB_TEAM=1")
        try:
            self._act(options)
        except ToolError as error:
            raise CommandError(refusal_of(error).message) from error
        return 0

    def _act(self, options: dict[str, Any]) -> None:
        action = options["action"]
        if action == "list":
            self._list(as_json=options["json"])
        elif action == "invite":
            self._invite(options)
        elif action == "admin":
            person = User.objects.filter(username__iexact=options["name"]).first()
            if person is None:
                person = persons.create_person(
                    options["name"], email=options["email"], hub_administrator=True
                )
            elif not person.hub_administrator:
                persons.set_hub_administrator(person, wanted=True, by="")
            self._give_password(person, options)
        else:
            self._change(_person(options["name"]), options)

    def _change(self, person: User, options: dict[str, Any]) -> None:
        match options["action"]:
            case "reset":
                self._give_password(person, options)
                return
            case "reset-second-factor":
                persons.reset_second_factor(person, "")
            case "end-sessions":
                persons.end_sessions(person, "")
            case "activate":
                persons.set_active(person, active=True, by="")
            case "deactivate":
                deactivate(person, _heir(person, options["heir"]), "")
        self._report(person, options, f"done for {quoted(person.username)}")

    def _give_password(self, person: User, options: dict[str, Any]) -> None:
        """Set the password on standard input, or print a link that sets one."""
        if options["password_stdin"]:
            person.set_password(_password(person))
            person.save(update_fields=["password"])
            self._report(person, options, f"{quoted(person.username)} can sign in")
            return
        link = _absolute(persons.reset_link_for(person, None))
        self._report(person, options, link, link=link)

    def _report(
        self, person: User, options: dict[str, Any], text: str, **more: object
    ) -> None:
        if options["json"]:
            self.give({**_as_json(person), **more})
        else:
            self.say(text)

    def _invite(self, options: dict[str, Any]) -> None:
        named = options["workspace"]
        role = Role.of_word(options["role"])
        new = invitations.invite(
            invitations.Offer(
                workspace_for_operator(named) if named else None,
                role,
                options["hub_administrator"],
                options["name"],
                options["email"],
                options["days"],
            ),
            None,
        )
        path = reverse("join", persons.TEAM_URLS, args=[new.secret])
        link, ends = _absolute(path), new.row.expires_at
        sent = persons.send_invitation(new.row, link, None)
        if options["json"]:
            self.give({"link": link, "expires_at": ends.isoformat(), "sent": sent})
            return
        self.say(link)
        if options["email"]:
            went = "sent to" if sent else "not sent: no mail server took it for"
            self.stderr.write(f"{went} {quoted(options['email'])}")

    def _list(self, *, as_json: bool) -> None:
        known = persons.people()
        if as_json:
            self.give([_as_json(person) for person in known])
        for person in () if as_json else known:
            facts = ["administrator of the hub"] * person.hub_administrator
            facts += ["deactivated"] * (not person.is_active)
            line = f"{quoted(person.username)} {quoted(person.shown_name)}"
            self.say(f"{line}: {', '.join(facts)}" if facts else line)


def _person(name: str) -> User:
    found = {person.username: person for person in persons.people()}
    if name not in found:
        raise CommandError(f"no account is called {quoted(name) or 'that'}")
    return found[name]


def _heir(person: User, name: str) -> User | None:
    heir = _person(name) if name else None
    if heir and (heir == person or heir not in heirs_of(hanging_on(person))):
        raise CommandError(f"{quoted(name)} may not take over what hangs on the person")
    return heir


def _password(person: User) -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return password


def _absolute(path: str) -> str:
    """Return the URL of a page: at MEMORYHUB_URL, else where the hub is served."""
    return absolute(path, hub_address())


def _as_json(person: User) -> dict[str, Any]:
    return {
        "username": person.username,
        "name": person.shown_name,
        "email": person.email,
        "hub_administrator": person.hub_administrator,
        "active": person.is_active,
    }
