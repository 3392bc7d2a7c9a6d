"""``memoryhub reviews``: list agents' changes of memory, accept or revert them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.api.reviews import ReviewRecord
from memoryhub.disk.files import FileError
from memoryhub.errors.terminal import quoted
from memoryhub.formats.base import FormatError
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Workspace
from memoryhub.management.command import CONFLICT, HubCommand, add_workspace_argument
from memoryhub.people.policy import OPERATOR, workspace_for_operator
from memoryhub.reviews import services
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import Wanted, card_of, cards_of
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.kit.refusals import refusal_of

#: Most cards that are listed.
_MOST = 1_000
#: In place of numbers: all that are listed.
_ALL = "all"


class Command(HubCommand):
    help = (
        "List changes that agents made to long-lived memory, such as MEMORY.md, newest"
        " first; accept or revert them. The files are written already: accepting only"
        " takes a change out of the queue. The exit code is 3 if somebody has decided,"
        " or lines were changed again since."
    )
    example = "memoryhub reviews main --revert 12 --why 'not a fact'"
    reads = True
    writing = ("accept", "revert")

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--accept", type=number, nargs="+", metavar="N",
            help="accept these changes, or all that are listed",
        )  # fmt: skip
        what.add_argument(
            "--revert", type=number, nargs="+", metavar="N",
            help="revert these changes, or all that are listed",
        )  # fmt: skip
        parser.add_argument(
            "--why", default="", help="reason; after a revert the agent reads it"
        )
        parser.add_argument(
            "--state",
            default="open",
            choices=("open", "proposed", "accepted", "edited", "reverted", "all"),
            help="which are listed (default: open)",
        )
        parser.add_argument("--file", default="", metavar="PATH", help="only of a file")
        parser.add_argument("--agent", default="", metavar="NAME", help="only by it")
        parser.add_argument("--json", action="store_true", help="a line of JSON each")

    def work(self, **options: Any) -> int:
        workspace = workspace_for_operator(options["workspace"])
        numbers = options["accept"] or options["revert"]
        if not numbers:
            for one in self._listed(workspace, options):
                self._show(one, options)
            return 0
        decide = services.accept if options["accept"] else services.revert
        decision = services.Decision(OPERATOR, options["why"])
        code = 0
        if _ALL in numbers:
            listed = self._listed(workspace, options)
            numbers = [one.pk for one in listed if one.is_open]
        for number in numbers:
            card = card_of(workspace, number)
            if card is None:
                raise CommandError(f"there is no review {number}")
            try:
                self._show(decide(card, decision).card, options)
            except (Conflict, FormatError, FileError) as error:
                self.complain(f"memoryhub: {number}: {refusal_of(error).message}")
                code = CONFLICT
        return code

    def _listed(
        self, workspace: Workspace, options: dict[str, Any]
    ) -> list[ReviewCard]:
        state = "" if options["state"] == "all" else options["state"]
        wanted = Wanted(state, options["file"], options["agent"])
        return list(cards_of(workspace, wanted)[:_MOST])

    def _show(self, card: ReviewCard, options: dict[str, Any]) -> None:
        if options["json"]:
            self.give(ReviewRecord.of(card).model_dump(mode="json"))
            return
        state = "revert proposed" if card.is_open and card.rule else card.state
        who = changed_by(card.agent, owners_of(card.workspace)(card.path))
        self.say(
            f"{card.pk} {quoted(card.path)}: {card.kind}, {who},"
            f" {card.last_at:%Y-%m-%d %H:%M}, {state}"
        )


def number(value: str) -> int | str:
    return value if value == _ALL else int(value)
