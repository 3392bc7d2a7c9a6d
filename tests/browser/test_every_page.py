"""What holds on every page; a new route is walked as soon as a link leads to it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from pytest import TempPathFactory

from memoryhub.web.kit.stylesheet import built
from tests.browser.axe import Axe, Barriers, program
from tests.browser.hub import ROOT, copy_hub, manage, post, serving_hub
from tests.browser.walk import STARTS, Answer, Walk, fetch, route_names, walk
from tests.browser.watched import Theme, Watch
from tests.migrated import made_once
from tests.test_page_weights import LIMIT

Look = Callable[[Axe, Page, Theme, int], Barriers]

ROUTES = route_names()
#: Routes that no link leads to, and why.
UNLINKED = {
    "import_found": "where memory lies in the home folder",
    "add_inside": "where a folder of the workspace is another one",
    "workspace_delete": "on the card of the sample",
    "healthz": "for whoever keeps the server running",
    "readyz": "for whoever keeps the server running",
    "push-worker": "for browsers that subscribed to web push",
    "undo": "in the message after a change",
    "unsee": "in the message after a change",
    "merge": "on a file with conflict markers or copies",
    "restore": "on a file that has older versions",
    "delete-view": "beside a view that was saved",
    "revoke-token": "beside a token that was made",
    "rotate-token": "beside a token that was made",
    "mail-channel": "where the hub has a mail server",
    "problems": "where problems were; leads to health",
    "claim_end": "beside files that an agent holds",
    "review-unrevert-shown": "in the message after a change",
    "review-reopen": "on a change of memory that was accepted",
    "read_messages": "where messages to people are unread",
    "decision-sign-off": "on a decision that was signed off in a handoff",
    "open-item-reopen": "on an item that is done",
    "open": "by a link that commands print",
    "comment": "the permanent address of a thread",
    "comment_reopen": "on a comment that was resolved",
    "audit-csv": "as a download of the audit log",
    "workspace-audit-csv": "as a download of the audit log",
    **dict.fromkeys(
        ("groups", "group", "members", "member", "turn-assign"), "in a team"
    ),
}
#: Routes without a page. Changes, which only forms lead to;
CHANGES = {
    "save-view", "mark-seen", "snapshot-reviewed", "decision-reject", "handover-write",
    "repoint", "clear_breaker", "clear_problem", "import_start", "import_give_up",
    "import_again", "import_found", "add_inside", "workspace_move", "forget_confirm",
    "forget_back", "sign-out", "decision-sign-off", "open-item-close",
    "open-item-reopen", "test-channel", "remove-channel", "claim_end",
    "read_messages", "review-accept", "review-revert", "review-reopen",
    "review-accept-shown", "review-revert-shown", "review-unrevert-shown",
    "review-policies", "review-rule-remove", "comment_new",
    "comment_reply", "comment_reopen", "comment_export", "file-role", "suggestions",
}  # fmt: skip
#: texts, archives and feeds;
TEXTS = {
    "decisions-text", "decision-text", "memory-text", "day-text", "topic-text",
    "snapshot-text", "recall-text", "workspace-recall-text",
    "handover-text", "handover-zip", "handoff-text",
    "export_download", "timeline-feed", "turn-feed", "topic-feed",
}  # fmt: skip
#: and parts of pages, and what leads to one.
PARTS = {
    "palette", "news", "hub-news", "days", "import_new_in",
}  # fmt: skip
PAGELESS = UNLINKED.keys() | CHANGES | TEXTS | PARTS
PAGES = [route for route in ROUTES if route not in PAGELESS]
#: Bytes of what a page loads; htmx and fonts are not ours.
SCRIPTS_LIMIT = 4_096
_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)"')
_SCRIPT = re.compile(r'<script[^>]* src="/static/(js/\w+\.js)"')
#: What is before the name of a parameter that a page lacks.
_UNKNOWN = 'This page has no <b class="mono break">'
WIDTHS = (1440, 768, 390, 320)
#: By width, how axe looks at the first page of a route, and at its other ones.
_LOOKS: dict[int, tuple[tuple[Theme, Look], ...]] = {
    1440: (("light", Axe.all_of), ("dark", Axe.look_of)),
    390: (("dark", Axe.other_of), ("light", Axe.look_of)),
}
_OTHER_LOOKS: dict[int, tuple[tuple[Theme, Look], ...]] = {
    1440: (("light", Axe.other_of),),
    390: (("dark", Axe.look_of),),
}


@pytest.fixture(scope="module")
def walked_hub(imported_samples: Path, tmp_path_factory: TempPathFactory) -> Path:
    """Return the folder of a hub of which every route is known."""
    made = made_once("walked", partial(walk_samples, imported_samples))
    return copy_hub(made, tmp_path_factory.mktemp("walked"))


def walk_samples(samples: Path, folder: Path) -> None:
    """Find the addresses of every route, with an import begun and one done.

    A channel has a page once there is one; this one sends nothing. Cards of the review
    queue need changes of memory, a thread its first comment.
    """
    copy_hub(samples, folder)
    for name in ("MEMORY.md", "SOUL.md"):
        with (folder / "acme" / name).open("a") as memory:
            memory.write("\n## Learned\n- Deploys on Friday are fine\n")
            memory.write("\n## Rules\n- Rule: never push to main without a review\n")
    manage(folder, "sync", "acme")
    with serving_hub(folder) as hub:
        done = post(hub, "/imports/new/?into=acme", "/w/acme/imports/again/", {})
        begun = post(hub, "/imports/new/", "/imports/new/", {"source": "sample"})
        text = {"kind": "text", "text": "Redis", "minutes": "10"}
        asked = post(hub, "/w/acme/forget/", "/w/acme/forget/", text)
        phone = {"name": "Phone", "address": "ntfy://topic", "kinds": "failed"}
        phone |= {"base": hub, "paused": "on"}
        post(hub, "/me/channels/", "/me/channels/", phone)
        rule = {"pattern": "**", "text": "on Friday", "reason": "never on Friday"}
        post(hub, "/w/acme/review/rules/new/", "/w/acme/review/rules/new/", rule)
        place = {"kind": "file", "path": "MEMORY.md", "line": "1", "text": "Why?"}
        post(hub, "/w/acme/forget/", "/w/acme/comments/new/", place)
        walk(hub, (*STARTS, done, begun, asked)).save(folder)


@pytest.fixture(scope="module")
def walked(walked_hub: Path) -> Walk:
    """Return the addresses of every route."""
    return Walk.of(walked_hub)


@pytest.fixture(scope="module")
def hub_root(walked_hub: Path) -> Iterator[str]:
    """Return the address of the hub that was walked."""
    with serving_hub(walked_hub) as address:
        yield address


@pytest.fixture(scope="module")
def opened(browser: Browser, hub_root: str) -> Iterator[tuple[Page, Watch]]:
    """Return a page that the tests of this module share, and what watches it."""
    watch = Watch(hub_root)
    yield watch.page(browser, "light", 1440, reduced_motion="reduce"), watch
    watch.close()


@pytest.fixture(scope="module")
def unscripted(browser: Browser, hub_root: str) -> Iterator[tuple[Page, Watch]]:
    """Return a shared page without scripts, and what watches it."""
    watch = Watch(hub_root)
    yield watch.page(browser, "dark", 390, java_script_enabled=False), watch
    watch.close()


@pytest.fixture(scope="module")
def axe() -> Axe:
    """Return what looks for barriers in the pages of this module."""
    return Axe(program())


def addresses(walked: Walk, route: str) -> list[str]:
    """Return where a route has a page."""
    return [one for one in walked.pages[route] if walked.answers[one].is_page]


class Reader(HTMLParser):
    """Reads what matters of a page's markup."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.headings = 0
        self.faults: list[str] = []
        self._path: list[str] = []
        self._upgrades: set[str] = set()
        self._links: set[str] = set()

    @classmethod
    def of(cls, answer: Answer) -> Reader:
        reader = cls()
        reader.feed(answer.body.decode())
        needed = reader._upgrades - reader._links
        reader.faults += [f"only with scripts: {address}" for address in needed]
        return reader

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self._path.append(tag)
        self.headings += tag == "h1"
        inline = tag == "style" or (tag == "script" and "src" not in names)
        handlers = [name for name in names if name.startswith("on") or name == "style"]
        if inline or handlers:
            self.faults.append(f"<{tag} {handlers}>")
        if tag == "a":
            self._links.add(names.get("href") or "")
        if tag not in ("a", "form") and "form" not in self._path:
            self._note_upgrade(names)

    def handle_data(self, data: str) -> None:
        if self._path[-1:] == ["title"] and "svg" not in self._path:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        while self._path and self._path.pop() != tag:
            pass

    def _note_upgrade(self, names: dict[str, str | None]) -> None:
        """Note what htmx fetches: without scripts a link has to lead there."""
        if names.get("class") != "pill":
            self._upgrades |= {names[key] or "" for key in ("hx-get",) if key in names}


@pytest.mark.parametrize("route", ROUTES)
def test_links_or_forms_lead_to_every_address(
    hub_root: str, walked: Walk, route: str
) -> None:
    assert walked.pages[route] or walked.changes[route] or route in UNLINKED
    for address in walked.pages[route]:
        assert walked.answers[address].status in (200, 204, 301, 302), address
    if not walked.pages[route]:
        for address in walked.changes[route][:1]:
            asks_first = route == "workspace_delete"
            assert fetch(hub_root, address).status == (200 if asks_first else 405)


def test_every_route_but_those_named_here_has_a_page(walked: Walk) -> None:
    assert {route for route in ROUTES if not addresses(walked, route)} == PAGELESS


@pytest.mark.parametrize("route", PAGES)
def test_markup_is_small_and_has_one_stylesheet_and_no_inline_code(
    walked: Walk, route: str
) -> None:
    for address in addresses(walked, route):
        answer = walked.answers[address]
        page = Reader.of(answer)
        assert not page.faults, address
        assert _STYLE.findall(answer.body.decode()) == [built().url], address
        assert page.headings == 1, address
        assert page.title.endswith("MemoryHub"), address
        size = len(gzip.compress(answer.body, 6))
        assert size <= LIMIT, (address, size)


@pytest.mark.parametrize("route", PAGES)
def test_every_page_names_a_parameter_that_it_lacks(
    hub_root: str, walked: Walk, route: str
) -> None:
    for address in addresses(walked, route):
        assert _UNKNOWN not in walked.answers[address].body.decode(), address
    asked = with_parameter(addresses(walked, route)[0])
    assert f"{_UNKNOWN}colour=blue" in fetch(hub_root, asked).body.decode()


@pytest.mark.parametrize("route", sorted(TEXTS | {"palette", "news", "hub-news"}))
def test_texts_are_refused_with_a_parameter_that_they_lack(
    hub_root: str, walked: Walk, route: str
) -> None:
    address = walked.pages[route][0]
    assert walked.answers[address].status == 200
    refused = fetch(hub_root, with_parameter(address))
    assert refused.status == 404
    assert f"{_UNKNOWN}colour=blue" in refused.body.decode()


def with_parameter(address: str) -> str:
    """Return the address with a parameter that no page has."""
    return f"{address}{'&' if '?' in address else '?'}colour=blue"


@pytest.mark.parametrize("route", PAGES)
def test_a_page_loads_few_scripts(walked: Walk, route: str) -> None:
    for address in addresses(walked, route):
        names = _SCRIPT.findall(walked.answers[address].body.decode())
        texts = [(ROOT / "static" / name).read_bytes() for name in names]
        size = sum(len(gzip.compress(text)) for text in texts)
        assert names and size <= SCRIPTS_LIMIT, (address, names, size)


def test_every_page_has_a_title_of_its_own(walked: Walk) -> None:
    titles: dict[str, str] = {}
    twice = []
    for address, answer in walked.answers.items():
        if answer.is_page and "?" not in address:
            title = Reader.of(answer).title
            other = titles.setdefault(title, address)
            if other != address:
                twice.append((title, address, other))
    assert not twice


@pytest.mark.parametrize("route", PAGES)
def test_pages_fit_every_screen_and_have_no_barrier(
    hub_root: str, walked: Walk, opened: tuple[Page, Watch], axe: Axe, route: str
) -> None:
    page, watch = opened
    wide, barriers = [], {}
    for number, address in enumerate(addresses(walked, route)):
        page.goto(hub_root + address)
        axe.begin(page)
        for width in WIDTHS:
            if is_wider(page, width):
                wide.append((address, width))
            looks = _OTHER_LOOKS if number else _LOOKS
            for theme, look in looks.get(width, ()):
                barriers[address, theme, width] = look(axe, page, theme, width)
    assert not wide
    assert not {look: found for look, found in barriers.items() if found}
    assert not watch.taken()


def is_wider(page: Page, width: int) -> bool:
    """Tell whether a page is wider than a screen of this width."""
    page.set_viewport_size({"width": width, "height": 900})
    return bool(page.evaluate("document.documentElement.scrollWidth") > width)


@pytest.mark.parametrize("route", PAGES)
def test_pages_are_read_without_scripts_in_forced_colours_and_on_paper(
    hub_root: str, walked: Walk, unscripted: tuple[Page, Watch], route: str
) -> None:
    page, watch = unscripted
    page.emulate_media(media="screen")
    page.goto(hub_root + addresses(walked, route)[0])
    assert page.locator("main a:visible, main button:visible, header a:visible").count()
    page.emulate_media(forced_colors="active")
    assert page.screenshot()
    page.emulate_media(forced_colors="none", media="print")
    assert page.locator("h1").is_visible()
    assert page.pdf()
    assert not watch.taken()
