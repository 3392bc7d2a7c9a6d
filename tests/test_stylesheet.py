"""The stylesheet joins every file once, weighs little, and is requested once."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.web.kit.stylesheet import PARTS, built

ROOT = Path(__file__).parents[1]
FILES = {path.stem: path.read_text() for path in (ROOT / "static/css").glob("*.css")}
#: Bytes as they are sent.
LIMIT = 16_000
#: Rules of a file outside `@media` and the like.
_RULE = re.compile(r"^  ([^\s@}][^{}@]*) \{", re.MULTILINE)


def test_every_file_is_part_of_it_once() -> None:
    assert Counter(PARTS) == Counter(FILES.keys())


def test_the_layers_are_named_before_they_are_filled() -> None:
    layers = "@layer tokens,base,util,shell,parts,pages,last;@layer tokens{"

    assert built().text.startswith(layers)


def test_it_is_small_as_it_is_sent() -> None:
    assert len(gzip.compress(built().text.encode(), 6)) <= LIMIT


def test_no_text_between_quotation_marks_is_changed_by_leaving_out_spaces() -> None:
    quoted = re.findall(r'"[^"\n]*"', "".join(FILES.values()))

    assert not [text for text in quoted if re.search(r"[{};,]|/\*|\s\s", text)]
    assert '.source code:empty::before{content: " "}' in built().text


def test_what_some_pages_have_is_styled_in_one_file() -> None:
    some = PARTS[PARTS.index("edits") + 1 : PARTS.index("narrow")]
    styled = Counter(
        selector for part in some for selector in set(_RULE.findall(FILES[part]))
    )

    assert styled and not [one for one, files in styled.items() if files > 1]


def test_it_is_sent_compressed_and_cached_for_good(client: Client) -> None:
    answer = client.get(built().url, headers={"accept-encoding": "gzip"})

    assert answer.headers["Cache-Control"].endswith("immutable")
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert gzip.decompress(answer.content).decode() == built().text


def test_a_page_from_before_an_update_has_styles_that_are_not_cached(
    client: Client,
) -> None:
    answer = client.get("/static/sheets/hub.0123456789ab.css")

    assert answer.content.decode() == built().text
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["none.0123456789ab", "hub", "../settings.0a"])
def test_no_other_address_serves_it(client: Client, name: str) -> None:
    assert client.get(f"/static/sheets/{name}.css").status_code == 404
