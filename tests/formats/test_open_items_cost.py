"""Open items of hostile text are read in linear time, and every text is given back."""

from __future__ import annotations

import random

import pytest

from memoryhub.dialects import daily_log
from tests.growth import assert_ends, assert_in_proportion


@pytest.mark.parametrize(
    "part",
    [
        *(
            "- [ ] ",
            "⏳ ",
            "| a | open ",
            "~~",
            "TODO: ",
            "Next: ",
            "noch nicht ",
            "((",
        ),
        *(
            "waiting for ",
            "has not ",
            "等",
            "まだ",
            "아직",
            "→ a to ",
            "no no ",
            "- – ",
        ),
        *(
            "still ",
            "[todo] ",
            "open, ",
            "done: ",
            "？→",
            "sin ",
            "к ",
            "|-",
            " pending ",
        ),
    ],
)
def test_a_long_line_is_read_in_linear_time(part: str) -> None:
    def read(size: int) -> None:
        count = size // len(part)
        daily_log.parse(part * count)
        daily_log.parse(
            f"## Next\n{part * count}\n" + f"- {part * 10}\n" * (count // 10)
        )

    assert_in_proportion(read, 4_000)
    assert_ends(lambda: read(60_000))


def test_two_thousand_hostile_texts_are_read_and_given_back() -> None:
    chance = random.Random(11)
    parts = (
        *("- [ ] ", "## Next\n", "Next: ", "⏳", "|---|\n", "| open |\n", "~~", "done"),
        *(
            "(",
            "）",
            "waiting for ",
            "not yet",
            "\n",
            "\n\n",
            "?",
            "→",
            "TODO ",
            "\ud800",
        ),
        *(
            "还没",
            "まだ",
            "아직 ",
            "надо ",
            "hay que ",
            "[todo] ",
            ": ",
            "：",
            "- ",
            "\0",
        ),
        *("pending items ", "offene Punkte", "```\n", "\u2028", "\r\n", "x" * 90),
    )
    for _ in range(2_000):
        text = "".join(chance.choices(parts, k=chance.randrange(40)))
        log = daily_log.parse(text)
        last = text.count("\n") + 1
        assert log.text == text
        items = log.statements().open_items
        assert all(1 <= n <= last for one in items for n in one.lines)
        assert all(one.text.strip() for one in items)
