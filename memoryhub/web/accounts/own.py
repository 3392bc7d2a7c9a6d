"""A person's own page and the list of people, in words."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from memoryhub.accounts.models import Invitation
from memoryhub.accounts.services import persons
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.web.accounts.forms import EmailForm, NameForm
from memoryhub.web.kit.clock import Clock

#: Browsers and systems by their marks in `User-Agent`, the telling one first.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("HeadlessChrome", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_PROGRAM = re.compile(r"[\w.-]{1,40}")
#: A person who was here within this time is "now".
_RECENT = timedelta(hours=1)


def browser_words(agent: str) -> str:
    """Return browser and system of a `User-Agent`: "Firefox on Linux"."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    if browser and system:
        words = {"browser": browser, "system": system}
        return gettext("%(browser)s on %(system)s") % words
    program = _PROGRAM.match(agent)
    return browser or system or (program[0] if program else gettext("Unknown browser"))


def account_context(person: User, key: str | None) -> dict[str, object]:
    """Return the context of a person's own page besides their preferences."""
    clock = Clock.of(person.time_zone or "UTC")
    return {
        "account": person,
        "name_form": NameForm(instance=person),
        "email_form": EmailForm(person=person),
        "factors": persons.second_factors(person),
        "passkeys": [one.wrap() for one in persons.second_factors(person).passkeys],
        "sessions": [_row(one, clock) for one in persons.sessions_of(person, key)],
        "provider": settings.MEMORYHUB_OIDC_NAME if settings.MEMORYHUB_OIDC_URL else "",
        "provider_accounts": persons.provider_accounts(person),
        "email_confirmed": persons.is_confirmed(person),
        "sends_email": bool(settings.EMAIL_HOST),
    }


def _row(session: persons.ShownSession, clock: Clock) -> dict[str, Any]:
    return {
        "id": session.id,
        "browser": browser_words(session.agent),
        "address": session.address,
        "made": clock.moment(session.made_at) if session.made_at else "",
        "used": _recently(session.used_at, clock),
        "current": session.current,
    }


def _recently(at: datetime, clock: Clock) -> str:
    if timezone.now() - at < _RECENT:
        return gettext("in the last hour")
    return clock.age(at)


def people_rows() -> list[dict[str, Any]]:
    """Return everybody with an account: the number of queries is fixed."""
    protected, clock = persons.protected_people(), Clock.of("UTC")
    counts, seen = persons.workspace_counts(), persons.last_uses()
    return [
        {
            "person": person,
            "protected": person.pk in protected,
            "seen": _recently(seen[person.pk], clock) if person.pk in seen else "",
            "workspaces": counts.get(person.pk, 0),
        }
        for person in persons.people()
    ]


def invitation_rows(rows: list[Invitation]) -> list[dict[str, Any]]:
    """Return open invitations in words."""
    clock = Clock.of("UTC")
    return [
        {
            "row": row,
            "title": row.name or row.email or gettext("Anybody with the link"),
            "gives": gives_words(row),
            "ends": clock.moment(row.expires_at),
        }
        for row in rows
    ]


def gives_words(row: Invitation) -> str:
    """Return an invitation's role in words: "Editor in Acme"."""
    parts = []
    if row.workspace and row.role:
        words = {"role": Role(row.role).label, "workspace": row.workspace.name}
        parts.append(gettext("%(role)s in %(workspace)s") % words)
    if row.hub_administrator:
        parts.append(gettext("Administrator of the hub"))
    return " · ".join(parts) or gettext("An account without a role")
