"""What a JSON text may hold."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from memoryhub.values.json_bounds import MAX_DEPTH, MAX_KEYS, JsonTooLarge, check_size
from tests.growth import assert_ends


def is_too_large(value: object) -> bool:
    try:
        check_size(json.dumps(value).encode())
    except JsonTooLarge:
        return True
    return False


@pytest.mark.parametrize(
    "value",
    [
        {},
        "a, b, c, [d], {e} " * 100_000,
        {"text": 'with "quotes", and \\ backslashes \\"' * 100_000},
        {f"k{n}": n for n in range(MAX_KEYS)},
        [[n] for n in range(10_000)],
        [{"role": "user", "text": "a, b"} for _ in range(10_000)],
    ],
)
def test_what_people_ask_is_taken(value: object) -> None:
    assert not is_too_large(value)


@pytest.mark.parametrize(
    "value",
    [
        {f"k{n}": n for n in range(MAX_KEYS + 1)},
        {"inner": [{f"k{n}": n for n in range(MAX_KEYS + 1)}]},
        list(range(60_000)),
        [{"a": n} for n in range(60_000)],
    ],
)
def test_more_than_anybody_asks_is_not(value: object) -> None:
    assert is_too_large(value)


def test_levels_are_counted() -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        check_size(b"[" * (MAX_DEPTH + 1))
    check_size(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)


def test_what_is_no_json_is_left_to_its_parser() -> None:
    for text in (b"", b"]]]}}}", b'"never ends', b'{"a": "\\', b",,,"):
        check_size(text)


@pytest.mark.parametrize("part", [b'"', b'"\\', b'\\"', b'", "', b"\\"])
def test_a_hostile_text_is_scanned_to_its_end(part: bytes) -> None:
    def scan() -> None:
        with suppress(ValueError):
            check_size(b'"' + part * (1_600_000 // len(part)))

    assert_ends(scan)
