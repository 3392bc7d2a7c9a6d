"""Refusals of tools as one shape for REST, MCP and commands.

Texts for agents are never translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.utils import translation

from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.errors.base import Refusal as Refusal
from memoryhub.errors.base import RefusedBefore, ToolError
from memoryhub.errors.hindrances import hindrance_of
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import Gone, NoBytes
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.holding import WorkspaceAway
from memoryhub.web.kit.labels import problem_text

#: Errors that a tool raises if it cannot do a request.
REFUSED = (ToolError, Conflict, FormatError, FileError, NoBytes, NoSuchWorkspace)

_MESSAGES = {
    "tool-unknown": "there is no tool {tool}",
    "request-invalid": "the request of {tool} is not valid",
    "key-reused": "the idempotency key {key} came before with another request",
    "not-found": "there is no {what} {name}",
    "path-not-allowed": "{path} is not an allowed Markdown memory file",
    "scope-missing": "this token does not allow {scope}",
    "token-invalid": "the token is unknown, has expired or was revoked",
    "token-missing": "a token is needed: {reason}",
    "token-elsewhere": "the local token is for programs of this computer: {reason}",
    "agent-invalid": "no agent can be called {agent}",
    "agent-look-alike": "{agent} looks like {other}, another agent of the workspace",
    "json-expected": "the body has to be application/json",
    "cursor-invalid": "this is no cursor of this list",
    "ambiguous": "several {what}s are called {name}: {codes}",
    "precondition-failed": "{path} says something else by now",
    "precondition-missing": "say in If-Match what the file said, or If-None-Match: *",
    "parameter-required": (
        'Parameter "{parameter}" is required for {operation} operation'
    ),
    "item-not-there": "the file no longer says {text}",
    "item-not-ticked": "a line reports it as done in words: change it there",
    "item-in-table": "the item is in a table: change it there, its row has no place"
    " for a mark",
    "item-read-only": "another program keeps the file: close the item there",
    "memory-unknown": 'Memory "{id}" not found in any project',
    "path-required": "path required",
    "path-escapes": "path escapes workspace",
    "memory-path-not-allowed": "path is not an allowed Markdown memory file",
    "memory-private": "{path} is for the main, private session: name one with the call,"
    " or use a token made with --private",
    "flush-path": "Memory flush writes are restricted to {path}; use that path only.",
    "snapshot-breaks-block": (
        "a line of the snapshot's section {section} would end it or begin another;"
        " put it into a code fence"
    ),
    "addition-lost": (
        "nothing was written: a code fence or a block that the file leaves open would"
        " hide what is added; close it first"
    ),
    "place-missing": "no file is known for the pointer to lead to: name a place",
    "version-unknown": "{version} is no version such as 2026.9.6",
    "config-key-unknown": "{version} rejects {key}, and with it all its configuration",
    "handoff-signed": "{actor} signed {task_id} off already, at {at}",
    "handoff-xml": "one <{block}> block is needed, and no fields beside: found {found}",
    "handoff-broken": "the block cannot be read: {problems}",
    "breaker-open": (
        "the circuit breaker of {agent} is open since {since}: wait for the operator"
    ),
    "breaker-needs-operator": (
        "this line would close the circuit breaker of {agent}: a person or coordinator"
        " clears it"
    ),
    "transcript-empty": "the transcript holds no messages{reason}",
    "not-imported": "{workspace} is not imported yet: {files} files wait on disk; a"
    " running server imports them, or: memoryhub sync {workspace}",
    "held-other": "{held} files are held by now: look at them again",
    "refused": "{reason}",
}
_BEFORE = "the first call with this key was answered so: ask anew with another key"
_STATUS = {
    "token-invalid": 401,
    "token-missing": 401,
    "token-elsewhere": 401,
    "json-expected": 415,
    "ambiguous": 409,
    "cursor-invalid": 404,
    "path-not-allowed": 403,
    "precondition-failed": 412,
    "precondition-missing": 428,
    "tool-unknown": 404,
    "not-found": 404,
    "memory-unknown": 404,
    "item-not-there": 409,
    "row-unknown": 404,
    "handoff-unknown": 404,
    "scope-missing": 403,
    "memory-private": 403,
    "key-reused": 409,
    "breaker-open": 409,
    "breaker-needs-operator": 403,
    "handoff-ambiguous": 409,
    "handoff-id-taken": 409,
    "handoff-lane-busy": 409,
    "handoff-lane-order": 409,
    "handoff-after": 409,
    "handoff-not-signed": 409,
    "handoff-state": 409,
    "handoff-over": 409,
    "handoff-signed": 409,
    "handoff-withdrawn": 409,
    "handoff-not-taken": 409,
    "handoff-not-own": 409,
    "handoff-type-other": 409,
    "handoff-again-open": 409,
    "handoff-elsewhere": 403,
    "handoff-not-yours": 403,
    "handoff-needs-coordinator": 403,
    "sign-off-needs-person": 403,
    "sign-off-not-yours": 403,
    "version-gone": 410,
    "forgetting-state": 409,
    "forgetting-over": 409,
    "forgetting-order": 409,
    "database-other": 503,
    "not-imported": 503,
    "held-other": 409,
    "refused": 409,
}


def refusal_of(error: Exception) -> Refusal:
    """Return the refusal for one of `REFUSED`."""
    if isinstance(error, ToolError | FormatError):
        before = f" ({_BEFORE})" if isinstance(error, RefusedBefore) else ""
        return _coded(error.code, error.parameters, before)
    if isinstance(error, Conflict):
        details = {"path": error.path, "base": error.base, "current": error.current}
        return Refusal("conflict", str(error), 409, details)
    if isinstance(error, NoSuchWorkspace):
        return Refusal("workspace-unknown", str(error), 404)
    if isinstance(error, FileError):
        return _of_file(error)
    if isinstance(error, Gone):
        return _coded("version-gone", {}, "")
    return Refusal("version-damaged", str(error), 500)


def refusal_or_none(error: BaseException) -> Refusal | None:
    """Return the refusal for an error or a hindrance of the machine; None for a bug."""
    if isinstance(error, REFUSED):
        return refusal_of(error)
    found = hindrance_of(error)
    if found is None:
        return None
    with translation.override("en"):
        text = problem_text(found.code, {})
    details = {"retry_after": found.retry_after}
    return Refusal(found.code, text, HTTPStatus.SERVICE_UNAVAILABLE, details)


def _of_file(error: FileError) -> Refusal:
    """Return the refusal for an unusable file; 503 if that may pass."""
    details: dict[str, Any] = {"path": error.path}
    if isinstance(error, WorkspaceAway):
        return Refusal("workspace-away", str(error), 503, details)
    if isinstance(error, ExternallyChanged):
        return Refusal("file-busy", str(error), 409, details)
    found = hindrance_of(error)
    if found is None or found.code == "disk-refused":
        return Refusal("file-unusable", str(error), 422, details)
    details["retry_after"] = found.retry_after
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return Refusal("file-unusable", str(error), status, details)


def _coded(code: str, parameters: Mapping[str, Any], more: str) -> Refusal:
    message = _MESSAGES.get(code)
    if message is None:
        with translation.override("en"):
            text = problem_text(code, dict(parameters))
    else:
        text = message.format(**parameters)
    return Refusal(code, f"{text}{more}", _STATUS.get(code, 422), parameters)
