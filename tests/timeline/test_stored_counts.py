"""Numbers that are stored for the list of workspaces are those of its pages."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from threading import Event

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.claims.queries import overlaps_now
from memoryhub.claims.services import Wanted, claim_files
from memoryhub.comments.services import Author as Speaker
from memoryhub.comments.services import line_place, open_thread, resolve
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.alarms import alarms
from memoryhub.handoffs.services.leases import renew
from memoryhub.handoffs.services.sending import Author
from memoryhub.handoffs.services.steps import take
from memoryhub.journal import page_cache
from memoryhub.journal.models import StoredCount, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.timeline.counting import QUIET_SECONDS, Counter
from memoryhub.timeline.queries.turns import (
    TurnCounts,
    cached_facts,
    counts_of,
    edited_in,
    turn_counts,
    turns_of,
)
from snapshots.queries.open_items import open_counts, open_work
from tests.conftest import MakeWorkspace
from tests.forgetting.conftest import forgotten
from tests.handoffs.steps import block, send_now
from tests.writing import say

ME = "operator"
TOPIC = "memory/context-api.md"
STATUS = "# Context: api\n\n## Current Status\n{}\n\n## History\n"
STEPS = 60


def counted_now(workspace: Workspace, now: datetime) -> tuple[int, TurnCounts]:
    """Count from the rows, without anything that is stored or kept."""
    page_cache._kept.clear()
    page_cache._states.clear()
    facts = replace(
        cached_facts(workspace).of_reader(workspace),
        **edited_in([workspace])[workspace.pk],
        alarms=alarms(workspace, now),
        claims=overlaps_now(workspace, now),
    )
    is_open = sum(not work.is_done for work in open_work(workspace))
    return is_open, counts_of(turns_of(facts, now))


class Walk:
    """What can happen to a workspace, each time something else."""

    def __init__(self, workspace: Workspace, rng: Random) -> None:
        self.workspace, self.rng = workspace, rng

    def step(self) -> str:
        """Take one step; return its name."""
        name = self.rng.choice([name for name in vars(Walk) if name[-1] == "s"])
        with suppress(FormatError, Conflict):
            getattr(self, name)()
        return name

    def logs(self) -> None:
        day, work = self.rng.randint(1, 28), self.rng.randint(1, 9)
        lines = (f"- [ ] Mend door {work}", f"- [x] Mend door {work}", "- Saw a door")
        path = f"memory/2026-11-{day:02}.md"
        text = f"# Log\n\n## 10:00 Work\n{self.rng.choice(lines)}\n"
        say(self.workspace, {path: text})

    def lists(self) -> None:
        number = self.rng.randint(1, 9)
        say(self.workspace, {f"memory/{number}.md": f"- [ ] Paint wall {number}\n"})

    def tells(self) -> None:
        found = ("Blocked by the key", "Going on", "token ghp_" + 36 * "a")
        say(self.workspace, {TOPIC: STATUS.format(self.rng.choice(found))})

    def edits(self) -> None:
        self.workspace.refresh_from_db()
        base = Path(self.workspace.root, TOPIC).read_text().split("\n")[3]
        said = Edit(TOPIC, "set_status", {"text": "two"}, "dana", base=base)
        apply_edit(self.workspace, said)

    def sends(self) -> None:
        send_now(self.workspace, self.rng.choice(("bob", "carl", "other/bob", ME)))

    def takes(self) -> None:
        rows = Handoff.objects.filter(workspace=self.workspace, state="open")
        if row := rows.order_by("pk").first():
            take(row, Author(row.recipient))

    def blocks(self) -> None:
        rows = Handoff.objects.filter(workspace=self.workspace, state="in_progress")
        if row := rows.order_by("pk").first():
            block(row, Author(row.taken_by or row.recipient), reason="No key")

    def comments(self) -> None:
        text = self.rng.choice((f"@{ME} look", "@bob look", "look"))
        place = line_place(self.workspace, TOPIC, 1)
        thread = open_thread(
            self.workspace, place, text, Speaker("ann", timezone.now(), True)
        )
        if self.rng.random() < 0.4:
            resolve(thread, ME, timezone.now())

    def claims(self) -> None:
        wanted = Wanted(["src/a"], minutes=self.rng.choice((5, 90)), force=True)
        agent = self.rng.choice(("ann", "bob"))
        claim_files(self.workspace, agent, wanted, timezone.now())

    def vanishes(self) -> None:
        say(self.workspace, {"memory/gone.md": "# Gone\n\n- [ ] Knock\n"})
        say(self.workspace, {"memory/gone.md": None})

    def forgets(self) -> None:
        number = self.rng.randint(1, 9)
        forgotten(self.workspace, kind="text", text=f"Paint wall {number}")

    def calls(self) -> None:
        renew(self.workspace, "bob", timezone.now())

    def rebuilds(self) -> None:
        rebuild(self.workspace)

    def syncs(self) -> None:
        sync_workspace(self.workspace)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_they_are_right_after_every_change_and_at_every_time(
    tmp_path: Path, make_workspace: MakeWorkspace, seed: int
) -> None:
    rng, known = Random(seed), []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        workspace = make_workspace(tmp_path / name)
        workspace.review_before_writing = name == "one"
        workspace.save()
        say(workspace, {TOPIC: STATUS.format("Going on")})
        known.append(workspace)
    now = timezone.now().replace(second=0, microsecond=0)

    for number in range(STEPS):
        step = Walk(rng.choice(known), rng).step()
        for _ in range(2):
            now += timedelta(minutes=rng.choice((0, 0, 1, 11, 50, 130, 6_000)))
            known = list(Workspace.objects.all())
            stored = open_counts(known), turn_counts(known, now)
            for one in known:
                found = stored[0][one.pk], stored[1][one.pk]
                assert found == counted_now(one, now), (number, step, one.slug)


def test_the_server_counts_what_was_imported_once_nothing_more_comes(
    tmp_path: Path, make_workspace: MakeWorkspace
) -> None:
    workspace, counter = make_workspace(tmp_path), Counter()
    names = StoredCount.objects.filter(workspace=workspace, name="open items")
    found = list[list[int]]()
    say(workspace, {f"memory/{n}.md": f"- [ ] Mend door {n}\n" for n in range(60)})
    for at in (0.0, QUIET_SECONDS - 1, QUIET_SECONDS, QUIET_SECONDS + 9):
        counter.look(Event(), at)
        found.append([*names.values_list("value", flat=True)])
    say(workspace, {"memory/60.md": "- [ ] Mend door 60\n"})
    for at in (100.0, 100 + QUIET_SECONDS):
        counter.look(Event(), at)
        found.append([*names.values_list("value", flat=True)])

    assert found == [[], [], [60], [60], [60], [61]]


@pytest.mark.parametrize("is_counted", [True, False])
def test_a_list_leaves_what_takes_long_to_the_server_and_says_so(
    client: Client, tmp_path: Path, make_workspace: MakeWorkspace, *, is_counted: bool
) -> None:
    for name in ("one", "other", "small"):
        (tmp_path / name).mkdir()
        workspace = make_workspace(tmp_path / name)
        doors = range(1 if name == "small" else 60)
        say(workspace, {f"memory/{n}.md": f"- [ ] Mend door {n}\n" for n in doors})
    # As after an upgrade, or an import that was interrupted.
    if is_counted:
        StoredCount.objects.update(state="of an older version")
    else:
        StoredCount.objects.all().delete()
    page_cache._kept.clear()

    page = client.get("/").content.decode()

    assert page.count("60 open items") == page.count("1 open item") == 1
    assert page.count("counting…") == 1 and "hx-trigger" in page
    # Without scripts one follows the link that a script would.
    assert 'hx-get="/"' in page and page.count('class="lift link" href="/"') == 1

    assert StoredCount.objects.filter(state="").exists()
    Counter().look(Event(), 0)

    assert not StoredCount.objects.filter(state="").exists()
    page = client.get("/").content.decode()
    assert page.count("60 open items") == 2 and page.count("1 open item") == 1
    assert "counting…" not in page and "hx-trigger" not in page


def test_the_list_of_workspaces_folds_no_rows_of_what_was_counted(
    client: Client, tmp_path: Path, make_workspace: MakeWorkspace, settings: object
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        workspace = make_workspace(tmp_path / name)
        say(workspace, {TOPIC: STATUS.format("x"), "memory/a.md": "- [ ] Mend it\n"})
    counter = Counter()
    for at in (0, QUIET_SECONDS):
        counter.look(Event(), at)
    page_cache._kept.clear()

    page = client.get("/").content.decode()

    assert page.count("1 open item") == 2
    assert not page_cache._kept
