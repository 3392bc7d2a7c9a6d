"""Plots are SVG with a finding in words, and hold whatever they are given."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from memoryhub.web.kit import plots
from memoryhub.web.kit.plots import Bar, Cell, Dots, Dumbbell, Point, Share, Tick

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


def test_a_calendar_names_its_months_and_days() -> None:
    week = [Cell(1, "day", "/")]

    svg = plots.calendar([week, week], "busy", {1: "Nov"}, ["Mon", ""])

    month, day = (node for node in drawn(svg) if node.tag.endswith("text"))
    cells = [node for node in drawn(svg) if node.tag.endswith("rect")]
    assert (month.text, day.text) == ("Nov", "Mon")
    assert month.get("x") == cells[1].get("x")


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


def test_dots_stand_on_a_logarithmic_axis() -> None:
    ticks = [Tick(1, "1 min"), Tick(30, "30 min"), Tick(900, "15 h")]
    row = Dots(HOSTILE, (0.0, 30.0, 5000.0), 30.0)

    svg = plots.dots([row], ticks, "slow")

    low, middle, high = (float(dot.get("cx", "")) for dot in marks(svg, "dot"))
    assert middle == pytest.approx((low + high) / 2, abs=0.2)
    assert float(marks(svg, "mid")[0].get("x1", "")) == pytest.approx(middle)


def test_many_dots_are_thinned_and_keep_both_ends() -> None:
    ticks = [Tick(1, "low"), Tick(1000, "high")]
    values = tuple(float(n + 1) for n in range(1000))

    svg = plots.dots([Dots("many", values, 500.0)], ticks, "many")

    places = [dot.get("cx") for dot in marks(svg, "dot")]
    assert len(places) == 60
    assert (places[0], places[-1]) == ("104.0", "294.0")


def test_a_share_fills_its_part_of_a_row() -> None:
    svg = plots.shares([Share("write", 1, 4, "1 of 4"), Share("read", 0, 0, "")], "few")

    (whole, _), (part,) = marks(svg, "h0"), marks(svg, "b1")
    assert float(part.get("width", "")) * 4 == float(whole.get("width", ""))


def test_hours_are_bars_from_the_floor_up() -> None:
    svg = plots.hours((0, 1, 0, 100), "101 <events>")

    assert svg.count("<rect") == 2 and 'viewBox="0 0 16 20"' in svg
    assert 'x="4" y="18" width="3" height="2"' in svg
    assert 'x="12" y="0" width="3" height="20"' in svg
    assert "101 &lt;events&gt;" in svg


def test_the_number_of_a_long_label_is_never_cut() -> None:
    row = Dots("documentation-reviewer · 1638", (1.0,), 1.0)

    svg = plots.dots([row], [Tick(1, "1 min"), Tick(9, "9 min")], "slow")

    texts = [node.text or "" for node in drawn(svg).iter()]
    (label,) = [text for text in texts if text.startswith("doc") and "…" in text]
    assert label and label.endswith("… · 1638") and len(label) <= 16
