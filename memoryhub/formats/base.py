"""What all readers of texts share: fields, line ranges and the single error type."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.values.lines import Lines as Lines

#: Line range of values that come from no text.
NOWHERE = Lines(0, 0)
#: A path to which no dialect lays claim, for texts that have none.
NO_PATH = PurePosixPath("note.md")


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
