"""Every text of pages is translated, and what is shipped is what was translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import read_mo
from django.test import Client
from django.utils.translation import get_language, gettext, override

from tests.messages import LANGUAGES, paths, translated, wanted

pytestmark = pytest.mark.django_db

#: A span ends in a word of its own, "2 小时"; a number has a blank behind it.
_SPLIT_SPAN = re.compile(r"%\((?:median|p90|span|age|silence|gap)\)s [一-鿿]")
_PLACES = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%%")


@pytest.fixture(autouse=True)
def language_of_before() -> Iterator[None]:
    """Put the language back: a request leaves its own to the thread."""
    with override(get_language()):
        yield


def texts(message: Message) -> list[str]:
    said = message.string or ""
    return [said] if isinstance(said, str) else list(said)


def ids(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def context(message: Message) -> str:
    """Return a message's context, which Babel leaves as bytes in compiled files."""
    said: str | bytes = message.context or ""
    return said.decode() if isinstance(said, bytes) else said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    """`make messages` writes new texts into the file; then they are translated."""
    known = translated(language)
    missing = []
    for message in wanted():
        found = known.get(message.id, message.context)
        if message.id and (found is None or not all(texts(found))):
            missing.append(message.id)
    assert not missing


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_left_over_or_in_doubt(language: str) -> None:
    needed = {(message.context, *ids(message)) for message in wanted()}
    known = translated(language)

    assert not known.obsolete
    assert not [message.id for message in known if message.id and message.fuzzy]
    assert {(message.context, *ids(message)) for message in known} == needed | {
        (None, "")
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_name_the_same_values(language: str) -> None:
    for message in translated(language):
        if not message.id:
            continue
        wanted_places = set(_PLACES.findall(ids(message)[-1])) - {"%%"}
        for text in texts(message):
            assert set(_PLACES.findall(text)) - {"%%"} == wanted_places, message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shipped_is_what_was_translated(language: str) -> None:
    with paths(language)[1].open("rb") as file:
        shipped = {(context(one), ids(one)): texts(one) for one in read_mo(file)}
    for message in translated(language):
        if message.id:
            assert shipped[context(message), ids(message)] == texts(message)


def test_a_span_of_time_and_the_chinese_word_behind_it_are_joined() -> None:
    said = [text for message in translated("zh_Hans") for text in texts(message)]

    assert any("%(median)s内" in text for text in said)
    assert not [text for text in said if _SPLIT_SPAN.search(text)]


def test_pages_speak_chinese() -> None:
    with override("zh-hans"):
        assert gettext("Timeline") == "时间线"


def test_a_browser_is_answered_in_its_language(client: Client, hub_data: Path) -> None:
    page = client.get("/imports/new/", headers={"accept-language": "zh-CN,zh;q=0.9"})

    assert page.headers["Content-Language"] == "zh-hans"
    assert '<html lang="zh-hans"' in page.text
    assert "导入文件夹或 .zip" in page.text


def test_a_person_chooses_another_language(client: Client, hub_data: Path) -> None:
    chosen = {"theme": "system", "density": "comfortable", "language": "zh-hans"}
    answer = client.post("/me/", chosen)
    page = client.get("/me/", headers={"accept-language": "en"})

    assert answer.status_code == 303
    assert "<h1>您的偏好</h1>" in page.text
