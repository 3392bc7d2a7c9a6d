"""``memoryhub install``: install the hub in a host, after showing the plan."""

from __future__ import annotations

import shlex
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.terminal import quoted
from memoryhub.hooks.installing import HostFailed, Plan, carry_out, plan_to_install
from memoryhub.management.command import HubCommand, is_confirmed
from memoryhub.people.policy import workspace_for_operator

HOSTS = ("claude-code", "openclaw")


class HostCommand(HubCommand):
    """A command that shows its plan for a host, asks, and carries it out."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("host", choices=HOSTS, help="host program")
        parser.add_argument(
            "--yes", action="store_true", help="do not ask for confirmation"
        )

    def show_and_do(self, plan: Plan, *, assured: bool) -> int:
        """Show a plan, and carry it out after confirmation; return the exit code."""
        self._show(plan)
        if not (assured or is_confirmed("Do it?")):
            self.say("Nothing was done.")
            return 1
        try:
            carry_out(plan)
        except HostFailed as error:
            raise CommandError(str(error)) from error
        self.say("Done.")
        return 0

    def _show(self, plan: Plan) -> None:
        what = "written into" if plan.files else "taken away:"
        self.say(f"To be {what} {quoted(str(plan.folder))}")
        for name, text in plan.files.items():
            self.say(f"  {name}")
            if name.endswith(".json"):
                self.tell("".join(f"    {line}\n" for line in text.splitlines()))
        self.say("To be run:")
        for command in plan.commands:
            self.say(f"  {shlex.join(command)}")


class Command(HostCommand):
    help = (
        "Register the hub with a host: lifecycle hooks, tools, and a skill. Shows"
        " everything that is written or run first."
    )
    example = "memoryhub install claude-code --workspace main"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--workspace",
            metavar="S",
            default="",
            help="workspace (default: the one that contains the session's folder)",
        )
        parser.add_argument(
            "--agent", metavar="NAME", default="", help="name of the agent"
        )

    def begins(self, options: dict[str, Any]) -> bool:
        return True

    def work(self, **options: Any) -> int:
        if options["workspace"]:
            workspace_for_operator(options["workspace"])
        plan = plan_to_install(options["host"], options["workspace"], options["agent"])
        return self.show_and_do(plan, assured=options["yes"])
