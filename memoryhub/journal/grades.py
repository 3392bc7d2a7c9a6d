"""Grades of statements: declared by a text's form, suggested by its words.

A person's verdict on a suggestion holds for its text, wherever and whenever a file of
the workspace states it. It is an operation without a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

from django.db import models
from django.db.models import QuerySet

from memoryhub.formats.text.alignment import key_of

#: Verbs of verdicts in the journal.
ACCEPT, DISMISS = "accept", "dismiss"
#: Confidence from which a suggestion is likely.
LIKELY = 0.75
_WHY = 300

#: Filter of lists by grade.
Asked = Literal["declared", "suggested", "all"]
ASKED = "declared unless asked: suggested were found by words, and nobody accepted them"

_Row = TypeVar("_Row", bound=models.Model)


class Grade(models.TextChoices):
    """Accepted suggestions are declared, with `judged_by`."""

    DECLARED = "declared"
    SUGGESTED = "suggested"
    DISMISSED = "dismissed"


class Verdict(NamedTuple):
    """What a person said of a suggestion, and when."""

    verdict: str
    by: str
    at: datetime


#: Verdicts by kind of statement and key of its text.
Verdicts = Mapping[tuple[str, int], Verdict]


class _Declared(models.Manager[_Row]):
    def get_queryset(self) -> QuerySet[_Row]:
        return super().get_queryset().filter(grade=Grade.DECLARED)


class Graded(models.Model):
    """A statement with its grade.

    `objects` are the declared ones alone: so no list or number has a suggestion that
    does not ask for it. `everything` is the default of importers and erasure.
    """

    grade = models.CharField(
        max_length=9, choices=Grade.choices, default=Grade.DECLARED
    )
    #: 1 is declared by the form of the text; below, the probability of a suggestion.
    confidence = models.FloatField(default=1.0)
    #: The words and forms that weighed most.
    why = models.CharField(max_length=_WHY, default="")
    #: Who accepted or dismissed the suggestion.
    judged_by = models.CharField(max_length=200, default="")
    judged_at = models.DateTimeField(null=True)

    everything = models.Manager()
    objects = _Declared()

    class Meta:
        abstract = True

    @property
    def is_suggested(self) -> bool:
        return self.grade == Grade.SUGGESTED


def declared(model: type[_Row]) -> QuerySet[_Row]:
    """Return all rows of a model, of statements those that are declared."""
    rows = model._default_manager.all()
    is_graded = issubclass(model, Graded)
    return rows.filter(grade=Grade.DECLARED) if is_graded else rows


def of_grade(model: type[_Row], grade: str) -> QuerySet[_Row]:
    """Return the statements of a grade; "all" are declared and suggested ones."""
    rows = model._default_manager.all()
    if grade == "all":
        return rows.exclude(grade=Grade.DISMISSED)
    return rows.filter(grade=grade or Grade.DECLARED)


def text_key(text: str) -> int:
    """Return the key of a text by which verdicts find it again."""
    return key_of(" ".join(text.split()).casefold(), "").text


def grade_columns(
    kind: str, text: str, confidence: float, why: str, verdicts: Verdicts
) -> dict[str, Any]:
    """Return the columns of `Graded` of a statement, by a person's verdict if any."""
    columns: dict[str, Any] = {
        "grade": Grade.DECLARED.value,
        "confidence": confidence,
        "why": why[:_WHY],
        "judged_by": "",
        "judged_at": None,
    }
    if confidence >= 1:
        return columns
    said = verdicts.get((kind, text_key(text)))
    if said is None:
        return columns | {"grade": Grade.SUGGESTED.value}
    grade = Grade.DECLARED if said.verdict == ACCEPT else Grade.DISMISSED
    judged = {"judged_by": said.by[:200], "judged_at": said.at}
    return columns | {"grade": grade.value, **judged}


def mark_of(grade: str) -> str:
    """Return what a line of text adds to the state of a suggestion."""
    return ", suggested" if grade == Grade.SUGGESTED else ""
