from __future__ import annotations

import pytest

from memoryhub.workspaces.problems import lost_lines, missing_lines

TEN = "".join(f"- line {number}\n" for number in range(10))


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (TEN, TEN, 0),
        (TEN, TEN + "more\n", 0),
        (TEN, TEN.replace("- line 3\n", ""), 1),
        (TEN, TEN.replace("line 3", "line three"), 0),
        (TEN, TEN.replace("- line 3\n", "  - line 3  \r\n"), 0),
        (TEN, "", 10),
        (TEN, "\n".join(f"new {n}" for n in range(20)), 10),
        ("", TEN, 0),
        ("a\na\na\n", "a\n", 2),
    ],
)
def test_a_log_has_lost_what_it_no_longer_says(
    before: str, after: str, lost: int
) -> None:
    assert lost_lines(before, after) == lost


def test_lines_in_another_order_are_not_missing() -> None:
    assert missing_lines("a\nb\n", "b\nc\na\n") == 0
