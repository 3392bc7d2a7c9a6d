"""Parsed and validated forms of handoffs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext

from memoryhub.formats.hub.handoff import STATUSES, Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, Terms
from memoryhub.people.policy import actor_of, may
from memoryhub.people.rights import Right
from memoryhub.web.handoffs.presenters.acts import Act
from memoryhub.web.topics.forms import line, text_in
from topics.services.topics import new_key

_LONG, _NAME, _KEY = 100_000, 100, 100
#: Parts of a task that its sender can change.
PARTS = ("context", "input", "expected_output", "constraints")
_TOPIC, _DUE_SIZE, _IDS = 300, 40, 2000
#: Format of the browser's ``datetime-local`` inputs.
_DUE = "%Y-%m-%dT%H:%M"


def due_at(text: str, zone: ZoneInfo) -> datetime | None:
    """Parse the due time; without a zone it is read in `zone`; None for no text.

    Raises:
        ValueError: Not a time, or outside the years that files can hold (1971 to 9998).
    """
    if not text:
        return None
    at = datetime.fromisoformat(text)
    if not 1971 <= at.year <= 9998:
        raise ValueError(text)
    return at if at.tzinfo else at.replace(tzinfo=zone)


def author_of(request: HttpRequest) -> Author:
    """Return the actor of a POST: a person, who coordinates and signs off.

    The person's rights in the workspace were checked when the request was admitted.
    """
    key = line(request.POST, "key", size=_KEY)
    who = actor_of(request)
    to = (line(request.POST, name, size=_NAME + 1) for name in ("recipient", "to"))
    bound = not all(map(may_send_to, to))
    return Author(who, coordinates=True, key=key or new_key(), bound=bound, person=True)


def may_send_to(recipient: str) -> bool:
    """Return whether the person may send work to an agent, of another workspace too.

    Every part before a slash can name that workspace: the own one is removed first.
    """
    return all(may(Right.SEND, slug) for slug in recipient.split("/")[:-1])


@dataclass(frozen=True, slots=True)
class ActForm:
    """The input of an act's form, with its error."""

    base: str
    key: str = field(default_factory=new_key)
    reason: str = ""
    status: str = "done"
    output: str = ""
    side_effects: str = ""
    memory_update: str = ""
    to: str = ""
    due: str = ""
    topic: str = ""
    task: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    @classmethod
    def of(cls, data: QueryDict, handoff: Handoff) -> ActForm:
        """Parse the form; without ``base`` it has the handoff's current standing."""
        status = line(data, "status", size=20)
        return cls(
            line(data, "base") if "base" in data else handoff.standing,
            line(data, "key", size=_KEY) or new_key(),
            line(data, "reason"),
            status if status in STATUSES else "done",
            text_in(data, "output", size=_LONG),
            text_in(data, "side_effects", size=_LONG),
            text_in(data, "memory_update", size=_LONG),
            line(data, "to", size=_NAME),
            line(data, "due", size=_DUE_SIZE),
            line(data, "topic", size=_TOPIC),
            {
                name: text_in(data, name, size=_LONG)
                if name in data
                else getattr(handoff, name)
                for name in PARTS
            },
        )

    def changes(self, handoff: Handoff) -> dict[str, str]:
        """Return the parts of the task that differ from the handoff's."""
        return {
            name: text
            for name, text in self.task.items()
            if text != getattr(handoff, name)
        }

    @property
    def result(self) -> Result:
        return Result(
            "", self.status, self.output, self.side_effects, self.memory_update
        )

    def missing(self, act: Act) -> str:
        """Return the message for a missing reason; empty if none is needed."""
        if act.needs_reason and not self.reason:
            return gettext("Enter a reason in one line.")
        return ""

    def on(self, terms: Terms, zone: ZoneInfo) -> ActForm:
        """Return a copy with the terms of the handoff that is sent again."""
        due = terms.due.astimezone(zone).strftime(_DUE) if terms.due else ""
        return replace(self, due=due, topic=terms.topic)

    def terms(self, zone: ZoneInfo) -> Terms:
        """Return the terms for handing off again.

        Raises:
            NotAllowed: ``handoff-due``, the due time cannot be parsed.
        """
        try:
            return Terms(due_at(self.due, zone), self.topic)
        except ValueError as error:
            raise NotAllowed("handoff-due", due=self.due) from error


@dataclass(frozen=True, slots=True)
class Draft:
    """The input of a new handoff's form, with errors by field."""

    sender: str = ""
    recipient: str = ""
    type: str = "read_only"
    context: str = ""
    input: str = ""
    expected_output: str = ""
    constraints: str = ""
    topic: str = ""
    due: str = ""
    result_to: str = ""
    after: str = ""
    parent: str = ""
    repository: str = ""
    paths: str = ""
    priority: str = ""
    review: str = ""
    key: str = field(default_factory=new_key)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: QueryDict, sender: str) -> Draft:
        return cls(
            line(data, "sender", size=_NAME + 1) or sender,
            line(data, "recipient", size=_NAME + 1),
            line(data, "type", size=20) or "read_only",
            text_in(data, "context", size=2000),
            text_in(data, "input", size=_LONG),
            text_in(data, "expected_output", size=_LONG),
            text_in(data, "constraints", size=_LONG),
            line(data, "topic", size=_TOPIC),
            line(data, "due", size=_DUE_SIZE),
            line(data, "result_to", size=_TOPIC),
            line(data, "after", size=_IDS),
            line(data, "parent", size=_NAME),
            line(data, "repository", size=_NAME),
            line(data, "paths", size=_IDS),
            line(data, "priority", size=20),
            line(data, "review", size=_NAME),
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
            after=self.after,
            parent=self.parent,
            repository=self.repository,
            paths=self.paths,
            priority=self.priority,
            review=self.review,
        )
