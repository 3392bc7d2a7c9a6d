"""Refusals of tools as one shape for REST, MCP and commands.

Texts for agents are never translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import JsonResponse
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
    "tool-unknown": "there is no tool {tool}. {hint}",
    "too-many-waits": "too many requests wait, with this token or in all",
    "agent-missing": "name the agent whose inbox it is",
    "agent-other": "the token is of another agent than {agent}",
    "profile-unknown": "there is no profile {name}: there are {known}",
    "request-invalid": "the request of {tool} is not valid",
    "key-reused": "the idempotency key {key} was already used for a different request",
    "not-found": "there is no {what} {name}",
    "path-not-allowed": "{path} is not an allowed Markdown memory file",
    "scope-missing": "this token does not allow {scope}",
    "token-invalid": "the token is unknown, has expired or was revoked",
    "token-missing": "a token is required: {reason}",
    "token-elsewhere": "the local token works on this computer only: {reason}",
    "agent-invalid": "{agent} is not a valid agent name",
    "agent-look-alike": "{agent} looks like {other}, another agent of the workspace",
    "person-invalid": "{name} is not a valid user name",
    "person-look-alike": "{name} looks like another person's or an agent's name",
    "invitation-used": "the invitation was used, was revoked or has expired",
    "last-hub-administrator": "{name} is the last administrator of the hub",
    "last-administrator": "{holder} is the last administrator of {workspace}",
    "json-expected": "the request body must be application/json",
    "cursor-invalid": "the cursor is not one of this list",
    "ambiguous": "{name} matches several {what}s: {codes}",
    "precondition-failed": "{path} has changed: it does not match the precondition",
    "precondition-missing": "send If-Match with the file's ETag, or If-None-Match: *",
    "parameter-required": (
        'Parameter "{parameter}" is required for {operation} operation'
    ),
    "item-not-there": "the file no longer contains {text}",
    "item-not-ticked": "words in the file report it as done: edit that line",
    "item-in-table": "the item is a table row, which has no place for a mark: edit it"
    " in the file",
    "item-read-only": "the file belongs to another program: close the item there",
    "memory-unknown": 'Memory "{id}" not found in any project',
    "path-required": "path required",
    "path-escapes": "path escapes workspace",
    "memory-path-not-allowed": "path is not an allowed Markdown memory file",
    "memory-private": "{path} is only for the main, private session: pass its key as"
    " session, or use a token made with --private",
    "flush-path": "Memory flush writes are restricted to {path}; use that path only.",
    "snapshot-breaks-block": (
        "a line of the snapshot's section {section} would end it or begin another;"
        " put it into a code fence"
    ),
    "addition-lost": (
        "nothing was written: the file ends in an open code fence or block, which would"
        " hide the addition; close it first"
    ),
    "mask-for-secret": (
        "{path} has a secret in a line that you would replace; {mask} stands for it in"
        " what agents are given. Leave that line as it is: nothing was written"
    ),
    "place-missing": "the pointer has no target file: name one in place",
    "version-unknown": "{version} is not a version such as 2026.9.6",
    "config-key-unknown": "{version} does not know {key} and rejects its configuration",
    "handoff-signed": "{task_id} was already signed off by {actor} at {at}",
    "handoff-xml": "exactly one <{block}> block, and no other field: found {found}",
    "handoff-broken": "the block cannot be read: {problems}",
    "breaker-open": (
        "the circuit breaker of {agent} is open since {since}: wait for the operator"
    ),
    "breaker-needs-operator": (
        "this line would close the circuit breaker of {agent}: only a person or a"
        " coordinator may do that"
    ),
    "transcript-empty": "the transcript contains no messages{reason}",
    "not-imported": "{workspace} is not imported yet: {files} files are pending; a"
    " running server imports them, or: memoryhub sync {workspace}",
    "held-other": "{held} files are held now: review them again",
    "prompt-breaks-sections": (
        "the static text holds the line that separates it from the memory: leave the"
        " boundary out"
    ),
    "value-has-newline": "the text has several lines: write it as one",
    "value-is-empty": "the text is empty",
    "key-not-allowed": "a key with these characters cannot be written",
    "files-claimed": "{path} is held by {agent}{where} until {until}{reason}; agree"
    " with the holder, or claim it with force",
    "claim-path": "{path} cannot be claimed: {why}",
    "claim-nothing": "name at least one path to claim",
    "claim-ended": "{agent} holds no claim of {path}; it may have ended: claim it anew",
    "line-unknown": "{path} has {lines} lines, and no line {line}",
    "comment-empty": "the comment has no text",
    "comment-long": "a comment has at most {most} characters",
    "thread-resolved": "comment {thread} is resolved; open another one",
    "threads-too-many": "there are {most} open comments: people resolve them first",
    "replies-too-many": "a thread has at most {most} comments: open another one",
    "no-comments": "no comment on {path} is open",
    "claims-too-many": "one agent can hold {most} paths: claim folders or patterns",
    "decision-needs-person": "only a person decides on this: {agent} is an agent",
    "review-handled": "{actor} has decided on this change of {path} already: {state}",
    "review-grown": "the change of {path} has grown since: look at it again",
    "review-second": "{actor} has accepted {path} first; another person has to accept"
    " it too",
    "review-renamed": "only the name of {path} changed: rename it on disk",
    "review-file-gone": "{path} was deleted since: restore it first",
    "review-conflict": "{clashes} stretches of {path} were changed again since: choose"
    " on its page what stays",
    "refused": "{reason}",
}
_BEFORE = "answer to the first call with this key: retry with another key"
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
    "agent-other": 403,
    "too-many-waits": 429,
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
    "review-needs-person": 403,
    "sign-off-not-yours": 403,
    "version-gone": 410,
    "forgetting-state": 409,
    "forgetting-over": 409,
    "forgetting-order": 409,
    "database-other": 503,
    "not-imported": 503,
    "held-other": 409,
    "files-claimed": 409,
    "claim-ended": 409,
    "claims-too-many": 409,
    "thread-resolved": 409,
    "threads-too-many": 409,
    "replies-too-many": 409,
    "no-comments": 409,
    "decision-needs-person": 403,
    "review-handled": 409,
    "review-grown": 409,
    "review-second": 409,
    "review-file-gone": 409,
    "review-conflict": 409,
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


def json_refusal(refusal: Refusal) -> JsonResponse:
    """Return the JSON response to a request that is refused."""
    return JsonResponse(
        refusal.as_json(), status=refusal.status, headers=refusal.headers
    )


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
        text = message.format(**parameters).rstrip()
    return Refusal(code, f"{text}{more}", _STATUS.get(code, 422), parameters)
