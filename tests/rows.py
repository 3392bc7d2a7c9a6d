"""Record all rows that imports give: `python -m tests.rows FILE [--against FILE]`.

Samples, labelled workspaces, recorded inputs and a seeded walk over every dialect are
imported into a fresh database. With `--against` it prints how the rows differ from
those of an earlier record, and ends with 1 if they do.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django
import time_machine

from tests.clock import TODAY
from tests.every_dialect import Changer, write_every_dialect

_TESTS = Path(__file__).parent
_STEPS, _BETWEEN_SYNCS = 400, 8


def _sources() -> Iterator[tuple[str, Path]]:
    for folder in sorted((_TESTS.parent / "samples").glob("*/")):
        yield folder.name, folder
    for folder in sorted(_TESTS.glob("labelled/*/*/")):
        yield f"{folder.parent.name}-{folder.name}", folder


def _write_recorded(value: Any, root: Path, seen: list[int]) -> None:
    """Write every recorded text with several lines as a topic, a log and a note."""
    if isinstance(value, str) and "\n" in value:
        seen.append(len(seen))
        day = f"{2000 + len(seen) // 300}-{len(seen) // 25 % 12 + 1:02}"
        kinds = [f"context-{len(seen)}.md", f"{day}-{len(seen) % 25 + 1:02}.md"]
        name = [*kinds, f"note-{len(seen)}.md"][len(seen) % 3]
        (root / "memory" / name).write_text(value, "utf-8", "replace")
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _write_recorded(each, root, seen)


def _record(name: str, root: Path, steps: int = 0) -> dict[str, Any]:
    """Import a folder, change it at random and import again; return all its rows."""
    from memoryhub.sync.engine import sync_workspace
    from memoryhub.workspaces.services.adding import add_workspace
    from tests.projected import projected_rows

    workspace = add_workspace(root)
    workspace.uuid = uuid.uuid5(uuid.NAMESPACE_URL, name)
    workspace.save()
    changer = Changer(root, 7)
    for step in range(0, steps + 1, _BETWEEN_SYNCS):
        for path in root.rglob("*"):
            seconds = TODAY.timestamp() - 1000 + step
            os.utime(path, (seconds, seconds))
        sync_workspace(workspace)
        workspace.refresh_from_db()
        for _ in range(_BETWEEN_SYNCS if step < steps else 0):
            changer.change()
    return dict(projected_rows(workspace))


def main() -> int:
    """Record the rows; return 1 if they differ from those of the other record."""
    parser = argparse.ArgumentParser(prog="python -m tests.rows")
    parser.add_argument("file", type=Path)
    parser.add_argument("--against", type=Path)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, time_machine.travel(TODAY, tick=False):
        os.environ["MEMORYHUB_DATA"] = f"{folder}/hub"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
        django.setup()
        # Models can be imported only now.
        from memoryhub.database.schema import ensure_schema

        ensure_schema()
        found = {}
        for name, source in _sources():
            root = Path(folder, "workspaces", name)
            shutil.copytree(source, root)
            found[name] = _record(name, root)
        root = Path(folder, "workspaces", "recorded")
        (root / "memory").mkdir(parents=True)
        seen: list[int] = []
        for program in sorted((_TESTS / "conformance").glob("*.json")):
            _write_recorded(json.loads(program.read_bytes()), root, seen)
        found["recorded"] = _record("recorded", root)
        root = Path(folder, "workspaces", "walk")
        write_every_dialect(root)
        found["walk"] = _record("walk", root, _STEPS)
        text = json.dumps(found, default=str, indent=0, sort_keys=True)
        asked.file.write_text(text.replace(folder, ""), "utf-8")
    return _compare(asked.file, asked.against) if asked.against else 0


def _compare(file: Path, against: Path) -> int:
    from tests.projected import differences

    one, other = (json.loads(each.read_text("utf-8")) for each in (against, file))
    found = [
        f"{name}: {each}"
        for name in one
        for each in differences(one[name], other[name])
    ]
    sys.stdout.write("\n".join([*found, f"{len(found)} differences\n"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
