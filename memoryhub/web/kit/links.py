"""Addresses of a workspace's pages, built without `reverse`.

A page links to hundreds of things; `reverse` for each would take most of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from urllib.parse import quote, quote_plus
from uuid import UUID

from django.urls import reverse


class _Page:
    """The address of a page by what follows the workspace's own."""

    def __init__(self, tail: str) -> None:
        self._tail = tail

    def __get__(self, addresses: Addresses, _: type[Addresses]) -> str:
        return addresses.base + self._tail


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the pages of one workspace."""

    base: str

    timeline = _Page("timeline/")
    trends = _Page("trends/")
    topics = _Page("topics/")
    files = _Page("files/")
    health = _Page("health/")
    problems = _Page("health/#problems")
    export = _Page("export/")
    reviews = _Page("review/")
    settings = _Page("settings/")
    tokens = _Page("tokens/")
    members = _Page("members/")
    comments = _Page("comments/")
    audit = _Page("audit/")
    connect = _Page("connect/")
    imports = _Page("imports/")
    decisions = _Page("decisions/")
    directives = _Page("directives/")
    rules = _Page("directives/?origin=memory")
    sessions = _Page("sessions/")
    search = _Page("search/")
    recall = _Page("recall/")
    unassigned = _Page("unassigned/")
    handoffs = _Page("handoffs/")
    open_items = _Page("open-items/")
    inbox = _Page("inbox/")
    agents = _Page("agents/")
    days = _Page("days/")
    memories = _Page("memories/")
    handover = _Page("handover/")
    snapshots = _Page("snapshots/")

    def forget(self, **query: str | int | None) -> str:
        """Return the form of a forgetting, prefilled from the query."""
        return with_query(f"{self.base}forget/", **query)

    def forget_secrets(self, path: str = "") -> str:
        """Return the form that forgets the secrets found in a file; of all without."""
        return f"{self.base}forget/?secrets={quote_plus(path)}"

    def forgetting(self, number: int) -> str:
        return f"{self.base}forget/{number}/"

    def review(self, number: int) -> str:
        return f"{self.base}review/{number}/"

    def review_rule(self, number: int) -> str:
        return f"{self.base}review/rules/{number}/"

    def thread(self, number: int) -> str:
        return f"{self.comments}{number}/"

    def handoff_new(self, **query: str) -> str:
        return with_query(f"{self.base}handoffs/new/", **query)

    def handoff(self, code: str) -> str:
        """Return the page of a handoff, by its row's code or its id."""
        return f"{self.base}handoffs/{quote(code, safe='')}/"

    def handoff_again(self, code: str) -> str:
        """Return the form that hands the work of a handoff off again."""
        return f"{self.handoff(code)}again/"

    def decision_new(self, **query: str) -> str:
        return with_query(f"{self.base}decisions/new/", **query)

    def decision(self, code: str) -> str:
        return f"{self.base}decisions/{code}/"

    def open_item(self, code: str) -> str:
        return f"{self.base}open-items/{code}/"

    def session(self, key: str) -> str:
        """Return the page of a session; its key keeps colons, slashes are escaped."""
        return f"{self.base}sessions/{quote(key, safe=':')}/"

    def assign(self, kind: str, code: str, back: str = "") -> str:
        """Return the form that assigns a row; it redirects to `back`."""
        return with_query(f"{self.base}assign/{kind}/{code}/", next=back)

    def undo(self, key: str) -> str:
        return f"{self.base}undo/{quote(key, safe='')}/"

    def unrevert(self, batch: UUID) -> str:
        return f"{self.reviews}revert/{batch}/undo/"

    def agent(self, name: str) -> str:
        return f"{self.base}agents/{quote(name, safe='')}/"

    def day(self, day: date) -> str:
        return f"{self.days}{day.isoformat()}/"

    def run(self, number: int) -> str:
        return f"{self.base}imports/{number}/"

    def topic(self, slug: str, tab: str = "") -> str:
        """Return the page of a topic, by its slug or, where two share it, its code."""
        page = f"{self.base}topics/{quote(slug, safe='')}/"
        return f"{page}{tab}/" if tab else page

    def topic_text(self, slug: str) -> str:
        return f"{self.base}topics/{quote(slug, safe='')}.md"

    def snapshot(self, code: str, **query: str) -> str:
        return with_query(f"{self.snapshots}{code}/", **query)

    def snapshot_text(self, code: str) -> str:
        return f"{self.base}snapshots/{code}.md"

    def merge(self, path: str) -> str:
        """Return the page that makes two texts of a file into one."""
        return f"{self.base}merge/{_quoted(path)}"

    def file(self, path: str, *, line: int = 0, **query: object) -> str:
        """Return the page of a file; with `line` its source at that line."""
        if line:
            query = {"view": "raw", **query}
        address = with_query(f"{self.base}files/{_quoted(path)}", **query)
        return f"{address}#L{line}" if line else address


def addresses_of(slug: str) -> Addresses:
    """Return the addresses of a workspace by its slug."""
    return Addresses(reverse("workspace", args=[slug]))


def with_query(address: str, **query: object) -> str:
    """Append the non-empty query parameters to an address."""
    joined = "&".join(
        f"{name}={value if type(value) is int else quote_plus(str(value))}"
        for name, value in query.items()
        if value is not None and value != ""
    )
    sign = "&" if "?" in address else "?"
    return f"{address}{sign}{joined}" if joined else address


@lru_cache(maxsize=2_000)
def _quoted(path: str) -> str:
    return quote(path)
