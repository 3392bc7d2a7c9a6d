from __future__ import annotations

from memoryhub.formats.base import Lines
from memoryhub.formats.text.known_sections import split_known

TITLES = ("One", "Two (Of Three)", "Three")


def test_it_takes_the_longest_run_in_order() -> None:
    text = "## One\na\n## Three\nb\n\n## two\nc\n\n## Three\nd"

    parts = split_known(text, TITLES)

    assert [(part.title, part.value) for part in parts] == [
        ("One", "a\n## Three\nb"),
        ("Two (Of Three)", "c"),
        ("Three", "d"),
    ]
    assert [part.lines for part in parts] == [Lines(1, 4), Lines(6, 7), Lines(9, 10)]


def test_of_equal_headings_the_first_counts() -> None:
    (part,) = split_known("## One\na\n## One\nb", TITLES)

    assert part.body == "a\n## One\nb"


def test_hidden_headings_do_not_count() -> None:
    text = "## One\n## Two\nx\n"

    assert len(split_known(text, TITLES)) == 2
    assert len(split_known(text, TITLES, hidden=(7, 13))) == 1
    assert [part.title for part in split_known(text, TITLES, start=1)] == [
        "Two (Of Three)"
    ]


def test_a_text_without_headings_has_no_sections() -> None:
    assert split_known("One\n### Two\n", TITLES) == ()
