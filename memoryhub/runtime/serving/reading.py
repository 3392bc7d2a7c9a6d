"""Time limit for the database reads of a page."""

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
    """Middleware: a budget of database seconds for requests that only read.

    Changes have no limit here: they would have to be repeated.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.MEMORYHUB_PAGE_SECONDS
        # Sign-in has used the connection; pages for strangers use no database.
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
        """Return 503 if the budget interrupted a query; else None."""
        budget: Budget | None = getattr(request, _BUDGET, None)
        is_late = budget is not None and budget.is_spent
        if not (is_late and isinstance(error, OperationalError)):
            return None
        text = gettext("This took too long and was stopped. Try a narrower request.")
        response = HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 503)
        response["Retry-After"] = "5"
        return response
