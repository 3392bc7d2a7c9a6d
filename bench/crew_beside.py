"""Side activities of a simulated agent: reviews, messages, inbox, file claims."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from bench.crew_calls import Call, Client, Fields, Ledger

_LIMIT = 100
#: Paths that agents claim; a folder is all beneath it.
PATHS = ("src", "src/api", "src/api/x.py", "docs", "docs/a.md")
REPOSITORIES = ("web", "api")
#: Minutes that a claim lasts, and how often one is made against others.
_MINUTES, _FORCED = (1, 60), 0.15


class _Person(Protocol):
    def accept(self, row: Fields) -> Call: ...


class Beside:
    """Reviews, messages, inbox reads and file claims of one agent."""

    def __init__(
        self,
        name: str,
        client: Client,
        ledger: Ledger,
        rng: Random,
        change: Callable[[str, Fields], Call],
    ) -> None:
        self._name, self._client, self._ledger = name, client, ledger
        self._rng, self._change = rng, change
        self._held: list[Fields] = []

    def review(self, *, picky: bool) -> None:
        """Accept results that wait for it; reopen some if it is `picky`."""
        for row in self._client.listed(state="review", limit=_LIMIT):
            if row["acts"] == self._name:
                self._judge(row, picky=picky)

    def coordinate(self, person: _Person, *, picky: bool) -> None:
        """Accept results as the coordinator; have the person accept theirs."""
        for row in self._client.listed(state="review", limit=_LIMIT):
            # An agent of this name is a coordinator, whatever word the task has.
            is_own = row["review"] == "sender" and row["sender"] == self._name
            if row["review"] == "coordinator" or is_own:
                self._judge(row, picky=picky)
            elif row["review"] == "person":
                person.accept(row)

    def _judge(self, row: Fields, *, picky: bool) -> None:
        action = "reopen" if picky and self._rng.random() < 0.15 else "accept"
        self._update(row, action)

    def message(self) -> None:
        """Write into the thread of a handoff of its own."""
        rows = self._client.listed(agent=self._name, limit=20)
        if rows:
            self._update(self._rng.choice(rows), "message")

    def listen(self) -> None:
        """Ask for its news since it asked last, and note them."""
        since = self._ledger.cursor or "2000-01-01T00:00:00Z"
        answer = self._client.inbox(since)
        heard = [
            (news["task_id"], news["what"], news["by"], news["reason"])
            for news in answer["news"]
            if news["kind"] == "step"
        ]
        self._ledger.hear(heard, answer["cursor"])

    def claim(self) -> None:
        """Claim a path, renew or release one that it has claimed."""
        if self._held and self._rng.random() < 0.6:
            held = self._rng.choice(self._held)
            action = self._rng.choice(("renew", "release", "release"))
            call = self._change("files_claim", held | {"action": action})
            if action == "release" or not call.accepted:
                self._held.remove(held)
            return
        wanted = {
            "paths": [self._rng.choice(PATHS)],
            "repository": self._rng.choice(REPOSITORIES),
        }
        more = {
            "action": "claim",
            "minutes": self._rng.choice(_MINUTES),
            "force": self._rng.random() < _FORCED,
        }
        if self._change("files_claim", wanted | more).accepted:
            self._held.append(wanted)

    def _update(self, row: Fields, action: str, **more: Any) -> Call:
        request = {"task_id": row["task_id"], "action": action, **more}
        return self._change(
            "handoff_update", request | {"reason": self._client.next_key()}
        )
