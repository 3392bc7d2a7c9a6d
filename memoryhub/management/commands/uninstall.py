"""``memoryhub uninstall``: remove the hub from a host. No memory is touched."""

from __future__ import annotations

from typing import Any

from memoryhub.hooks.installing import plan_to_uninstall
from memoryhub.management.commands.install import HostCommand


class Command(HostCommand):
    help = (
        "Remove the hub from a host, as installed by memoryhub install. Memory files"
        " stay."
    )
    alone = True
    example = "memoryhub uninstall claude-code"

    def work(self, **options: Any) -> int:
        plan = plan_to_uninstall(options["host"])
        if not plan.folder.exists():
            self.say(f"The hub is not installed in {options['host']}.")
            return 0
        return self.show_and_do(plan, assured=options["yes"])
