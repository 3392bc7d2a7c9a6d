"""Commands that call a tool, as an agent would; options are the request's fields."""

from __future__ import annotations

import argparse
import json
import re
import sys
from argparse import BooleanOptionalAction
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.base import did_you_mean
from memoryhub.journal.scopes import Scope
from memoryhub.management.command import CONFLICT, HubCommand, workspace_here
from memoryhub.management.standing import (
    current_folder,
    current_session,
    is_typed,
    standard_input,
)
from memoryhub.people.access import own_access
from memoryhub.tools.base import Request, Tool
from memoryhub.tools.calling import (
    CallerOptions,
    caller_of,
    checked,
    dated_call,
    request_of,
)
from memoryhub.web.kit.refusals import refusal_or_none

#: Exit code of a wrong command line.
USAGE = 2
#: Prefix that separates request fields from a command's own options.
_PREFIX = "field_"
#: Length from which a field is a text: `-` reads it from standard input.
_LONG = 10_000
_PLAIN = {"string", "integer", "number"}
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The command-line form of a tool.

    `positional`: fields without an option. `files`: fields given by a path, or `-` for
    standard input, instead of their text. `by_file`: a field whose text `--file` reads
    as well. `options`: option names that replace the fields' own. `words`: fields that
    may be given without their option.
    """

    tool: Tool
    positional: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    by_file: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()

    def request(self, options: Mapping[str, Any]) -> Request:
        """Return the request; a text to write that no option gives is piped.

        Raises:
            ToolError: ``request-invalid``.
        """
        fields = fields_in(options)
        request = request_of(self.tool, fields)
        reads = self.tool.scope_for(request) is Scope.READ
        if not self.by_file or reads or self.by_file in fields or is_typed():
            return request
        return request_of(self.tool, {**fields, self.by_file: _text_of("-")})

    def option(self, name: str) -> str:
        """Return a field's option; a name common to all tools gets a prefix."""
        words = self.options.get(name, _hyphened(name))
        taken = {*CallerOptions.model_fields, "request", "json"}
        return f"--field-{words}" if name in taken else f"--{words}"


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

        A file's text that was asked for is printed exactly, and to an agent quoted.

        Raises:
            CommandError: the tool refused; with ``--json`` the refusal is also printed.
        """
        tool = form.tool
        try:
            request = form.request(options)
            caller = caller_of(
                own_access(session=current_session()),
                caller_in(tool.name, options),
                tool.scope_for(request),
            )
            answer, when = dated_call(tool, caller, request)
        except Exception as error:
            refusal = refusal_or_none(error)
            if refusal is None:
                raise
            if options["json"]:
                self.give(refusal.as_json())
            code = CONFLICT if refusal.code == "conflict" else 1
            raise CommandError(refusal.as_text(), returncode=code) from error
        exact = None if caller.agent or caller.host_session else answer.as_file()
        if options["json"]:
            self.give(answer.model_dump(mode="json"))
        elif exact is None or self.stdout.isatty():
            self.tell(exact or answer.as_text())
        else:
            self.stdout.write(exact, ending="")
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
            help="name of the tool; without it, list the tools",
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

    def run_from_argv(self, argv: list[str]) -> None:
        """Run it; an unknown name is answered with the nearest one."""
        name = argv[2] if len(argv) > 2 else ""
        if not name.startswith("-") and name not in ("", *self.forms):
            hint = did_you_mean(name, self.forms)
            self.complain(f"memoryhub {self.name}: no {name}. {hint}".rstrip())
            sys.exit(USAGE)
        super().run_from_argv(argv)

    def work(self, **options: Any) -> int:
        if options["tool"] is None:
            width = max(map(len, self.forms))
            for name, form in self.forms.items():
                self.say(f"{name:<{width}}  {form.tool.title}")
            return 0
        self.ask(self.forms[options["tool"]], options)
        return 0


class ToolParser(CommandParser):
    """Parser of one of several tools; its options are added when it is used."""

    def __init__(self, *, form: Form, **parsing: Any) -> None:
        super().__init__(**parsing)
        self._form = form

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the command line; return options and remaining arguments."""
        add_tool_arguments(self, self._form)
        return super().parse_known_args(args, namespace)


def add_tool_arguments(parser: CommandParser, form: Form) -> None:
    """Add options for the fields of a tool's request, and for the caller."""
    whole = form.tool.request.model_json_schema()
    for name in dict.fromkeys([*form.positional, *whole.get("properties", {})]):
        _add_field(parser, form, name, whole)
    if form.by_file:
        parser.add_argument(
            "--file",
            dest=_PREFIX + form.by_file,
            metavar="FILE",
            type=_text_of,
            help=f"a file with the {form.by_file}; - is standard input",
        )
    for name, info in CallerOptions.model_fields.items():
        parser.add_argument(f"--{name}", default="", help=info.description)
    parser.add_argument(
        "--request",
        metavar="JSON",
        type=_request,
        help="whole request as JSON; - reads it from standard input",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line")


def _add_field(parser: CommandParser, form: Form, name: str, whole: Schema) -> None:
    schema = _resolved(whole["properties"][name], whole)
    is_list = schema.get("type") == "array"
    value = _resolved(schema.get("items", {}), whole) if is_list else schema
    known = _value(form, name, value, is_list=is_list)
    known["help"] = _help(form, name, whole, is_list=is_list)
    if name in form.positional:
        known["nargs"] = "*" if is_list else "?"
        parser.add_argument(_PREFIX + name, **known)
        return
    if name in form.words:
        parser.add_argument(
            _PREFIX + name, nargs="?", default=argparse.SUPPRESS, **known
        )
    if is_list:
        known["action"] = "append"
    parser.add_argument(form.option(name), dest=_PREFIX + name, **known)


def _value(form: Form, name: str, schema: Schema, *, is_list: bool) -> dict[str, Any]:
    """Return how argparse reads a value; JSON where plain text cannot express it."""
    kind = schema.get("type")
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if name in form.files:
        return {"metavar": "FILE", "type": _text_of}
    if kind == "boolean" and not is_list:
        return {"action": BooleanOptionalAction, "default": None}
    if choices and all(isinstance(each, str) for each in choices):
        return {"metavar": "|".join(filter(None, choices))}
    if choices or kind not in _PLAIN:
        return {"metavar": "JSON", "type": partial(_parsed, form.option(name))}
    if schema.get("maxLength", 0) >= _LONG:
        return {"metavar": _hyphened(name).upper(), "type": _text_or_input}
    return {"metavar": _hyphened(name).upper()}


def _text_or_input(text: str) -> str:
    return _text_of("-") if text == "-" else text


def _hyphened(name: str) -> str:
    """Return a field's name as an option has it: `historyLine` is `history-line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", name).lower()


def _help(form: Form, name: str, whole: Schema, *, is_list: bool) -> str:
    text = whole["properties"][name].get("description")
    text = text or _hyphened(name).replace("-", " ")
    if name in form.files:
        text += " (file; - reads standard input)"
    if is_list:
        text += " (repeatable)"
    if name in whole.get("required", ()) and name not in form.positional:
        text += " (required)"
    return str(text.replace("%", "%%"))


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """Return the single non-null schema of a value; {} if there are several."""
    several = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if several:
        return _resolved(several[0], whole) if len(several) == 1 else {}
    found: Schema = schema
    if "$ref" in schema:
        found = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    return found


def fields_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request; options override ``--request``."""
    given = {
        name.removeprefix(_PREFIX): value
        for name, value in options.items()
        if name.startswith(_PREFIX) and value not in (None, [])
    }
    return {**(options["request"] or {}), **given}


def caller_in(name: str, options: Mapping[str, Any]) -> CallerOptions:
    """Return the caller's fields from a command's options; `name` is for errors.

    The workspace defaults to that of the current folder.

    Raises:
        ToolError: ``request-invalid``, a value is too long or not text.
    """
    given = {
        name: options[name] for name in CallerOptions.model_fields if name in options
    }
    caller = checked(CallerOptions, name, given)
    here = None if caller.workspace else workspace_here()
    return caller.or_else(CallerOptions(workspace=here.slug)) if here else caller


def _request(text: str) -> dict[str, Any]:
    found = _parsed("--request", _text_of("-") if text == "-" else text)
    if not isinstance(found, dict):
        raise CommandError("--request is no JSON object", returncode=USAGE)
    return found


def _parsed(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{option} is no JSON: {error}", returncode=USAGE) from error


def _text_of(place: str) -> str:
    """Return the text of a file; raise `CommandError` if it is not UTF-8."""
    try:
        is_piped = place == "-"
        data = standard_input() if is_piped else (current_folder() / place).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise CommandError(f"{place}: {error}") from error
