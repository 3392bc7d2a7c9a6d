"""``memoryhub backup``: one verified file of everything the hub knows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.backups.contents import Unsound
from memoryhub.backups.ledger import Taken
from memoryhub.backups.taking import Exists, Wish, take_backup
from memoryhub.database.schema import hub_source
from memoryhub.management.command import HubCommand
from memoryhub.management.passphrases import (
    add_passphrase_arguments,
    passphrase_for_writing,
)


class Command(HubCommand):
    help = (
        "Write one file with the database as of this moment, the secret key, what"
        " waits in the spool and uploaded workspaces, and verify it. The hub may run."
    )
    drains = False
    example = "memoryhub backup /mnt/backups --keep 7"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "to",
            nargs="?",
            metavar="TO",
            default=str(settings.MEMORYHUB_BACKUP_DIR),
            help="a folder, or a file that ends in .tar.gz (default: %(default)s)",
        )
        parser.add_argument(
            "--keep",
            type=int,
            default=0,
            metavar="N",
            help="remove this hub's older backups in the folder but for N",
        )
        add_passphrase_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        if options["keep"] < 0:
            raise CommandError("--keep is a number from 0", returncode=2)
        wish = Wish(
            Path(options["to"]).expanduser(),
            passphrase_for_writing(options),
            options["keep"],
        )
        try:
            taken = take_backup(hub_source(), wish, timezone.now)
        except Unsound as error:
            raise CommandError(f"{error}: memoryhub doctor --repair") from error
        except (Exists, OSError, sqlite3.Error) as error:
            raise CommandError(f"no backup was taken: {error}") from error
        if options["json"]:
            self.give(as_json(taken))
        else:
            sealed = ", encrypted" if taken.encrypted else ""
            self.say(
                f"{taken.path}: {taken.size / 1_000_000:.1f} MB{sealed},"
                f" {taken.files} files, verified"
            )
        return 0


def as_json(taken: Taken) -> dict[str, Any]:
    """Return a backup as JSON data."""
    return {
        "path": str(taken.path),
        "at": taken.at.isoformat(),
        "bytes": taken.size,
        "files": taken.files,
        "encrypted": taken.encrypted,
        "verified_at": taken.verified_at.isoformat(),
    }
