"""Bytes of a memory file as readable text, and the way back to the same bytes.

The text has no lone surrogates and no NUL, so that a database can hold it. Information
not in the text (a byte order mark, bytes of another encoding) is in the carrier.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from memoryhub.formats.text.diffing import shared_start
from memoryhub.formats.text.source import split_lines

UTF8, UTF16_LE, UTF16_BE, CP1252 = "utf-8", "utf-16-le", "utf-16-be", "cp1252"

#: The encoding named for a UTF-8 file to which PowerShell's `>>` has added UTF-16.
MIXED = "utf-8+utf-16-le"

_MARKS = {
    b"\xef\xbb\xbf": UTF8,
    b"\xff\xfe": UTF16_LE,
    b"\xfe\xff": UTF16_BE,
}
_REPLACEMENT = "\ufffd"
_NUL_SYMBOL = "\u2400"

#: `surrogateescape` code points of bytes that are not UTF-8, and their display text.
_SHOWN = {
    0xDC00 + byte: bytes([byte]).decode(CP1252, "replace")
    for byte in range(0x80, 0x100)
} | {0: _NUL_SYMBOL}
_ODD = re.compile(r"[\0\udc80-\udcff]")
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
_UTF8_LETTER = re.compile(r"[\x80-\ud7ff\ue000-\U0010ffff]")

_HIGH = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile("[\u3041-\u30fa]")
#: So many such letters in a row are in Western words too ("déçéé", "»…").
_PAIR = 2

#: A line of bytes; a line end in UTF-16 is two bytes long.
_LINE = re.compile(rb"[^\n]*\n\0?|[^\n]+")


#: Bytes of a file in which ``\r`` alone ends no line; in UTF-16 it is half a letter.
_NO_OLD_MAC = re.compile(rb"[\n\0]|\A(?:\xff\xfe|\xfe\xff)")


@dataclass(frozen=True, slots=True)
class LineBytes:
    """A line of the text and the bytes it was read from."""

    text: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Carrier:
    """Information for encoding a text again that the text itself lacks.

    `lines` is empty where the text itself, in the file's encoding, gives the bytes.
    `is_old_mac`: lines end at ``\\r`` alone in the file, at ``\\n`` in the text.
    """

    encoding: str = UTF8
    mark: bytes = b""
    lines: tuple[LineBytes, ...] = ()
    is_old_mac: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with line ends as they are, and the carrier of its bytes.

    `replaced` counts the characters that stand for bytes outside the encoding.
    """

    text: str
    carrier: Carrier
    replaced: int = 0
    encoding: str = UTF8


def decode(data: bytes) -> Decoded:
    """Return the text of any bytes; `encode` with its carrier gives the bytes back.

    Read in this order: byte order mark, UTF-8, UTF-8 with lines of UTF-16 added by
    PowerShell, and cp1252 for each byte of no other encoding. Where no byte ends a line
    but ``\\r``, as in old files of a Mac, it does.
    """
    if b"\r" in data and not _NO_OLD_MAC.search(data):
        found = decode(data.replace(b"\r", b"\n"))
        return replace(found, carrier=replace(found.carrier, is_old_mac=True))
    mark = next(filter(data.startswith, _MARKS), b"")
    body = data[len(mark) :]
    encoding = _MARKS.get(mark, UTF8)
    if encoding != UTF8:
        return _decode_utf16(body, Carrier(encoding, mark))
    with suppress(UnicodeDecodeError):
        if b"\0" not in body:
            return Decoded(body.decode(UTF8), Carrier(UTF8, mark))
    cut = tuple(_cut(body))
    escaped = [_escape(raw) for raw, wide in cut if not wide]
    odd = sum(len(_ODD.findall(line)) for line in escaped)
    has_wide = len(escaped) < len(cut)
    has_utf8 = b"\0" in body or any(map(_UTF8_LETTER.search, escaped))
    parts = [LineBytes(_text_of(raw, wide=wide), raw) for raw, wide in cut]
    if not has_wide and not has_utf8:
        undefined = sum(part.text.count(_REPLACEMENT) for part in parts)
        return _decoded(parts, Carrier(CP1252, mark), undefined)
    decoded = _decoded(_joined(parts), Carrier(UTF8, mark), odd)
    if not has_wide:
        return decoded
    return Decoded(decoded.text, decoded.carrier, odd, MIXED)


def shared_length(before: bytes, data: bytes, decoded: Decoded) -> int:
    """Return the length of the text of earlier bytes if decoded ones go on from it."""
    if not data.startswith(before):
        return 0
    if decoded.carrier == Carrier() and "\r" not in decoded.text:
        # Nothing but UTF-8: each version is, if what was added is.
        with suppress(UnicodeDecodeError):
            return len(decoded.text) - len(data[len(before) :].decode(UTF8))
    old = decode(before).text
    return len(old) if decoded.text.startswith(old) else 0


def encode(text: str, carrier: Carrier) -> bytes:
    """Return the bytes of a text, edited or not, that was decoded with this carrier.

    Lines that were not edited give their own bytes back. Edited and new lines are in
    the file's encoding, or in UTF-8 if that has no such characters.
    """
    if carrier.is_old_mac:
        text = text.replace("\r\n", "\n")
        data = encode(text, replace(carrier, is_old_mac=False))
        return data.replace(b"\n", b"\r")
    if not carrier.lines:
        return carrier.mark + _encode_new(text, carrier.encoding)
    lines = split_lines(text)
    old = list(carrier.lines)
    texts = [line.text for line in old]
    first = shared_start(texts, lines)
    last = shared_start(texts[first:][::-1], lines[first:][::-1])
    parts = [line.raw for line in old[:first]]
    changed = old[first : len(old) - last]
    parts += _changed(changed, lines[first : len(lines) - last], carrier.encoding)
    parts += [line.raw for line in old[len(old) - last :]]
    return carrier.mark + b"".join(parts)


def is_foreign(data: bytes, decoded: Decoded) -> bool:
    """Return whether bytes are of another encoding of 8 or 16 bits than cp1252.

    A word of a Western language has single letters beyond ASCII; Cyrillic, Chinese and
    Japanese words consist of them. In UTF-8 with a few odd bytes they are few.
    """
    if decoded.encoding == UTF8 and not decoded.replaced:
        return False
    high = [len(found[0]) for found in _HIGH.finditer(data)]
    is_utf8 = decoded.encoding == UTF8 and decoded.replaced * 2 <= sum(high)
    if is_utf8 or decoded.encoding not in (UTF8, CP1252):
        return False
    if decoded.encoding == CP1252 and _is_japanese(data, decoded.replaced):
        return True
    return sum(n for n in high if n > 1) * 2 > sum(high) and max(high) > _PAIR


def _is_japanese(data: bytes, undefined: int) -> bool:
    """Return whether bytes are Shift-JIS with kana, or with bytes cp1252 has not."""
    try:
        text = data.decode("shift_jis")
    except UnicodeDecodeError:
        return False
    return bool(undefined or _KANA.search(text))


def _decoded(parts: list[LineBytes], carrier: Carrier, replaced: int) -> Decoded:
    text = "".join(part.text for part in parts)
    kept = Carrier(carrier.encoding, carrier.mark, tuple(parts))
    return Decoded(text, kept, replaced, carrier.encoding)


def _escape(raw: bytes) -> str:
    return raw.decode(UTF8, "surrogateescape")


def _text_of(raw: bytes, *, wide: bool) -> str:
    if wide:
        return raw.removeprefix(b"\xff\xfe").decode(UTF16_LE).replace("\0", _NUL_SYMBOL)
    return _escape(raw).translate(_SHOWN)


def _joined(parts: list[LineBytes]) -> list[LineBytes]:
    """Join the pieces of one line: 8-bit text followed by UTF-16."""
    joined: list[LineBytes] = []
    for part in parts:
        if joined and not joined[-1].text.endswith("\n"):
            before = joined.pop()
            joined.append(LineBytes(before.text + part.text, before.raw + part.raw))
        else:
            joined.append(part)
    return joined


def _cut(body: bytes) -> Iterator[tuple[bytes, bool]]:
    """Split bytes into lines that join back, each with a flag for UTF-16."""
    after_wide = False
    for found in _LINE.finditer(body):
        line = found[0]
        start = _wide_start(line, after_wide=after_wide)
        after_wide = start < len(line)
        # The text has a line end here, the NUL belongs to its next line.
        stray = not after_wide and line.endswith(b"\n\0")
        if start:
            yield line[: start - stray], False
        if after_wide:
            yield line[start:], True
        elif stray:
            yield b"\0", False


def _wide_start(line: bytes, *, after_wide: bool) -> int:
    """Return the offset of the UTF-16 in a line; its length if there is none."""
    if b"\0" not in line:
        return len(line)
    start = _wide_candidate(line, after_wide=after_wide)
    tail = line[start:]
    if len(tail) < 4 or not _is_utf16(tail) or b"\n" in tail[:-2]:
        return len(line)
    return start


def _wide_candidate(line: bytes, *, after_wide: bool) -> int:
    marked = line.find(b"\xff\xfe")
    if marked >= 0:
        return marked
    nearest = max(line.index(b"\0") - 1, 0)
    if not line.endswith(b"\n\0"):
        return nearest if _is_ascii_pairs(line[nearest:]) else len(line)
    if after_wide:
        return 0
    return nearest + (len(line) - nearest) % 2


def _is_ascii_pairs(raw: bytes) -> bool:
    """Return whether bytes are ASCII letters, each followed by a NUL."""
    return len(raw) % 2 == 0 and not any(raw[1::2]) and raw[::2].isascii()


def _is_utf16(raw: bytes) -> bool:
    try:
        raw.decode(UTF16_LE)
    except UnicodeDecodeError:
        return False
    return True


def _decode_utf16(body: bytes, carrier: Carrier) -> Decoded:
    even = len(body) // 2 * 2
    exact = body[:even].decode(carrier.encoding, "surrogatepass")
    text = storable(exact)
    if text == exact and even == len(body):
        return Decoded(text, carrier, 0, carrier.encoding)
    parts = [
        LineBytes(storable(line), line.encode(carrier.encoding, "surrogatepass"))
        for line in split_lines(exact)
    ]
    if even < len(body):
        parts = _joined([*parts, LineBytes(_REPLACEMENT, body[even:])])
    replaced = len(_UNSTORABLE.findall(exact)) + len(body) - even
    return _decoded(parts, carrier, replaced)


def storable(text: str) -> str:
    """Return a text, such as from a JSON escape, in a form a database can hold."""
    return _UNSTORABLE.sub(_REPLACEMENT, text.replace("\0", _NUL_SYMBOL))


def _encode_new(text: str, encoding: str) -> bytes:
    if encoding == CP1252:
        try:
            return text.encode(CP1252)
        except UnicodeEncodeError:
            return text.encode(UTF8, "replace")
    return text.encode(encoding, "replace")


def _changed(
    old: Sequence[LineBytes], lines: Sequence[str], encoding: str
) -> list[bytes]:
    """Encode the lines between the first and the last edited one."""
    if len(lines) == len(old):
        return [_edited(*pair, encoding) for pair in zip(old, lines, strict=True)]
    unused: dict[str, deque[bytes]] = defaultdict(deque)
    for line in (*old, *_ended(old, encoding)):
        unused[line.text].append(line.raw)
    return [
        unused[line].popleft() if unused.get(line) else _encode_new(line, encoding)
        for line in lines
    ]


def _ended(old: Sequence[LineBytes], encoding: str) -> Iterator[LineBytes]:
    """Add a missing line end to the file's last line, as lines follow it."""
    last = old[-1] if old else LineBytes("\n", b"")
    odd_tail = encoding in (UTF16_LE, UTF16_BE) and len(last.raw) % 2
    if last.text.endswith("\n") or odd_tail:
        return
    wide = encoding == UTF8 and not _is_narrow(last)
    for end in ("\n", "\r\n"):
        raw = end.encode(UTF16_LE if wide else encoding)
        yield LineBytes(last.text + end, last.raw + raw)


def _edited(old: LineBytes, line: str, encoding: str) -> bytes:
    """Encode an edited line: unchanged text at both its ends keeps its bytes."""
    if old.text == line:
        return old.raw
    if encoding != UTF8 or not _is_narrow(old):
        return _encode_new(line, encoding)
    escaped = _escape(old.raw)
    first = shared_start(old.text, line)
    last = shared_start(old.text[first:][::-1], line[first:][::-1])
    parts = (
        escaped[:first].encode(UTF8, "surrogateescape"),
        _encode_new(line[first : len(line) - last], encoding),
        escaped[len(escaped) - last :].encode(UTF8, "surrogateescape"),
    )
    return b"".join(parts)


def _is_narrow(line: LineBytes) -> bool:
    return _text_of(line.raw, wide=False) == line.text
