"""Pages whose questions to the database take too long end, and say so."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from memoryhub.values.budgets import Budget, interrupting

_READS = frozenset({"GET", "HEAD"})
_BUDGET = "memoryhub_budget"


class ReadInTime:
    """Middleware: what only reads has so many seconds of the database's time.

    What changes something has no limit here: it would have to be done again.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.MEMORYHUB_PAGE_SECONDS
        # Who is signed in was asked before; a page for strangers asks nothing.
        is_asked = connection.connection is not None
        if request.method not in _READS or not (seconds and is_asked):
            return self._get_response(request)
        budget = Budget.of(seconds)
        setattr(request, _BUDGET, budget)
        with interrupting(connection.connection, budget):
            return self._get_response(request)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        """Return what is answered where the budget ended a question; else None."""
        budget: Budget | None = getattr(request, _BUDGET, None)
        is_late = budget is not None and budget.is_spent
        if not (is_late and isinstance(error, OperationalError)):
            return None
        text = gettext("This took too long and was stopped. Narrow what is asked for.")
        response = HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 503)
        response["Retry-After"] = "5"
        return response
