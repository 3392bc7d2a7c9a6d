"""Search patterns of forgettings, and redaction. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

import regex

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode, encode

#: Replacement for forgotten text.
MARK = "[forgotten]"
#: Minimum length: a shorter text matches too many unrelated places.
SHORTEST = 3
#: Timeout of a regular expression on one text, in seconds.
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Needle:
    """A pattern whose matches are replaced by the mark."""

    pattern: regex.Pattern[str]

    def redacted(self, text: str) -> tuple[str, int]:
        """Redact a text; return it and the number of matches.

        Raises:
            FormatError: ``pattern-slow``, the pattern takes too long.
        """
        try:
            return self.pattern.subn(lambda _: MARK, text, timeout=_PATIENCE)
        except TimeoutError as error:
            raise FormatError("pattern-slow") from error

    def redacted_bytes(self, data: bytes) -> tuple[bytes | None, int]:
        """Redact the bytes of a file; return them and the number of matches.

        None if the result cannot be encoded, or still matches when decoded.
        """
        decoded = decode(data)
        text, count = self.redacted(decoded.text)
        if not count:
            return data, 0
        try:
            left = encode(text, decoded.carrier)
        except UnicodeError:
            return None, count
        return (None if self.redacted(decode(left).text)[1] else left), count

    def redacted_value(self, value: Any) -> tuple[Any, int]:
        """Redact the texts of a JSON value; return it and the number of matches."""
        if isinstance(value, str):
            return self.redacted(value)
        if isinstance(value, list):
            parts = [self.redacted_value(part) for part in value]
            return [part for part, _ in parts], sum(count for _, count in parts)
        if isinstance(value, dict):
            names = [self.redacted(str(name)) for name in value]
            parts = [self.redacted_value(part) for part in value.values()]
            pairs = zip(names, parts, strict=True)
            made = {name: part for (name, _), (part, _) in pairs}
            return made, sum(count for _, count in (*names, *parts))
        return value, 0

    def matches(self, text: str, most: int) -> list[tuple[int, str]]:
        """Return the first `most` matches in a text: line numbers, redacted lines."""
        found: list[tuple[int, str]] = []
        for match in self.pattern.finditer(text, timeout=_PATIENCE):
            begin = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.end())
            rest = text[match.end() : None if end < 0 else end]
            line, _ = self.redacted(f"{text[begin : match.start()]}{MARK}{rest}")
            found.append((text.count("\n", 0, begin) + 1, line.strip()))
            if len(found) == most:
                break
        return found


def text_needle(texts: Iterable[str]) -> Needle:
    """Build a pattern of literal texts, including their JSON and URL forms.

    Raises:
        FormatError: ``pattern-short``.
    """
    wanted = list(texts)
    if not wanted or min(map(len, wanted)) < SHORTEST:
        raise FormatError("pattern-short", least=SHORTEST)
    forms = {form for text in wanted for form in _forms(text)}
    longest = sorted(forms, key=lambda form: (-len(form), form))
    return Needle(regex.compile("|".join(map(regex.escape, longest))))


def regex_needle(pattern: str) -> Needle:
    """Build a pattern from a regular expression.

    Raises:
        FormatError: ``pattern-invalid``; ``pattern-slow``; ``pattern-short`` if it
            matches the empty text, and thus everywhere.
    """
    try:
        compiled = regex.compile(pattern, regex.MULTILINE)
        if compiled.search("", timeout=_PATIENCE):
            raise FormatError("pattern-short", least=1)
    except regex.error as error:
        raise FormatError("pattern-invalid", reason=str(error)) from error
    except TimeoutError as error:
        raise FormatError("pattern-slow") from error
    return Needle(compiled)


def lines_needle(blocks: Iterable[str]) -> Needle:
    """Build a pattern of blocks of whole lines, with any line ends.

    Raises:
        FormatError: ``pattern-short``, all blocks are blank.
    """
    forms = {
        r"\r?\n".join(regex.escape(line.rstrip("\r")) for line in lines.split("\n"))
        for block in blocks
        if (lines := block.strip("\r\n"))
    }
    if not forms:
        raise FormatError("pattern-short", least=1)
    longest = sorted(forms, key=lambda form: (-len(form), form))
    either = "|".join(longest)
    return Needle(regex.compile(f"^(?:{either})(?=\\r?$)", regex.MULTILINE))


def _forms(text: str) -> set[str]:
    lines = {text, text.replace("\r\n", "\n"), text.replace("\n", "\r\n")}
    written = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    asked = {quote(text), quote(text, safe=""), quote_plus(text)}
    return lines | written | asked
