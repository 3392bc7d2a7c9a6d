from __future__ import annotations

import pytest

from memoryhub.sync.scan.plan import KnownFile, gone_at_once, make_plan
from memoryhub.sync.scan.walk import FoundFile

KNOWN = KnownFile(size=5, mtime_ns=7, sha256="a", recheck=False)


def test_a_file_that_looks_as_before_is_kept() -> None:
    plan = make_plan([FoundFile("a.md", 5, 7)], {"a.md": KNOWN})

    assert (plan.read, plan.gone) == ((), ())


@pytest.mark.parametrize(
    "known",
    [
        KNOWN._replace(size=6),
        KNOWN._replace(mtime_ns=8),
        KNOWN._replace(recheck=True),
        None,
    ],
)
def test_a_file_that_looks_different_or_was_just_written_is_read(
    known: KnownFile | None,
) -> None:
    found = FoundFile("a.md", 5, 7)

    plan = make_plan([found], {"a.md": known} if known else {})

    assert (plan.read, plan.gone) == ((found,), ())


def test_a_known_file_that_was_not_found_is_gone() -> None:
    plan = make_plan([], {"b.md": KNOWN, "a.md": KNOWN})

    assert plan.gone == ("a.md", "b.md")


@pytest.mark.parametrize("hidden", [".", "memory", "memory/a.md"])
def test_a_file_in_an_unreadable_place_is_not_gone(hidden: str) -> None:
    plan = make_plan([], {"memory/a.md": KNOWN}, [hidden])

    assert plan.gone == ()


def test_a_folder_of_a_similar_name_hides_nothing() -> None:
    plan = make_plan([], {"memory-bank/a.md": KNOWN}, ["memory"])

    assert plan.gone == ("memory-bank/a.md",)


def test_declarations_come_before_topics_and_topics_before_logs() -> None:
    names = ["memory/2026-11-01.md", "memory/context-a.md", "AGENTS.md",
             "memory/context-session-map.json", "IDENTITY.md"]  # fmt: skip

    plan = make_plan([FoundFile(name, 1, 1) for name in names], {})

    assert [file.path for file in plan.read] == [
        "AGENTS.md", "IDENTITY.md", "memory/context-session-map.json",
        "memory/context-a.md", "memory/2026-11-01.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("gone", "known", "too_many"),
    [
        (0, 0, False),
        (1, 1, False),
        (2, 2, True),
        (3, 4, False),
        (2, 5, False),
        (3, 5, True),
        (17, 18, True),
        (10, 20, False),
        (11, 20, True),
    ],
)
def test_most_files_are_not_taken_for_deleted(
    gone: int, known: int, *, too_many: bool
) -> None:
    assert gone_at_once(gone, known) is too_many
