"""Measure a team at one hub: ``python -m bench.team``.

People with accounts sign in, keep a live stream open, open pages, comment and record
decisions; agents write with tokens of their own. Afterwards every acknowledged decision
and note is looked for in the files, every comment in the database. The exit code is 1
when something is lost, doubled or failed, or the p99 of pages is ten times the median.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, fields
from http.client import HTTPConnection
from multiprocessing import get_context
from os import getloadavg
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic
from urllib.parse import urlencode

from bench import load
from bench.crew_hub import Hub, Place

PASSWORD = "correct horse battery"
_CSRF = "0123456789abcdef0123456789abcdef"
#: Roles of people in turn.
_ROLES = ("viewer", "editor", "coordinator", "editor", "administrator", "editor")
_COMMENTED = "memory/2026-11-20.md"
#: Largest multiple of the median that the p99 of pages may be.
SPREAD = 10.0


@dataclass(frozen=True, slots=True)
class Team:
    """Duration, number of people and agents, and total rate per second of each act."""

    seconds: float = 120.0
    people: int = 32
    pages: float = 6.4
    acts: float = 1.6
    agents: int = 50
    writes: float = 25.0
    seed: int = 1


def people(folder: str) -> None:
    """Make accounts and tokens in the hub's data, and note the tokens in the folder."""
    from memoryhub.accounts.services.persons import create_person
    from memoryhub.journal.models import Workspace
    from memoryhub.journal.scopes import Scope
    from memoryhub.people.models import AccessToken
    from memoryhub.people.rights import Role
    from memoryhub.people.roles import grant
    from memoryhub.people.services.tokens import make_token

    counts = json.loads(Path(folder, "team.json").read_text())
    workspace, makers, secrets = Workspace.objects.get(slug=load.SLUG), [], []
    for number in range(counts["people"]):
        person = create_person(f"person-{number}", password=PASSWORD)
        role = Role.of_word(_ROLES[number % len(_ROLES)]) or Role.VIEWER
        grant(workspace, person, role)
        makers += [person] if role >= Role.COORDINATOR else []
    for number in range(counts["agents"]):
        scopes = (Scope.READ, Scope.MEMORY, Scope.HANDOFF)
        new = make_token(workspace, f"agent-{number}", scopes)
        maker = makers[number % len(makers)]
        AccessToken.objects.filter(pk=new.row.pk).update(maker=maker)
        secrets.append(new.secret)
    Path(folder, "tokens.json").write_text(json.dumps(secrets))


def comments(folder: str) -> None:
    """Note all texts of comments in the folder."""
    from memoryhub.comments.models import Comment

    texts = list(Comment.objects.values_list("text", flat=True))
    Path(folder, "comments.json").write_text(json.dumps(texts))


class Browser:
    """A person's browser, with an address of its own, signed in by password."""

    def __init__(self, port: int, number: int) -> None:
        self._client = load.Connection("localhost", port, timeout=60)
        self._port = port
        self._headers = {
            "Cookie": f"csrftoken={_CSRF}",
            "X-CSRFToken": _CSRF,
            "X-Forwarded-For": f"10.7.0.{number}",
        }
        form = {"login": f"person-{number}", "password": PASSWORD}
        status, cookies = self.send("/accounts/login/", form)
        session = [one.split(";")[0] for one in cookies if "HttpOnly" in one]
        if status != 302 or not session:
            raise RuntimeError(f"person-{number} cannot sign in: {status}")
        self._headers["Cookie"] += f"; {session[0]}"

    def get(self, page: str) -> str:
        """Open a page; return its failure, or ""."""
        self._client.request("GET", page, headers=self._headers)
        response = self._client.getresponse()
        response.read()
        return "" if response.status == 200 else f"{response.status} {page}"

    def send(self, page: str, form: dict[str, str]) -> tuple[int, list[str]]:
        """Send a form; return the status and the cookies that are set."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        self._client.request("POST", page, urlencode(form), self._headers | kind)
        response = self._client.getresponse()
        response.read()
        return response.status, response.headers.get_all("Set-Cookie", [])

    def listen(self, end: float) -> int:
        """Hold the live stream open until the end; return the events that came."""
        events = 0
        with closing(HTTPConnection("localhost", self._port, timeout=60)) as stream:
            address = f"/live/?workspace={load.SLUG}"
            stream.request("GET", address, headers=self._headers)
            response = stream.getresponse()
            while monotonic() < end and (line := response.readline()):
                events += line.startswith(b"event:")
        return events


def reads(worker: load.Worker, browser: Browser) -> load.Tally:
    """Open pages."""
    known = [f"/w/{load.SLUG}/{page}" for page in load.PAGES]
    return worker.run(lambda mark: browser.get(worker.chance.choice(known)))


def acts(worker: load.Worker, browser: Browser, *, edits: bool) -> load.Tally:
    """Comment on a line, or record a decision in a file."""

    def act(mark: str) -> str:
        if worker.chance.random() < 0.5:
            page, form = "decisions/new/", {"text": f"Go with {mark}", "why": "fast"}
            form["day"] = "2026-11-20"
        else:
            line = str(worker.chance.randint(3, 100))
            place = {"kind": "file", "path": _COMMENTED, "line": line}
            page, form = "comments/new/", {"text": f"What of {mark}", **place}
        status, _ = browser.send(f"/w/{load.SLUG}/{page}", form)
        # Viewers are refused, which is no failure: their mark is nowhere.
        if not edits:
            return "" if status == 403 else f"{status} {page} for a viewer"
        return "" if status == 303 else f"{status} {page}"

    return worker.run(act)


def writes(team: Team, place: Place, port: int) -> dict[str, load.Tally]:
    """Run the agents, each with its own token."""
    end, pace = monotonic() + team.seconds, team.writes / team.agents
    secrets = json.loads((place.folder / "tokens.json").read_text())

    def run(number: int) -> load.Tally:
        chance = Random(f"{team.seed} agent {number}")
        worker = load.Worker(f"agent-{number}", pace, end, chance)
        return load.agent(worker, place, port, secrets[number])

    with ThreadPoolExecutor(team.agents) as pool:
        return {"writes": merged(pool.map(run, range(team.agents)))}


def visits(team: Team, place: Place, port: int) -> dict[str, load.Tally]:
    """Sign people in one after the other, then run them all."""
    begun = monotonic()
    browsers = [Browser(port, number) for number in range(team.people)]
    others = [Browser(port, number) for number in range(team.people)]
    signing = load.Tally([(monotonic() - begun) / 2 / team.people] * 2 * team.people)
    end = monotonic() + team.seconds
    for browser in browsers:
        Thread(target=browser.listen, args=(end,), daemon=True).start()

    def run(number: int, kind: str) -> load.Tally:
        rate = team.pages if kind == "page" else team.acts
        chance = Random(f"{team.seed} {kind} {number}")
        name, pace = f"person-{number}", rate / team.people
        worker = load.Worker(name, pace, end, chance)
        if kind == "page":
            return reads(worker, browsers[number])
        is_viewer = _ROLES[number % len(_ROLES)] == "viewer"
        tally = acts(worker, others[number], edits=not is_viewer)
        return load.Tally(tally.times, [], tally.failures) if is_viewer else tally

    with ThreadPoolExecutor(2 * team.people) as pool:
        started = {
            kind: [pool.submit(run, n, kind) for n in range(team.people)]
            for kind in ("page", "act")
        }
        found = {
            f"{kind}s": merged(one.result() for one in running)
            for kind, running in started.items()
        }
    return {"sign-ins": signing} | found


def merged(tallies: Iterator[load.Tally]) -> load.Tally:
    """Return the tally of all."""
    found = load.Tally()
    for tally in tallies:
        found.times += tally.times
        found.marks += tally.marks
        found.failures += tally.failures
    return found


def run(team: Team, folder: Path) -> tuple[list[str], bool]:
    """Run a team on a new hub in an empty folder; return report and success."""
    place = Place(folder, (load.SLUG,))
    load.generate(place.roots[load.SLUG])
    hub = Hub(place, MEMORYHUB_TEAM="1")
    hub.start()
    counts = {"people": team.people, "agents": team.agents}
    (folder / "team.json").write_text(json.dumps(counts))
    try:
        hub.prepare("bench.team:people")
        _warm(hub.port)
        loads, before, begun = [getloadavg()[0]], hub.cpu_seconds, monotonic()
        tallies = _played(team, place, hub.port)
        spent, took = hub.cpu_seconds - before, monotonic() - begun
        loads.append(getloadavg()[0])
    finally:
        hub.stop()
    hub.prepare("bench.team:comments")
    report = [tally.line(kind, team.seconds) for kind, tally in tallies.items()]
    report.append(f"server: {spent:.1f} CPU s in {took:.1f} s")
    report.append(f"load of the machine: {loads[0]:.1f} before, {loads[1]:.1f} after")
    wrong = list(_wrong(tallies, place))
    failed = any(tally.failures for tally in tallies.values())
    return [*report, *wrong], not (wrong or failed)


def _played(team: Team, place: Place, port: int) -> dict[str, load.Tally]:
    context = get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as processes:
        playing = [processes.submit(do, team, place, port) for do in (writes, visits)]
        found: dict[str, load.Tally] = {}
        for played in playing:
            found |= played.result()
    return found


def _warm(port: int) -> None:
    """Open every page a few times: the first answers load modules for seconds."""
    browser = Browser(port, 0)
    for page in load.PAGES * 3:
        browser.get(f"/w/{load.SLUG}/{page}")


def _wrong(tallies: dict[str, load.Tally], place: Place) -> Iterator[str]:
    """Yield lost or doubled writes, and pages over the time limit."""
    texts = load.texts_in(place.roots[load.SLUG])
    texts += "\n".join(json.loads((place.folder / "comments.json").read_text()))
    yield from load.wrong_of([*tallies["writes"].marks, *tallies["acts"].marks], texts)
    cuts = statistics.quantiles(tallies["pages"].times, n=100, method="inclusive")
    if cuts[98] > SPREAD * cuts[49]:
        yield f"SLOW: p99 of pages is {cuts[98] / cuts[49]:.1f} times the median"


def main() -> int:
    """Run the team and print its report; return 1 on loss, failure or slow pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    for each in fields(Team):
        kind = type(each.default)
        parser.add_argument(f"--{each.name}", type=kind, default=each.default)
    asked = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        report, held = run(Team(**asked), Path(folder))
    print("\n".join(report))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
