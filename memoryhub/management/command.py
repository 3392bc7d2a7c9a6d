"""Base of all commands: schema check, JSON output, exit codes, progress bar."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import shutil
import sqlite3
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO, Unpack

from django.conf import settings
from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    OutputWrapper,
)
from django.core.management.color import make_style, no_style
from django.db import DatabaseError
from django.utils.module_loading import import_string

from memoryhub.audit.origins import Door, Origin, entered
from memoryhub.audit.recording import FAILED, Details, fact_of, record_after, wait
from memoryhub.database.data_folder import DataFolderUnusable, copy_to_read
from memoryhub.database.durability import sync_commits
from memoryhub.database.founding import NoHub
from memoryhub.database.schema import OtherVersion, ensure_schema, hub_source
from memoryhub.disk.files import FileError
from memoryhub.errors.hindrances import hindrance_of
from memoryhub.errors.terminal import json_text, lines, one_line, quoted
from memoryhub.forgetting.forgettings import carry_out_due
from memoryhub.formats.base import FormatError
from memoryhub.hooks.spool import Spool, is_empty
from memoryhub.journal.blobs import NoBytes
from memoryhub.journal.models import Workspace
from memoryhub.management.standing import current_folder
from memoryhub.people.policy import (
    NoSuchWorkspace,
    workspace_for_operator,
    workspace_of_folder,
    workspaces,
)
from memoryhub.people.roles import OPERATOR
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.engine import WorkspaceGone
from memoryhub.sync.export import TargetNotEmpty
from memoryhub.web.kit.labels import problem_text
from memoryhub.workspaces.services.adding import BeingRemoved, NotAFolder, SlugTaken
from memoryhub.workspaces.services.moving import PathTaken

#: Exit codes: 0 success; 1 failure; 2 wrong command line (argparse); and:
CONFLICT = 3
#: Handler of spooled hook events, imported on demand: it loads all tools.
_HUB = "memoryhub.hooks.delivery.OperatorsHub"
#: Time limit of their delivery before a command's own work, in seconds.
_PATIENCE = 5.0
_log = logging.getLogger(__name__)

_EXPECTED = (
    NoSuchWorkspace,
    BeingRemoved,
    NotAFolder,
    PathTaken,
    SlugTaken,
    WorkspaceGone,
    TargetNotEmpty,
    FileError,
    NoBytes,
    OtherVersion,
    DataFolderUnusable,
    NoHub,
)


class HubCommand(BaseCommand):
    """A command of the hub: `work` does it and returns the exit code.

    Failures that a person can mend are one line on standard error.
    """

    requires_system_checks: list[str] = []
    #: Whether hooks' events spooled without a server are done first.
    drains = True
    #: Whether it only reads, and so works with a read-only data folder.
    reads = False
    #: Options with which it writes all the same.
    writing: tuple[str, ...] = ()
    #: Whether it works without a hub.
    alone = False
    #: Actions or options that only look, of a command that also writes.
    looks: tuple[str, ...] = ()
    #: Whether the audit log has its start, as it runs until it is stopped.
    runs_on = False
    #: Example shown below the help.
    example = ""

    def create_parser(
        self, prog_name: str, subcommand: str, **kwargs: Any
    ) -> CommandParser:
        parser = super().create_parser(
            prog_name,
            subcommand,
            epilog=f"example: {self.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )
        parser.prog = f"memoryhub {subcommand.replace('_', '-')}"
        if parser.description and "\n" not in parser.description:
            width = shutil.get_terminal_size().columns - 2
            parser.description = textwrap.fill(parser.description, width)
        _hide_django_options(parser)
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if not self.alone:
                self.prepare(options)
            with self._audited(options):
                code = self.work(**options)
            if not self.alone and not self.reads:
                sync_commits()
        except Conflict as error:
            raise CommandError(str(error), returncode=CONFLICT) from error
        except FormatError as error:
            raise CommandError(problem_text(error.code, error.parameters)) from error
        except _EXPECTED as error:
            raise CommandError(str(error)) from error
        except (DatabaseError, sqlite3.Error, OSError) as error:
            if hindrance_of(error) is None:
                raise
            raise CommandError(failure_text(error)) from error
        if code:
            sys.exit(code)

    def audited_as(self, options: dict[str, Any]) -> str:
        """Return the action for the audit log; empty for a command that only looks."""
        writes = not self.reads or any(options.get(name) for name in self.writing)
        looks = any(options.get(name) for name in self.looks)
        if not writes or looks or options.get("action") in self.looks:
            return ""
        return f"command.{self.name}"

    @property
    def name(self) -> str:
        """Name as typed."""
        return type(self).__module__.rpartition(".")[2].replace("_", "-")

    @contextmanager
    def _audited(self, options: dict[str, Any]) -> Iterator[None]:
        """Record the command, unless its work leaves entries of its own."""
        action = "" if settings.READ_ONLY_DATA else self.audited_as(options)
        words = [self.name, options.get("action") or options.get("tool") or ""]
        origin = Origin(Door.COMMAND, OPERATOR, command=" ".join(words).strip())
        slug = options.get("workspace")
        named = slug if isinstance(slug, str) else ""
        with entered(origin):
            if action and self.runs_on:
                self._record(action, workspace=named)
            try:
                yield
            except Exception as error:
                if action and not (origin.entries or origin.reads):
                    name = type(error).__name__
                    self._record(action, workspace=named, outcome=FAILED, detail=name)
                raise
            if action and not (origin.entries or origin.reads):
                self._record(action, workspace=named)

    def _record(self, action: str, **fields: Unpack[Details]) -> None:
        """Record an action; without a database at hand it waits in the data folder."""
        if not self.alone:
            record_after(action, **fields)
        elif hub_source().database.exists():
            wait(Path(settings.MEMORYHUB_DATA), [fact_of(action, **fields)])

    def begins(self, options: dict[str, Any]) -> bool:
        """Return whether the command may create the first hub."""
        return False

    def prepare(self, options: dict[str, Any]) -> None:
        """Ensure that a hub of this version exists, and finish pending work."""
        if settings.READ_ONLY_DATA:
            self._prepare_to_read(settings.READ_ONLY_DATA, options)
            return
        ensure_schema(begins=self.begins(options))
        if self.drains:
            Drain()()
        carry_out_due()

    def _prepare_to_read(self, data: Path, options: dict[str, Any]) -> None:
        if not self.reads or any(options.get(name) for name in self.writing):
            raise CommandError(f"{data} is read-only: this command writes there")
        try:
            copy_to_read(data, Path(settings.MEMORYHUB_DATA))
        except OSError as error:
            raise CommandError(f"{data} is read-only, and no copy: {error}") from error
        self.complain(f"{data} is read-only: a copy of it is read")
        ensure_schema(begins=False)

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command line; a failure is one line without its class."""
        # What is loaded stays: collections need not look at it.
        gc.freeze()
        gc.enable()
        # `--traceback` makes Django raise a failure instead of printing it.
        arguments = [*argv[:2], "--traceback", *argv[2:]]
        if code := self._ended(partial(super().run_from_argv, arguments)):
            sys.exit(code)

    def run_for_client(self, options: dict[str, Any], out: TextIO, err: TextIO) -> int:
        """Run the command with a client's output; return the exit code."""
        style = make_style() if out.isatty() else no_style()
        self.style, self.stdout, self.stderr = (
            style,
            OutputWrapper(out),
            OutputWrapper(err),
        )
        self.stderr.style_func = style.ERROR
        try:
            return self._ended(partial(self.execute, **options))
        except SystemExit as ended:
            return int(ended.code or 0)

    def _ended(self, work: Callable[[], object]) -> int:
        """Do work and return the exit code; a failure is one line without its class."""
        try:
            work()
        except CommandError as error:
            self.complain(f"memoryhub: {error}")
            return error.returncode
        except BrokenPipeError:
            # The reader of the output has ended: the console script ends quietly.
            raise
        except Exception as error:
            if settings.DEBUG:
                raise
            self.complain(f"memoryhub: {failure_text(error)}")
            return 1
        return 0

    def work(self, **options: Any) -> int:
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Print one line for people; a line break in it is shown as `\\n`.

        File names in it must be `quoted`.
        """
        self.stdout.write(one_line(text))

    def tell(self, text: str) -> None:
        """Print text from files: unchanged for programs, escaped on a terminal."""
        self.stdout.write(lines(text) if self.stdout.isatty() else text)

    def complain(self, text: str) -> None:
        """Print one line on standard error."""
        self.stderr.write(one_line(text))

    def give(self, value: Any) -> None:
        """Print one line of JSON for programs."""
        text = json.dumps(value, ensure_ascii=False, default=str)
        self.stdout.write(json_text(text))

    def progress(self, label: str) -> Progress:
        """Return a progress bar, which shows only on a terminal."""
        return Progress(label, sys.stderr)


class Drain:
    """Delivery of the hub's spool; nearly free if it is empty.

    `pause`: that of a `Spool`, for repeated calls.
    """

    def __init__(self, *, pause: float = 0.0) -> None:
        self._pause = pause
        self._spool: Spool | None = None

    def __call__(self, *, wait: bool = False) -> Mapping[str, str]:
        """Deliver waiting events; return why some still wait, by place.

        If another process delivers, returns at once unless `wait`. Errors are logged,
        not raised: they must not keep a command from its own work.
        """
        data = Path(settings.MEMORYHUB_DATA)
        try:
            if is_empty(data):
                return {}
            if self._spool is None:
                self._spool = Spool(data, import_string(_HUB)(), pause=self._pause)
            until = None if wait else time.monotonic() + _PATIENCE
            return self._spool.deliver(wait=wait, until=until).reasons
        except BlockingIOError:
            return {}
        except Exception as error:  # it goes on waiting, and the command goes on
            _log.warning("the spool of hooks cannot be worked off: %s", error)
            return {"": str(error)}


def failure_text(error: Exception) -> str:
    """Return a failure as one line, with the remedy if it is known."""
    hindrance = hindrance_of(error)
    if hindrance is not None:
        place = f" ({quoted(hindrance.path)})" if hindrance.path else ""
        return f"{problem_text(hindrance.code, {})}{place}"
    if isinstance(error, OSError):
        return f"it failed: {error}"
    kind = type(error).__name__
    return f"it failed: {kind}: {error}; with MEMORYHUB_DEBUG=1 it says where"


class Progress:
    """A progress bar on a terminal, erased when the work is done."""

    WIDTH = 30

    def __init__(self, label: str, out: TextIO) -> None:
        self._label = label
        self._out = out if out.isatty() else None

    def __call__(self, done: int, total: int, following: str = "") -> None:
        if self._out is None:
            return
        filled = self.WIDTH * done // max(total, 1)
        bar = "█" * filled + "·" * (self.WIDTH - filled)
        self._out.write(f"\r{self._label} {bar} {done} of {total}")
        if done >= total:
            self._out.write("\r\x1b[K")
        self._out.flush()


def add_workspace_argument(parser: CommandParser, *, or_all: bool = False) -> None:
    """Add the optional argument for the workspace's name; without it `or_all`."""
    default = "default: all workspaces" if or_all else "optional if there is only one"
    parser.add_argument(
        "workspace",
        nargs="?",
        metavar="S",
        help=f"short name of the workspace ({default})",
    )


def is_confirmed(question: str) -> bool:
    """Ask a question on a terminal; return whether it was answered with yes."""
    return sys.stdin.isatty() and input(f"{question} [y/N] ").lower() in ("y", "yes")


def workspace_here() -> Workspace | None:
    """Return the workspace that contains the current folder."""
    try:
        return workspace_of_folder(str(current_folder()))
    except OSError:  # the folder was deleted under the shell
        return None


def named_workspaces(slug: str | None) -> list[Workspace]:
    """Return the workspace named on the command line, or all of them."""
    return [workspace_for_operator(slug)] if slug else workspaces()


def _hide_django_options(parser: CommandParser) -> None:
    hidden = {"--settings", "--pythonpath", "--version", "--force-color", "--no-color"}
    hidden |= {"--verbosity", "--traceback"}
    for action in parser._actions:
        if hidden & set(action.option_strings):
            action.help = argparse.SUPPRESS
