"""``memoryhub checkpoint``: save a topic as snap-memory's tool does."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.errors.base import ToolError
from memoryhub.errors.terminal import quoted
from memoryhub.journal.models import Operation, Workspace
from memoryhub.management.command import HubCommand, workspace_here
from memoryhub.people.policy import OPERATOR, workspace_for_operator
from memoryhub.people.services.names import checked_agent
from memoryhub.web.kit.refusals import refusal_of
from topics.services.checkpoints import Checkpoint, save_checkpoint
from topics.services.topics import Author

_TEXTS = ("topic", "status", "history", "session", "actor")


class Command(HubCommand):
    help = (
        "Save the state of a topic in memory/context-TOPIC.md, as snap-memory's"
        " checkpoint does: replace the status, append decisions and a history line, and"
        " remove the oldest above the workspace's limits."
    )
    example = (
        'memoryhub checkpoint auth --status "Tokens rotate."'
        ' --decision "2026-11-20: Use JWT (stateless)"'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "topic", help="name of the topic; its file is created if missing"
        )
        parser.add_argument(
            "--workspace",
            metavar="S",
            help="workspace (default: the one that contains the current folder)",
        )
        parser.add_argument(
            "--status", default="", help="new status text; replaces the old one"
        )
        parser.add_argument(
            "--decision",
            action="append",
            default=[],
            metavar="TEXT",
            help="decision with date and reason; repeatable",
        )
        parser.add_argument(
            "--history", default="", metavar="LINE", help="history line: what was done"
        )
        parser.add_argument(
            "--session",
            default="",
            metavar="KEY",
            help="session to bind to the topic",
        )
        parser.add_argument(
            "--as",
            dest="actor",
            default="",
            metavar="NAME",
            help="acting agent (default: the operator)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        for name in _TEXTS:
            _check(options[name])
        for decision in options["decision"]:
            _check(decision)
        here = None if options["workspace"] else workspace_here()
        workspace = here or workspace_for_operator(options["workspace"])
        actor = _actor(options["actor"], workspace)
        checkpoint = Checkpoint(
            options["topic"],
            options["status"],
            tuple(options["decision"]),
            options["history"],
            options["session"],
        )
        today = timezone.now().astimezone(UTC).date()
        done = save_checkpoint(workspace, checkpoint, Author(actor, today))
        if options["json"]:
            self.give({"workspace": workspace.slug, "operations": _as_json(done)})
            return 0
        for operation in done:
            staged = operation.state == Operation.State.STAGED
            self.say(f"{quoted(operation.target)}: {'staged' if staged else 'saved'}")
        return 0


def _as_json(done: list[Operation]) -> list[dict[str, Any]]:
    return [
        {
            "path": operation.target,
            "verb": operation.verb,
            "state": operation.state,
            "key": operation.key,
            "seq": operation.seq,
        }
        for operation in done
    ]


def _actor(name: str, workspace: Workspace) -> str:
    """Return the actor's name for the journal; an agent's name is checked."""
    try:
        return checked_agent(name, workspace) if name else OPERATOR
    except ToolError as error:
        raise CommandError(refusal_of(error).message) from error


def _check(text: str) -> None:
    """Refuse an argument that is not UTF-8: no file could hold it as text."""
    try:
        text.encode()
    except UnicodeError as error:
        raise CommandError("an argument is not UTF-8 text") from error
