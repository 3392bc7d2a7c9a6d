"""The caller of a tool: name, workspace, session and rights."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.formats.openclaw.session_key import is_main
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import ALL_SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool: workspace, identity, rights and time.

    `actor`: name in the journal. `agent`: empty for a caller that is no agent of the
    workspace. `key`: idempotency key; without one every call is its own. `bound`: has a
    token, reaches no other workspace. `scopes`: granted rights. `shared`: has a token
    for sessions of groups. `main`: counts as the main session without naming one.
    `person`: a signed-in browser, no program. `owner`: user name of the person whose
    token it is, empty without one. `host_session`: id of the session whose host started
    the calling process, if the host names it.
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
    owner: str = ""
    host_session: str = ""

    @property
    def private(self) -> bool:
        """Whether it may read memory reserved to the main, private session.

        Never with a token for shared sessions. Otherwise the session named with the
        call decides: a main or direct chat, or that of the host which started the
        calling process; without one only `main` callers may.
        """
        if self.shared:
            return False
        if not self.session:
            return self.main
        return is_main(self.session) or self.session == self.host_session

    @property
    def name(self) -> str:
        """Display name: the agent if there is one, else the actor."""
        return self.agent or self.actor

    def now(self) -> datetime:
        """Return the time of the call in the workspace's zone."""
        return self.clock().astimezone(ZoneInfo(self.workspace.time_zone))

    def today(self) -> date:
        """Return today's date in the workspace's zone."""
        return self.now().date()

    def operation_key(self, part: str = "") -> str:
        """Return the key of an operation of this call, stable across retries."""
        seed = f"{self.actor}\n{self.key or self.nonce}\n{part}"
        return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]
