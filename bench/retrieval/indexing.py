"""Workspaces indexed in a hub of their own, for measurements in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import django

_CHECKOUT = Path(__file__).parents[2]


def index_folders(folders: Mapping[str, Path], data: Path) -> None:
    """Add folders by their slugs, import and index them, and set up Django."""
    os.environ["MEMORYHUB_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
    for slug, folder in folders.items():
        _manage("add", str(folder), "--slug", slug)
    _manage("sync")
    django.setup()


def _manage(*command: str) -> None:
    manage = str(_CHECKOUT / "manage.py")
    subprocess.run([sys.executable, manage, *command], check=True, capture_output=True)
