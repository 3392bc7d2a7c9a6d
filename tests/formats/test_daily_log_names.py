from __future__ import annotations

import datetime
from pathlib import PurePosixPath

import pytest

from memoryhub.dialects import daily_log, file_days


@pytest.mark.parametrize(
    ("name", "day", "time", "slug"),
    [
        ("2026-03-01.md", (2026, 3, 1), None, ""),
        ("2026-03-01-1430.md", (2026, 3, 1), (14, 30, 0), ""),
        ("2026-03-01-request-timed-out.md", (2026, 3, 1), None, "request-timed-out"),
        ("2026-03-01-周报.md", (2026, 3, 1), None, "周报"),
        ("2026-03-01-2.md", (2026, 3, 1), None, "2"),
        ("2026-03-01_deploy.md", (2026, 3, 1), None, "deploy"),
        ("2026-03-01_143005_deploy.md", (2026, 3, 1), (14, 30, 5), "deploy"),
        ("20260301T143005.md", (2026, 3, 1), (14, 30, 5), ""),
        ("20260301_1430_a topic here.md", (2026, 3, 1), (14, 30, 0), "a topic here"),
        ("2026-03-01-9999.MD", (2026, 3, 1), None, "9999"),
        ("2507.14198.md", None, None, ""),
        ("20261345.md", None, None, ""),
        ("2026-02-30.md", None, None, ""),
        ("2026-03-011.md", None, None, ""),
        ("2026-03-01.json", None, None, ""),
        ("notes.md", None, None, ""),
    ],
)
def test_a_file_name_says_the_day(
    name: str,
    day: tuple[int, int, int] | None,
    time: tuple[int, int, int] | None,
    slug: str,
) -> None:
    path = PurePosixPath("memory", name)

    assert file_days.date_of(path) == (datetime.date(*day) if day else None)
    assert file_days.time_of(path) == (datetime.time(*time) if time else None)
    assert file_days.slug_of(path) == slug
    assert daily_log.matches(path, "") == (day is not None)


@pytest.mark.parametrize(
    ("path", "is_daily"),
    [
        ("2026-03-01.md", True),
        ("memory/archive/2026-02/2026-02-01.md", True),
        ("memory/digests/2026-03-02/morning.md", True),
        ("agents/ana/workspace/memory/2026-03-01.md", True),
        ("memory/dreaming/light/2026-03-01.md", False),
        ("docs/2026-03-01-design.md", False),
        ("incidents/2026-03-01-mail-down.md", True),
        ("atas/2026-03-01.md", True),
        ("memory/context-api.md", False),
    ],
)
def test_a_daily_log_lies_in_a_memory_folder(path: str, is_daily: bool) -> None:
    assert daily_log.is_daily(PurePosixPath(path)) is is_daily
