"""Migrations of released versions: hubs have run them, so they never change.

`python -m tests.released` adds those that are new, when a version is released.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("released_migrations.json")


def migrations() -> dict[str, str]:
    """Return the hash of each migration of the source, by its path."""
    packages = ("memoryhub", "topics", "snapshots")
    files = [
        file
        for package in packages
        for file in (ROOT / package).rglob("migrations/[0-9]*.py")
    ]
    return {
        str(file.relative_to(ROOT)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(files)
    }


def released() -> dict[str, str]:
    """Return the hashes at the release of each migration."""
    known: dict[str, str] = json.loads(LIST.read_text())
    return known


if __name__ == "__main__":
    LIST.write_text(json.dumps(migrations() | released(), indent=1) + "\n")
