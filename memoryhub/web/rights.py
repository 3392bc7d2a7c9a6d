"""Rights that pages need, by the names of their addresses.

An address without a row here is refused; `tests/people/test_rights.py` compares the
table with `urls.py`. Public addresses are marked at their views (`login_not_required`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from django.urls import Resolver404, get_script_prefix, resolve

from memoryhub.people.policy import may, visitor
from memoryhub.people.rights import Right
from memoryhub.people.roles import is_team
from memoryhub.web.handoffs.acts import ACTS

#: Methods that change nothing.
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Needs(NamedTuple):
    """Rights for showing a page, and for sending its form."""

    shown: Right
    sent: Right


def _all(right: Right, names: str) -> dict[str, Needs]:
    """Return rows for pages whose form needs the same right as the page."""
    return {name: Needs(right, right) for name in names.split()}


def _forms(right: Right, names: str) -> dict[str, Needs]:
    """Return rows for pages that viewers may see, and whose form needs a right."""
    return {name: Needs(Right.READ, right) for name in names.split()}


RIGHTS: Mapping[str, Needs] = MappingProxyType(
    _all(
        Right.OWN,
        "home api-docs help help-page hub-handoffs hub-news me sign-out"
        " channels mail-channel channel test-channel remove-channel import",
    )
    # Marks and views belong to the person alone.
    | _all(
        Right.READ,
        "workspace mark-seen unsee connect trends files-in-play agents agent timeline"
        " news days day-text day inbox handoffs handoff-figures handoff-text handoff"
        " files file health problems imports run export_download search palette"
        " handover handover-text handover-zip memories memory memory-text"
        " workspace-recall workspace-recall-text recall recall-text"
        " snapshots snapshot-text directives"
        " snapshot snapshot-reviewed decisions decisions-text decision-text decision"
        " open-items open-item sessions unassigned topics topic-text topic"
        " topic-tab save-view delete-view comments comment reviews review",
    )
    | _all(
        Right.EDIT,
        "restore merge undo repoint clear_breaker clear_problem decision-new"
        " open-item-close open-item-reopen assign topic-status handover-write"
        " import_again comment_new comment_reply comment_reopen comment_export"
        " review-accept review-revert review-edit review-reopen review-accept-shown"
        " review-revert-shown review-unrevert-shown turn-assign suggestions",
    )
    | _forms(Right.EDIT, "session")
    | _all(Right.HANDOFFS, "read_messages handoff-change")
    | _all(Right.SIGN, "decision-reject decision-sign-off")
    | _all(Right.SEND, "handoff-new")
    | _all(Right.COORDINATE, "claim_end")
    | _forms(Right.COORDINATE, "export")
    | _all(Right.TOKENS, "tokens revoke-token rotate-token")
    | _all(
        Right.SETTINGS,
        "settings file-role review-policies review-rule-new review-rule"
        " review-rule-remove",
    )
    | _forms(Right.MEMBERS, "members")
    | _all(Right.MEMBERS, "member workspace-audit workspace-audit-csv")
    | _all(Right.FORGET, "forget forgetting forget_confirm forget_back")
    | _all(Right.DELETE, "workspace_delete")
    | _all(
        Right.WORKSPACES,
        "workspace_move import_new import_found import_start import_give_up"
        " import_new_in add_inside",
    )
    | _all(
        Right.PEOPLE,
        "groups group people person deactivate-person change-person audit audit-csv",
    )
    # Accounts: one's own; invitations only to where one is an administrator.
    | _all(
        Right.OWN,
        "invite revoke-invitation change-name end-session account_email"
        " account_reauthenticate account_change_password account_set_password"
        " mfa_index mfa_reauthenticate mfa_activate_totp mfa_deactivate_totp"
        " mfa_view_recovery_codes mfa_generate_recovery_codes"
        " mfa_download_recovery_codes mfa_list_webauthn mfa_add_webauthn"
        " mfa_reauthenticate_webauthn mfa_edit_webauthn mfa_remove_webauthn"
        " socialaccount_connections",
    )
)


def right_for(name: str, method: str, values: Mapping[str, object]) -> Right | None:
    """Return the right that a request needs; None if no row declares it.

    `name`: of its address, whose parts are `values`. An act on a handoff declares its
    own right.
    """
    if name == "handoff-act":
        act = ACTS.get(str(values.get("act", "")))
        return act.right if act else Right.HANDOFFS
    needs = RIGHTS.get(name)
    if needs is None:
        return None
    return needs.shown if method in _SAFE else needs.sent


def opens(address: str) -> bool:
    """Return whether the request's person may follow a link; "" leads nowhere."""
    if not address:
        return False
    if visitor() is None or not is_team():
        return True
    try:
        match = resolve(f"/{urlsplit(address).path.removeprefix(get_script_prefix())}")
    except Resolver404:
        return True
    right = right_for(match.url_name or "", "GET", match.kwargs)
    return right is None or may(right, str(match.kwargs.get("slug", "")))
