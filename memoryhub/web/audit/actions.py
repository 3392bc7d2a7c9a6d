"""Actions of requests that the audit log records, with their names.

Changes of files, tools and credentials record themselves; these are the names of all
other changes, by the name of their address.
"""

from __future__ import annotations

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
