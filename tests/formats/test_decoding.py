from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.text.decoding import (
    CP1252,
    MIXED,
    UTF8,
    UTF16_LE,
    decode,
    encode,
)

PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\n\0",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"- item",
        b"\xe9",
        "你好 – ü".encode(),
        "tail ✓\r\n".encode("utf-16-le"),
        "one\ntwo\n".encode("utf-16-be"),
        b"\x81\x8d",
        b"\xed\xa0\x80",
        b"\x00\xd8",
    ]
)
FILES = st.lists(PIECES | st.binary(max_size=8), max_size=12).map(b"".join)


@given(FILES)
def test_any_bytes_come_back(data: bytes) -> None:
    decoded = decode(data)

    assert encode(decoded.text, decoded.carrier) == data


@given(FILES)
def test_the_text_of_any_bytes_can_be_stored(data: bytes) -> None:
    text = decode(data).text

    with sqlite3.connect(":memory:") as connection:
        (stored,) = connection.execute("SELECT ?", (text,)).fetchone()
    connection.close()
    assert stored == text
    assert "\0" not in text


@given(FILES, st.integers(0, 20))
def test_an_added_line_keeps_all_other_bytes(data: bytes, place: int) -> None:
    decoded = decode(data.removesuffix(b"\n") + b"\n")
    lines = decoded.text.split("\n")
    place = min(place, len(lines) - 1)
    edited = "\n".join([*lines[:place], "- an added line", *lines[place:]])

    written = encode(edited, decoded.carrier)

    added = "- an added line\n".encode(decoded.carrier.encoding)
    before, found, after = written.partition(added)
    assert found
    assert encode(decoded.text, decoded.carrier) == before + after


@given(st.text(), st.text())
def test_any_edit_of_a_utf8_file_is_read_back(old: str, new: str) -> None:
    old, new = old.replace("\0", ""), new.replace("\0", "")
    decoded = decode(f"{old}\n".encode())

    assert encode(new, decoded.carrier) == decoded.carrier.mark + new.encode()


@given(FILES, st.text(st.characters(codec="utf-8") | st.just("\ud800")))
def test_no_edit_fails(data: bytes, edited: str) -> None:
    assert isinstance(encode(edited, decode(data).carrier), bytes)


@pytest.mark.parametrize("name", ["café", "caf\N{REPLACEMENT CHARACTER}"])
def test_lines_of_an_old_mac_end_at_carriage_returns(name: str) -> None:
    word = b"caf\x8d" if name == "caf\ufffd" else name.encode()
    data = b"# Log\r\r- the " + word + b"\r- keys"
    decoded = decode(data)

    assert decoded.text == f"# Log\n\n- the {name}\n- keys"
    assert encode(decoded.text, decoded.carrier) == data
    for end in ("\n", "\r\n"):
        edited = decoded.text.replace("# Log\n", f"# Log{end}- new{end}")
        written = encode(edited, decoded.carrier)
        assert written == data.replace(b"# Log\r", b"# Log\r- new\r")


@pytest.mark.parametrize("text", ["不\u0d0d", "\u0d4e不"])
def test_half_a_letter_of_utf16_ends_no_line(text: str) -> None:
    data = b"\xff\xfe" + text.encode("utf-16-le")

    assert decode(data).text == text


def test_it_keeps_the_mark_out_of_the_text() -> None:
    decoded = decode(b"\xef\xbb\xbf# Log\r\n")

    assert decoded.text == "# Log\r\n"
    assert encode("# Day\r\n", decoded.carrier) == b"\xef\xbb\xbf# Day\r\n"


def test_it_reads_utf16_with_a_mark() -> None:
    decoded = decode("\ufeff# 日誌\r\n".encode("utf-16-le"))

    assert (decoded.text, decoded.encoding) == ("# 日誌\r\n", UTF16_LE)
    assert encode("é", decoded.carrier) == b"\xff\xfe\xe9\0"


def test_it_reads_the_lines_powershell_adds() -> None:
    tail = "- done ✓\r\n- 完了\r\n".encode("utf-16-le")
    decoded = decode(b"# Log\n" + tail + b"- by bash\n")

    assert decoded.text == "# Log\n- done ✓\r\n- 完了\r\n- by bash\n"
    assert (decoded.encoding, decoded.replaced) == (MIXED, 0)


def test_it_reads_a_tail_added_to_an_open_line() -> None:
    data = "- größe".encode() + "!\r\n- two\r\n".encode("utf-16-le")

    assert decode(data).text == "- größe!\r\n- two\r\n"


def test_an_edited_line_of_a_tail_becomes_utf8() -> None:
    one, two = "- one\r\n".encode("utf-16-le"), "- two\r\n".encode("utf-16-le")
    decoded = decode(b"# Log\n" + one + two)

    edited = encode("# Log\n- 1\r\n- two\r\n", decoded.carrier)

    assert edited == b"# Log\n- 1\r\n" + two


def test_a_line_after_an_open_tail_keeps_the_tail() -> None:
    one = "- one".encode("utf-16-le")
    decoded = decode(b"# Log\n" + one)

    edited = encode("# Log\n- one\n- two\n", decoded.carrier)

    assert edited == b"# Log\n" + one + b"\n\0- two\n"
    assert decode(edited).text == "# Log\n- one\n- two\n"


def test_it_falls_back_to_cp1252() -> None:
    decoded = decode("- café “ok” €\n".encode("cp1252"))

    assert decoded.text == "- café “ok” €\n"
    assert (decoded.encoding, decoded.replaced) == (CP1252, 0)
    assert encode(decoded.text + "ß\n", decoded.carrier).endswith(b"\x80\n\xdf\n")


def test_cp1252_lines_that_it_cannot_say_are_utf8_and_read_back() -> None:
    decoded = decode(b"- caf\xe9\n")
    edited = encode(decoded.text + "- → 完了\n", decoded.carrier)

    assert edited == b"- caf\xe9\n" + "- → 完了\n".encode()
    assert decode(edited).text == "- café\n- → 完了\n"


def test_it_counts_the_bytes_that_are_not_utf8() -> None:
    decoded = decode(b"- \xc3\xa9 and \xe9 and \x81\n")

    assert decoded.text == "- é and é and \ufffd\n"
    assert (decoded.encoding, decoded.replaced) == (UTF8, 2)


def test_an_edit_beside_an_odd_byte_keeps_the_byte() -> None:
    decoded = decode("- [ ] ü ".encode() + b"caf\xe9\nend")

    edited = encode(decoded.text.replace("[ ]", "[x]"), decoded.carrier)

    assert edited == "- [x] ü ".encode() + b"caf\xe9\nend"


def test_moved_lines_keep_their_bytes() -> None:
    decoded = decode("ü\n".encode() + b"a\xe9\nb\nc\n")

    edited = encode("new\nb\naé\nü\nc\n", decoded.carrier)

    assert edited == b"new\nb\na\xe9\n" + "ü\nc\n".encode()


def test_a_nul_is_shown_and_kept() -> None:
    decoded = decode(b"a\0b\nc\n")

    assert (decoded.text, decoded.replaced) == ("a\u2400b\nc\n", 1)
    assert encode(decoded.text + "d\n", decoded.carrier) == b"a\0b\nc\nd\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\xe9" * 3_000_000,
        b"\n\0" * 100_000,
        b"a\0" * 1_000_000 + b"xx",
        b"\0\n" * 200_000,
        b"\xff\xfe\0\xd8" * 200_000,
    ],
)
def test_large_odd_files_come_back(data: bytes) -> None:
    decoded = decode(data)

    assert encode(decoded.text, decoded.carrier) == data
    assert encode(decoded.text + "x", decoded.carrier)
