from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import Axe, program

PAGE = "<!doctype html><html lang=en><title>A page</title><main><h1>Page</h1>{}</main>"
PALE = "<p style='color: {}'>Hardly to be read</p>"


@pytest.fixture(scope="module")
def axe() -> Axe:
    return Axe(program())


def barriers(axe: Axe, page: Page, body: str) -> list[str]:
    page.set_content(PAGE.format(body))
    axe.begin(page)
    return [name for name, _ in axe.other_of(page, "light", 1440)]


@pytest.mark.parametrize(
    "body",
    [
        PALE.format("#bbb"),
        f"<div style='background: #555'>{PALE.format('#000')}</div>",
        f"<div style='opacity: .4'>{PALE.format('#000')}</div>",
    ],
)
def test_contrast_is_judged_where_a_colour_or_what_is_behind_it_is_new(
    browser: Browser, axe: Axe, body: str
) -> None:
    page = browser.new_page()
    assert barriers(axe, page, "<p>Well to be read</p>") == []

    assert barriers(axe, page, body) == ["color-contrast"]
    page.close()


def test_other_barriers_are_found_where_no_colour_is_new(
    browser: Browser, axe: Axe
) -> None:
    page = browser.new_page()
    assert barriers(axe, page, "<p>Well to be read</p>") == []

    assert barriers(axe, page, "<p>Well to be read</p><img src='/x.png'>") == [
        "image-alt"
    ]
    page.close()


@pytest.mark.parametrize(
    ("body", "barrier"),
    [
        ("<p><a href='/x'></a>Well to be read</p>", "link-name"),
        ("<nav aria-label=N></nav><nav aria-label=N></nav>", "landmark-unique"),
        ("<h2>Two</h2><h4>Four</h4>", "heading-order"),
    ],
)
def test_other_barriers_are_found_in_tags_that_are_known(
    browser: Browser, axe: Axe, body: str, barrier: str
) -> None:
    page = browser.new_page()
    known = "<h2>Two</h2><h3>Three</h3><h4>Four</h4><p><a href='/x'>Link</a></p>"
    known += "<nav aria-label=N></nav>"
    assert barriers(axe, page, known) == []

    assert barriers(axe, page, body) == [barrier]
    page.close()


def test_what_was_judged_is_not_judged_again(browser: Browser) -> None:
    page, axe = browser.new_page(), Axe(program())
    assert barriers(axe, page, "<p>Well to be read</p>") == []

    axe.program = "throw new Error('axe was loaded again')"
    assert barriers(axe, page, "<p>Other words of the kind</p>") == []
    page.close()
