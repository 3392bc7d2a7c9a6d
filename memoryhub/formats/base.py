"""Interface of all dialects: format, document, line ranges and the single error type.

A *format* is a module with a ``NAME``, ``matches(path, text)`` and
``parse(text)``. A *document* is a frozen value with the `text` it was parsed from.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol, runtime_checkable

from memoryhub.values.lines import Lines as Lines

#: Line range of values that come from no text.
NOWHERE = Lines(0, 0)


class Field(NamedTuple):
    """A named value of a text and its lines."""

    key: str
    value: str
    lines: Lines


class Problem(NamedTuple):
    """A defect of a text that does not prevent reading it."""

    code: str
    line: int
    parameters: dict[str, object]


class FormatError(Exception):
    """A text that a dialect cannot hold, with the line at fault.

    `code` and `parameters` are data: views word and translate them.
    """

    def __init__(self, code: str, line: int = 0, **parameters: object) -> None:
        super().__init__(code, line, parameters)
        self.code = code
        self.line = line
        self.parameters = parameters

    def __str__(self) -> str:
        details = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
        return f"{self.code} at line {self.line}" + (f" ({details})" if details else "")


class Document(Protocol):
    """A parsed text: typed values over its exact source."""

    @property
    def text(self) -> str:
        """The text it was parsed from, to the character."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A text of which nothing is read but itself."""

    text: str


class Format(Protocol):
    """A dialect: one module of this package."""

    NAME: str

    def matches(self, path: PurePosixPath, text: str) -> bool:
        """Return whether a text at this path in the workspace is of this dialect."""

    def parse(self, text: str) -> Document:
        """Return the document; raise nothing but `FormatError`."""


@runtime_checkable
class GrowingFormat(Format, Protocol):
    """A dialect of files to which programs only append."""

    def parse_grown(self, text: str, known: int) -> Document:
        """Return the document of a text of which so many characters were there before.

        It leaves out what the version before stated in them.
        """
