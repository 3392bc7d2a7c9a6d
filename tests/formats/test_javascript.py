from __future__ import annotations

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.javascript import key_order, parse_json, stringify, trim


def test_it_trims_what_javascript_trims() -> None:
    assert trim("\ufeff\u3000 a\u0085\x1c \u2028") == "a\u0085\x1c"


def test_integer_keys_come_first_by_size() -> None:
    keys = ["b", "10", "9", "01", "-1", "4294967294", "4294967295", "a"]

    assert key_order(keys) == [
        "9",
        "10",
        "4294967294",
        "b",
        "01",
        "-1",
        "4294967295",
        "a",
    ]


def test_it_writes_as_json_stringify_does() -> None:
    assert stringify({}) == "{}"
    text = stringify({"é": "\ud83d", "2": ["<\u2028>"], "e": []})
    assert text == '{\n  "2": [\n    "<\u2028>"\n  ],\n  "é": "\\ud83d",\n  "e": []\n}'


def test_it_names_the_line_of_bad_json() -> None:
    with pytest.raises(FormatError) as caught:
        parse_json('{\n\n"a"')

    assert (caught.value.code, caught.value.line) == ("json-invalid", 3)
