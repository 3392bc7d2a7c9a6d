"""Who waits for whom, drawn: columns, circles, ways past others, text that is text."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from memoryhub.web.handoffs.waiting import MOST, Tie, drawing, longest_chain


def ties(*pairs: str) -> list[Tie]:
    split = (pair.partition("-") for pair in pairs)
    return [Tie(waiting, on, "1 h") for waiting, _, on in split]


def columns(*pairs: str) -> dict[str, int]:
    boxes = drawing(ties(*pairs), {}).boxes
    places = sorted({box.x for box in boxes.values()})
    return {name: places.index(box.x) for name, box in boxes.items()}


def test_who_waits_stands_left_of_whom_they_wait_for() -> None:
    assert columns("a-b", "b-c", "a-c") == {"a": 0, "b": 1, "c": 2}


def test_a_circle_is_drawn_and_goes_back() -> None:
    drawn = drawing(ties("a-b", "b-a"), {})

    assert len(drawn.ties) == 2
    assert drawn.svg("").count('class="ed ') == 2


def test_the_same_waits_give_the_same_drawing() -> None:
    first = drawing(ties("a-b", "c-b", "b-d"), {}).svg("")

    assert drawing(ties("a-b", "c-b", "b-d"), {}).svg("") == first


def test_no_line_runs_behind_a_name() -> None:
    drawn = drawing(ties("a-c", "a-b", "b-c"), {})

    (passed,) = drawn.between[Tie("a", "c", "1 h")]
    boxes = {(box.x, box.y) for box in drawn.boxes.values()}
    assert passed.x == drawn.boxes["b"].x
    assert (passed.x, passed.y) not in boxes


def test_names_and_labels_are_text() -> None:
    svg = drawing([Tie("<b>", "a&b", "<i>1 h")], {}, ["a&b"]).svg('"x"')

    assert "&lt;b&gt;" in svg and "&lt;i&gt;1 h" in svg and "&quot;x&quot;" in svg
    assert not re.search("<[bi]>", svg)
    assert 'class="nd ext"' in svg


def test_chinese_names_and_times_have_twice_the_room() -> None:
    names = "审稿人", "负责审阅全部代码的代理"

    svg = drawing([Tie(*names, "3 小时")], {}).svg("")

    assert ">审稿人<" in svg and ">负责审阅全部…<" in svg
    (width,) = re.findall(r'class="lb".*? width="([\d.]+)"', svg)
    assert float(width) > 3 * 11.5


def test_a_drawing_holds_as_many_names_as_there_is_room_for() -> None:
    drawn = drawing(ties(*(f"a{n}-b{n}" for n in range(500))), {})

    assert len(drawn.boxes) == MOST


def test_nobody_waits_for_themselves_in_a_drawing() -> None:
    assert not drawing(ties("a-a"), {}).boxes


def test_the_longest_chain_leaves_circles_out() -> None:
    assert longest_chain(ties("a-b", "b-c", "c-a", "x-c")) == ("a", "b", "c")
    assert longest_chain([]) == ()


@pytest.mark.parametrize(
    "pairs",
    [
        ("a-c", "a-d", "b-c", "b-d"),
        ("a-b", "b-a", "b-c", "c-b"),
        ("a-b", "a-c", "a-d", "b-d", "c-d", "d-a", "d-b"),
    ],
)
def test_labels_neither_cover_each_other_nor_a_name(pairs: tuple[str, ...]) -> None:
    svg = drawing(ties(*pairs), {}).svg("")

    numbers = 'x="(.+?)" y="(.+?)" width="(.+?)" height="(.+?)"'
    found = re.findall(f'<rect class="(?:lb|nd )[^"]*" {numbers}', svg)
    rects = [tuple(map(float, rect)) for rect in found]
    assert len(rects) == len(pairs) + len(
        {name for pair in pairs for name in pair[::2]}
    )
    for (x1, y1, w1, h1), (x2, y2, w2, h2) in combinations(rects, 2):
        assert x1 + w1 <= x2 or x2 + w2 <= x1 or y1 + h1 <= y2 or y2 + h2 <= y1


def test_few_columns_are_spread_and_many_scroll() -> None:
    widths = [
        int(re.search(r'viewBox="0 0 (\d+)', drawing(ties(*chain), {}).svg(""))[1])  # type: ignore[index]
        for chain in (("a-b",), ("a-b", "b-c"), [f"{n}-{n + 1}" for n in range(6)])
    ]

    assert widths[0] == widths[1] == 540 < widths[2]
