"""Power cuts: nothing that was answered is missing, and nothing is there twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.hub import empty_hub
from tests.power_cut import CALLS
from tests.warm import python

LOG, TOPIC = "memory/2026-11-20.md", "memory/context-relay.md"
BEGUN = "# 2026-11-20\n\n- begun"


def hub(what: str, data: Path, root: Path, out: Path) -> None:
    """Run `tests.power_cut` in a process of its own, whose syncs are real."""
    command = python("-m", "tests.power_cut", what)
    environment = {
        **os.environ,
        "MEMORYHUB_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
    }
    subprocess.run(
        [*command, str(data), str(root), str(out)], env=environment, check=True
    )


@pytest.fixture(scope="module")
def cuts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Return a workspace's folder, and what each cut left of it and of the hub."""
    folder = tmp_path_factory.mktemp("power")
    root, out = folder / "notes", folder / "out"
    (root / "memory").mkdir(parents=True)
    empty_hub(folder)
    (root / LOG).write_text(BEGUN)
    (root / TOPIC).write_text("# relay\n\n## Current Status\nBegun.\n")
    hub("work", folder / "data", root, out)
    return root, sorted(out.glob("cut-*"))


def after(cut: Path, files: str, root: Path) -> str:
    """Start the hub again after a cut, make all calls anew; return all texts."""
    shutil.rmtree(root)
    shutil.copytree(cut / files, root)
    data = cut.with_name(f"{cut.name}-{files}")
    shutil.copytree(cut / "data", data)
    hub("again", data, root, data)
    return "".join(place.read_text() for place in sorted(root.rglob("*.md")))


def assert_once(text: str) -> None:
    wanted = [f"- NOTE {number} END" for number in range(CALLS)]
    wanted += ["GOAL of ours.", "STATUS of ours."]
    assert {said: text.count(said) for said in wanted} == dict.fromkeys(wanted, 1)


def test_what_was_answered_was_synced_before(
    cuts: tuple[Path, list[Path]],
) -> None:
    for cut in cuts[1]:
        files = "".join(p.read_text() for p in (cut / "behind").rglob("*.md"))
        answered = json.loads((cut / "answered.json").read_text())
        notes = [key.removeprefix("note-") for key in answered if "note" in key]
        assert all(f"- NOTE {number} END" in files for number in notes)
    assert len(cuts[1]) > 3 * CALLS


@pytest.mark.parametrize("files", ["ahead", "behind"])
@pytest.mark.parametrize("share", [0.1, 0.4, 0.97, 1])
def test_calls_made_anew_after_a_power_cut_are_done_once(
    cuts: tuple[Path, list[Path]], files: str, share: float
) -> None:
    root, found = cuts

    assert_once(after(found[int(share * (len(found) - 1))], files, root))


@pytest.mark.soak
@pytest.mark.parametrize("files", ["ahead", "behind"])
def test_calls_made_anew_after_any_power_cut_are_done_once(
    cuts: tuple[Path, list[Path]], files: str
) -> None:
    root, found = cuts
    for cut in found:
        assert_once(after(cut, files, root))
