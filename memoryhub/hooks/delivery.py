"""Delivery of a hook's event to the hub's tool, and the host's answer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from django.db import DatabaseError

from memoryhub.audit.origins import Door, Origin, entered
from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.dialects.host_events import HostEvent, event_from
from memoryhub.disk.files import ExternallyChanged, FileError, folder_of
from memoryhub.errors.base import ToolError
from memoryhub.errors.hindrances import hindrance_of
from memoryhub.hooks.client import NOTIFYING, Frame
from memoryhub.hooks.spool import HubHindered, NotNow
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.people.policy import (
    NoSuchWorkspace,
    workspace_for_operator,
    workspace_of_folder,
)
from memoryhub.people.services.names import checked_agent
from memoryhub.sync.edit.holding import WorkspaceAway
from memoryhub.sync.engine import WorkspaceGone
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.refusals import REFUSED, refusal_of


class Refused(Exception):
    """An event that can never be done; the text is the reason."""


class OperatorsHub:
    """Handler of spooled events, by the tools of this hub."""

    def place_of(self, frame: Frame) -> str:
        """Return the workspace of an event, within which order holds.

        Raises:
            NotNow, Refused: as `deliver` does.
        """
        with _errors_classified(frame):
            return str(_workspace(frame, _event(frame)).uuid)

    def do(self, frame: Frame) -> bytes:
        """Do a spooled event; see `deliver`."""
        return deliver(frame)


def deliver(frame: Frame) -> bytes:
    """Do an event and return the host's answer, empty for none.

    Raises:
        NotNow: a temporary hindrance: a busy file, a full disk, a folder gone or not
            mounted.
        HubHindered: the database is busy, or of another version.
        Refused: it can never be done.
    """
    with _errors_classified(frame):
        event = _event(frame)
        caller = _caller(frame, event)
        with entered(Origin(Door.HOOK, caller.actor)):
            return _answer(caller, event, _event_data(frame))


@contextmanager
def _errors_classified(frame: Frame) -> Iterator[None]:
    """Classify errors of an event as temporary or permanent.

    Raises:
        NotNow, HubHindered, Refused: see `deliver`.
    """
    try:
        ensure_current()
        yield
    except OtherVersion as error:
        raise HubHindered(str(error)) from error
    except FileError as error:
        is_busy = isinstance(error, ExternallyChanged | WorkspaceAway)
        if is_busy or hindrance_of(error):
            raise NotNow(str(error)) from error
        if not folder_of(_workspace(frame, _event(frame)).root).is_dir():
            raise NotNow(str(error)) from error
        raise Refused(refusal_of(error).message) from error
    except WorkspaceGone as error:
        raise NotNow(f"{error} is not there") from error
    except NoSuchWorkspace as error:
        # A hook may come before the first workspace.
        kind = Refused if error.known else NotNow
        raise kind(str(error)) from error
    except REFUSED as error:
        refusal = refusal_of(error)
        kind = (
            HubHindered if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE else Refused
        )
        raise kind(refusal.message) from error
    except (DatabaseError, OSError) as error:
        if hindrance_of(error) is None:
            raise
        raise HubHindered(str(error)) from error


def _answer(caller: Caller, event: HostEvent, data: dict[str, Any]) -> bytes:
    tool = tool_named("lifecycle_event")
    fields = {"host": event.host, "event": event.name, "said": data}
    answer = call(tool, caller, request_of(tool, fields))
    output = answer.model_dump(mode="json")["output"]
    if output is None:
        return b""
    return json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")


def _event_data(frame: Frame) -> dict[str, Any]:
    try:
        data = json.loads(frame["body"] or b"{}")
    except ValueError as error:
        raise Refused(f"the event is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise Refused("the event is no JSON object")
    return data


def _event(frame: Frame) -> HostEvent:
    return event_from(_text(frame, "event"), _event_data(frame), _text(frame, "agent"))


def _caller(frame: Frame, event: HostEvent) -> Caller:
    happened = datetime.fromtimestamp(int(frame["at_ns"]) / 1e9, UTC)
    workspace = _workspace(frame, event)
    agent = _agent(event, workspace)
    return Caller(
        workspace,
        agent or event.host,
        agent,
        event.session,
        # Events that only ask for a context need no idempotency key.
        _text(frame, "key") if event.name in NOTIFYING else "",
        lambda: happened,
    )


def _agent(event: HostEvent, workspace: Workspace) -> str:
    """Return the event's agent; "" for an invalid name, whose events still count."""
    try:
        return checked_agent(event.agent, workspace)
    except ToolError:
        return ""


def _workspace(frame: Frame, event: HostEvent) -> Workspace:
    if slug := _text(frame, "workspace"):
        return workspace_for_operator(slug)
    folder = event.folder or os.fsdecode(frame["folder"])
    return workspace_of_folder(folder) or workspace_for_operator(None)


def _text(frame: Frame, part: str) -> str:
    return frame[part].decode("utf-8", "replace")
