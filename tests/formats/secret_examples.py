"""Labelled lines for the detection of secrets, and how well it does on them.

`secrets/tuned.txt` may be looked at while rules are written, `secrets/unseen.txt` is
only scored. Keys are written as placeholders, such as ``{an:36}``, and made up here:
no scanner takes the examples for leaked ones.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from memoryhub.formats.secrets.detection import Secret

FOLDER = Path(__file__).parent / "secrets"
_LETTERS = {
    "an": string.ascii_letters + string.digits,
    "hex": string.hexdigits[:16],
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "_-",
    "up": string.ascii_uppercase + "234567",
    "low": string.ascii_lowercase,
    "dig": string.digits,
}
_PLACEHOLDER = re.compile(r"\{(" + "|".join(_LETTERS) + r"):(\d+)\}")
_MARK = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


class Example(NamedTuple):
    """A text and where its secrets stand."""

    text: str
    secrets: tuple[Secret, ...]


class Score(NamedTuple):
    """How many secrets there are, how many were found, and what was found besides."""

    secrets: int
    found: int
    wrong: int
    missed: tuple[str, ...]
    mistaken: tuple[str, ...]

    @property
    def recall(self) -> float:
        return self.found / self.secrets

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong)


def examples(name: str) -> list[Example]:
    """Return the examples of a file, the same ones at every call."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [_example(line) for line in lines if line and not line.startswith("# ")]


def scored(cases: Iterable[Example], find: Callable[[str], Iterable[Secret]]) -> Score:
    """Compare what is found with the labels; a secret counts where all of it is."""
    secrets = found = 0
    missed, mistaken = [], []
    for case in cases:
        spans = list(find(case.text))
        for wanted in case.secrets:
            secrets += 1
            covered = any(
                s.start <= wanted.start and wanted.end <= s.end for s in spans
            )
            found += covered
            if not covered:
                missed.append(case.text)
        mistaken += [
            f"{case.text[span.start : span.end]!r} in {case.text!r}"
            for span in spans
            if not any(s.start < span.end and span.start < s.end for s in case.secrets)
        ]
    return Score(secrets, found, len(mistaken), tuple(missed), tuple(mistaken))


def _example(line: str) -> Example:
    chance = random.Random(line)
    filled = _PLACEHOLDER.sub(
        lambda place: "".join(chance.choices(_LETTERS[place[1]], k=int(place[2]))),
        line.replace("\\n", "\n"),
    )
    text, secrets, end = "", [], 0
    for mark in _MARK.finditer(filled):
        text += filled[end : mark.start()]
        secrets.append(Secret(len(text), len(text) + len(mark[1])))
        text, end = text + mark[1], mark.end()
    return Example(text + filled[end:], tuple(secrets))
