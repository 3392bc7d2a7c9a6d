"""Questions to the database that take too long."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from memoryhub.errors.hindrances import Hindrance, hindrance_of
from memoryhub.runtime.serving.reading import ReadInTime

pytestmark = pytest.mark.django_db

_ENDLESS = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
SELECT count(*) FROM numbers
"""


def asks_for_ever(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute(_ENDLESS)
    return HttpResponse()


def test_a_question_without_end_is_stopped_and_said(settings: Settings) -> None:
    settings.MEMORYHUB_PAGE_SECONDS = 0.001
    request = RequestFactory().get("/")
    middleware = ReadInTime(asks_for_ever)

    with pytest.raises(OperationalError) as stopped:
        middleware(request)

    assert hindrance_of(stopped.value) == Hindrance("database-slow", 5)


def test_later_questions_have_no_limit_of_an_earlier_one(settings: Settings) -> None:
    settings.MEMORYHUB_PAGE_SECONDS = 0.001
    ReadInTime(lambda request: HttpResponse())(RequestFactory().get("/"))

    with connection.cursor() as cursor:
        cursor.execute(_ENDLESS.replace("FROM numbers)", "FROM numbers LIMIT 3000000)"))
        assert cursor.fetchone() == (3_000_000,)
