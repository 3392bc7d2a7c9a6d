"""The security policy of every response, and page or partial."""

from __future__ import annotations

from typing import cast

import pytest
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

from memoryhub.web.kit.http import (
    CONTENT_SECURITY_POLICY,
    HtmxRequest,
    content_security_policy,
    page_or_partial,
)


def make_request(**headers: str) -> HtmxRequest:
    request = cast(HtmxRequest, RequestFactory().get("/", headers=headers))
    request.htmx = HtmxDetails(request)
    return request


def answer(request: HtmxRequest, *, status: int = 200) -> HttpResponse:
    context = {"title": "There"}
    return page_or_partial(
        request, "404.html", "components/crumbs.html", context, status=status
    )


def test_a_browser_gets_the_page() -> None:
    response = answer(make_request(), status=409)

    assert response.status_code == 409
    assert b"<!doctype html>" in response.content


def test_htmx_gets_the_partial() -> None:
    response = answer(make_request(**{"HX-Request": "true"}))

    assert b"<html" not in response.content
    assert b"There" in response.content


@pytest.mark.parametrize("header", ["HX-History-Restore-Request", "HX-Boosted"])
def test_htmx_gets_the_page_when_it_needs_all_of_it(header: str) -> None:
    response = answer(make_request(**{"HX-Request": "true", header: "true"}))

    assert b"<!doctype html>" in response.content


def test_htmx_gets_the_page_after_a_form_in_a_dialog() -> None:
    headers = {"HX-Request": "true", "HX-Target": "main"}

    assert b"<!doctype html>" in answer(make_request(**headers)).content


def test_caches_keep_page_and_partial_apart() -> None:
    assert "HX-Request" in answer(make_request()).headers["Vary"]


def test_every_response_has_the_policy() -> None:
    middleware = content_security_policy(lambda request: HttpResponse())

    headers = middleware(HttpRequest()).headers
    assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY


def test_a_view_may_set_a_policy_of_its_own() -> None:
    own = {"Content-Security-Policy": "sandbox"}
    middleware = content_security_policy(lambda request: HttpResponse(headers=own))

    assert middleware(HttpRequest()).headers["Content-Security-Policy"] == "sandbox"


def render(source: str, **context: object) -> str:
    template = engines["django"].from_string(source)
    return template.render(context, RequestFactory().get("/"))


def test_parts_escape_what_files_say() -> None:
    html = render("{% agent name %}{% status 'x\"' name %}{% icon name %}", name="<b>")

    assert "<b>" not in html
    assert html.count("&lt;b&gt;") == 3
    assert 'class="st open"' in html


def test_a_gauge_never_leaves_its_track() -> None:
    html = render("{% gauge 900 800 'over' kind='bad' %}{% gauge None 800 'none' %}")

    assert 'width="100" height="6" class="bad"' in html
    assert 'width="0"' in html
    assert "style" not in html


def test_an_agent_has_the_same_tint_everywhere() -> None:
    html = render("{% agent 'builder' %}{% agent 'Dana Ruiz' person=True %}")

    assert '<span class="av a4" aria-hidden="true">Bu</span>builder' in html
    assert "round" in html and ">DR</span>" in html


def test_fifty_rows_are_drawn_from_a_few_strings() -> None:
    row = "{% agent 'builder' %}{% status 'done' 'Done' %}{% icon 'clock' %}"

    assert render(row * 50).count("<use") == 100
