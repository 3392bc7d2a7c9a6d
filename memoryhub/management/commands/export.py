"""``memoryhub export``: export a workspace or a part of it as files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.dialects.session_compact.session_memory import render_bundle
from memoryhub.errors.terminal import counted, quoted
from memoryhub.exports.canonical import canonical_files, write_missing
from memoryhub.exports.left_out import LeftOut, left_out
from memoryhub.exports.past import moment_of, run_at, seq_at
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.management.command import CONFLICT, HubCommand, add_workspace_argument
from memoryhub.people.policy import workspace_for_operator
from memoryhub.sync.edit.editing import Unwritten, write_staged
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import (
    ExportFile,
    with_staged,
    workspace_files,
    write_files,
    write_zip,
)
from memoryhub.web.kit.labels import problem_text
from snapshots.exporters import memory_records, snapshot_text
from snapshots.queries.snapshots import snapshots_named
from snapshots.queries.suggestions import training_lines
from topics.models import Topic
from topics.queries.topics import current_topic


class Command(HubCommand):
    help = (
        "Export a workspace as files. Unedited files are exported byte for byte;"
        " staged edits are included, except with --as-of. With --write they are written"
        " into the workspace instead: files in conflict are left unchanged, and the"
        " exit code is 3."
    )
    reads = True
    writing = ("write",)
    example = "memoryhub export main --to ~/backup --as-of 2026-11-01"

    def audited_as(self, options: dict[str, Any]) -> str:
        return "export.write" if options["write"] else "export.files"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser)
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--to", metavar="DIR", help="write into a new or empty folder"
        )
        what.add_argument(
            "--zip", metavar="FILE", help="write a zip file; - is standard output"
        )
        what.add_argument(
            "--write",
            action="store_true",
            help="write staged edits into the workspace",
        )
        what.add_argument("--topic", metavar="NAME", help="print the file of one topic")
        what.add_argument("--snapshot", metavar="ID", help="print one snapshot")
        what.add_argument(
            "--ccw",
            metavar="FILE",
            help="write session memories as ccw's JSON bundle; - is standard output",
        )
        what.add_argument(
            "--verdicts",
            metavar="FILE",
            help="write what was accepted or dismissed of suggestions, as lines to"
            " train the model with; - is standard output",
        )
        parser.add_argument(
            "--canonical",
            action="store_true",
            help="with --to, --zip or --write: one plain form, whatever dialects"
            " the workspace has; with --write only files that do not exist yet",
        )
        parser.add_argument(
            "--as-of",
            metavar="TIME",
            help="as it was then: 2026-11-01 or 2026-11-01T09:30, in the workspace's"
            " time zone",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        workspace = workspace_for_operator(options["workspace"])
        _check(options)
        if options["write"]:
            return self._write(workspace, options)
        if options["topic"] is not None:
            path = _topic(workspace, options["topic"]).file.path
            left: list[Unwritten] = []
            found = [f for f in _files(workspace, options, left) if f.path == path]
            if not found:
                raise CommandError(f"{quoted(path)} was not there then")
            self._print(found[0].data)
            return self._print_left([each for each in left if each.path == path])
        if options["snapshot"] is not None:
            return self._print_snapshot(workspace, options["snapshot"])
        if options["ccw"] is not None or options["verdicts"] is not None:
            return self._give_text(workspace, options)
        if options["as_of"] and options["canonical"]:
            moment = parsed_time(options["as_of"], workspace.time_zone)
            words = ["export", workspace.slug, "--canonical"]
            words += ["--json"] if options["json"] else []
            for name in ("to", "zip"):
                if target := options[name]:
                    whole = target if target == "-" else str(Path(target).expanduser())
                    words += [f"--{name}", whole]
            return run_at(workspace, seq_at(workspace, moment), words)
        return self._give_files(workspace, options)

    def _give_files(self, workspace: Workspace, options: dict[str, Any]) -> int:
        left: list[Unwritten] = []
        written: list[bytes] | None = [] if options["canonical"] else None
        files = self._shown(workspace, _files(workspace, options, left), written)
        target = options["to"] or options["zip"]
        if options["to"]:
            folder = Path(target).expanduser()
            if folder.resolve().is_relative_to(Path(workspace.root)):
                # The next sync would import it.
                raise CommandError(
                    f"{folder} is inside the workspace: name another folder"
                )
            count = write_files(files, folder)
        else:
            with self._opened(target) as out:
                count = write_zip(files, out)
        if target != "-":
            lost = [] if written is None else list(left_out(workspace, written))
            self._print_count(workspace, options, count, target, lost)
        return self._print_left(left)

    def _shown(
        self,
        workspace: Workspace,
        files: Iterable[ExportFile],
        written: list[bytes] | None,
    ) -> Iterator[ExportFile]:
        """Yield files unchanged, with a progress bar; collect their bytes."""
        bar = self.progress(workspace.slug)
        present = SourceFile.objects.filter(workspace=workspace, present=True)
        total = present.count() + 1
        for done, file in enumerate(files):
            bar(min(done, total - 1), total)
            if written is not None:
                written.append(file.data)
            yield file
        bar(total, total)

    def _print_count(
        self,
        workspace: Workspace,
        options: dict[str, Any],
        count: int,
        target: str,
        lost: Sequence[LeftOut] = (),
    ) -> None:
        if options["json"]:
            fields = {"workspace": workspace.slug, "files": count, "target": target}
            named = {"left_out": [file._asdict() for file in lost]}
            self.give(fields | named if options["canonical"] else fields)
            return
        self.say(f"{workspace.slug}: {counted(count, 'file')} in {quoted(target)}")
        for path, lines, of in lost:
            self.say(f"{quoted(path)}: {lines} of {of} lines are not in this form")

    def _write(self, workspace: Workspace, options: dict[str, Any]) -> int:
        if options["canonical"]:
            made, kept = write_missing(workspace, canonical_files(workspace))
            sync_workspace(workspace)
            left = list[Unwritten]()
        else:
            done, left = write_staged(workspace)
            made, kept = list(dict.fromkeys(o.target for o in done)), []
        if options["json"]:
            self.give(
                {
                    "workspace": workspace.slug,
                    "written": made,
                    "kept": kept,
                    "left": [_as_json(each) for each in left],
                }
            )
            return CONFLICT if left else 0
        for path in made:
            self.say(f"{quoted(path)}: written")
        for path in kept:
            self.say(f"{quoted(path)}: left as it is, the workspace has its own")
        if not made and not left:
            self.say(f"{workspace.slug}: nothing waits to be written")
        return self._print_left(left)

    def _print_left(self, left: list[Unwritten]) -> int:
        for each in left:
            self.complain(f"{quoted(each.path)}: not written: {_why(each)}")
        return CONFLICT if left else 0

    def _print_snapshot(self, workspace: Workspace, name: str) -> int:
        found = snapshots_named(workspace, name)
        if not found:
            raise CommandError(f"no snapshot is called {name}")
        self._print(snapshot_text(found[0]).encode())
        return 0

    def _give_text(self, workspace: Workspace, options: dict[str, Any]) -> int:
        """Write session memories as a bundle, or verdicts as lines."""
        if (target := options["ccw"]) is not None:
            records = list(memory_records(workspace))
            text = render_bundle(records, workspace.root, timezone.now())
            count = len(records)
        else:
            target, lines = options["verdicts"], list(training_lines(workspace))
            text, count = "".join(lines), len(lines)
        with self._opened(target) as out:
            out.write(text.encode())
        if target != "-":
            self._print_count(workspace, options, count, target)
        return 0

    @contextmanager
    def _opened(self, target: str) -> Iterator[BinaryIO]:
        """Open a new file, removed again on failure; standard output for "-".

        Raises:
            CommandError: the file exists already, or cannot be written.
        """
        if target == "-":
            yield sys.stdout.buffer
            return
        path = Path(target).expanduser()
        try:
            out = path.open("xb")
        except FileExistsError as error:
            raise CommandError(f"{path} exists already") from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        try:
            with out:
                yield out
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise CommandError(f"{path}: {error.strerror}") from error
            raise

    def _print(self, data: bytes) -> None:
        """Print a file's content: byte for byte, on a terminal escaped."""
        if sys.stdout.isatty():
            self.tell(data.decode("utf-8", "replace"))
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def _check(options: dict[str, Any]) -> None:
    whole = options["to"] or options["zip"]
    if options["canonical"] and not (whole or options["write"]):
        raise CommandError("--canonical goes with --to, --zip or --write")
    if options["as_of"] and not (whole or options["topic"]):
        raise CommandError("--as-of goes with --to, --zip or --topic")


def _files(
    workspace: Workspace, options: dict[str, Any], left: list[Unwritten]
) -> Iterable[ExportFile]:
    if options["canonical"]:
        return canonical_files(workspace)
    if options["as_of"]:
        moment = parsed_time(options["as_of"], workspace.time_zone)
        return workspace_files(workspace, as_of=moment)
    return with_staged(workspace, workspace_files(workspace), left)


def parsed_time(text: str, time_zone: str) -> datetime:
    """Parse the time of `--as-of`.

    Raises:
        CommandError: not a valid time.
    """
    try:
        return moment_of(text, time_zone)
    except ValueError as error:
        example = datetime.now(UTC) - timedelta(days=1)
        raise CommandError(
            f"{text} is no time; write it as {example:%Y-%m-%d} or"
            f" {example:%Y-%m-%dT%H:%M}"
        ) from error


def _topic(workspace: Workspace, name: str) -> Topic:
    found = current_topic(workspace, named=name)
    if found is None:
        raise CommandError(f"no topic is called {name}")
    return found[0]


def _why(left: Unwritten) -> str:
    code = getattr(left.error, "code", "")
    if code:
        return problem_text(code, getattr(left.error, "parameters", {}))
    return str(left.error)


def _as_json(left: Unwritten) -> dict[str, Any]:
    return {
        "path": left.path,
        "why": _why(left),
        "base": getattr(left.error, "base", None),
        "current": getattr(left.error, "current", None),
    }
