"""Folders by pattern: links are followed inside the home folder, never out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.discovery.allowance import Allowance
from memoryhub.discovery.folders import folder_in, matching
from memoryhub.values.budgets import ENDLESS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/dotfiles/claude/deep").mkdir(parents=True)
    (tmp_path / "outside/claude").mkdir(parents=True)
    return tmp_path / "home"


def found(home: Path, pattern: str) -> list[tuple[str, str]]:
    places = matching(home, pattern, Allowance(1_000, ENDLESS))
    return [(str(way), str(place.relative_to(home))) for way, place in places]


def test_a_star_matches_names_of_one_level(home: Path) -> None:
    for name in ("workspace-a", "workspace-b\n", "other"):
        (home / name).mkdir()

    assert found(home, "workspace-*") == [
        ("workspace-a", "workspace-a"),
        ("workspace-b\n", "workspace-b\n"),
    ]


@pytest.mark.parametrize("target", ["dotfiles/claude", "./dotfiles/../dotfiles/claude"])
def test_a_link_inside_the_home_is_followed(home: Path, target: str) -> None:
    (home / ".claude").symlink_to(target)

    assert found(home, ".claude/deep") == [(".claude/deep", "dotfiles/claude/deep")]


def test_an_absolute_link_inside_the_home_is_followed(home: Path) -> None:
    (home / ".claude").symlink_to(home / "dotfiles/claude")

    assert found(home, ".claude") == [(".claude", "dotfiles/claude")]


@pytest.mark.parametrize(
    "target",
    [
        "../outside/claude",
        "dotfiles/../../outside/claude",
        "/",
        "..",
        "../home/dotfiles",
        ".claude",
        "gone",
    ],
)
def test_a_link_that_leads_out_or_nowhere_is_not_followed(
    home: Path, target: str
) -> None:
    (home / ".claude").symlink_to(target)

    assert folder_in(home, ".claude", home) is None


def test_links_to_each_other_end(home: Path) -> None:
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")

    assert folder_in(home, "a", home) is None


def test_files_are_no_folders(home: Path) -> None:
    (home / ".hermes").write_text("a file\n")

    assert found(home, ".hermes") == []


def test_a_home_that_is_missing_has_nothing(tmp_path: Path) -> None:
    assert found(tmp_path / "nobody", ".claude/projects/*/memory") == []
