"""The words of the hub's own grammars, anywhere in a file: no reader fails on them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path, PurePosixPath
from random import Random

import pytest

import memoryhub.formats
import memoryhub.prose
from memoryhub.dialects.registry import parse
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Problem
from memoryhub.sync.engine import sync_workspace
from snapshots.models import OpenItem
from tests.conftest import MakeWorkspace
from tests.every_dialect import write_every_dialect
from tests.writing import assert_a_rebuild_changes_nothing

_READERS = tuple(Path(*p.__path__) for p in (memoryhub.formats, memoryhub.prose))
#: Parts of a pattern that are no plain words.
_OPERATORS = re.compile(
    r"\\[a-zA-Z]|\[[^\]]*\]|\(\?[a-zA-Z]*[:<!=]*(?:\w+>)?|[()|^$*+?{}\\]"
)
_STARTS = ("", "", "- ", "- [ ] ", "- [x] ", "1. ", "> ", "| ", "  ", "# ", "## ", "**")
_ENDS = ("", "", ":", ": x", "`", "**", ".", "  ", "\r", " |", " -->")


@cache
def own_words() -> tuple[str, ...]:
    """Return the texts in the code and data of the readers, and words of patterns."""
    found = set()
    for path in (file for folder in _READERS for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value[:300], *_OPERATORS.split(node.value)}
    for path in _READERS[1].glob("*.toml"):
        found |= {*re.findall(r'"([^"]+)"', path.read_text("utf-8"))}
    words = {word.encode("utf-8", "ignore").decode() for word in found}
    return tuple(sorted(word for word in words if word.strip()))


def with_own_words(text: str, chance: Random) -> str:
    """Return a text with lines of the hub's words in it, or of them alone."""
    lines = text.split("\n") if chance.random() < 0.7 else [""]
    for _ in range(chance.randrange(1, 12)):
        words = chance.choices(own_words(), k=chance.randrange(1, 4))
        line = chance.choice(("", " ", ": ", "`", "\n")).join(words)
        line = chance.choice(_STARTS) + line + chance.choice(_ENDS)
        lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def read(path: PurePosixPath, text: str) -> None:
    """Read a text as all importers do."""
    try:
        document = parse(path, text)
    except FormatError:
        return
    assert document.text == text
    document.statements()
    assert list(document.entries_from()) or not document.entry_lines()
    assert [*document.facts(path)] == [*document.facts(path)]


@pytest.mark.parametrize("seed", range(5))
def test_no_reader_fails_on_the_hubs_own_words(tmp_path: Path, seed: int) -> None:
    write_every_dialect(tmp_path, small=True)
    chance = Random(seed)
    for place in sorted(p for p in tmp_path.rglob("*") if p.is_file()):
        sample = place.read_bytes().decode("utf-8", "replace")
        path = PurePosixPath(place.relative_to(tmp_path))
        for _ in range(3):
            text = with_own_words(sample, chance)
            try:
                read(path, text)
            except Exception as error:
                pytest.fail(f"{path}: {error!r}: {text!r}")


def test_all_files_with_the_hubs_own_words_are_imported(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    write_every_dialect(workspace_root, small=True)
    chance = Random(1)
    for place in sorted(p for p in workspace_root.rglob("*") if p.is_file()):
        text = place.read_bytes().decode("utf-8", "surrogateescape")
        text = with_own_words(text, chance)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))
    workspace = make_workspace(workspace_root)

    sync_workspace(workspace)

    assert not Problem.objects.filter(code_name="not-imported").exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_title_that_only_resembles_a_task_group_blinds_no_reader(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    index = workspace_root / "MEMORY.md"
    index.write_text(
        "# Memory\n\nA line that mentions `# Task Group: x` in a sentence.\n\n"
        "## Task Group: api\n\n- [ ] Write the limits page\n"
    )
    workspace = make_workspace(workspace_root)

    sync_workspace(workspace)

    items = OpenItem.objects.filter(workspace=workspace).values_list("text", flat=True)
    assert [*items] == ["Write the limits page"]
    assert not Problem.objects.exists()
