"""The caller of a tool: name, workspace, session and rights."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.formats.openclaw.session_key import is_shared
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import ALL_SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, of which workspace, and when.

    `actor` is the name that the journal keeps. `agent` is empty where the caller is
    no agent of the workspace. Two calls of one `key` are one call, made twice; without
    a key every call is its own. One that is `bound` has a token: it reaches no other
    workspace. What it may do is in `scopes`. One that is `shared` has a token for
    sessions of groups; one that is `main` needs no session to be the main one.
    A `person` asks by the browser that they signed in, no program.
    """

    workspace: Workspace
    actor: str
    agent: str = ""
    session: str = ""
    key: str = ""
    clock: Callable[[], datetime] = timezone.now
    nonce: str = field(default_factory=lambda: uuid.uuid4().hex)
    bound: bool = False
    person: bool = False
    scopes: frozenset[Scope] = ALL_SCOPES
    shared: bool = False
    main: bool = True

    @property
    def private(self) -> bool:
        """Whether it may read what is for the main, private session alone.

        A token for shared sessions never may. Otherwise the session named with the
        call decides; without one only `main` callers may.
        """
        if self.shared:
            return False
        return not is_shared(self.session) if self.session else self.main

    @property
    def name(self) -> str:
        """Who it is to others: the agent, or the actor that is none."""
        return self.agent or self.actor

    def now(self) -> datetime:
        """Return the time of the call in the workspace's zone."""
        return self.clock().astimezone(ZoneInfo(self.workspace.time_zone))

    def today(self) -> date:
        """Return the workspace's day."""
        return self.now().date()

    def operation_key(self, part: str = "") -> str:
        """Return the key of an operation of this call: the same when made again."""
        seed = f"{self.actor}\n{self.key or self.nonce}\n{part}"
        return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]
