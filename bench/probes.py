"""One measurement of the product, in a process of its own, printed as JSON.

``python -m bench.probes first_import ROOT`` with MEMORYHUB_DATA at an empty folder;
the other probes go on from the database that the first one leaves.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client, RequestFactory  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from bench.appended import dated_entry  # noqa: E402
from bench.board import add_step  # noqa: E402
from bench.corpus import generate  # noqa: E402
from bench.events import multiply_events  # noqa: E402
from bench.every_page import every_page as every_address  # noqa: E402
from bench.growth import append_entry  # noqa: E402
from bench.prose import Prose, vocabulary  # noqa: E402
from bench.questions import QUESTIONS  # noqa: E402
from memoryhub.database.schema import ensure_schema  # noqa: E402
from memoryhub.events.models import Event  # noqa: E402
from memoryhub.handoffs.models import Handoff  # noqa: E402
from memoryhub.journal.changes import end_of  # noqa: E402
from memoryhub.journal.models import Workspace  # noqa: E402
from memoryhub.people.marks import mark_seen  # noqa: E402
from memoryhub.people.policy import operator  # noqa: E402
from memoryhub.people.services.saved_views import save_view  # noqa: E402
from memoryhub.search.queries import search  # noqa: E402
from memoryhub.search.store import FILE_NAME  # noqa: E402
from memoryhub.sync.engine import sync_workspace  # noqa: E402
from memoryhub.sync.export import export_to  # noqa: E402
from memoryhub.sync.record.projection import rebuild as rebuild_workspace  # noqa: E402
from memoryhub.timeline.queries.events import Place  # noqa: E402
from memoryhub.workspaces.services.adding import add_workspace  # noqa: E402

Figures = dict[str, float]

#: The timeline that pages are measured with, and how often each is asked for.
_EVENTS, _TURNS = 500_000, 60
_SEARCHES = 40
#: Turns where every page is asked for.
_QUICK_TURNS = 15
#: So many warm looks to one after news, which takes a sync.
_TURNS_A_COLD_ONE = 8
#: Characters of the largest log.
_LARGE = 30_000_000


def first_import(root: str) -> Figures:
    """Import a folder into a new database; the search index is made after that.

    `recorded`: seconds until every version is in the journal.
    """
    ensure_schema()
    workspace = add_workspace(Path(root), slug="bench")
    recorded: list[float] = []
    start = perf_counter()

    def note(done: int, total: int, _: str) -> None:
        if done == total and not recorded:
            recorded.append(perf_counter() - start)

    seconds = sync_workspace(workspace, progress=note).seconds
    indexing = perf_counter() - start - seconds
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": seconds,
        "recorded": recorded[0],
        "indexing": indexing,
        "peak": peak,
        "database": _database_megabytes(),
        "index": (settings.MEMORYHUB_DATA / FILE_NAME).stat().st_size / 1e6,
    }


def large_file(root: str) -> Figures:
    """Import a folder with one log of 30 MB, which is written first."""
    log, size = Path(root, "memory/2026-03-01.md"), 0
    log.parent.mkdir(parents=True)
    with log.open("w") as file:
        for number in count():
            size += file.write(dated_entry(number))
            if size > _LARGE:
                break
    return first_import(root)


def no_change() -> Figures:
    """Sync an unchanged workspace in a warm process."""
    workspace = Workspace.objects.get()
    times = [_seconds(lambda: sync_workspace(workspace)) for _ in range(6)]
    return {"seconds": min(times)}


def changed_file(root: str) -> Figures:
    """Sync after an entry was appended to one file, more than without any change."""
    workspace = Workspace.objects.get()
    prose, now = Prose(Random(1)), datetime.now(UTC)
    logs = sorted(Path(root, "memory").glob("????-??-??.md"))
    quiet = min(_seconds(lambda: sync_workspace(workspace)) for _ in range(3))
    times = []
    for log in prose.rng.sample(logs, 5):
        append_entry(Path(root), log, prose, now)
        times.append(_seconds(lambda: sync_workspace(workspace)))
    return {"seconds": statistics.median(times) - quiet}


def rebuild() -> Figures:
    """Throw the projections away and replay the journal."""
    workspace = Workspace.objects.get()
    return {"seconds": _seconds(lambda: rebuild_workspace(workspace))}


def export(target: str) -> Figures:
    """Write every file to an empty folder."""
    workspace = Workspace.objects.get()
    return {"seconds": _seconds(lambda: export_to(workspace, Path(target)))}


def pages(events: str = str(_EVENTS), turns: str = str(_TURNS)) -> Figures:
    """Multiply the events, and measure warm pages: queries and milliseconds of CPU.

    The timeline is shown from its newest event and from its middle, and filtered;
    a deep page goes on there. Nothing asks for gzip: that is the client's choice.
    """
    multiply_events(int(events))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    figures: Figures = {}
    for name, address in _measured_addresses().items():
        page = _Page(f"/w/bench/{address}", turns=int(turns))
        figures[f"{name}: queries"] = page.queries()
        figures[f"{name}: CPU"] = page.milliseconds()
    return figures


def every_page(turns: str = str(_QUICK_TURNS)) -> Figures:
    """Measure the CPU time of every warm page as a share of its limit."""
    return {
        f"page, {name}": _warm(address, int(turns)).milliseconds() / limit
        for name, address, limit in every_address(Workspace.objects.get())
    }


def _warm(address: str, turns: int) -> _Page:
    page = _Page(address, turns)
    page.show()
    return page


def boards(turns: str = str(_TURNS)) -> Figures:
    """Measure the pages of a workspace full of handoffs, warm and after news.

    After news is the first look after the journal has grown, when nothing that pages
    count is kept any more: another handoff is sent back before each one.
    """
    workspace = Workspace.objects.get(slug="bench")
    _settle_in(workspace)
    figures: Figures = {}
    for name, address in _pages_of_handoffs(workspace).items():
        page = _Page(address, turns=int(turns))
        figures[f"{name}: queries"] = page.queries()
        figures[f"{name}: CPU"] = page.milliseconds()
        _hear_news(workspace)
        figures[f"{name}, after news: queries"] = page.queries_now()
        looks = _cold_looks(page, workspace, -(-int(turns) // _TURNS_A_COLD_ONE))
        figures[f"{name}, after news: CPU"] = min(looks)
    return figures


def _cold_looks(page: _Page, workspace: Workspace, number: int) -> Iterator[float]:
    """Give the milliseconds of CPU of looks that each follow on news."""
    for _ in range(number):
        _hear_news(workspace)
        yield page.milliseconds_now()


def _settle_in(workspace: Workspace) -> None:
    """Let a person have been here, and save views; give the hub a second workspace."""
    person = operator()
    half = end_of(workspace.projected_seq // 2)
    mark_seen(person, workspace, upto=half)
    for name in ("writes", "decisions"):
        save_view(person, workspace, name=name, address=f"handoffs/?q={name}")
    other = Path(workspace.root).with_name("other")
    other.mkdir(exist_ok=True)
    sync_workspace(add_workspace(other, slug="other"))


def _pages_of_handoffs(workspace: Workspace) -> dict[str, str]:
    newest = Handoff.objects.filter(workspace=workspace, state="done").order_by(
        "-last_at"
    )
    base = "/w/bench/handoffs/"
    return {
        "board of handoffs": base,
        "list of handoffs": f"{base}?view=list",
        "figures of handoffs": f"{base}figures/",
        "one handoff": f"{base}{newest[0].code}/",
        "handoffs of all workspaces": "/handoffs/",
    }


def _hear_news(workspace: Workspace) -> None:
    workspace.refresh_from_db()
    add_step(Path(workspace.root), workspace.last_seq)
    sync_workspace(workspace)


def questions() -> Figures:
    """Search for fifty fixed queries: the median and the 95th percentile of CPU."""
    workspace = Workspace.objects.get()
    search(workspace, "warm")
    times = [_lowest_of(query, workspace) for query in QUESTIONS]
    return {
        "search, fifty queries: median": statistics.median(times),
        "search, fifty queries: p95": statistics.quantiles(times, n=20)[-1],
    }


def _lowest_of(query: str, workspace: Workspace) -> float:
    """Return the milliseconds of the quicker of two searches."""
    times = []
    for _ in range(2):
        start = process_time()
        search(workspace, query)
        times.append((process_time() - start) * 1_000)
    return min(times)


def searches() -> Figures:
    """Search for words of every frequency: the 95th percentile of milliseconds of CPU.

    Each word is asked for once, so that nothing of it is cached.
    """
    workspace = Workspace.objects.get()
    words, rng = vocabulary(), Random(5)
    common, middle, rare = words[:40], words[200:600], words[-800:]
    kinds: dict[str, Callable[[], str]] = {
        "rare word": lambda: rng.choice(rare),
        "common word": lambda: rng.choice(common),
        "two words": lambda: f"{rng.choice(middle)} {rng.choice(common)}",
        "phrase": lambda: f'"{rng.choice(common)} {rng.choice(common)}"',
        "kind": lambda: f"{rng.choice(middle)} kind:snapshot",
        "CJK": lambda: "".join(rng.choices("的一是在不了有和人这中大", k=3)),
    }
    search(workspace, "warm")
    return {
        f"search, {name}": _slowest([query() for _ in range(_SEARCHES)], workspace)
        for name, query in kinds.items()
    }


def _slowest(queries: list[str], workspace: Workspace) -> float:
    times = []
    for query in queries:
        start = process_time()
        search(workspace, query)
        times.append((process_time() - start) * 1_000)
    return statistics.quantiles(times, n=20)[-1]


def _measured_addresses() -> dict[str, str]:
    rows = Event.objects.filter(topic__isnull=False, agent__isnull=False)
    topic, agent = rows.values_list("topic__slug", "agent__name")[0]
    ordered = Event.objects.order_by("occurred_at", "position")
    middle = ordered.values_list("occurred_at", "position")[ordered.count() // 2]
    place = Place(*middle).encode()
    return {
        "timeline, newest page": "timeline/",
        "timeline, deep page": f"timeline/?before={place}",
        "timeline, by kind": "timeline/?kind=snapshot",
        "timeline, by topic": f"timeline/?topic={topic}",
        "timeline, by agent": f"timeline/?agent={agent}",
        "timeline, by topic and kind": f"timeline/?topic={topic}&kind=snapshot",
        "timeline, by topic and agent": f"timeline/?topic={topic}&agent={agent}",
        "timeline, by text": "timeline/?q=review",
        "timeline, since the last visit": "timeline/?since=last",
        "timeline, by session": "timeline/?group=session",
        "topic page": f"topics/{topic}/",
    }


class _Page:
    """A page of the product, asked for as a server does, without a network."""

    def __init__(self, address: str, turns: int = _TURNS) -> None:
        self._address = address
        self._turns = turns
        self._handler = WSGIHandler()
        signed_in = Client()
        signed_in.force_login(operator())
        cookie = signed_in.cookies.output(header="", sep=";").partition(";")[0].strip()
        self._factory = RequestFactory(HTTP_HOST="localhost", HTTP_COOKIE=cookie)

    def show(self) -> None:
        response = self._handler.get_response(self._factory.get(self._address))
        if response.status_code != 200:
            raise RuntimeError(f"{self._address} answers {response.status_code}")

    def queries(self) -> int:
        self.show()
        return self.queries_now()

    def queries_now(self) -> int:
        with CaptureQueriesContext(connection) as captured:
            self.show()
        return len(captured)

    def milliseconds(self) -> float:
        """Return the lower quartile of CPU time.

        Other work on the machine makes the same instructions take longer.
        """
        times = sorted(self.milliseconds_now() for _ in range(self._turns))
        return times[len(times) // 4]

    def milliseconds_now(self) -> float:
        start = process_time()
        self.show()
        return (process_time() - start) * 1_000


def _seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def _database_megabytes() -> float:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(str(settings.DATABASES["default"]["NAME"])).stat().st_size / 1e6


def many_workspaces(folder: str) -> Figures:
    """Import a hundred workspaces of thirty files each."""
    ensure_schema()
    for number in range(100):
        root = Path(folder, f"w{number:03}")
        generate(root, files=30, seed=number + 1)
        workspace = add_workspace(root, slug=root.name)
        sync_workspace(workspace)
        sync_workspace(workspace)
    return {}


def home() -> Figures:
    """Open the list of workspaces for the first time in a process."""
    _Page("/me/").show()
    return {"list of 100 workspaces, first look": _Page("/").milliseconds_now()}


PROBES: dict[str, Callable[..., Figures]] = {
    "first_import": first_import,
    "large_file": large_file,
    "no_change": no_change,
    "changed_file": changed_file,
    "rebuild": rebuild,
    "export": export,
    "pages": pages,
    "every_page": every_page,
    "boards": boards,
    "many_workspaces": many_workspaces,
    "home": home,
    "questions": questions,
    "searches": searches,
}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](*sys.argv[2:])))
