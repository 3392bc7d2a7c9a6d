"""Options of commands for tools, and their conversion to request and caller."""

from __future__ import annotations

import json
import sys
from argparse import BooleanOptionalAction
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.management.command import workspace_here
from memoryhub.management.tool_fields import RequestField, fields_of
from memoryhub.tools.base import Tool
from memoryhub.tools.callers import Said
from memoryhub.tools.calling import checked

#: Exit code of a wrong command line.
USAGE = 2
#: Prefix that separates request fields from a command's own options.
_PREFIX = "field_"


@dataclass(frozen=True, slots=True)
class Form:
    """The command-line form of a tool.

    `positional`: fields without an option. `files`: fields given by a path, or `-` for
    standard input, instead of their text. `options`: option names that replace the
    fields' own.
    """

    tool: Tool
    positional: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def option(self, field: RequestField) -> str:
        """Return a field's option; a name common to all tools gets a prefix."""
        taken = field.name in {*Said.model_fields, "request", "json"}
        words = self.options.get(field.name, field.words)
        return f"--field-{words}" if taken else f"--{words}"


def add_tool_arguments(parser: CommandParser, form: Form) -> None:
    """Add options for the request's fields, and for the caller."""
    fields = {field.name: field for field in fields_of(form.tool.request)}
    for name in form.positional:
        _add_positional(parser, fields[name], form)
    for name, other in fields.items():
        if name not in form.positional:
            _add_option(parser, other, form)
    for name, info in Said.model_fields.items():
        parser.add_argument(f"--{name}", default="", help=info.description)
    parser.add_argument(
        "--request",
        metavar="JSON",
        help="the request as JSON; - reads it from standard input",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line")


class ToolParser(CommandParser):
    """Parser of one of several tools; its options are added when it is used."""

    def __init__(self, *, form: Form, **said: Any) -> None:
        super().__init__(**said)
        self._form = form

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the command line; return options and remaining arguments."""
        add_tool_arguments(self, self._form)
        return super().parse_known_args(args, namespace)


def fields_in(form: Form, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request; options override ``--request``.

    Raises:
        CommandError: a value is not valid JSON, or a file cannot be read.
    """
    told = _request(options["request"])
    for asked in fields_of(form.tool.request):
        value = options[_PREFIX + asked.name]
        if value is not None and value != []:
            told[asked.name] = _value(form, asked, value)
    return told


def _value(form: Form, asked: RequestField, value: Any) -> Any:
    if asked.name in form.files:
        return _text_of(value)
    if asked.is_json and asked.is_list:
        return [_parsed(form.option(asked), each) for each in value]
    return _parsed(form.option(asked), value) if asked.is_json else value


def said_in(name: str, options: Mapping[str, Any]) -> Said:
    """Return the caller's fields from a command's options; `name` is for errors.

    The workspace defaults to that of the current folder.

    Raises:
        ToolError: ``request-invalid``, a value is too long or not text.
    """
    told = {name: options[name] for name in Said.model_fields if name in options}
    said = checked(Said, name, told)
    here = None if said.workspace else workspace_here()
    return said.or_else(Said(workspace=here.slug)) if here else said


def _add_positional(parser: CommandParser, field: RequestField, form: Form) -> None:
    parser.add_argument(
        _PREFIX + field.name,
        metavar=_metavar(field, form),
        nargs="*" if field.is_list else "?",
        help=_help(field, form),
    )


def _add_option(parser: CommandParser, field: RequestField, form: Form) -> None:
    known: dict[str, Any] = {"dest": _PREFIX + field.name, "help": _help(field, form)}
    if field.is_flag:
        known |= {"action": BooleanOptionalAction, "default": None}
    else:
        known["metavar"] = _metavar(field, form)
        known["action"] = "append" if field.is_list else "store"
    parser.add_argument(form.option(field), **known)


def _metavar(field: RequestField, form: Form) -> str:
    return "FILE" if field.name in form.files else field.metavar


def _help(field: RequestField, form: Form) -> str:
    said = field.description or field.name
    if field.name in form.files:
        said += " (a file; - is standard input)"
    if field.is_list:
        said += " (may be given several times)"
    if field.is_required and field.name not in form.positional:
        said += " (needed)"
    return said.replace("%", "%%")


def _request(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    told = _parsed("--request", _text_of("-") if text == "-" else text)
    if not isinstance(told, dict):
        raise CommandError("--request is no JSON object", returncode=USAGE)
    return told


def _parsed(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{option} is no JSON: {error}", returncode=USAGE) from error


def _text_of(place: str) -> str:
    """Return the text of a file; raise `CommandError` if it is not UTF-8."""
    try:
        data = sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise CommandError(f"{place}: {error}") from error
