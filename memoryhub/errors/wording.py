"""Texts of the machine's failures (`memoryhub.errors.hindrances`), with remedies."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

HINDRANCES = {
    "database-locked": gettext_lazy(
        "another program is using the database: try again in a moment"
    ),
    "database-slow": gettext_lazy(
        "this took too long and was stopped: try a narrower request"
    ),
    "database-full": gettext_lazy(
        "there is no space left for the database: free some on its disk"
    ),
    "database-readonly": gettext_lazy(
        "the database cannot be written: its folder or its disk is read-only"
    ),
    "database-unreachable": gettext_lazy(
        "the database cannot be opened: see who may read and write its folder"
    ),
    "database-failing": gettext_lazy(
        "the disk does not read or write the database: see whether it is full, failing"
        " or gone"
    ),
    "database-damaged": gettext_lazy(
        "the database is damaged: “memoryhub doctor --repair” makes a new one from what"
        " is readable, “memoryhub restore” brings back a backup"
    ),
    "disk-full": gettext_lazy("there is no space left on the disk: free some"),
    "disk-readonly": gettext_lazy(
        "the disk is read-only: mount it so that the hub can write"
    ),
    "disk-refused": gettext_lazy(
        "the system does not permit it: see who may read and write there"
    ),
    "disk-failing": gettext_lazy(
        "the disk does not answer: see whether it is mounted and sound"
    ),
    "system-busy": gettext_lazy(
        "the system is short of a resource: try again in a moment"
    ),
}
