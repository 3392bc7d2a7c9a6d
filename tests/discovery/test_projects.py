"""Names of Claude Code's project folders, decoded by what exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.discovery.allowance import Allowance
from memoryhub.discovery.projects import Projects, encoded
from memoryhub.values.budgets import ENDLESS


def decoded(home: Path, name: str, entries: int = 1_000) -> str:
    return Projects(home, Allowance(entries, ENDLESS)).path_of(name)


@pytest.mark.parametrize(
    "path", ["code/shop", "code/my.shop_2", ".config/a b", "código/日志", "a-b/c--d"]
)
def test_a_folder_that_exists_is_the_project(tmp_path: Path, path: str) -> None:
    project = tmp_path / path
    project.mkdir(parents=True)

    assert decoded(tmp_path, encoded(str(project))) == str(project)


def test_the_home_folder_can_be_a_project(tmp_path: Path) -> None:
    assert decoded(tmp_path, encoded(str(tmp_path))) == str(tmp_path)


def test_a_letter_of_two_utf16_units_is_two_hyphens() -> None:
    assert encoded("/a/🐙") == "-a---"


def test_a_name_of_two_folders_stays_as_written(tmp_path: Path) -> None:
    (tmp_path / "code/shop").mkdir(parents=True)
    (tmp_path / "code-shop").mkdir()
    name = encoded(str(tmp_path / "code/shop"))

    assert decoded(tmp_path, name) == name


@pytest.mark.parametrize("path", ["gone", "code/gone", "../elsewhere"])
def test_a_name_of_no_folder_in_the_home_stays_as_written(
    tmp_path: Path, path: str
) -> None:
    (tmp_path / "home/code").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    name = encoded(str((tmp_path / "home" / path).resolve()))

    assert decoded(tmp_path / "home", name) == name


def test_links_are_no_projects(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "home/shop").symlink_to(tmp_path / "outside")
    name = encoded(str(tmp_path / "home/shop"))

    assert decoded(tmp_path / "home", name) == name


def test_a_home_that_was_not_listed_to_the_end_decodes_what_it_saw(
    tmp_path: Path,
) -> None:
    (tmp_path / "shop").mkdir()
    name = encoded(str(tmp_path / "shop"))

    assert decoded(tmp_path, name, entries=0) == name
