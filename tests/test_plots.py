"""Plots are SVG with a finding in words, and hold whatever they are given."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from memoryhub import plots
from memoryhub.plots import Bar, Cell, Dumbbell, Point

HOSTILE = '"><script>alert(1)</script>'


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def marks(svg: str, style: str) -> list[ElementTree.Element]:
    return [node for node in drawn(svg).iter() if node.get("class") == style]


def test_days_of_a_calendar_are_shaded_in_five_steps() -> None:
    week = [Cell(n, f"day {n}", "/") for n in (0, 1, 5, 10)]

    svg = plots.calendar([[*week, None]], "busy")

    assert [len(marks(svg, f"h{step}")) for step in range(5)] == [1, 1, 1, 0, 1]
    assert drawn(svg).get("aria-label") == "busy"


def test_parts_of_a_bar_stand_on_each_other() -> None:
    svg = plots.bars([Bar("Mon: 3", (1, 0, 2)), Bar("Tue: 0", (0, 0, 0))], "three")

    (low,), (high,) = marks(svg, "b1"), marks(svg, "b3")
    assert float(low.get("y", "")) == pytest.approx(
        float(high.get("y", "")) + float(high.get("height", ""))
    )


def test_what_is_not_recorded_is_not_drawn() -> None:
    rows = [Dumbbell("a", 280, 45), Dumbbell("b", 100, None), Dumbbell("c", None, 9)]

    svg = plots.dumbbells(rows, "fewer")

    assert (len(marks(svg, "fo")), len(marks(svg, "f2"))) == (2, 2)
    assert len(marks(svg, "ln")) == 1


def test_a_line_writes_its_last_value_under_the_limit() -> None:
    svg = plots.line([Point(0.0, 100), Point(1.0, 742)], 800, "near")

    assert marks(svg, "strong")[0].text == "742"
    assert len(marks(svg, "cap")) == 1


def test_nothing_to_draw_is_an_empty_plot() -> None:
    for svg in (
        plots.calendar([], "x"),
        plots.bars([], "x"),
        plots.dumbbells([], "x"),
        plots.line([], 0, "x"),
    ):
        assert drawn(svg).tag == "svg"


def test_labels_are_text() -> None:
    for svg in (
        plots.calendar([[Cell(1, HOSTILE, "/")]], HOSTILE),
        plots.bars([Bar(HOSTILE, (1,))], HOSTILE),
        plots.dumbbells([Dumbbell(HOSTILE, 1, 1)], HOSTILE),
        plots.line([Point(0.0, 1)], 1, HOSTILE),
    ):
        assert "<script" not in svg
        assert "style=" not in svg
