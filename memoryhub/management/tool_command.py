"""Commands that call a tool, as an agent would, on the operator's own computer."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.management.command import CONFLICT, HubCommand
from memoryhub.management.tool_options import (
    Form,
    ToolParser,
    add_tool_arguments,
    fields_in,
    said_in,
)
from memoryhub.people.access import Access
from memoryhub.tools.callers import caller_of
from memoryhub.tools.calling import dated_call, request_of
from memoryhub.web.kit.refusals import Refusal, told


class ToolCommand(HubCommand):
    """A command for one tool; its options are the fields of the tool's request."""

    form: Form

    def create_parser(
        self, prog_name: str, subcommand: str, **kwargs: Any
    ) -> CommandParser:
        # A tool's option overrides one of Django's with the same name.
        return super().create_parser(
            prog_name, subcommand, conflict_handler="resolve", **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        add_tool_arguments(parser, self.form)

    def work(self, **options: Any) -> int:
        self.ask(self.form, options)
        return 0

    def ask(self, form: Form, options: Mapping[str, Any]) -> None:
        """Call a tool and print its answer.

        Raises:
            CommandError: the tool refused; with ``--json`` the refusal is also printed.
        """
        tool = form.tool
        try:
            request = request_of(tool, fields_in(form, options))
            scope = tool.scope_for(request)
            caller = caller_of(Access(), said_in(tool.name, options), scope)
            answer, when = dated_call(tool, caller, request)
        except Exception as error:
            refusal = told(error)
            if refusal is None:
                raise
            if options["json"]:
                self.give(refusal.as_json())
            raise CommandError(
                refusal.as_text(), returncode=_exit_code(refusal)
            ) from error
        if options["json"]:
            self.give(answer.model_dump(mode="json"))
        else:
            self.tell(answer.as_text())
        for line in when.lines():
            self.complain(line)


class ToolsCommand(ToolCommand):
    """A command with one subcommand per tool."""

    forms: Mapping[str, Form]

    def add_arguments(self, parser: CommandParser) -> None:
        named = parser.add_subparsers(
            prog=f"memoryhub {parser.prog.rpartition(' ')[2]}",
            dest="tool",
            metavar="NAME",
            help="which tool; without one they are listed",
            parser_class=ToolParser,
        )
        for name, form in self.forms.items():
            named.add_parser(
                name,
                form=form,
                help=form.tool.title,
                description=form.tool.description.replace("%", "%%"),
                formatter_class=argparse.RawDescriptionHelpFormatter,
                conflict_handler="resolve",
            )

    def work(self, **options: Any) -> int:
        if options["tool"] is None:
            width = max(map(len, self.forms))
            for name, form in self.forms.items():
                self.say(f"{name:<{width}}  {form.tool.title}")
            return 0
        self.ask(self.forms[options["tool"]], options)
        return 0


def _exit_code(refusal: Refusal) -> int:
    return CONFLICT if refusal.code == "conflict" else 1
