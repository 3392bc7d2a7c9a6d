"""``memoryhub open``: open the dashboard with a sign-in link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memoryhub.management.command import HubCommand
from memoryhub.management.dashboard import (
    has_browser,
    link_to,
    open_browser,
)
from memoryhub.people.services.sign_in import SOON
from memoryhub.web.kit.served import served_at


class Command(HubCommand):
    help = (
        "Open the dashboard of the running server and sign the browser in for 90 days."
        " Without a browser, print the link; it works once, within ten minutes."
    )
    example = "memoryhub open /w/main/handoffs/"

    def audited_as(self, options: dict[str, Any]) -> str:
        return "sign-in.link"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "page", nargs="?", default="", help="page to open, such as /w/main/"
        )
        parser.add_argument(
            "--print",
            action="store_true",
            help="print the link instead of opening a browser",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        address = served_at(Path(settings.MEMORYHUB_DATA))
        if not address:
            raise CommandError("no dashboard is served here: memoryhub serve")
        # A team's people sign in with their accounts.
        page = f"{address.rstrip('/')}/{options['page'].lstrip('/')}"
        is_team = settings.MEMORYHUB_TEAM
        link = page if is_team else link_to(address, SOON, options["page"])
        if options["json"]:
            self.give({"link": link, "address": address})
        elif options["print"] or not (has_browser() and open_browser(link)):
            self.say(link)
        else:
            self.say(f"MemoryHub is at {address}, and opens in the browser")
        return 0
