"""Presenter of the filter of lists by grade: declared, suggested, or both."""

from __future__ import annotations

from typing import Any, get_args

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.journal.grades import Asked, Grade
from memoryhub.journal.models import Workspace
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter
from snapshots.queries.suggestions import suggestions

_GRADES: dict[str, Promise] = {
    "declared": gettext_lazy("Declared"),
    "suggested": gettext_lazy("Suggested"),
    "all": gettext_lazy("Both"),
}


def grade_parameter() -> Any:
    """Declare the field `grade` of a `ListQuery`."""
    choices = get_args(Asked)
    return parameter("grade", default=Grade.DECLARED.value, choices=choices)


def grade_facet(
    query: ListQuery, chosen: str, kind: str, workspace: Workspace
) -> list[dict[str, Any]]:
    """Return the filter links by grade; none where nothing of a kind is suggested.

    `chosen` is the grade of the query.
    """
    if chosen == Grade.DECLARED and not suggestions(workspace, kinds=[kind]):
        return []
    links = [
        FilterLink(str(label), query.address(grade=name), current=chosen == name)
        for name, label in _GRADES.items()
    ]
    return [{"label": gettext("Grade"), "links": links}]
