"""Agents' names: none may pass for a person or another agent.

Names that look alike are found by Unicode's list of confusable characters: Technical
Standard #39, section 4, defines the skeleton.
"""

from __future__ import annotations

import re
from functools import cache
from pkgutil import resolve_name
from unicodedata import category, normalize

from django.conf import settings

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import AGENT_NAME, PEOPLE
from memoryhub.journal.prepared import Prepared
from memoryhub.people.models import AccessToken, Group, User

#: User names: like agents' without blanks, since commands and mentions name people.
_USER_NAME = re.compile(r"\w[\w.@+-]{0,79}")
_TABLE = "confusable_homoglyphs.confusables:confusables_data"
#: Digits that many fonts draw as letters.
_DIGITS = str.maketrans("01", "ol")
_BLANKS = str.maketrans("", "", " ._-@")


@cache
def skeleton(name: str) -> str:
    """Return the comparison key of a name's look: equal for names that look alike.

    Case, width, blanks and punctuation do not count; letters of other scripts that
    look like Latin ones count as these.
    """
    plain = normalize("NFKC", name).casefold().translate(_BLANKS)
    drawn = plain if plain.isascii() else "".join(map(_drawn, plain))
    return drawn.translate(_DIGITS)


def looks_like(name: str, other: str) -> bool:
    """Return whether two different names can be confused.

    A name that differs in case only is the same name.
    """
    if name.casefold() == other.casefold():
        return False
    return skeleton(name) == skeleton(other)


@cache
def _drawn(letter: str) -> str:
    """Return the Latin letter a character looks like, else its first look-alike."""
    if letter.isascii():
        return letter
    alike = [found["c"] for found in _table().get(letter, ())]
    latin = [c for c in alike if c.isascii() and c.isalnum()]
    return min(latin or [letter, *alike], key=lambda c: (len(c), c)).casefold()


@cache
def _table() -> dict[str, list[dict[str, str]]]:
    """Return Unicode's list. Loading it takes 50 ms, and most names never need it."""
    table: dict[str, list[dict[str, str]]] = resolve_name(_TABLE)
    return table


#: Names for a person, the hub, or a source of instructions to models.
#: ``coordinator`` is allowed: published skills call an agent so.
_RESERVED = (
    (PEOPLE - {"coordinator"})
    | {"admin", "administrator", "root", "system", "memoryhub"}
    | {"我", "你", "人类", "用户", "系统", "管理员", "操作员"}
)


def _is_reserved(drawn: str) -> bool:
    """Return whether a skeleton is that of a reserved name."""
    # Latin letters look like no Chinese name: most calls need no table.
    return drawn in _reserved(latin=drawn.isascii())


@cache
def _reserved(*, latin: bool) -> frozenset[str]:
    return frozenset(skeleton(name) for name in _RESERVED if name.isascii() is latin)


def checked_agent(name: str, workspace: Workspace | None = None) -> str:
    """Return the name of an agent as the journal stores it.

    With a workspace, the name must not look like another agent's there.

    Raises:
        ToolError: ``agent-invalid``, it means a person or looks like that, is too long,
            or has invalid letters; ``agent-look-alike``, with the agent it looks like.
    """
    name = name.strip()
    if not AGENT_NAME.fullmatch(name) or _is_reserved(skeleton(name)):
        raise ToolError("agent-invalid", agent=name[:80])
    if settings.MEMORYHUB_TEAM and skeleton(name) in _skeletons_of_people():
        raise ToolError("agent-invalid", agent=name)
    if workspace is not None and (other := _look_alike(workspace, name)):
        raise ToolError("agent-look-alike", agent=name, other=other)
    return name


#: Names and first seqs of a workspace's agents, and those with a valid token.
_AGENTS: Prepared[tuple[str, int]] = Prepared(
    lambda workspace_id: Agent.objects.filter(workspace_id=workspace_id).values_list(
        "name", "first_seq"
    ),
    int,
)
_WITH_TOKENS: Prepared[str] = Prepared(
    lambda workspace_id: AccessToken.objects.filter(
        workspace_id=workspace_id, revoked_at=None
    ).values_list("agent", flat=True),
    int,
)


def checked_person(username: str) -> str:
    """Return the user name of a new person as the journal stores it.

    Raises:
        ToolError: ``person-invalid``, it has invalid letters or means nobody or
            everybody, such as "operator"; ``person-look-alike``, it looks like the
            name of another person, of an agent or of a group, or is the e-mail address
            of a person.
    """
    username = normalize("NFKC", username.strip())
    drawn = skeleton(username)
    if not _USER_NAME.fullmatch(username) or _is_reserved(drawn) or not drawn:
        raise ToolError("person-invalid", name=username[:80])
    tokens = AccessToken.objects.filter(revoked_at=None).order_by()
    agents = Agent.objects.order_by().values_list("name")
    names = agents.union(tokens.values_list("agent"))
    taken = {skeleton(agent) for (agent,) in names}
    # Members are added by the name of a person or a group.
    taken |= set(map(skeleton, Group.objects.values_list("name", flat=True)))
    is_address = User.objects.filter(email__iexact=username).exists()
    if is_address or drawn in _skeletons_of_people() | taken:
        raise ToolError("person-look-alike", name=username)
    return username


def checked_shown_name(name: str, person: User | None = None) -> str:
    """Return the name that pages show of a person, who has perhaps another one now.

    Pages show it alone in some places, such as who is asked or invites.

    Raises:
        ToolError: ``person-invalid``, it has characters that are not seen, or means the
            operator; ``person-look-alike``, it looks like a name of another person.
    """
    name = " ".join(normalize("NFC", name).split())
    drawn = skeleton(name)
    hidden = any(category(letter).startswith("C") for letter in name)
    if hidden or _is_reserved(drawn) or (name and not drawn):
        raise ToolError("person-invalid", name=name[:80])
    others = User.objects.exclude(pk=person.pk) if person else User.objects.all()
    names = {each for both in others.values_list("username", "name") for each in both}
    if drawn and drawn in map(skeleton, names):
        raise ToolError("person-look-alike", name=name)
    return name


def is_like_person(name: str) -> bool:
    """Return whether a name looks like that of a person with an account."""
    return skeleton(name) in _skeletons_of_people()


def _skeletons_of_people() -> set[str]:
    return set(map(skeleton, User.objects.values_list("username", flat=True)))


def _look_alike(workspace: Workspace, name: str) -> str:
    """Return the earlier known agent that a name looks like, or ""."""
    known = dict(_AGENTS(workspace.pk))
    own = [seq for other, seq in known.items() if other.casefold() == name.casefold()]
    if not own:
        known |= dict.fromkeys(_WITH_TOKENS(workspace.pk), 0)
    before = (other for other, seq in known.items() if not own or seq < min(own))
    return next((other for other in before if looks_like(name, other)), "")
