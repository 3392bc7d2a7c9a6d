"""Suggestions: the filter of lists by grade, and verdicts from any page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from memoryhub.formats.base import FormatError
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import FilterLink, ListQuery
from memoryhub.web.kit.responses import SeeOther, back_to, done, refused
from memoryhub.web.topics.forms import author_of
from snapshots.queries.suggestions import suggestions
from snapshots.services.judging import VERDICTS, judge

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


@require_POST
def judge_suggestions(request: HttpRequest, slug: str, verdict: str) -> HttpResponse:
    """Accept or dismiss one suggestion, or all that are selected."""
    workspace = workspace_or_404(slug)
    if verdict not in VERDICTS:
        raise Http404
    back = addresses_of(slug).base
    marks = request.POST.getlist("one") or request.POST.getlist("mark")
    if not marks:
        return SeeOther(back_to(request, back))
    try:
        operation = judge(workspace, verdict, marks, author_of(request, workspace))
    except FormatError as error:
        return refused(request, error, back)
    n = len(marks)
    if verdict == "accept":
        text = ngettext("%(n)s suggestion accepted", "%(n)s suggestions accepted", n)
    else:
        text = ngettext("%(n)s suggestion dismissed", "%(n)s suggestions dismissed", n)
    return done(request, workspace, operation, text % {"n": n}, back)
