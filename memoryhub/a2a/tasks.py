"""Handoffs as tasks of A2A, messages of A2A as requests for handoffs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memoryhub.dialects.handoff import MAX_CONTEXT
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import (
    BLOCKED,
    DONE,
    IN_PROGRESS,
    OPEN,
    RETURNED,
    REVIEW,
)

#: States of A2A by those of handoffs, one to one.
STATES = {
    OPEN: "TASK_STATE_SUBMITTED",
    IN_PROGRESS: "TASK_STATE_WORKING",
    BLOCKED: "TASK_STATE_INPUT_REQUIRED",
    RETURNED: "TASK_STATE_REJECTED",
    DONE: "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "withdrawn": "TASK_STATE_CANCELED",
}
#: State of a decision that waits for a person to sign it off.
UNSIGNED = "TASK_STATE_AUTH_REQUIRED"


class Params(BaseModel):
    """Parameters of a method, in camel case; unknown ones are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")


class Part(Params):
    """A part of a message: exactly one of text, data, address or bytes."""

    text: str | None = Field(None, max_length=100_000)
    data: Any = None
    url: str | None = Field(None, max_length=5_000)
    raw: str | None = None
    filename: str = Field("", max_length=300)

    def as_text(self) -> str:
        """Return it as text; data as a fenced JSON block.

        Raises:
            ValueError: bytes, which no handoff can hold, or an empty part.
        """
        if self.text is not None:
            return self.text
        if self.url is not None:
            return f"{self.filename}: {self.url}" if self.filename else self.url
        if self.raw is not None or self.data is None:
            raise ValueError("only text, data and addresses of files are accepted")
        return f"```json\n{json.dumps(self.data, ensure_ascii=False, indent=2)}\n```"


class Message(Params):
    """A message of a client; with a `task_id` it continues a task.

    `metadata.memoryhub` may hold further fields of `handoff_send`.
    """

    message_id: str = Field(min_length=1, max_length=200)
    parts: list[Part] = Field(min_length=1, max_length=100)
    task_id: str = Field("", max_length=100)
    context_id: str = Field("", max_length=100)
    metadata: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All parts as text, an empty line between them."""
        return "\n\n".join(part.as_text() for part in self.parts)

    def terms(self, recipient: str, more: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a `handoff_send` to a recipient.

        `more`: metadata of the request, after which the message's own go. A message
        says nothing of its effects, so it is a write if no metadata say
        otherwise: writes run one at a time.
        """
        first = next(filter(None, map(str.strip, self.text.splitlines())), "")
        given = {**more, **self.metadata}.get("memoryhub", {})
        return {
            "type": "write",
            "context": first[:MAX_CONTEXT],
            **(given if isinstance(given, dict) else {}),
            "parent": self.context_id,
            "input": self.text,
            "to": recipient,
        }


def state_of(handoff: Handoff) -> str:
    """Return the state of a handoff in words of A2A.

    A result that is to be accepted waits for its client, as blocked work does.
    """
    if handoff.state == REVIEW:
        return STATES[BLOCKED]
    return UNSIGNED if handoff.to_sign else STATES[handoff.state]


def task_of(handoff: Handoff) -> dict[str, Any]:
    """Return a handoff as a task, with its result as an artifact.

    Its context is the handoff that it is part of, else itself.
    """
    name = handoff.task_id or handoff.code
    about = {"taskId": name, "contextId": handoff.parent or name}
    asked = {**about, "messageId": f"{handoff.code}-task", "role": "ROLE_USER"}
    status: dict[str, Any] = {"state": state_of(handoff)}
    if handoff.last_at is not None:
        status["timestamp"] = _moment(handoff.last_at)
    if handoff.last_reason:
        status["message"] = {
            **about,
            "messageId": f"{handoff.code}-{handoff.moves}",
            "role": "ROLE_AGENT",
            "parts": [{"text": handoff.last_reason}],
        }
    return {
        "id": name,
        "contextId": about["contextId"],
        "status": status,
        "artifacts": _artifacts(handoff),
        "history": [{**asked, "parts": [{"text": handoff.input}]}],
        "metadata": {
            "memoryhub": {
                "code": handoff.code,
                "sender": handoff.sender,
                "recipient": handoff.recipient,
                "type": handoff.type,
                "takenBy": handoff.taken_by,
                "standing": handoff.standing,
            }
        },
    }


def _artifacts(handoff: Handoff) -> list[dict[str, Any]]:
    texts = {"result": handoff.result, "side_effects": handoff.side_effects}
    return [
        {
            "artifactId": f"{handoff.code}-{name}",
            "name": name,
            "parts": [{"text": text}],
        }
        for name, text in texts.items()
        if text
    ]


def _moment(at: datetime) -> str:
    text = at.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
