"""Facts about the sample workspaces that hold without the application."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[1] / "samples"
ACME = SAMPLES / "acme-checkout"

SECTIONS = [
    "Active Goal",
    "Current State",
    "Files In Play",
    "Decisions Made",
    "Code Context",
    "Key Names & Values",
    "Blockers & Open Questions",
    "Next Steps",
]

_SNAPSHOT = re.compile(
    r"^<!-- BIG-MEMORY-SNAPSHOT v1 -->$(.*?)^<!-- /BIG-MEMORY-SNAPSHOT -->$",
    re.MULTILINE | re.DOTALL,
)
_SECTION = re.compile(r"^### \[SNAPSHOT\] (.+)$", re.MULTILINE)
_SNAPSHOT_ID = re.compile(r"<!-- snapshot-id: (\S+) -->")
_POINTER = re.compile(r" → (\S+)$", re.MULTILINE)


def _snapshots(root: Path) -> list[tuple[Path, str]]:
    logs = sorted(root.rglob("*.md"))
    return [(p, s) for p in logs for s in _SNAPSHOT.findall(p.read_text("utf-8"))]


def _items(path: Path, section: str) -> list[str]:
    body = path.read_text("utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    return [line for line in body.split("\n") if line.startswith("- ")]


@pytest.mark.parametrize("name", ["acme-checkout", "two-languages"])
def test_every_snapshot_has_the_eight_sections_in_order(name: str) -> None:
    snapshots = _snapshots(SAMPLES / name)

    assert snapshots
    for path, text in snapshots:
        assert _SECTION.findall(text) == SECTIONS, path


def test_snapshot_ids_count_up_within_their_day() -> None:
    ids: dict[str, list[str]] = {}
    for path, text in _snapshots(ACME):
        ids.setdefault(path.stem, []).extend(_SNAPSHOT_ID.findall(text))

    for day, found in ids.items():
        assert sorted(found) == [f"{day}-{n:02}" for n in range(1, len(found) + 1)]


def test_the_json_of_the_samples_parses() -> None:
    for path in sorted(SAMPLES.glob("[!n]*/**/*.json")):
        assert isinstance(json.loads(path.read_bytes()), dict), path


def test_bindings_point_to_topics_that_exist() -> None:
    bindings = json.loads((ACME / "memory/context-session-map.json").read_bytes())

    assert len(bindings) == 11
    for topic in bindings.values():
        assert (ACME / f"memory/context-{topic}.md").is_file()


def test_one_topic_is_at_each_limit_of_the_agents() -> None:
    billing = ACME / "memory/context-billing-migration.md"
    redesign = ACME / "memory/context-api-redesign.md"

    assert len(_items(billing, "Key Decisions")) == 20
    assert len(_items(redesign, "History")) == 30


def test_the_index_is_near_its_budget_and_one_pointer_is_broken() -> None:
    index = (ACME / "MEMORY.md").read_text("utf-8")
    targets = _POINTER.findall(index)

    assert len(index) // 4 == 742
    assert max(map(len, index.split("\n"))) <= 150
    assert [t for t in targets if not (ACME / t).is_file()] == [
        "memory/context-search.md"
    ]


def test_the_same_decision_stands_in_a_topic_a_snapshot_and_the_log() -> None:
    topic = (ACME / "memory/context-api-redesign.md").read_text("utf-8")
    decisions = (ACME / "memories/decisions.md").read_text("utf-8")
    snapshots = "".join(text for _, text in _snapshots(ACME))

    for decision in (
        "Use event-driven webhooks over polling",
        "Retry with full jitter, 6 attempts",
        "Persist every delivery attempt",
        "Consumers poll /v2/events every 60 s",
    ):
        assert decision in topic
        assert decision in decisions
        assert decision in snapshots


def test_the_awkward_workspace_can_be_written(tmp_path: Path) -> None:
    script, target = SAMPLES / "make_nasty.py", tmp_path / "nasty"

    subprocess.run([sys.executable, script, target], check=True, timeout=60)

    names = [name for _, _, files in os.walk(target) for name in files]
    assert len(names) > 100
    assert (target / "memory/utf16.md").read_bytes().startswith(b"\xff\xfe")
