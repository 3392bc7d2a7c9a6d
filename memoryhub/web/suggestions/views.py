"""Verdicts on suggestions, from any page that has some."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from memoryhub.formats.base import FormatError
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther, back_to, done, refused
from memoryhub.web.topics.forms import author_of
from snapshots.services.judging import VERDICTS, judge


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
