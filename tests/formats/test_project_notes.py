from __future__ import annotations

from pathlib import Path, PurePosixPath

from memoryhub.dialects.project_notes import matches

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/project_notes/samples"
TEXT = (CORPUS / "project.md").read_text(encoding="utf-8")


def test_it_matches_by_place_or_headings() -> None:
    assert matches(PurePosixPath("memories/project.md"), "")
    assert matches(PurePosixPath("notes/project.md"), TEXT)
    assert not matches(PurePosixPath("notes/project.md"), "# Project\n")
    assert not matches(PurePosixPath("memories/other.md"), TEXT)
