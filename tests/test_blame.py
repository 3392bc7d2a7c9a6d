from __future__ import annotations

import random
from itertools import count

from memoryhub.formats.text.diffing import Block, age_steps, blocks_of, origins_of
from memoryhub.values.budgets import Budget
from tests.growth import assert_in_proportion


def test_f1_each_line_has_the_version_that_last_changed_it() -> None:
    versions = [
        ["title", "one", "two"],
        ["title", "one", "two", "three"],
        ["title", "ONE", "two", "three"],
        ["new", "title", "ONE", "two", "three"],
        ["new", "title", "ONE", "three", "end"],
    ]

    assert origins_of(versions) == ([3, 0, 2, 1, 4], 0)


def test_a_line_that_came_back_is_of_when_it_came_back() -> None:
    assert origins_of([["a", "b"], ["a"], ["a", "b"]]) == ([0, 2], 0)


def test_nothing_has_no_origins() -> None:
    assert origins_of([]) == ([], 0) == origins_of([["a"], []])
    assert origins_of([[], ["a"]]) == ([1], 0)


def test_lines_are_of_the_newest_version_line_by_line() -> None:
    """Against what the definition says, on random texts without equal lines."""
    chance = random.Random(7)
    lines: list[str] = []
    born: dict[str, int] = {}
    versions, count = [], 0
    for number in range(60):
        for _ in range(chance.randrange(4)):
            place = chance.randrange(len(lines) + 1)
            if lines and chance.random() < 0.4:
                lines.pop(place - 1)
            else:
                count += 1
                lines.insert(place, f"line {count}")
                born[f"line {count}"] = number
        versions.append(list(lines))

    assert origins_of(versions) == ([born[line] for line in lines], 0)


def test_lines_of_one_version_are_one_block() -> None:
    assert blocks_of([2, 2, 0, 2]) == [Block(2, 1, 2), Block(0, 3, 3), Block(2, 4, 4)]
    assert blocks_of([]) == []


def test_ages_are_in_five_steps() -> None:
    assert age_steps([50.0, 40.0, 30.0, 20.0, 10.0, 40.0]) == [1, 2, 3, 4, 5, 2]
    assert age_steps([7.0, 7.0]) == [1, 1]
    assert age_steps([1.0, 2.0]) == [5, 1]


def test_many_versions_of_500_lines_take_no_square_time() -> None:
    lines = [f"line {n}" for n in range(500)]
    versions = []
    for number in range(200):
        lines = [*lines]
        lines[number * 7 % 500] = f"changed {number}"
        lines[number * 13 % 500] = f"also {number}"
        versions.append(lines)

    assert len(origins_of(versions)[0]) == 500
    assert_in_proportion(lambda size: origins_of(versions[:size]), 50)


def test_what_was_not_compared_in_time_is_open() -> None:
    """The clock goes on by one each time it is asked."""
    versions = [[*"ab"], [*"aBx"], [*"aBXy"], [*"aBXYz"], [*"aBXYZ"]]

    origins, reached = origins_of(versions, Budget.of(5, count().__next__))

    assert 0 < reached < 4
    assert origins == [max(reached, n) for n in (0, 1, 2, 3, 4)]
