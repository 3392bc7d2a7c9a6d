"""Presenter of the filter of lists by grade: declared, suggested, or both."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.web.kit.listing import FilterLink, ListQuery
from snapshots.queries.suggestions import suggestions

#: Values of the parameter `grade`, in words.
GRADES: dict[str, Promise] = {
    "declared": gettext_lazy("Declared"),
    "suggested": gettext_lazy("Suggested"),
    "all": gettext_lazy("Both"),
}


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
        for name, label in GRADES.items()
    ]
    return [{"label": gettext("Grade"), "links": links}]
