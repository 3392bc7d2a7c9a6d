"""Days that a query names, in several languages, and what is found of them."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.search.days import days_in
from memoryhub.search.queries import search
from tests.factories import imported, write

_TODAY = date(2026, 11, 25)  # a Wednesday


def spans(text: str) -> list[str]:
    found = days_in(text, _TODAY).spans
    return [
        "/".join(str(date.fromordinal(day)) for day in dict.fromkeys(span))
        for span in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 May 2023", "2023-05-08"),
        ("what was done on the 25th of May, 2024?", "2024-05-25"),
        ("2023-05", "2023-05-01/2023-05-31"),
        ("march 2026", "2026-03-01/2026-03-31"),
        ("last Tuesday", "2026-11-24"),
        ("yesterday", "2026-11-24"),
        ("three weeks ago", "2026-11-01/2026-11-07"),
        ("in 2023", "2023-01-01/2023-12-31"),
        ("vor zwei Wochen", "2026-11-08/2026-11-14"),
        ("am 3. März 2025", "2025-03-03"),
        ("letzten Dienstag", "2026-11-24"),
        ("mardi dernier", "2026-11-24"),
        ("il y a trois jours", "2026-11-22"),
        ("el 8 de mayo de 2023", "2023-05-08"),
        ("la semana pasada", "2026-11-16/2026-11-22"),
        ("上周二做了什么", "2026-11-17"),
        ("2023年5月8日", "2023-05-08"),
        ("先週の会議", "2026-11-16/2026-11-22"),
    ],
)
def test_days_are_read(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["may I deploy", "you may go", "OPS-2023-05", "v2023.05.08", "31 February 2023",
     "hier ist nichts", "99999 years ago", "section 5.8.2"],
)  # fmt: skip
def test_words_and_names_are_no_days(text: str) -> None:
    assert spans(text) == []


def test_a_day_without_a_year_is_of_each_of_the_last_years() -> None:
    assert spans("May 25")[:2] == ["2026-05-25", "2025-05-25"]
    assert spans("in May")[0] == "2026-05-01/2026-05-31"


@pytest.fixture
def months(hub_data: Path, workspace_root: Path) -> Workspace:
    return imported(
        workspace_root,
        {
            "memory/2026-03-12.md": "# 2026-03-12\n\n## Work\n\nKim fixed the relay.\n",
            "memory/2026-04-02.md": "# 2026-04-02\n\nKim will march to the relay.\n",
            "memory/2025-08-01.md": "# 2025-08-01\n\nKim may repair the relay.\n",
        },
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["March", "Kim March", "march 2026", "2026-03-12", "relay in March"]
)
def test_lines_of_the_day_come_first_and_no_bare_heading(
    months: Workspace, text: str
) -> None:
    best = search(months, text).hits[0]

    assert best.path == "memory/2026-03-12.md"
    assert "relay" in best.text


@pytest.mark.django_db
def test_may_is_a_word_unless_it_names_a_month(months: Workspace) -> None:
    assert search(months, "may repair relay").hits[0].path == "memory/2025-08-01.md"


@pytest.mark.django_db
def test_lines_of_other_days_follow(months: Workspace) -> None:
    paths = {hit.path for hit in search(months, "Kim relay March 2026").hits}

    assert len(paths) == 3


@pytest.mark.django_db
def test_a_file_without_a_day_is_of_the_day_of_its_change(
    workspace_root: Path, hub_data: Path
) -> None:
    files = {"USER.md": "Timezone: America/Los_Angeles\n", "notes.md": "A lintel.\n"}
    write(workspace_root, files)
    at = datetime(2026, 1, 20, 3, tzinfo=UTC).timestamp()
    os.utime(workspace_root / "notes.md", (at, at))
    workspace = imported(workspace_root, {"USER.md": files["USER.md"]})

    def found(text: str) -> list[str]:
        return [hit.path for hit in search(workspace, f"lintel {text}").hits]

    assert found("before:2026-01-20") == found("after:2026-01-19") == ["notes.md"]
    assert found("after:2026-01-20") == found("before:2026-01-19") == []
