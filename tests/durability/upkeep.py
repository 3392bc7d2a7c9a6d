"""What a killed hub does with a whole workspace: import, rebuild, backup, forget."""

from __future__ import annotations

from pathlib import Path

from django.db import connection
from django.utils import timezone

from memoryhub.backups.restoring import verify
from memoryhub.backups.taking import Source, Wish, take_backup
from memoryhub.forgetting.forgettings import (
    Target,
    ask,
    carry_on,
    carry_out_due,
    confirm,
    plan,
    take_back,
)
from memoryhub.forgetting.planning import is_empty
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import catch_up, rebuild
from tests.durability.field import LOG, Field, asked, keys, stands_once
from tests.every_dialect import Changer, write_every_dialect


def every_dialect(field: Field) -> None:
    write_every_dialect(field.root, small=True)


def change_files(field: Field, number: int) -> None:
    changer = Changer(field.root, field.chance.randrange(1_000_000))
    for _ in range(6):
        changer.change()


def import_changes(field: Field, number: int) -> None:
    sync_workspace(field.workspace())


def rebuild_rows(field: Field, number: int) -> None:
    workspace = field.workspace()
    if workspace.projected_seq == workspace.last_seq:
        rebuild(workspace)
    else:
        catch_up(workspace)


def backup(field: Field, number: int) -> None:
    for key in keys("backup", number):
        asked(field, "memory_append", key, content=f"- {key}\n", day="2026-11-20")
        database = Path(connection.settings_dict["NAME"])
        wish = Wish(field.data.parent / "backups", keep=5)
        take_backup(Source(field.data, database), wish, timezone.now)


def every_backup_is_whole(field: Field) -> None:
    stands_once(field, LOG)
    backups = list((field.data.parent / "backups").glob("[!.]*"))
    assert backups
    for backup in backups:
        verify(backup)


def _secret_of(number: int) -> str:
    return f"zebra{number * 7919:08d}quagga"


def write_a_secret(field: Field, number: int) -> None:
    with (field.root / LOG).open("a", encoding="utf-8") as log:
        log.write(f"- the word is {_secret_of(number)}, for now\n")


def forget(field: Field, number: int) -> None:
    workspace = field.workspace()
    sync_workspace(workspace)
    carry_out_due()
    forgetting = plan(ask(workspace, Target("text", _secret_of(number)), "operator"))
    if is_empty(forgetting.plan):
        take_back(forgetting)
    else:
        confirm(forgetting, now=True)
        carry_on(forgetting)
    field.acknowledge(f"forget-{number}")


def nowhere_any_more(field: Field) -> None:
    """Read the raw bytes of all files: those of the hub and of the workspace."""
    numbers = [int(key.removeprefix("forget-")) for key in field.acknowledged()]
    secrets = [_secret_of(number).encode() for number in numbers]
    for folder in (field.data, field.root):
        for place in folder.rglob("*"):
            held = place.read_bytes() if place.is_file() else b""
            assert [word for word in secrets if word in held] == [], place
