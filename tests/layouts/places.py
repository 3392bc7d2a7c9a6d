"""Where each layout lies in a home folder, and what its files tell of."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent
#: Before noon of a day that no file names; files have no other time.
CHANGED = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


class Layout(NamedTuple):
    """A layout: its folder, and words that pages must show."""

    place: str
    overview: str
    day: str
    agent: str


LAYOUTS = {
    "openclaw": Layout(
        ".openclaw/workspace",
        "Ruth fragen, welche Heizmatten bestellt werden",
        "Elf neue Bestellungen",
        "Fennel",
    ),
    "claude_memory": Layout(
        ".claude/projects/-srv-harbour-map/memory",
        "a mocked feed hid the broken checksum",
        "Nothing is deployed between",
        "claude",
    ),
    "claude_agents": Layout(
        ".claude/agent-memory",
        "still uses floats",
        "Never raise the timeout",
        "reviewer",
    ),
    "codex": Layout(
        ".codex/memories",
        "Wind sensor drops samples",
        "Raised the serial buffer from 512 to 4096 bytes",
        "codex",
    ),
    "memory_bank": Layout(
        "src/biblioteca",
        "Enviar os avisos por uma fila",
        "Os leitores esquecem a data",
        "cline",
    ),
    "serena": Layout(
        "src/tram-board/.serena/memories",
        "shows departures of a stop",
        "No floats in the renderer",
        "serena",
    ),
    "basic_memory": Layout(
        "basic-memory", "Relevé du four", "Consommation de la nuit", "archiviste"
    ),
    "daily_notes": Layout("notes", "联系 302 和 504", "还有两户没有联系上", "小舟"),
    "adr_spec": Layout(
        "src/meters",
        "store readings in one SQLite",
        "Readings arrive every minute",
        "planner",
    ),
    "handoff_notes": Layout(
        "src/refugio",
        "Publicar el mapa en la página",
        "Falta el permiso para la foto",
        "cartógrafa",
    ),
}


def lay_out(name: str, home: Path) -> Path:
    """Copy a layout to its place in a home folder; return that place."""
    root = home / LAYOUTS[name].place
    shutil.copytree(_FOLDER / name, root)
    at = CHANGED.timestamp()
    for path in root.rglob("*.md"):
        os.utime(path, (at, at))
    return root
