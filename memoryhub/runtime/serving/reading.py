"""Limits of pages: the time of their reads, the age of the state they are made from."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse

from memoryhub.journal.page_cache import PINNED, pinned
from memoryhub.values.budgets import Budget, interrupting

_READS = frozenset({"GET", "HEAD"})


class ReadInTime:
    """Middleware: a budget of database seconds for requests that only read.

    An interrupted statement is a failure of the database, answered as `database-slow`.
    Changes have no limit here: they would have to be repeated. Under pressure pages
    share a state (`page_cache`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.MEMORYHUB_PAGE_SECONDS
        # Sign-in has used the connection; pages for strangers use no database.
        is_asked = connection.connection is not None
        with pinned(request.META.get(PINNED)):
            if request.method not in _READS or not (seconds and is_asked):
                return self._get_response(request)
            with interrupting(connection.connection, Budget.of(seconds)):
                return self._get_response(request)
