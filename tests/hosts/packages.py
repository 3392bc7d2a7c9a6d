"""Published packages of npm, installed once below build/."""

from __future__ import annotations

import subprocess
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "build/hosts"
_INSTALL = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")


def installed(*packages: str) -> Path:
    """Return the folder in which these packages are, each named with its version."""
    folder = _FOLDER / "node_modules"
    missing = [p for p in packages if not (folder / p.rpartition("@")[0]).is_dir()]
    if missing:
        _FOLDER.mkdir(parents=True, exist_ok=True)
        manifest = _FOLDER / "package.json"
        if not manifest.exists():
            manifest.write_text("{}")  # or npm takes one further up
        subprocess.run([*_INSTALL, *missing], cwd=_FOLDER, check=True)
    return folder
