"""Grades of statements: declared by the form of a text, or suggested by its words.

Declared is what has the confidence 1, and what a person accepted. A person's verdict
holds for a text, wherever and whenever a file of the workspace states it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from django.db import models
from django.db.models import QuerySet

from memoryhub.formats.text.alignment import key_of
from memoryhub.journal.moments import MomentField

#: Confidence from which a suggestion is likely.
_LIKELY = 0.75
_WHY = 300

#: Filter of lists by grade.
Asked = Literal["declared", "suggested", "all"]

_Row = TypeVar("_Row", bound=models.Model)


class Grade(models.TextChoices):
    DECLARED = "declared"
    SUGGESTED = "suggested"
    DISMISSED = "dismissed"


class _Declared(models.Manager[_Row]):
    def get_queryset(self) -> QuerySet[_Row]:
        return super().get_queryset().filter(grade=Grade.DECLARED)


class Graded(models.Model):
    """A statement with its grade.

    `objects` are the declared ones, so that no list and no number has a suggestion
    unless it asks; `everything` is the default of importers and of erasure.
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
    judged_at = MomentField(null=True)

    everything = models.Manager()
    objects = _Declared()

    class Meta:
        abstract = True

    @property
    def is_likely(self) -> bool:
        return self.confidence >= _LIKELY


def declared(model: type[_Row]) -> QuerySet[_Row]:
    """Return the rows of a model, of statements only the declared ones."""
    return cast(QuerySet[_Row], cast(Any, model).objects.all())


def of_grade(model: type[_Row], grade: str, confidence: float = 0.0) -> QuerySet[_Row]:
    """Return the statements of a grade, and of at least so much confidence.

    Those of "all" are not dismissed.
    """
    rows = model._default_manager.all()
    if confidence:
        rows = rows.filter(confidence__gte=confidence)
    if grade == "all":
        return rows.exclude(grade=Grade.DISMISSED)
    return rows.filter(grade=grade)


def statement_key(kind: str, text: str) -> int:
    """Return the key by which a verdict on a text finds its statements."""
    return key_of(f"{kind}\n{' '.join(text.split()).casefold()}", "").text


def grade_columns(
    confidence: float, why: str, verdict: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the columns of `Graded`; `verdict` are those that a person set."""
    columns = {
        "grade": Grade.DECLARED.value,
        "confidence": confidence,
        "why": why[:_WHY],
        "judged_by": "",
        "judged_at": None,
    }
    if confidence < 1:
        columns |= verdict or {"grade": Grade.SUGGESTED.value}
    return columns


def mark_of(grade: str, confidence: float) -> str:
    """Return what a line of text adds to the state of a suggestion."""
    return f", suggested {confidence:.2f}" if grade == Grade.SUGGESTED else ""
