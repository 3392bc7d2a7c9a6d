"""Both sides' changes in one text, and what they disagree on."""

from __future__ import annotations

import random

from memoryhub.formats.text.merging import Choice, Clash, chosen, clashes_in, merge

BASE = "one\ntwo\nthree\nfour\n"


def test_equal_texts_have_no_clash() -> None:
    assert merge(BASE, BASE, BASE) == (BASE,)


def test_each_sides_own_lines_are_taken() -> None:
    disk = BASE.replace("one", "ONE")
    here = BASE.replace("four", "FOUR")

    assert merge(BASE, disk, here) == ("ONE\ntwo\nthree\nFOUR\n",)


def test_the_same_change_on_both_sides_is_no_clash() -> None:
    both = BASE.replace("two", "2")

    assert merge(BASE, both, both) == (both,)


def test_a_line_changed_differently_is_a_clash() -> None:
    parts = merge(BASE, BASE.replace("two", "disk"), BASE.replace("two", "here"))

    assert parts == ("one\n", Clash("two\n", "disk\n", "here\n"), "three\nfour\n")


def test_each_choice_gives_its_text() -> None:
    parts = merge("a", "disk", "here")

    texts = [chosen(parts, [Choice(kind)]) for kind in ("disk", "here", "both")]
    assert texts == ["disk", "here", "disk\nhere"]
    assert chosen(parts, [Choice("other", "new")]) == "new"


def test_several_clashes_are_settled_in_order() -> None:
    parts = merge("a\nx\nb\n", "1\nx\n2\n", "3\nx\n4\n")

    assert len(clashes_in(parts)) == 2
    assert chosen(parts, [Choice("disk"), Choice("here")]) == "1\nx\n4\n"


def test_choosing_one_side_everywhere_keeps_the_other_sides_own_changes() -> None:
    chance = random.Random(7)
    for _ in range(200):
        base, disk, here = (
            "".join(f"{chance.choice('abc')}\n" for _ in range(chance.randrange(8)))
            for _ in range(3)
        )
        parts = merge(base, disk, here)
        ours = chosen(parts, [Choice("here") for _ in clashes_in(parts)])
        assert "".join(map(str, merge(base, base, here))) == here
        assert ours.count("\n") <= base.count("\n") + disk.count("\n") + here.count(
            "\n"
        )


def test_long_texts_are_merged_quickly() -> None:
    base = "".join(f"line {n}\n" for n in range(20_000))
    here = base.replace("line 5\n", "line five\n")

    assert merge(base, base + "end\n", here) == (here + "end\n",)
