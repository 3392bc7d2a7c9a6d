"""One real server for the tests of limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.hub import running_hub


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
