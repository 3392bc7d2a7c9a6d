"""``memoryhub channel``: add, list, test and remove ways to reach you."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.terminal import quoted
from memoryhub.management.command import HubCommand
from memoryhub.management.commands.status import channel_json, channel_line
from memoryhub.notices.channels import (
    ChannelState,
    Rules,
    TooManyChannels,
    add_channel,
    base_of,
    channel_states,
    send_test,
)
from memoryhub.notices.sending import BadAddress, NotSent
from memoryhub.people.policy import operator, workspace_for_operator
from memoryhub.timeline.queries.turns import KINDS
from memoryhub.web.channels import refusal_words
from memoryhub.web.kit.served import hub_address

_ACTIONS = ("add", "list", "test", "remove")


def _hour(text: str) -> int:
    hour = int(text)
    if not 0 <= hour <= 23:
        raise ValueError
    return hour


def _hours(text: str) -> tuple[int, int]:
    first, _, end = text.partition("-")
    return _hour(first), _hour(end)


class Command(HubCommand):
    help = (
        "Add a channel by which you hear of what waits for you, list your channels,"
        " send a test, or remove one. The address, an Apprise URL, is read from"
        " standard input, so that no history of commands has it."
    )
    looks = ("list",)
    example = "memoryhub channel add Phone --quiet 22-7 < address.txt"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=_ACTIONS, help="the action")
        parser.add_argument("name", nargs="?", default="", help="the channel's name")
        parser.add_argument(
            "--kind",
            action="append",
            choices=KINDS,
            metavar="KIND",
            help=f"what is sent, may be given several times: {', '.join(KINDS)}"
            " (default: all)",
        )
        parser.add_argument(
            "--workspace",
            action="append",
            metavar="S",
            help="of which workspace, may be given several times (default: all)",
        )
        parser.add_argument(
            "--daily",
            type=_hour,
            metavar="HOUR",
            help="one message a day at this hour, 0 to 23 (default: at once)",
        )
        parser.add_argument(
            "--quiet",
            type=_hours,
            metavar="FROM-TO",
            default=(None, None),
            help="hours without messages, such as 22-7; they are sent afterwards",
        )
        parser.add_argument(
            "--urgent",
            action="store_true",
            help="send sign-offs and deadlocks at once at any hour",
        )
        parser.add_argument(
            "--base",
            metavar="URL",
            help="the hub's address in links (default: that of the running server)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        if options["action"] == "list":
            self._list(as_json=options["json"])
        elif options["action"] == "add":
            self._add(options)
        else:
            self._act(options["action"], options["name"])
        return 0

    def _list(self, *, as_json: bool) -> None:
        found = channel_states(operator())
        if as_json:
            self.give([channel_json(one) for one in found])
        for one in () if as_json else found:
            channel = one.channel
            self.say(f"{quoted(channel.name)}, {channel.service}: {channel_line(one)}")

    def _add(self, options: dict[str, Any]) -> None:
        name = options["name"].strip()
        if not name or len(name) > 80 or name in _names():
            raise CommandError("name the channel, in 80 characters and as no other")
        known = options["workspace"] or ()
        first, end = options["quiet"]
        rules = Rules(
            kinds=tuple(options["kind"] or ()),
            workspaces=tuple(workspace_for_operator(slug).pk for slug in known),
            digest=options["daily"],
            quiet_from=first,
            quiet_to=end,
            urgent=options["urgent"],
        )
        base = base_of(options["base"] or hub_address())
        if not base:
            raise CommandError("--base is an address such as https://hub.example.org/")
        address = sys.stdin.readline().strip()
        try:
            channel = add_channel(operator(), name, address, base, rules)
        except BadAddress as error:
            raise CommandError(refusal_words(error)) from error
        except TooManyChannels as error:
            raise CommandError("there are 20 channels: remove one first") from error
        if options["json"]:
            self.give(channel_json(ChannelState(channel)))
        else:
            self.say(
                f"{quoted(name)} sends to {channel.service}: memoryhub channel test"
            )

    def _act(self, action: str, name: str) -> None:
        channel = _names().get(name)
        if channel is None:
            raise CommandError(f"no channel is called {quoted(name)}")
        if action == "remove":
            channel.channel.delete()
            self.say(f"{quoted(name)} was removed")
            return
        try:
            send_test(channel.channel)
        except NotSent as error:
            raise CommandError(f"not sent: {error}") from error
        self.say(f"a test was sent to {quoted(name)}")


def _names() -> dict[str, ChannelState]:
    return {one.channel.name: one for one in channel_states(operator())}
