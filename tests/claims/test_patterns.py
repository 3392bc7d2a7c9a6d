"""Patterns of claims: which paths are valid, and which can be the same file."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product

import pytest

from memoryhub.claims.patterns import BadPath, can_meet, covers, normal_path
from tests.growth import steps_of


@pytest.mark.parametrize(
    "path",
    ["", "  ", "/etc/passwd", "../x", "src/../../x", "C:/x", "~/x", "a\nb", "x" * 301],
)
def test_a_path_outside_or_odd_is_no_name(path: str) -> None:
    with pytest.raises(BadPath):
        normal_path(path)


def test_a_path_has_one_spelling() -> None:
    assert normal_path("./src//api/") == normal_path("src\\api") == "src/api"
    assert normal_path(".") == "**"


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("src", "src/api/app.py", True),
        ("src/api", "src/apix/a.py", False),
        ("src/*.py", "src/*.md", False),
        ("src/*.py", "src/a*", True),
        ("**/test_*.py", "tests/api/test_doors.py", True),
        ("**/test_*.py", "tests/api/doors.py", True),
        ("docs/**/a.md", "docs/b.md/x", True),
        ("SRC/App.py", "src/app.py", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", False),
        ("*", "README.md", True),
        ("?.py", "ab.py", False),
    ],
)
def test_two_claims_meet_where_a_file_can_be_in_both(
    one: str, other: str, meets: bool
) -> None:
    assert can_meet(one, other) is can_meet(other, one) is meets


_NAMES = ("a", "b", "ab", "a.py", "b.py")
_PARTS = (*_NAMES, "*", "a*", "*.py", "?", "**")
_PATTERNS = ["/".join(parts) for n in (1, 2) for parts in product(_PARTS, repeat=n)]
_FILES = ["/".join(parts) for n in (1, 2, 3) for parts in product(_NAMES, repeat=n)]


def _in(pattern: str, file: str) -> bool:
    """Match by plain recursion over folders, with the standard library's names."""

    def matches(left: list[str], names: list[str]) -> bool:
        if not left:
            return True
        if left[0] == "**":
            rest = range(len(names) + 1)
            return any(matches(left[1:], names[n:]) for n in rest)
        if not names or not fnmatchcase(names[0], left[0]):
            return False
        return matches(left[1:], names[1:])

    return matches(pattern.split("/"), file.split("/"))


def test_files_are_covered_as_a_plain_matcher_says() -> None:
    wrong = [
        (pattern, file)
        for pattern, file in product(_PATTERNS, _FILES)
        if covers(pattern, file) != _in(pattern, file)
    ]
    assert not wrong


def test_claims_meet_wherever_some_file_is_in_both() -> None:
    covered = {p: {f for f in _FILES if covers(p, f)} for p in _PATTERNS}
    missed = [
        (one, other)
        for one, other in product(_PATTERNS, repeat=2)
        if covered[one] & covered[other] and not can_meet(one, other)
    ]
    assert not missed


def test_wild_patterns_are_compared_in_bounded_time() -> None:
    wild = normal_path("/".join(["*a" * 5, "b" * 200, "**", "x*y*z*"]))
    assert not can_meet(wild, "*b" * 5 + "/" + "c" * 200)


def test_names_made_to_be_compared_slowly_take_few_steps() -> None:
    long = "*".join(["a" * 17] * 16)
    deep = "a/" * 140
    pairs = [
        (f"{long}b", f"{long}c"),
        (f"*{'a' * 290}b", f"*{'a' * 290}c"),
        (f"x/{deep}**/b", f"x/**/{deep}c"),
    ]
    found: list[bool] = []

    def compare() -> None:
        found.extend(can_meet(*pair) for pair in pairs)
        found.append(covers(f"**/{deep}b", f"{deep}a"))
        found.append(covers(f"{long}b", "a" * 290))

    assert steps_of(compare) < 500_000
    assert found == [False, False, True, False, False]


def test_a_folder_that_is_called_like_a_wildcard_is_a_name() -> None:
    assert covers("src/*", "src/**")
    assert not covers("src/a/b", "src/**/b")
