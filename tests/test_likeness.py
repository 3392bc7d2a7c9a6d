from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.text.likeness import continued
from tests.growth import assert_in_proportion

NOTE = """# Billing

Invoices are sent on the first working day of the month.
The tax office wants the VAT number on each of them.
We round half up, as the old system did.

- 2026-11-01: Use a queue for the letters, since the printer is slow
- 2026-11-03: Keep ten years of invoices in the archive
"""
OTHER = """# Search

The index lives in a file of its own.
A word of one letter is not looked up.
Ranking prefers titles over bodies, and new notes over old ones.
"""
TEMPLATE = """---
type: project
status: active
owner: unknown
---
## Goal

Describe in one sentence what this project shall reach.

## Risks

List at least three risks, and what is done about each of them.

## Log
"""


def changed(text: str) -> str:
    """Return a text with one line reworded and two lines more."""
    return text.replace("since the printer is slow", "as letters are slow") + (
        "- 2026-11-09: Send reminders after two weeks\n- and a last word\n"
    )


def test_a_text_with_changed_lines_is_continued_under_another_name() -> None:
    old = {"billing.md": NOTE, "search.md": OTHER}
    new = {
        "projects/invoices.md": changed(NOTE),
        "projects/index.md": OTHER + "More.\n",
    }

    assert continued(old, new) == {
        "projects/invoices.md": "billing.md",
        "projects/index.md": "search.md",
    }


def test_a_text_that_lost_half_of_its_lines_is_another_one() -> None:
    half = "\n".join(NOTE.splitlines()[:4]) + "\n" + OTHER

    assert continued({"billing.md": NOTE}, {"notes.md": half}) == {}


def test_lines_may_be_in_another_order_and_wrapped_anew() -> None:
    lines = [line for line in NOTE.splitlines() if line]
    random.Random(3).shuffle(lines)

    found = continued({"a.md": NOTE}, {"b.md": "\r\n\r\n".join(lines)})

    assert found == {"b.md": "a.md"}


def test_chinese_text_without_blanks_is_compared_by_clauses() -> None:
    old = (
        "发票在每月第一个工作日寄出，税务局要求写明税号。旧系统四舍五入，我们照做。" * 1
    )
    old += "打印机很慢，所以信件要排队，归档保存十年。客户可以在网站上查看所有的发票。"
    new = old.replace("归档保存十年", "归档只保存七年")

    assert continued({"账单.md": old}, {"发票.md": new}) == {"发票.md": "账单.md"}


def test_files_made_from_one_template_are_no_pair() -> None:
    old = {
        f"old/{name}.md": TEMPLATE + f"- begun by {name}\n" for name in ("ada", "bob")
    }
    new = {"new/eve.md": TEMPLATE + "- begun by eve\n"}

    assert continued(old, new) == {}


def test_a_template_is_known_from_files_that_stay() -> None:
    old, new = {"ada.md": TEMPLATE}, {"eve.md": TEMPLATE + "\nA line.\n"}

    assert continued(old, new) == {"eve.md": "ada.md"}
    assert continued(old, new, [TEMPLATE]) == {}


def test_equal_texts_are_told_apart_by_their_names() -> None:
    old = {f"agents/{name}/AGENTS.md": NOTE for name in ("ada", "bob")}
    new = {f"crew/{name}/AGENTS.md": changed(NOTE) for name in ("ada", "bob", "eve")}

    assert continued(old, new) == {
        f"crew/{name}/AGENTS.md": f"agents/{name}/AGENTS.md" for name in ("ada", "bob")
    }


def test_two_files_of_one_name_that_say_other_things_are_two() -> None:
    old = {"ada/README.md": TEMPLATE + "- Ada begins with the rotor of the press\n"}
    new = {"bob/README.md": TEMPLATE + "- Bob paints the fence behind the house\n"}

    assert continued(old, new, [TEMPLATE + "- Eve sleeps\n"]) == {}


def test_the_log_of_one_day_never_becomes_that_of_another() -> None:
    assert continued({"2026-11-01.md": NOTE}, {"2026-11-02.md": NOTE + "more\n"}) == {}
    found = continued({"2026-11-01.md": NOTE}, {"old/2026-11-01-a.md": NOTE + "more\n"})
    assert found == {"old/2026-11-01-a.md": "2026-11-01.md"}


def test_a_tiny_note_moves_only_under_its_own_name() -> None:
    old = {"todo.md": "- [ ] call Ada back\n- [ ] order paper\n"}

    assert continued(old, {"x.md": "- [x] call Ada back\n- [ ] order paper\n"}) == {}
    assert continued(old, {"x/todo.md": old["todo.md"] + "- tea\n"}) == {
        "x/todo.md": "todo.md"
    }


def test_a_text_that_was_split_goes_with_its_greater_part() -> None:
    lines = NOTE.splitlines(keepends=True)
    new = {"most.md": "".join(lines[:-1]), "rest.md": lines[-1]}

    assert continued({"billing.md": NOTE}, new) == {"most.md": "billing.md"}


WORDS = st.sampled_from(
    ["rotor", "press", "fence", "paper", "queue", "letter", "index", "archive"]
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join), max_size=12)
SIDE = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "x/a.md", "x/b.md", "2026-11-01.md", "c/d/e.md"]),
    LINES.map("\n".join),
    max_size=5,
)


@given(SIDE, SIDE, st.randoms())
def test_pairs_are_one_to_one_and_do_not_depend_on_the_order(
    old: dict[str, str], new: dict[str, str], chance: random.Random
) -> None:
    found = continued(old, new)

    assert found.keys() <= new.keys()
    assert set(found.values()) <= old.keys()
    assert len(set(found.values())) == len(found)
    mixed = [list(side.items()) for side in (old, new)]
    for side in mixed:
        chance.shuffle(side)
    assert continued(*map(dict, mixed)) == found


def test_many_files_are_paired_in_linear_time() -> None:
    chance = random.Random(12)
    words = [f"word{number}" for number in range(5_000)]

    def text() -> str:
        return TEMPLATE + "".join(
            f"- {' '.join(chance.choices(words, k=9))}\n" for _ in range(40)
        )

    def pair(size: int) -> None:
        old = {f"old/{number}.md": text() for number in range(size)}
        new = {
            f"new/{n}-b.md": old[f"old/{n}.md"] + text()[300:700] for n in range(size)
        }
        found = continued(old, new)
        assert found == {f"new/{n}-b.md": f"old/{n}.md" for n in range(size)}

    assert_in_proportion(pair, 50)


def test_a_large_text_shared_by_many_small_ones_costs_no_more() -> None:
    """Each of the new texts shares a clause of its own with one very large old one."""

    def pair(size: int) -> None:
        lines = [
            f"a line that only the large file has, number {n}" * 2 for n in range(size)
        ]
        new = {f"{n}.md": line + " but\n" + line for n, line in enumerate(lines)}
        assert continued({"large.md": "\n".join(lines)}, new) == {}

    assert_in_proportion(pair, 100)
