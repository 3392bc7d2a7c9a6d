from __future__ import annotations

import contextlib
import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.session_map import (
    SessionMap,
    matches,
    parse,
    with_binding,
    without_binding,
)
from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.javascript import stringify

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/session_map/samples"


def sample(name: str) -> SessionMap:
    return parse((CORPUS / name).read_bytes().decode())


def test_it_reads_bindings_with_their_lines() -> None:
    held = sample("canonical.json")

    assert [b.topic for b in held.bindings] == [
        "api-redesign",
        "Über thema",
        "api-redesign",
    ]
    assert held.bindings[1].lines == Lines(3, 3)
    assert stringify({b.key: b.topic for b in held.bindings}) == held.text


def test_the_last_of_equal_keys_wins_and_other_values_are_skipped() -> None:
    held = sample("handmade.json")

    assert [(b.key, b.topic) for b in held.bindings] == [
        ("7", "seven"),
        ("b", "three"),
        ("", "empty key"),
    ]
    assert held.bindings[1].lines == Lines(2, 2)


def test_a_binding_keeps_its_place() -> None:
    text = sample("canonical.json").text

    edited = with_binding(text, "agent:main:main", "new")

    assert edited == text.replace("api-redesign", "new", 1)


def test_an_edit_keeps_values_it_does_not_know() -> None:
    text = sample("handmade.json").text

    edited = without_binding(with_binding(text, "c", "x"), "b")

    assert json.loads(edited) == {
        "7": "seven",
        "list": [1, "b"],
        "n": 5,
        "": "empty key",
        "c": "x",
    }


def test_an_unknown_key_changes_nothing() -> None:
    text = sample("handmade.json").text

    assert without_binding(text, "nobody") is text


def test_an_empty_map_has_two_braces() -> None:
    assert stringify({}) == "{}"
    assert without_binding(with_binding("", "k", "t"), "k") == "{}"


def test_integer_keys_come_first() -> None:
    assert list(json.loads(stringify({"b": "1", "10": "2", "9": "3", "01": "4"}))) == [
        "9",
        "10",
        "b",
        "01",
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("{\n bad", "json-invalid", 2),
        ("[]", "json-not-a-map", 1),
        ("X", "json-invalid", 1),
        ("[" * 100_000, "json-invalid", 1),
        ('{"a": ' + "1" * 5_000 + "}", "json-invalid", 1),
    ],
)
def test_what_is_no_map_is_refused_with_its_line(
    text: str, code: str, line: int
) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text)

    assert (caught.value.code, caught.value.line) == (code, line)


@given(st.dictionaries(st.text(), st.text()))
def test_every_map_comes_back(mapping: dict[str, str]) -> None:
    held = parse(stringify(mapping))

    assert {b.key: b.topic for b in held.bindings} == mapping
    assert held.text == stringify(mapping)


@given(st.text(alphabet='{}[]":,\\ a1\n\ufeff') | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(FormatError):
        assert parse(text).text == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{\n\n"a": "x", "b":\n"y",\n"c"\n: "z"}', {"a": 3, "b": 3, "c": 5}),
        ('{"a:": "b",\n "b": "a"}', {"a:": 1, "b": 2}),
        ('{"\\u00fc \\"x\\"": "a",\n"\\n": "b"}', {'ü "x"': 1, "\n": 2}),
        ('{"a"' + " " * 39 + ':\n"b"}', {"a": 1}),
        ('\n{"a": "b"}', {"a": 2}),
        ('\ufeff \n{\n"a": "b"}', {"a": 3}),
    ],
)
def test_a_binding_has_the_line_of_its_key(text: str, lines: dict[str, int]) -> None:
    found = {one.key: one.lines for one in parse(text).bindings}

    assert found == {key: Lines(line, line) for key, line in lines.items()}


@pytest.mark.parametrize("text", ["", " \r\n\t", "\ufeff"])
def test_a_blank_file_is_an_empty_map(text: str) -> None:
    assert parse(text).bindings == ()
    assert with_binding(text, "k", "t") == '{\n  "k": "t"\n}'


def test_it_matches_both_names() -> None:
    assert matches(PurePosixPath("memory/context-session-map.json"), "")
    assert matches(PurePosixPath("memory/topic-map.json"), "")
    assert not matches(PurePosixPath("memory/map.json"), "")


def test_a_key_whose_line_is_not_found_is_of_the_first() -> None:
    (binding,) = parse('\n\n{"a"' + " " * 60 + ': "t"}').bindings

    assert (binding.key, binding.lines) == ("a", Lines(1, 1))
