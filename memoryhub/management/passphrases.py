"""Sources of a backup's passphrase: never a command's arguments.

Arguments of a process can be read by every user of a computer.
"""

from __future__ import annotations

import os
import sys
from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

VARIABLE = "MEMORYHUB_BACKUP_PASSPHRASE"
FILE_VARIABLE = "MEMORYHUB_BACKUP_PASSPHRASE_FILE"


def add_passphrase_arguments(parser: CommandParser, *, writing: bool = True) -> None:
    """Add the options for a passphrase."""
    parser.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=f"the passphrase is the first line of this file (else {VARIABLE})",
    )
    if writing:
        parser.add_argument(
            "--encrypt",
            action="store_true",
            help="encrypt it; asks for a passphrase where none is given otherwise",
        )


def passphrase_for_writing(options: dict[str, Any]) -> str:
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
