"""Stylesheets hold every part once, weigh little, and are asked for once."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.web.kit import sheets
from memoryhub.web.kit.sheets import SHEETS, sheet_of, sheet_url

ROOT = Path(__file__).parents[1]
PARTS = {path.stem: path.read_text() for path in (ROOT / "static/css").glob("*.css")}
PAGES = {
    str(path.relative_to(ROOT / "templates")): path.read_text()
    for path in (ROOT / "templates").rglob("*.html")
}
BASE = PAGES["base.html"]
AREAS = SHEETS.keys() - {"common", "media"}
#: Bytes of all the styles of a page, as they are sent.
LIMIT = 12_000

_SHEET = re.compile(r'{% sheet "(\w+)" %}')


def weight(name: str) -> int:
    return len(gzip.compress(sheet_of(name).text.encode(), 6))


def test_every_style_is_part_of_a_sheet() -> None:
    assert {part for parts in SHEETS.values() for part in parts} == PARTS.keys()


def test_what_every_page_has_is_in_no_sheet_of_an_area() -> None:
    everywhere = {*SHEETS["common"], *SHEETS["media"]}

    assert not [area for area in AREAS if everywhere & set(SHEETS[area])]


def test_a_page_has_the_sheet_of_its_area_between_those_of_every_page() -> None:
    named = {name: _SHEET.findall(text) for name, text in PAGES.items()}
    order = r'{% sheet "common" %}{% block sheet %}{% endblock %}{% sheet "media" %}'

    assert order in BASE
    assert all(len(found) <= 1 for name, found in named.items() if name != "base.html")
    assert {area for found in named.values() for area in found} == SHEETS.keys()


def test_the_layers_are_named_before_they_are_filled() -> None:
    layers = "@layer tokens,base,util,shell,parts,pages,last;@layer tokens{"

    assert sheet_of("common").text.lstrip().startswith(layers)


@pytest.mark.parametrize("area", sorted(AREAS))
def test_the_styles_of_a_page_are_small(area: str) -> None:
    assert weight("common") + weight(area) + weight("media") <= LIMIT


def test_no_text_between_quotation_marks_is_changed_by_leaving_out_spaces() -> None:
    quoted = re.findall(r'"[^"\n]*"', "".join(PARTS.values()))

    assert not [text for text in quoted if re.search(r"[{};,]|/\*|\s\s", text)]
    assert '.source code:empty::before{content: " ";}' in sheet_of("files").text


def test_a_sheet_is_sent_small_and_kept_for_good(client: Client) -> None:
    answer = client.get(sheet_url("topic"), headers={"accept-encoding": "gzip"})

    assert answer.headers["Cache-Control"].endswith("immutable")
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert gzip.decompress(answer.content).decode() == sheet_of("topic").text


def test_a_page_of_before_an_update_has_styles_that_are_not_kept(
    client: Client,
) -> None:
    answer = client.get("/static/sheets/topic.0123456789ab.css")

    assert answer.content.decode() == sheet_of("topic").text
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["none.0123456789ab", "topic", "../settings.0a"])
def test_what_is_no_sheet_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/static/sheets/{name}.css").status_code == 404


def test_a_sheet_has_another_address_as_soon_as_a_part_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = sheet_url("search")
    (tmp_path / "search.css").write_text("@layer pages { .hits { color: inherit } }")
    monkeypatch.setattr(sheets, "_FOLDER", tmp_path)

    assert sheet_of("search").text == "@layer pages{.hits{color: inherit}}"
    assert sheet_url("search") != before
