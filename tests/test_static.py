"""Styles, scripts and templates agree with each other, and colours can be read."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from django.template import engines
from django.test import RequestFactory

from memoryhub.timeline.queries.events import Count

ROOT = Path(__file__).parents[1]
STYLES = sorted((ROOT / "static/css").glob("*.css"))
STYLES_TEXT = {path.stem: path.read_text() for path in STYLES}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

_TOKEN = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")
_LICENCES = {"htmx"}

GROUNDS = ("bg", "surface", "sunken", "hover")
STATES = ("open", "progress", "blocked", "done", "failed", "turn", "stale")
TEXT_PAIRS = [
    *product(("text", "text-2", "text-3", "accent-text", "link"), GROUNDS),
    *((f"{state}-fg", f"{state}-bg") for state in STATES),
    *product((f"{state}-fg" for state in STATES), (*GROUNDS, "selected")),
    *product(("text", "text-2", "text-3"), ("selected", "turn-bg")),
    *product(("on-accent",), ("accent", "accent-hover")),
    *product(("text",), ("add-bg", "del-bg", "add-word", "del-word")),
    *((f"ag{tint}-fg", f"ag{tint}-bg") for tint in range(1, 7)),
    ("add-fg", "add-gutter"),
    ("del-fg", "del-gutter"),
    ("mark-fg", "mark-bg"),
]
SHAPE_PAIRS = [
    *product(("ctl", "focus", "plot-1", "plot-2"), ("bg", "surface")),
    *product(("gauge-ok", "gauge-warn", "gauge-bad"), ("gauge-track",)),
]


def tokens() -> dict[str, tuple[str, str]]:
    css = (ROOT / "static/css/tokens.css").read_text()
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(css)}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_pair_of_colours_can_be_read() -> None:
    colours = tokens()
    floors = [(pair, 4.5) for pair in TEXT_PAIRS] + [(pair, 3) for pair in SHAPE_PAIRS]
    for (front, ground), floor in floors:
        for theme in (0, 1):
            found = contrast(colours[front][theme], colours[ground][theme])
            assert found >= floor, (front, ground, theme, found)


def test_every_file_a_template_names_exists() -> None:
    everything = "".join(path.read_text() for path in TEMPLATES)
    named = set(re.findall(r'{% static "([^"]+)"', everything))

    assert named and all((ROOT / "static" / name).exists() for name in named)


def test_styles_are_short_and_stay_on_this_host() -> None:
    for name, text in STYLES_TEXT.items():
        assert text.count("\n") < 300, name
        assert "://" not in text, name


def test_every_property_a_style_uses_is_defined() -> None:
    everything = "".join(STYLES_TEXT.values())
    defined = set(re.findall(r"(--[\w-]+):", everything))

    assert set(re.findall(r"var\((--[\w-]+)", everything)) <= defined


def test_only_tokens_know_colours_of_text_and_ground() -> None:
    for name, text in STYLES_TEXT.items():
        if name not in {"tokens", "print"}:
            plain = re.sub(r"light-dark\([^;]*\)", "", text)
            assert not re.search(r"#[0-9a-fA-F]{3,6}\b", plain), name


def test_what_is_vendored_has_its_licence() -> None:
    names = {path.name for path in (ROOT / "static/js/vendor").iterdir()}
    fonts = {path.name for path in (ROOT / "static/fonts").iterdir()}

    assert {f"{name}.LICENSE.txt" for name in _LICENCES} <= names
    assert {"inter.LICENSE.txt", "jetbrains-mono.LICENSE.txt"} <= fonts


@pytest.mark.parametrize(
    "path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT))
)
def test_templates_keep_to_the_policy(path: Path) -> None:
    text = path.read_text()

    assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


def test_every_icon_a_template_names_is_in_the_sprite() -> None:
    sprite = (ROOT / "templates/components/icons.html").read_text()
    drawn = set(re.findall(r'id="(?:i|s)-([\w-]+)"', sprite))
    for path in TEMPLATES:
        named = set(re.findall(r'{% (?:icon|glyph) "([\w-]+)"', path.read_text()))
        assert named <= drawn, path


def page(**context: object) -> str:
    request = RequestFactory().get("/")
    request.COOKIES = {"memoryhub_theme": "dark"}
    template = engines["django"].get_template("404.html")
    return template.render({"title": "There", **context}, request)


SHELL = {
    "workspace": {"name": "acme", "root": "~/acme", "slug": "acme"},
    "nav": [
        {"key": "overview", "url": "/w/acme/", "icon": "overview", "turn": Count(4)},
        {"key": "files", "url": "/w/acme/files/", "icon": "file", "count": "38"},
    ],
    "topics": [{"url": "/t/", "name": "<api>", "state": "done", "state_label": "Done"}],
    "topics_url": "/w/acme/topics/",
    "topics_total": 9,
    "turn": Count(4),
    "search_url": "/w/acme/search/",
    "crumbs": [("acme", "/w/acme/"), ("Overview", "")],
}


def test_the_shell_works_without_a_workspace() -> None:
    html = page()

    assert re.search(r'<html lang="en"\s+data-theme="dark"\s*>', html)
    assert 'id="palette"' not in html
    assert html.count("<h1") == 1


def test_the_shell_says_where_one_is() -> None:
    html = page(shell=SHELL, page="overview")

    title = re.findall(r"<title>(.*?)</title>", html, re.DOTALL)[0]
    assert " ".join(title.split()) == "(4) Not found · acme · MemoryHub"
    assert 'data-go="f"' in html and "All 9 topics" in html
    assert "&lt;api&gt;" in html and "<api>" not in html


def test_ids_are_unique_in_a_page() -> None:
    ids = re.findall(r'\sid="([^"]+)"', page(shell=SHELL, page="overview"))

    assert len(ids) == len(set(ids))


def test_search_and_menu_are_links_without_scripts() -> None:
    html = page(shell=SHELL, page="overview")

    assert '<a class="find" href="/w/acme/search/" data-open="palette">' in html
    assert re.search(r'<a [^>]*href="#side" data-open="menu"', html)
