"""An agent of a simulated crew that works with files alone: it never calls the hub.

``python -m bench.crew_hands FOLDER NAME NAMES``: it takes the reads that are for it by
lines of their logs, and adds results. Its ledger has what it wrote, as calls that were
accepted when they were written.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from bench.crew_calls import Call, Ledger
from bench.crew_files import HandoffFile, read_handoffs
from bench.crew_hub import Place

#: The name of the agent; nobody sends it anything but reads.
SCRIBE = "scribe"
#: Seconds between two looks at the files.
_LOOK = 0.5


def main(arguments: list[str]) -> int:
    """Work until everybody has sent all and nothing is left to do."""
    folder, full_name, names = arguments
    place = Place(Path(folder), tuple(dict.fromkeys(_slugs(names))))
    slug, _, name = full_name.partition("/")
    ledger = Ledger(place.ledgers / f"{name}.jsonl")
    ledger.begin()
    roots = {slug: place.roots[slug]}
    while True:
        over = _all_sent(place, full_name, names.split(","))
        found = read_handoffs(roots).values()
        mine = [file for file in found if file.recipient == name]
        for file in (file for file in mine if file.state in ("open", "in_progress")):
            _work_on(roots[slug], file, name, ledger)
        left = any(file.state not in ("done", "failed", "withdrawn") for file in found)
        if over and not left:
            return 0
        sleep(_LOOK)


def _slugs(names: str) -> list[str]:
    return [name.partition("/")[0] for name in names.split(",")]


def _all_sent(place: Place, full_name: str, names: list[str]) -> bool:
    files = (place.ledgers / f"{name.replace('/', '.')}.sent" for name in names)
    (place.ledgers / f"{full_name.replace('/', '.')}.sent").touch()
    return all(file.exists() for file in files)


def _work_on(root: Path, file: HandoffFile, name: str, ledger: Ledger) -> None:
    """Take a read and report its result, each by lines at the end of the file."""
    path = root / f"memory/handoffs/{file.task_id}.md"
    if file.state == "open":
        _write(path, f"- {_now()} {name}: taken\n")
        _note(ledger, file, name, "handoff_take", {})
    key = f"{name}-{len(ledger.calls):05d}"
    block = f"<r>\n<task_id>{file.task_id}</task_id>\n<status>done</status>\n"
    _write(path, f"{block}<o>by hand</o>\n</r>\n- {_now()} {name}: done -- {key}\n")
    _note(ledger, file, name, "handoff_report", {"status": "done"})


def _write(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _note(
    ledger: Ledger, file: HandoffFile, name: str, tool: str, more: dict[str, str]
) -> None:
    now, key = monotonic(), f"{name}-{len(ledger.calls):05d}"
    request = {"task_id": file.task_id, "by": "hand", **more}
    ledger.note(Call(name, key, tool, request, now, now, 200, {}, file.slug))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
