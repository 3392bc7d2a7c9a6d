"""``memoryhub backup``: one verified file of everything the hub knows."""

from __future__ import annotations

import os
import sqlite3
import sys
from getpass import getpass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.backups.contents import Unsound
from memoryhub.backups.ledger import BackupEntry
from memoryhub.backups.taking import Exists, Wish, take_backup
from memoryhub.database.schema import hub_source
from memoryhub.errors.terminal import counted
from memoryhub.management.command import HubCommand

# A passphrase is never an argument: every user of a computer can read those.
VARIABLE = "MEMORYHUB_BACKUP_PASSPHRASE"
FILE_VARIABLE = "MEMORYHUB_BACKUP_PASSPHRASE_FILE"


class Command(HubCommand):
    help = (
        "Write the database as of this moment, the secret key, waiting hook events and"
        " uploaded workspaces into one verified file. The hub may be running."
    )
    drains = False
    example = "memoryhub backup /mnt/backups --keep 7"

    def audited_as(self, options: dict[str, Any]) -> str:
        return "backup.taken"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "to",
            nargs="?",
            metavar="TO",
            default=str(settings.MEMORYHUB_BACKUP_DIR),
            help="folder, or file name that ends in .tar.gz (default: %(default)s)",
        )
        parser.add_argument(
            "--keep",
            type=int,
            default=0,
            metavar="N",
            help="keep only the newest N backups of this hub in the folder",
        )
        add_passphrase_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        if options["keep"] < 0:
            raise CommandError("--keep is a number from 0", returncode=2)
        wish = Wish(
            Path(options["to"]).expanduser(),
            _passphrase_for_writing(options),
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
                f" {counted(taken.files, 'file')}, verified"
            )
        return 0


def as_json(taken: BackupEntry) -> dict[str, Any]:
    """Return a backup as JSON data."""
    return {
        "path": str(taken.path),
        "at": taken.at.isoformat(),
        "bytes": taken.size,
        "files": taken.files,
        "encrypted": taken.encrypted,
        "verified_at": taken.verified_at.isoformat(),
    }


def add_passphrase_arguments(parser: CommandParser, *, writing: bool = True) -> None:
    """Add the options for a passphrase."""
    parser.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=f"file whose first line is the passphrase (default: {VARIABLE})",
    )
    if writing:
        parser.add_argument(
            "--encrypt",
            action="store_true",
            help="encrypt the file; prompts for a passphrase if none is set",
        )


def _passphrase_for_writing(options: dict[str, Any]) -> str:
    """Return the passphrase to encrypt with; "" for no encryption.

    Raises:
        CommandError: required but not given, or two that differ.
    """
    given = given_passphrase(options["passphrase_file"])
    if given or not options["encrypt"]:
        return given
    first = _prompted("Passphrase of the backup: ")
    if first != _prompted("Again: "):
        raise CommandError("the two passphrases are not the same")
    return first


def passphrase_for_reading(options: dict[str, Any]) -> str:
    """Return the passphrase of an encrypted backup; prompts for it if not given.

    Raises:
        CommandError: not given, and no terminal to prompt on.
    """
    given = given_passphrase(options["passphrase_file"])
    return given or _prompted("Passphrase of the backup: ")


def given_passphrase(file: str | None) -> str:
    """Return the first line of a file, else the passphrase from the environment.

    Raises:
        CommandError: the file cannot be read, or its first line is empty.
    """
    file = file or os.environ.get(FILE_VARIABLE)
    if not file:
        return os.environ.get(VARIABLE, "")
    try:
        text = Path(file).expanduser().read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror or error}") from error
    lines = text.splitlines()
    if not lines or not lines[0]:
        raise CommandError(f"{file}: its first line is empty")
    return lines[0]


def _prompted(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise CommandError(
            f"a passphrase is needed: --passphrase-file FILE, or {VARIABLE}"
        )
    return getpass(prompt)
