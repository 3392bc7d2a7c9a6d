"""Names of agents and people: none may pass for a person or another agent.

Names that look alike are found by Unicode's list of confusable characters: Technical
Standard #39, section 4, defines the skeleton.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from unicodedata import normalize

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import AGENT_NAME, PEOPLE, TEAM_NAMES, is_person
from memoryhub.people.models import AccessToken

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


#: Skeletons of names for a person, the hub, or a source of instructions to models.
#: ``coordinator`` is allowed: published skills call an agent so.
_RESERVED = frozenset(
    map(
        skeleton,
        (PEOPLE - {"coordinator"})
        | {"admin", "administrator", "root", "system", "memoryhub"}
        | {"我", "你", "人类", "用户", "系统", "管理员", "操作员"},
    )
)


def checked_agent(name: str, workspace: Workspace | None = None) -> str:
    """Return the name of an agent as the journal stores it.

    With a workspace, the name must not look like another agent's there.

    Raises:
        ToolError: ``agent-invalid``, it means a person or looks like that, is too long,
            or has invalid letters; ``agent-look-alike``, with the agent it looks like.
    """
    name = name.strip()
    is_taken = skeleton(name) in _RESERVED or skeleton(name) in _team()
    if not AGENT_NAME.fullmatch(name) or is_taken:
        raise ToolError("agent-invalid", agent=name[:80])
    if workspace is not None and (other := _look_alike(workspace, name)):
        raise ToolError("agent-look-alike", agent=name, other=other)
    return name


def checked_person(name: str) -> str:
    """Return the user name of a new person of the team.

    Raises:
        ToolError: ``person-invalid``, it has invalid letters, is a word for any person,
            or looks like the name of another person or of an agent of any workspace.
    """
    name = name.strip()
    agents = Agent.objects.values_list("name", flat=True)
    of_tokens = AccessToken.objects.filter(revoked_at=None)
    taken = {*agents, *of_tokens.values_list("agent", flat=True)}
    taken = {skeleton(agent) for agent in taken if not is_person(agent)}
    if (
        not AGENT_NAME.fullmatch(name)
        or skeleton(name) in _RESERVED | _team()
        or skeleton(name) in taken
    ):
        raise ToolError("person-invalid", name=name[:80])
    return name


def _team() -> frozenset[str]:
    """Return the skeletons of user names; none without team mode."""
    return frozenset(map(skeleton, TEAM_NAMES()))


def _look_alike(workspace: Workspace, name: str) -> str:
    """Return the earlier known agent that a name looks like, or ""."""
    rows = Agent.objects.filter(workspace=workspace)
    known = dict(rows.values_list("name", "first_seq"))
    own = [seq for other, seq in known.items() if other.casefold() == name.casefold()]
    if not own:
        tokens = AccessToken.objects.filter(workspace=workspace, revoked_at=None)
        known |= dict.fromkeys(tokens.values_list("agent", flat=True), 0)
    before = (other for other, seq in known.items() if not own or seq < min(own))
    return next((other for other in before if looks_like(name, other)), "")
