"""``memoryhub add PATH``: register a workspace."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.database.founding import found_new_hub
from memoryhub.database.schema import hub_source
from memoryhub.errors.terminal import quoted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import HubCommand
from memoryhub.workspaces.services.adding import (
    add_workspace,
    is_known,
    usable_folder,
    workspaces_in,
)
from memoryhub.workspaces.services.moving import moved_here
from memoryhub.workspaces.services.sample import sample_folder


class Command(HubCommand):
    help = "Register an agent's workspace. Its files are read by the next sync."
    example = "memoryhub add ~/.openclaw/workspace --slug main"

    def add_arguments(self, parser: CommandParser) -> None:
        folder = parser.add_mutually_exclusive_group(required=True)
        folder.add_argument("path", nargs="?", help="folder with the memory files")
        folder.add_argument(
            "--sample",
            action="store_true",
            help="add a copy of the sample workspace, with dates moved to end today",
        )
        parser.add_argument("--slug", help="short name in commands and addresses")
        parser.add_argument("--name", help="name shown on pages")
        parser.add_argument(
            "--all",
            action="store_true",
            help="also add the workspaces inside the folder",
        )
        parser.add_argument(
            "--new",
            action="store_true",
            help="begin a new hub where one was lost, or a new workspace where the"
            " folder looks like that of one that moved",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def begins(self, options: dict[str, Any]) -> bool:
        return True

    def prepare(self, options: dict[str, Any]) -> None:
        source = hub_source()
        if options["new"] and (aside := found_new_hub(source.database, source.data)):
            self.complain(f"what was left of the old hub lies in {aside}")
        super().prepare(options)

    def work(self, **options: Any) -> int:
        path = sample_folder() if options["sample"] else options["path"]
        if not options["new"]:
            self._refuse_moved(path)
        inner = workspaces_in(path)
        workspace = add_workspace(path, slug=options["slug"], name=options["name"])
        added = [add_workspace(path) for path in inner] if options["all"] else []
        if options["json"]:
            self.give(_described(workspace, inner, added))
            return 0
        for each in [workspace, *added]:
            self.say(f"{each.slug}: {quoted(each.root)}")
        if inner and not added:
            self.say("It holds workspaces of their own, which are left out of it:")
            for path in inner:
                self.say(f"  memoryhub add {shlex.quote(str(path))}")
            self.say("or all of them at once: memoryhub add --all")
        return 0

    def _refuse_moved(self, path: Path | str) -> None:
        root = usable_folder(path)
        if (moved := moved_here(root)) and not is_known(root):
            raise CommandError(
                f"these look like the files of {moved.slug}, whose folder is not there:"
                f" memoryhub move {moved.slug} {quoted(str(root))} keeps its history;"
                " memoryhub add --new makes another workspace"
            )


def _described(
    workspace: Workspace, inner: list[Path], added: list[Workspace]
) -> dict[str, Any]:
    return {
        "workspace": workspace.slug,
        "name": workspace.name,
        "root": workspace.root,
        "uuid": str(workspace.uuid),
        "inner": [str(path) for path in inner],
        "added": [each.slug for each in added],
    }
