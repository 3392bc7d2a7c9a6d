"""Every address of the product: names from the URL conf, samples by following links."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

from tests.browser.hub import cookie_of

#: Where a walk starts; all but a few addresses must be linked from there.
STARTS = ("/w/acme/", "/w/acme/topics/api-redesign/", "/?all", "/imports/new/")
#: Whose links are followed last, so that samples of a route are of the other one.
ODD = "/w/nasty/"
#: How many addresses of a route may have a query.
_QUERIES = 14
#: Attributes of links that scripts follow.
_FETCHED = ("hx-get", "data-href", "data-news")
_SAVED = "walk.pickle"

Shapes = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hub answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_html(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/html")

    @property
    def is_page(self) -> bool:
        """Tell whether this is a whole page, not a part for htmx."""
        return self.status == 200 and self.body.lstrip()[:9].lower() == b"<!doctype"


@dataclass(slots=True)
class Walk:
    """What was found: by route, addresses that are read and those forms post to."""

    answers: dict[str, Answer] = field(default_factory=dict)
    pages: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    changes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, folder: Path) -> Walk:
        """Return what was saved in the folder of a hub."""
        found: Walk = pickle.loads((folder / _SAVED).read_bytes())
        return found

    def save(self, folder: Path) -> None:
        """Save this in the folder of its hub, for those who copy it."""
        (folder / _SAVED).write_bytes(pickle.dumps(self))


def route_names(urls: str | None = None) -> list[str]:
    """Return the names of all routes, in the order of the URL conf."""
    return list(dict.fromkeys(_names(get_resolver(urls).url_patterns)))


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            # Programs are sent there by the API's page, not by links.
            if pattern.namespace not in ("api", "a2a"):
                yield from _names(pattern.url_patterns)
        else:
            assert pattern.name, f"{pattern.pattern} has no name"
            yield pattern.name


def fetch(hub: str, address: str) -> Answer:
    """Return what a hub answers at an address."""
    connection = HTTPConnection(urlsplit(hub).netloc, timeout=120)
    try:
        connection.request("GET", address, headers={"Cookie": cookie_of(hub)})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, headers, answer.read())
    finally:
        connection.close()


def walk(hub: str, starts: tuple[str, ...] = STARTS, *, objects: int = 2) -> Walk:
    """Return addresses of every route that links lead to, a few of each shape.

    The sample comes first, so what it has is not looked for in odd files.
    """
    found = Walk()
    shapes: Shapes = Counter()
    ahead, later, seen = deque(starts), deque[str](), set(starts)
    while ahead or later:
        address = ahead.popleft() if ahead else later.popleft()
        route, shape = shape_of(address)
        if not route or not _is_new(shape, shapes, objects):
            continue
        found.pages[route].append(address)
        answer = found.answers[address] = fetch(hub, address)
        links, actions = links_of(address, answer)
        for action in actions:
            found.changes[shape_of(action)[0]].append(action)
        for link in links:
            if link not in seen:
                seen.add(link)
                (later if link.startswith(ODD) else ahead).append(link)
    return found


def shape_of(address: str) -> tuple[str, tuple[str, ...]]:
    """Return an address's route, and what sets it apart from others of the route."""
    parts = urlsplit(address)
    try:
        found = resolve(unquote(parts.path))
    except Resolver404:
        return "", ()
    query = parse_qs(parts.query, keep_blank_values=True)
    tab = str(found.kwargs.get("tab", ""))
    own = found.kwargs.get("slug", "") if not query else ""
    name = found.url_name or ""
    return name, (name, own, tab, *query.get("view", []), "?", *sorted(query))


def _is_new(shape: tuple[str, ...], shapes: Shapes, objects: int) -> bool:
    """Tell whether an address shows another shape of its route, or another object."""
    is_odd = f"/w/{shape[1]}/" == ODD
    is_plain = shape[-1] == "?"
    shapes[shape] += 1
    shapes[shape[:1]] += not is_plain
    if is_plain:
        return shapes[shape] <= (1 if is_odd else objects)
    return shapes[shape] == 1 and shapes[shape[:1]] <= _QUERIES


def links_of(address: str, answer: Answer) -> tuple[list[str], list[str]]:
    """Return where a page leads inside its hub, and where its forms post to."""
    if answer.status in (301, 302, 303):
        return [urljoin(address, answer.headers["location"])], []
    if not answer.is_html:
        return [], []
    reader = _LinkReader()
    reader.feed(answer.body.decode())
    return _joined(address, reader.links), _joined(address, reader.actions)


def _joined(address: str, links: list[str]) -> list[str]:
    joined = (urljoin(address, link).partition("#")[0] for link in links)
    return [link for link in dict.fromkeys(joined) if link.startswith("/")]


class _LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.actions: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            is_change = said.get("method", "get").lower() == "post"
            (self.actions if is_change else self.links).append(said.get("action", ""))
        if "formaction" in said:
            self.actions.append(said["formaction"])
        if tag == "a" and "href" in said and "download" not in said:
            self.links.append(said["href"])
        self.links += [said[name] for name in _FETCHED if name in said]
        if said.get("rel") == "alternate":
            self.links.append(said["href"])
