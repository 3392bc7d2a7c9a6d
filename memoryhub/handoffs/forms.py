"""What forms of handoffs send, made safe to use."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext

from memoryhub.formats.handoff import Result, Task
from memoryhub.formats.handoff_blocks import STATUSES
from memoryhub.handoffs.acts import Act
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services import Asked
from memoryhub.people.policy import actor_of
from topics.forms import field as said_in
from topics.forms import line
from topics.services import new_key

_LONG, _NAME, _KEY = 100_000, 100, 100


def asked_by(request: HttpRequest) -> Asked:
    """Return who asks, by which form: a person, who coordinates."""
    key = line(request.POST, "key", size=_KEY)
    return Asked(actor_of(request), coordinates=True, key=key or new_key())


@dataclass(frozen=True, slots=True)
class ActForm:
    """The form of an act while it is filled in, with what is wrong with it."""

    base: str
    key: str = field(default_factory=new_key)
    reason: str = ""
    status: str = "done"
    output: str = ""
    side_effects: str = ""
    memory_update: str = ""
    to: str = ""
    error: str = ""

    @classmethod
    def of(cls, data: QueryDict, handoff: Handoff) -> ActForm:
        """Return what was sent; a new form is made from where the handoff stands."""
        status = line(data, "status", size=20)
        return cls(
            line(data, "base") if "base" in data else handoff.standing,
            line(data, "key", size=_KEY) or new_key(),
            line(data, "reason"),
            status if status in STATUSES else "done",
            said_in(data, "output", size=_LONG),
            said_in(data, "side_effects", size=_LONG),
            said_in(data, "memory_update", size=_LONG),
            line(data, "to", size=_NAME),
        )

    @property
    def result(self) -> Result:
        return Result(
            "", self.status, self.output, self.side_effects, self.memory_update
        )

    def missing(self, act: Act) -> str:
        """Return what an act needs and the form does not say."""
        if act.needs_reason and not self.reason:
            return gettext("Say why, in one line.")
        return ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A handoff while it is written, with what is wrong with its fields."""

    sender: str = ""
    recipient: str = ""
    type: str = "read_only"
    context: str = ""
    input: str = ""
    expected_output: str = ""
    constraints: str = ""
    topic: str = ""
    due: str = ""
    key: str = field(default_factory=new_key)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: QueryDict, sender: str) -> Draft:
        return cls(
            line(data, "sender", size=_NAME + 1) or sender,
            line(data, "recipient", size=_NAME + 1),
            line(data, "type", size=20) or "read_only",
            said_in(data, "context", size=2000),
            said_in(data, "input", size=_LONG),
            said_in(data, "expected_output", size=_LONG),
            said_in(data, "constraints", size=_LONG),
            line(data, "topic", size=300),
            line(data, "due", size=40),
            line(data, "key", size=_KEY) or new_key(),
        )

    @property
    def task(self) -> Task:
        return Task(
            "",
            self.sender,
            self.recipient,
            self.type,
            self.context,
            self.input,
            self.expected_output,
            self.constraints,
        )

    def due_at(self, zone: ZoneInfo) -> datetime | None:
        """Return by when it has to be done; a time without a zone is in this one.

        Raises:
            ValueError: it is no time, or one that no file can say.
        """
        if not self.due:
            return None
        at = datetime.fromisoformat(self.due)
        if not 1971 <= at.year <= 9998:
            raise ValueError(self.due)
        return at if at.tzinfo else at.replace(tzinfo=zone)
