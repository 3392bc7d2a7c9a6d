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


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the pages of one workspace."""

    base: str

    @property
    def timeline(self) -> str:
        return f"{self.base}timeline/"

    @property
    def trends(self) -> str:
        return f"{self.base}trends/"

    @property
    def topics(self) -> str:
        return f"{self.base}topics/"

    @property
    def files(self) -> str:
        return f"{self.base}files/"

    @property
    def health(self) -> str:
        return f"{self.base}health/"

    @property
    def problems(self) -> str:
        return f"{self.base}health/#problems"

    @property
    def export(self) -> str:
        return f"{self.base}export/"

    def forget(self, **query: str | int | None) -> str:
        """Return the form of a forgetting, prefilled from the query."""
        return with_query(f"{self.base}forget/", **query)

    def forget_secrets(self, path: str = "") -> str:
        """Return the form that forgets the secrets found in a file; of all without."""
        return f"{self.base}forget/?secrets={quote_plus(path)}"

    def forgetting(self, number: int) -> str:
        return f"{self.base}forget/{number}/"

    @property
    def reviews(self) -> str:
        return f"{self.base}review/"

    def review(self, number: int) -> str:
        return f"{self.base}review/{number}/"

    def review_rule(self, number: int) -> str:
        return f"{self.base}review/rules/{number}/"

    @property
    def settings(self) -> str:
        return f"{self.base}settings/"

    @property
    def tokens(self) -> str:
        return f"{self.base}tokens/"

    @property
    def members(self) -> str:
        return f"{self.base}members/"

    @property
    def comments(self) -> str:
        return f"{self.base}comments/"

    def thread(self, number: int) -> str:
        return f"{self.comments}{number}/"

    @property
    def audit(self) -> str:
        return f"{self.base}audit/"

    @property
    def connect(self) -> str:
        return f"{self.base}connect/"

    @property
    def imports(self) -> str:
        return f"{self.base}imports/"

    @property
    def decisions(self) -> str:
        return f"{self.base}decisions/"

    @property
    def directives(self) -> str:
        return f"{self.base}directives/"

    @property
    def rules(self) -> str:
        return f"{self.directives}?origin=memory"

    @property
    def sessions(self) -> str:
        return f"{self.base}sessions/"

    @property
    def search(self) -> str:
        return f"{self.base}search/"

    @property
    def recall(self) -> str:
        return f"{self.base}recall/"

    @property
    def unassigned(self) -> str:
        return f"{self.base}unassigned/"

    @property
    def handoffs(self) -> str:
        return f"{self.base}handoffs/"

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

    @property
    def open_items(self) -> str:
        return f"{self.base}open-items/"

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

    @property
    def inbox(self) -> str:
        return f"{self.base}inbox/"

    @property
    def agents(self) -> str:
        return f"{self.base}agents/"

    def agent(self, name: str) -> str:
        return f"{self.base}agents/{quote(name, safe='')}/"

    @property
    def days(self) -> str:
        """Return the page that leads to the newest day."""
        return f"{self.base}days/"

    def day(self, day: date) -> str:
        return f"{self.days}{day.isoformat()}/"

    @property
    def memories(self) -> str:
        return f"{self.base}memories/"

    @property
    def handover(self) -> str:
        return f"{self.base}handover/"

    def run(self, number: int) -> str:
        return f"{self.base}imports/{number}/"

    def topic(self, slug: str, tab: str = "") -> str:
        """Return the page of a topic, by its slug or, where two share it, its code."""
        page = f"{self.base}topics/{quote(slug, safe='')}/"
        return f"{page}{tab}/" if tab else page

    def topic_text(self, slug: str) -> str:
        return f"{self.base}topics/{quote(slug, safe='')}.md"

    @property
    def snapshots(self) -> str:
        return f"{self.base}snapshots/"

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
