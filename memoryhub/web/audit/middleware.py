"""Middleware of the audit log: origin of each request, and changes without an entry.

Changes of files, tools and credentials record themselves; `NAMES` has the names of
all other changes, by the name of their address.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.messages import constants, get_messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse

from memoryhub.accounts.links import without_secrets
from memoryhub.audit.failures import record_stranger
from memoryhub.audit.origins import Door, Origin, current_origin, entered
from memoryhub.audit.recording import (
    DONE,
    FAILED,
    REFUSED,
    Details,
    record,
    record_after,
)
from memoryhub.people.addresses import client_address

#: Addresses whose GET hands whole files or many rows over.
EXPORTS = {
    "export_download": "export.files",
    "handover-zip": "export.handover",
    "handover-text": "export.handover",
    "audit-csv": "export.audit",
    "workspace-audit-csv": "export.audit",
}
#: Addresses whose GET shows a person's own secrets.
REVEALS = {
    "mfa_view_recovery_codes": "secrets.recovery-codes",
    "mfa_download_recovery_codes": "secrets.recovery-codes",
}
#: A text as its file has it: secrets are not masked in it.
TEXT_EXPORT = "export.text"
#: Addresses at which somebody who is not signed in changes something: a mail is sent,
#: an address confirmed. What signs in, such as an invitation, has entries of its own.
BY_STRANGERS = frozenset({"account_reset_password", "account_confirm_email"})
#: First parts of names of allauth's forms.
FORMS_OF_ACCOUNTS = ("account_", "mfa_", "socialaccount_")
#: Names of actions, by the name of the address; others are called after it.
NAMES = EXPORTS | {
    "settings": "settings.changed",
    "file-role": "settings.changed",
    "workspace_move": "workspace.moved",
    "workspace_delete": "workspace.removed",
    "import_new": "workspace.import",
    "import_new_in": "workspace.import",
    "import_found": "workspace.import",
    "import_start": "workspace.import",
    "import_again": "workspace.import",
    "import_give_up": "workspace.import",
    "add_inside": "workspace.import",
    "me": "settings.own",
    "channels": "settings.channel",
    "channel": "settings.channel",
    "mail-channel": "settings.channel",
    "test-channel": "settings.channel",
    "remove-channel": "settings.channel",
    "tokens": "token.made",
    "revoke-token": "token.revoked",
    "rotate-token": "token.rotated",
    "open": "sign-in",
    "sign-out": "sign-out",
    "invite": "account.invited",
    "revoke-invitation": "account.invitation-revoked",
    "join": "account.invitation-used",
    "change-name": "account.name",
    "end-session": "account.sessions-ended",
    "change-person": "account.changed",
    "deactivate-person": "account.deactivated",
    "account_login": "sign-in",
    "account_logout": "sign-out",
    "mfa_authenticate": "sign-in",
    "mfa_login_webauthn": "sign-in",
    "members": "permission.granted",
    "member": "permission.granted",
    "groups": "permission.group",
    "group": "permission.group",
    "export": "export.write",
    "forget_confirm": "forget.confirmed",
    "forget_back": "forget.taken-back",
    "confirm_to_forget": "forget.confirmed",
}
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_LONGEST = 300


class NotedMessages(CookieStorage):
    """Messages in a cookie; `levels` are those of the messages that a request added."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.levels = set[int]()

    def add(self, level: int, message: str, extra_tags: str | None = "") -> None:
        """Queue a message, unless its level is below the one that is recorded."""
        self.levels.add(level)
        super().add(level, message, extra_tags)


def name_of(door: str, address: str) -> str:
    """Return the action of a change by the name of its address."""
    if address.startswith("tool-"):
        return address.replace("-", ".", 1)
    if address in REVEALS:
        return REVEALS[address]
    if address.startswith("mfa_"):
        return "account.second-factor"
    if address.startswith("account_"):
        return address.replace("_", ".", 1).replace("_", "-")
    return NAMES.get(address, f"{door}.{address or 'unknown'}")


class Audited:
    """Middleware that records a request's action in the audit log.

    Around authentication by proxies. Operations, tools and sign-ins record themselves:
    this records every other change, exports, and pages that show secrets.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with entered(_origin_of(request)) as origin:
            response = self._get_response(request)
            _record_request(request, response, origin)
        return response

    def process_view(
        self, request: HttpRequest, view: object, *_: object
    ) -> HttpResponse | None:
        """Note who is signed in, once all of authentication is done."""
        origin = current_origin()
        # The API has its own authentication, which identifies the caller.
        if origin.door is Door.PAGE and request.user.is_authenticated:
            origin.actor = request.user.get_username()
        return None


class RevealsAudited:
    """Middleware that records that a page shows secrets, before it does.

    After the check of rights: a page that is refused shows none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, *_: object
    ) -> HttpResponse | None:
        """Record a request for a page with secrets."""
        if current_origin().door is Door.PAGE and request.user.is_authenticated:
            _record_reveal(request)
        return None


def _origin_of(request: HttpRequest) -> Origin:
    address = client_address(request.META.get("REMOTE_ADDR", ""), request.headers)
    door = Door.PAGE
    if request.path_info.startswith("/api/"):
        door = Door.A2A if request.path_info.startswith("/api/a2a/") else Door.REST
    return Origin(door, address=address)


def _record_reveal(request: HttpRequest) -> None:
    """Record that secrets are shown, before they are."""
    if request.GET.get("show") == "secrets":
        workspace, rest = _workspace_in(request.path_info)
        record("secrets.shown", workspace=workspace, subject=rest)


def _record_request(
    request: HttpRequest, response: HttpResponse, origin: Origin
) -> None:
    match = request.resolver_match
    name = (match.url_name if match else "") or ""
    is_text = _is_unmasked(response)
    is_reveal = name in REVEALS and response.status_code == HTTPStatus.OK
    is_export = request.method == "GET" and (name in EXPORTS or is_text or is_reveal)
    changes = request.method not in _READING
    outcome, detail = _outcome(response.status_code)
    is_recorded = origin.entries > 0 and outcome == DONE
    if not (changes or is_export) or is_recorded or (origin.reads and outcome == DONE):
        return
    is_page = origin.door is Door.PAGE
    if outcome == DONE and is_page and (changes or not origin.actor):
        told: set[int] = getattr(get_messages(request), "levels", set())
        is_form = name.startswith(FORMS_OF_ACCOUNTS)
        if not origin.actor:
            is_done = name in BY_STRANGERS and response.status_code != HTTPStatus.OK
            outcome, detail = (DONE, "") if is_done else (REFUSED, "signed-out")
        elif response.status_code == HTTPStatus.OK and not is_form:
            # A page in answer to a form shows a preview, or the form again.
            return
        elif response.status_code == HTTPStatus.OK or (
            told and constants.SUCCESS not in told and not is_form
        ):
            outcome, detail = REFUSED, "form"
    workspace, rest = _workspace_in(request.path_info)
    action = name_of(origin.door, name)
    if is_text and name not in EXPORTS:
        action = TEXT_EXPORT
    fields = Details(workspace=workspace, subject=rest)
    if not origin.actor and outcome == REFUSED:
        if not origin.entries:
            record_stranger(action, detail, **fields)
        return
    record_after(action, **fields | {"outcome": outcome, "detail": detail})


def _outcome(status: int) -> tuple[str, str]:
    if status < 400:
        return DONE, ""
    return (REFUSED if status < 500 else FAILED), str(status)


def _is_unmasked(response: HttpResponse) -> bool:
    """Return whether an answer is a text as its file has it, with its secrets."""
    kind: str = response.headers.get("Content-Type", "")
    return kind.startswith("text/markdown")


def _workspace_in(path: str) -> tuple[str, str]:
    """Return the workspace that an address names, and the rest of the address."""
    for begin in ("/w/", "/api/v1/workspaces/"):
        if path.startswith(begin):
            slug, _, rest = path.removeprefix(begin).partition("/")
            return slug[:200], rest[:_LONGEST]
    return "", without_secrets(path)[:_LONGEST]
