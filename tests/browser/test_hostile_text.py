"""Two thousand hostile texts in every field that files feed: nothing of them runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog, Page
from pytest import TempPathFactory

from memoryhub.formats.text.hidden import with_escapes
from memoryhub.web.kit.prose import without_marks
from tests.browser.hostile import Group, groups_of, write_changes, write_hostile
from tests.browser.hub import (
    copy_hub,
    manage,
    post,
    prepare_hub,
    serving_hub,
    signed_in_context,
)
from tests.browser.payloads import COUNT, HOST, payloads
from tests.browser.walk import Answer, Walk, route_names, walk
from tests.migrated import made_once

PARTS = 4
#: What is sent so is shown as it is, whatever it says: two of a route tell all.
_PLAIN = {
    "content-type": "text/markdown; charset=utf-8",
    "x-content-type-options": "nosniff",
}
#: What no text may become, though the page's policy would stop most of it.
_FAULTS = """
() => [...document.querySelectorAll("body, body *")].flatMap((node) => {
  const tag = node.localName;
  const own = ["main", "live", "toasts", "toast", "pal-recent"];
  const known = "#toast, #pal-recent > template";
  const faults = ["iframe", "object", "embed", "base", "style", "math", "template",
    "plaintext", "frameset", "meta", "marquee"].includes(tag) && !node.matches(known)
    ? [tag] : [];
  if (tag === "script" || (own.includes(node.id) &&
      document.querySelectorAll("#" + node.id).length > 1)) faults.push(tag);
  for (const { name, value } of node.attributes) {
    const at = ["href", "src", "action", "formaction", "xlink:href", "data-href"];
    const plain = value.replace(/[\\u0000-\\u0020]/g, "");
    if (/^(on.*|style|srcdoc)$/.test(name)) faults.push(name);
    if (at.includes(name) && /^[a-z][a-z0-9+.-]*:/i.test(plain)
        && !/^(https?|mailto):/i.test(plain)) faults.push(name + "=" + value);
    if (/^(data-)?(hx|sse)-/.test(name) && /pwned|evil/.test(decodeURIComponent(value))
        && !value.startsWith("/")) faults.push(name + "=" + value);
  }
  return faults;
})
"""


class Trap:
    """Notes whatever a text did."""

    def __init__(self, page: Page) -> None:
        self.sprung: list[str] = []
        page.expose_binding(
            "__pwned", lambda _, *said: self.sprung.append(f"ran {said}")
        )
        page.on("dialog", lambda dialog: self._on_dialog(dialog))
        page.on("request", lambda request: self._on_request(request.url))
        page.on("pageerror", lambda error: self.sprung.append(f"error {error}"))

    def _on_dialog(self, dialog: Dialog) -> None:
        self.sprung.append("dialog")
        dialog.dismiss()

    def _on_request(self, url: str) -> None:
        if HOST in url.partition("?")[0].partition("/w/")[0]:
            self.sprung.append(f"asked {url}")


@pytest.fixture(scope="module")
def groups() -> list[Group]:
    return groups_of(payloads())


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: TempPathFactory) -> Path:
    """Return the folder of a hub with the texts, of which every route is known."""
    made = made_once("hostile", walk_hostile)
    return copy_hub(made, tmp_path_factory.mktemp("hostile-hub"))


def walk_hostile(folder: Path) -> None:
    """Import the texts; find ten pages of every kind."""
    root, groups = folder / "hostile", groups_of(payloads())
    write_hostile(root, groups)
    prepare_hub(folder, [root])
    write_changes(root, groups, datetime.now(UTC))
    manage(folder, "sync")
    with serving_hub(folder) as hub:
        form = "/w/hostile/review/rules/new/"
        for group in groups[:3]:
            rule = {"pattern": "**", "section": group.at(1), "text": group.at(2)[:300]}
            post(hub, form, form, {**rule, "reason": group.at(3)[:300]})
        walk(hub, ("/w/hostile/", "/imports/new/"), objects=10).save(folder)


@pytest.fixture(scope="module")
def hostile_hub(hostile_folder: Path) -> Iterator[str]:
    with serving_hub(hostile_folder) as address:
        yield address


@pytest.fixture(scope="module")
def walked(hostile_folder: Path) -> Walk:
    """Return the pages of the workspace: ten of every kind."""
    return Walk.of(hostile_folder)


@pytest.fixture(scope="module")
def addresses(walked: Walk) -> list[str]:
    """Return what a browser shows: all that could be markup, and some plain texts."""
    found = []
    for route in route_names():
        shown = [one for one in walked.pages[route] if is_shown(walked.answers[one])]
        plain = [one for one in shown if is_plain(walked.answers[one])]
        found += [one for one in shown if one not in plain[2:]]
    return found


@pytest.fixture
def page(browser: Browser, hostile_hub: str) -> Iterator[Page]:
    """Return a page without the policy that would hide what the markup does.

    It is low: drawing a page takes as long as reading it.
    """
    size = {"width": 1280, "height": 200}
    context = signed_in_context(browser, hostile_hub, bypass_csp=True, viewport=size)
    yield context.new_page()
    context.close()


def opened(page: Page, address: str) -> list[str]:
    """Open a page; return what in it came from a text but is markup."""
    answer = page.goto(address, wait_until="load")
    assert answer is not None and answer.status < 500
    is_html = answer.headers.get("content-type", "").startswith("text/html")
    return list(page.evaluate(_FAULTS)) if is_html else []


def texts_of(page: Page, tab: str) -> Iterator[str]:
    """Yield what each page of a tab shows."""
    query: str | None = ""
    while query is not None:
        opened(page, tab + query)
        yield page.inner_text("main")
        further = page.locator("a.more", has_text="Next")
        query = further.get_attribute("href") if further.count() else None


def is_shown(answer: Answer) -> bool:
    """Tell whether a browser shows what was answered, rather than to save it."""
    assert answer.status < 500
    return "attachment" not in answer.headers.get("content-disposition", "")


def is_plain(answer: Answer) -> bool:
    """Tell whether a browser takes an answer for a text without markup."""
    return answer.headers.items() >= _PLAIN.items()


def test_the_list_is_long_and_always_the_same() -> None:
    texts = payloads()

    assert len(set(texts)) == COUNT == len(texts)
    assert texts == payloads()
    assert not any("\n" in text for text in texts)


def test_the_trap_is_set(page: Page) -> None:
    trap = Trap(page)
    page.set_content(
        "<img src=x onerror='__pwned(1).then(() => document.title = 1)'><svg><style>"
    )

    page.wait_for_function("document.title")
    assert trap.sprung == ["ran (1,)"]
    assert page.evaluate(_FAULTS) == ["onerror", "style"]


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_runs_on_any_page(
    hostile_hub: str, addresses: list[str], page: Page, part: int
) -> None:
    trap = Trap(page)
    faults = {}
    for address in addresses[part::PARTS]:
        faults[address] = opened(page, hostile_hub + address)[:5]
    assert not trap.sprung
    assert not {address: found for address, found in faults.items() if found}


def test_nothing_of_an_address_runs(
    hostile_hub: str, addresses: list[str], page: Page, groups: list[Group]
) -> None:
    trap = Trap(page)
    texts = [text for group in groups for text in group.texts[::11]]
    paths = list(dict.fromkeys(one.partition("?")[0] for one in addresses))[::5]
    for number, text in enumerate(texts[:60]):
        said = quote(text)
        keys = ("q", "kind", "agent", "topic", "view", "before", "sort", "state", "vs")
        query = "&".join(f"{key}={said}" for key in keys)
        address = f"{paths[number % len(paths)]}?{query}"
        assert not opened(page, hostile_hub + address), address
        lost = f"{hostile_hub}/w/hostile/topics/{quote(text, safe='')}/"
        assert not opened(page, lost), lost
    assert not trap.sprung


def test_decisions_are_shown_without_their_marks_alone(
    hostile_hub: str, page: Page, groups: list[Group]
) -> None:
    for group in groups[::4]:
        tab = f"{hostile_hub}/w/hostile/topics/{group.topic}/decisions/"
        shown = "".join(plain(text) for text in texts_of(page, tab))
        texts = [plain(with_escapes(without_marks(text))) for text in group.texts]
        missing = [text for text in texts if text not in shown]
        assert not missing, group.topic


def test_a_source_is_shown_as_it_is(
    hostile_hub: str, page: Page, groups: list[Group]
) -> None:
    for group in groups:
        path = f"memory/context-{group.topic}.md"
        opened(page, f"{hostile_hub}/w/hostile/files/{path}?view=raw")
        shown = plain(page.text_content("main") or "")
        assert all(plain(with_escapes(text)) in shown for text in group.texts)


def plain(text: str) -> str:
    """Return a text without what separates or hides characters."""
    return "".join(each for each in text if each.isprintable() and not each.isspace())
