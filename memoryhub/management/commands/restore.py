"""``memoryhub restore FILE``: restore the hub from a backup."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memoryhub.audit.origins import Door, Origin
from memoryhub.audit.recording import fact_of, wait
from memoryhub.backups.archive import Manifest, NeedsPassphrase
from memoryhub.backups.contents import Unsound
from memoryhub.backups.restoring import (
    Refused,
    refuse_other,
    restore,
    verify,
)
from memoryhub.backups.sealing import Damaged, WrongPassphrase, is_sealed
from memoryhub.database.schema import known_migrations
from memoryhub.errors.terminal import counted, quoted
from memoryhub.management.command import HubCommand, is_confirmed
from memoryhub.management.commands.backup import (
    add_passphrase_arguments,
    passphrase_for_reading,
)
from memoryhub.people.roles import OPERATOR


class Command(HubCommand):
    help = (
        "Verify a backup and restore the hub from it, into an empty folder, or with"
        " --replace over a hub that is moved aside. Workspaces are not written; the"
        " next sync imports what changed since."
    )
    alone = True
    example = "memoryhub restore memoryhub-20261122T090000Z.tar.gz"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="backup file")
        parser.add_argument(
            "--to",
            metavar="DIR",
            default=str(settings.MEMORYHUB_DATA),
            help="data folder to restore into (default: %(default)s)",
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only verify the backup; write nothing",
        )
        parser.add_argument(
            "--replace",
            action="store_true",
            help="move the existing hub aside, into a folder inside the data folder",
        )
        parser.add_argument(
            "--yes", action="store_true", help="do not ask for confirmation"
        )
        add_passphrase_arguments(parser, writing=False)
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def handle(self, *args: Any, **options: Any) -> None:
        # Without `prepare`: there may be no database.
        try:
            self.work(**options)
        except (Refused, NeedsPassphrase, WrongPassphrase) as error:
            raise CommandError(str(error)) from error
        except (Damaged, Unsound) as error:
            reason = f"{options['file']} cannot be restored: {error}"
            raise CommandError(reason) from error
        except (OSError, sqlite3.Error) as error:
            raise CommandError(f"nothing was restored: {error}") from error

    def work(self, **options: Any) -> int:
        file = Path(options["file"]).expanduser()
        data = Path(options["to"]).expanduser().resolve()
        if not options["check"] and data.is_dir():
            refuse_other(data, replace=options["replace"])
        with file.open("rb") as opened:
            sealed = is_sealed(opened.read(64))
        passphrase = passphrase_for_reading(options) if sealed else ""
        if options["check"]:
            manifest = verify(file, passphrase)
            self._print_manifest(file, manifest, as_json=options["json"])
            return 0
        known = known_migrations()

        def agreed(roots: tuple[tuple[str, str], ...]) -> bool:
            for slug, root in () if options["json"] else roots:
                self.say(f"  {slug}: {quoted(root)}")
            return options["yes"] or is_confirmed("Restore a hub of these folders?")

        restored = restore(
            file,
            data,
            passphrase,
            replace=options["replace"],
            known_migrations=known,
            agreed=agreed,
        )
        origin = Origin(Door.COMMAND, OPERATOR, command="restore")
        wait(data, [fact_of("backup.restored", subject=file.name, origin=origin)])
        self._print_result(restored, as_json=options["json"])
        return 0

    def _print_manifest(self, file: Path, manifest: Manifest, *, as_json: bool) -> None:
        if as_json:
            names = ("version", "schema", "data", "workspaces")
            self.give(
                {
                    "made_at": manifest.facts["made_at"],
                    "bytes": file.stat().st_size,
                    "files": len(manifest.members),
                    "unpacked_bytes": manifest.room,
                    **{name: manifest.facts.get(name) for name in names},
                }
            )
            return
        made = _moment(manifest.facts["made_at"])
        files = counted(len(manifest.members), "file")
        size = f"{manifest.room / 1e6:,.1f} MB"
        self.say(f"{file}: sound, of {made}, {files}, unpacked {size}")
        for each in manifest.facts["workspaces"]:
            self.say(
                f"  {each['workspace']}: {quoted(each['root'])},"
                f" {each['journal_entries']} journal entries"
            )

    def _print_result(self, restored: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.give(restored)
            return
        made = _moment(restored["made_at"])
        self.say(f"Restored as of {made} into {restored['data']}")
        if aside := restored["set_aside"]:
            self.say(f"What was there lies in {aside}")
        if withdrawn := restored["withdrawn_operations"]:
            self.say(f"{withdrawn} half-done operations were withdrawn")
        if waiting := restored["events_put_aside"]:
            self.say(
                f"{waiting} events that waited were put aside:"
                " memoryhub doctor lists them"
            )
        self.say("Now: memoryhub sync, or memoryhub serve")


def _moment(text: str) -> str:
    return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M} UTC"
