"""``memoryhub members``: roles of people and groups in workspaces."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.base import ToolError
from memoryhub.errors.terminal import quoted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import HubCommand
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.policy import workspace_for_operator
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, members_of, withdraw
from memoryhub.web.kit.refusals import refusal_of

_ACTIONS = ("list", "grant", "withdraw")


class Command(HubCommand):
    help = (
        "List who has a role in a workspace, give a person or a group a role, or take"
        " it away. Roles apply with MEMORYHUB_TEAM=1."
    )
    looks = ("list",)
    example = "memoryhub members grant zofia editor --workspace acme"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=_ACTIONS, help="the action")
        parser.add_argument("name", nargs="?", default="", help="user name")
        parser.add_argument(
            "role",
            nargs="?",
            choices=[role.word for role in Role],
            help="grant: the role, instead of an earlier one",
        )
        parser.add_argument("--workspace", metavar="S", help="the workspace")
        parser.add_argument(
            "--group", action="store_true", help="NAME is a group, not a person"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        workspace = workspace_for_operator(options["workspace"])
        if options["action"] == "list":
            self._list(workspace, as_json=options["json"])
            return 0
        holder = _holder(options["name"], is_group=options["group"])
        try:
            if options["action"] == "grant":
                role = Role.of_word(options["role"] or "")
                if role is None:
                    words = ", ".join(each.word for each in Role)
                    raise CommandError(f"name a role: {words}")
                made = grant(workspace, holder, role)
                if options["json"]:
                    self.give(_as_json(made))
                else:
                    self.say(f"{quoted(str(holder))}: {role.word} of {workspace.slug}")
            else:
                self._withdraw(workspace, holder, as_json=options["json"])
        except ToolError as error:
            raise CommandError(refusal_of(error).message) from error
        return 0

    def _list(self, workspace: Workspace, *, as_json: bool) -> None:
        found = members_of(workspace)
        if as_json:
            self.give([_as_json(row) for row in found])
        for row in () if as_json else found:
            kind = "group " if row.group else ""
            self.say(f"{kind}{quoted(str(row.holder))}: {Role(row.role).word}")

    def _withdraw(
        self, workspace: Workspace, holder: User | Group, *, as_json: bool
    ) -> None:
        if not withdraw(workspace, holder):
            name = quoted(str(holder))
            raise CommandError(f"{name} has no role of its own in {workspace.slug}")
        if as_json:
            self.give({"workspace": workspace.slug, "name": str(holder), "role": None})
        else:
            self.say(f"{quoted(str(holder))} has no role in {workspace.slug} any more")


def _holder(name: str, *, is_group: bool) -> User | Group:
    """Return the person or group with a name.

    Raises:
        CommandError: there is none.
    """
    found: User | Group | None
    if is_group:
        found = Group.objects.filter(name=name).first()
    else:
        found = User.objects.filter(username=name).first()
    if found is None:
        kind = "group" if is_group else "person"
        raise CommandError(f"there is no {kind} {quoted(name)}")
    return found


def _as_json(row: Membership) -> dict[str, Any]:
    return {
        "workspace": row.workspace.slug,
        "name": str(row.holder),
        "group": row.group is not None,
        "role": Role(row.role).word,
        "granted_by": row.granted_by,
        "granted_at": row.granted_at.isoformat(),
    }
