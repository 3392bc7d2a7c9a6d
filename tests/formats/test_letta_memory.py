from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from memoryhub.dialects import letta_memory
from memoryhub.dialects.registry import detect
from memoryhub.journal.models import SourceFile, Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

SAMPLES = Path(letta_memory.__file__).parent / "samples"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


BLOCK = "---\ndescription: x\nlimit: 1\n---\nText.\n"
OTHER = "---\ndescription: x\ntags: [a]\n---\nText.\n"
BARE = "## 10:00 Mooring\n\nText.\n"
FOLDER = ".letta/agents/agent-1/memory"


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (f"{FOLDER}/system/human.md", BLOCK, "letta_memory"),
        (f"{FOLDER}/notes/2026-05-01.md", OTHER, "letta_memory"),
        (f"{FOLDER}/skills/tide/SKILL.md", OTHER, "instructions"),
        (f"{FOLDER}/MEMORY.md", "# Index\n", "memory_index"),
        ("memory/system/project/tooling.md", BLOCK, "letta_memory"),
        ("memory/reference/moorings.md", BLOCK, "letta_memory"),
        ("memory/system/human.md", OTHER, "plain"),
        ("memory/system/human.md", "---\nlimit: 1\n---\nText.\n", "plain"),
        ("memory/human.md", BLOCK, "plain"),
        ("memory/system/human.md", "---\ndescription: x\n---\nText.\n", "plain"),
        ("memory/system/2026-05-01.md", BARE, "daily_log"),
        ("docs/system/human.md", BLOCK, "plain"),
    ],
)
def test_its_place_and_its_fields_tell_it(path: str, text: str, name: str) -> None:
    assert detect(PurePosixPath(path), text).name == name


def test_a_block_is_a_topic_by_its_label(workspace: Workspace) -> None:
    say(
        workspace,
        {
            f"{FOLDER}/system/human.md": sample("human.md"),
            f"{FOLDER}/system/persona/tone.md": sample("crlf.md"),
            f"{FOLDER}/reference/moorings.md": sample("moorings.md"),
            f"{FOLDER}/reference/crew.md": sample("folded.md"),
        },
    )

    assert {*SourceFile.objects.values_list("format", "role")} == {
        ("letta_memory", "memory")
    }
    assert dict(Topic.objects.values_list("name", "status")) == {
        "human": "What I know about the person I work with",
        "persona/tone": "Tone",
        "reference/moorings": "Moorings: who holds which, and until when",
        "reference/crew": "How the crew wants to be spoken to",
    }
    item = OpenItem.objects.get()
    assert item.text == "ask her which harbour comes first"
    assert not LogEntry.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)
