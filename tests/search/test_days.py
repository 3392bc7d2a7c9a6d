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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("二十天前", "2026-11-05"), ("十五天前的部署", "2026-11-10"),
        ("上上周", "2026-11-09/2026-11-15"), ("大前天", "2026-11-22"),
        ("二零二六年三月五日", "2026-03-05"), ("去年五月", "2025-05-01/2025-05-31"),
        ("上個星期二", "2026-11-17"), ("先週の火曜日", "2026-11-17"),
        ("去年の5月", "2025-05-01/2025-05-31"), ("昨晚的告警", "2026-11-24"),
        ("过去三天", "2026-11-22/2026-11-25"), ("3カ月前", "2026-08-12/2026-09-11"),
        ("what broke last night", "2026-11-24"), ("hier soir", "2026-11-24"),
        ("the last 3 days", "2026-11-22/2026-11-25"),
        ("May last year", "2025-05-01/2025-05-31"),
        ("letztes Jahr im Mai", "2025-05-01/2025-05-31"),
        ("Tuesday last week", "2026-11-17"), ("avant-hier", "2026-11-23"),
        ("vorletzte Woche", "2026-11-09/2026-11-15"),
        ("25/12/2025", "2025-12-25"),
        # Of a range the first day.
        ("3-5 March 2026", "2026-03-03"), ("vom 3.-5. März 2026", "2026-03-03"),
        ("du 1er-3 juin 2025", "2025-06-01"), ("release-5 May 2025", "2025-05-05"),
    ],
)  # fmt: skip
def test_days_are_read_as_people_write_them(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["plan a two week sprint", "this may fail", "the outage may last long",
     "we march through the backlog", "三个月的计划"],
)  # fmt: skip
def test_sentences_with_such_words_name_no_day(text: str) -> None:
    assert spans(text) == []


@pytest.fixture
def odd_dates(hub_data: Path, workspace_root: Path) -> Workspace:
    """Return notes with days as people write them, all with the word "gateway"."""
    return imported(
        workspace_root,
        {
            "notes/weekly.md": "---\nowner: Ines\n---\n# Weekly, Friday 8 May 2026\n\n"
            "Ines owns the gateway.\n\n## Actions\n\n- Tobias calls gateway sales\n",
            "notes/log.md": "# Log\n\n## 17.11.2026\n\n- gateway neu gestartet\n\n"
            "## 2026年11月18日 星期三\n\n- gateway 超时\n",
            "notes/front.md": "---\ndate: 2026-03-09\n---\nThe gateway was bought.\n",
            "notes/months.md": "# Months\n\n## January 2026\n\n- gateway one\n\n"
            "## January 2025\n\n- gateway two\n",
        },
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 May 2026", "Ines owns"),
        ("gateway sales on May 8", "Tobias calls"),
        ("am 17. November 2026", "neu gestartet"),
        ("2026年11月18日", "超时"),
        ("gateway on 9 March 2026", "was bought"),
        ("gateway january 2026", "gateway one"),
        ("January 2025", "gateway two"),
    ],
)
def test_days_in_headings_of_any_form_are_found(
    odd_dates: Workspace, text: str, expected: str
) -> None:
    found = search(odd_dates, text, token_budget=200)

    assert found.hits, found.notes
    assert expected in found.hits[0].text


@pytest.mark.django_db
def test_a_day_of_no_line_is_searched_for_as_words(months: Workspace) -> None:
    found = search(months, "relay on 9 June 2019")

    assert len(found.hits) == 3
    assert [tuple(note) for note in found.notes] == [("day-nowhere", "9 June 2019")]
