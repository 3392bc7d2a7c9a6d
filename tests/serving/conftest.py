"""Real servers: one for the tests of limits, one with notes for each module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.hub import prepare_hub, running_hub, serving_hub


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a hub with one workspace, `small`."""
    folder: Path = tmp_path_factory.mktemp("limits")
    memory = folder / "small/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMORYHUB_CLIENT_SECONDS", "4")
        patched.setenv("MEMORYHUB_ANSWER_SECONDS", "4")
        with running_hub(folder, [folder / "small"]) as address:
            yield address


@pytest.fixture(scope="module")
def notes_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of `notes_hub`: its data, and the workspace `notes`."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "notes").mkdir()
    (folder / "notes/MEMORY.md").write_text("# Index\n\n- only mine\n")
    prepare_hub(folder, [folder / "notes"])
    return folder


@pytest.fixture(scope="module")
def notes_hub(notes_folder: Path) -> Iterator[str]:
    """Return the address of a real hub, which the tests of one module may change."""
    with serving_hub(notes_folder) as address:
        yield address
