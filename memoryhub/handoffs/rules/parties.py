"""Who takes part in a handoff: pools, coordinators, reviewers, those mentioned. Pure.

The lines of a log count if they are by those whom the task is for. Of a pool, the
first takes the handoff: ``any`` is every agent of the workspace, ``role:NAME`` those
whose role begins so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from memoryhub.journal.ownership import is_person

if TYPE_CHECKING:
    from memoryhub.handoffs.models import Handoff


def signed_key(handoff: Handoff) -> str:
    """Return the hash of a handoff's signed text."""
    parts = (
        handoff.type,
        handoff.context,
        handoff.input,
        handoff.expected_output,
        handoff.constraints,
    )
    text = repr(tuple("\n".join(part.split()) for part in parts))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


ANY, _ROLE = "any", "role:"
#: Where the name of a role ends and its description begins.
_END = re.compile(r"[,;:.(/|，；：。（]|\s[—–-]+\s|--")


def is_pool(recipient: str) -> bool:
    """Return whether a recipient is several agents."""
    name = recipient.strip().casefold()
    return name == ANY or (name.startswith(_ROLE) and bool(name.removeprefix(_ROLE)))


def is_member(pool: str, agent: str, role: str) -> bool:
    """Return whether an agent of a workspace, with this role, is in a pool."""
    name = pool.strip().casefold()
    if not agent or "/" in agent or not is_pool(pool):
        return False
    return name == ANY or _role_alone(name.removeprefix(_ROLE)) == _role_alone(role)


def _role_alone(role: str) -> str:
    """Return the name of a role, without its description and without marks."""
    head = _END.split(role.replace("*", "").replace("`", "").strip(), maxsplit=1)[0]
    words = head.casefold().split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)


_RANK = r"(?:(?:lead|chief|head|main|senior)[ _-])?"
#: Names of coordinating agents.
_COORDINATOR = re.compile(rf"{_RANK}coordinator|协调(?:者|员|人)", re.IGNORECASE)
#: Roles of a coordinator; a role that only mentions the word does not match.
_COORDINATES = re.compile(
    rf"(?:(?:the|a) )?{_RANK}coordinator"
    r"(?=\s*(?:\Z|[,;:.(/|—–]|--|- )|\s+(?:of|for|and)\b)"
    r"|(?:总|主)?协调(?:者|员|人)(?!的)",
    re.IGNORECASE,
)
#: Roles of people who sign decisions off.
_SIGNS = re.compile(
    r"(?:the |an? )?(?:approv(?:er|es|al)|sign(?:s|ed)?[ -]?off|signatory)\b"
    r"|审批|批准|签核|签字|Freigabe",
    re.IGNORECASE,
)


def is_coordinator(name: str, roles: Iterable[str] = ()) -> bool:
    """Return whether files call an agent a coordinator, by its name or a role.

    It grants nothing: a person grants it in the workspace's settings.
    """
    heads = (role.replace("*", "").strip() for role in roles)
    named = _COORDINATOR.fullmatch(name.strip())
    return bool(named) or any(map(_COORDINATES.match, heads))


def is_signer(role: str) -> bool:
    """Return whether a role in files is to sign decisions off. It grants nothing."""
    return bool(_SIGNS.match(role.replace("*", "").strip()))


#: Words of a task's ``review`` beside the name of an agent.
BY_SENDER, BY_COORDINATOR, BY_PERSON = "sender", "coordinator", "person"
_SENDER_WORDS = frozenset({BY_SENDER, "yes", "true"})


def reviewer_of(handoff: Handoff) -> str:
    """Return who accepts: an agent, `BY_COORDINATOR`, `BY_PERSON`, or "" for nobody."""
    name = reviewer_named(handoff)
    if name.casefold() in (BY_COORDINATOR, BY_PERSON):
        return name.casefold()
    return BY_PERSON if is_person(name) else name


def reviewer_named(handoff: Handoff) -> str:
    """Return the reviewer's name as in the file, of the sender for such words."""
    word = handoff.review.strip()
    return handoff.sender if word.casefold() in _SENDER_WORDS else word


def is_agent_named(review: str) -> bool:
    """Return whether a task's ``review`` is the name of an agent."""
    word = review.strip().casefold()
    words = {"", BY_COORDINATOR, BY_PERSON, *_SENDER_WORDS}
    return word not in words and not is_person(review)


def reviewers_of(handoff: Handoff) -> set[str]:
    """Return the agents that may accept; none where it is a coordinator or person."""
    name = reviewer_of(handoff)
    return set() if name in ("", BY_COORDINATOR, BY_PERSON) else {name}


#: A name after an @ that no word, address or path ends with; dots and dashes within.
_MENTION = re.compile(r"(?<![\w@./:-])@(\w+(?:[.-]\w+)*)")


def mentioned_in(text: str) -> tuple[str, ...]:
    """Return the names that a text mentions, each once, in lower case."""
    found = (name.casefold() for name in _MENTION.findall(text))
    return tuple(dict.fromkeys(found))


def mentions(text: str, name: str) -> bool:
    """Return whether a text mentions an agent; blanks in its name are dashes."""
    return "-".join(name.casefold().split()) in mentioned_in(text)


def mentions_person(text: str) -> bool:
    """Return whether a text mentions a person, such as ``@you`` or ``@operator``."""
    return any(is_person(name) for name in mentioned_in(text))


#: Verbs of the work itself.
_WORK = frozenset({"taken", "done", "failed", "blocked", "put back"})


def is_strange(
    verb: str, actor: str, handoff: Handoff, slug: str, takers: Collection[str] = ()
) -> bool:
    """Return whether a line has an agent do another's work.

    `slug` is the workspace's, which names of its agents may begin with. Of a pool,
    anybody can have taken it. Lines that the hub wrote count in any case: its rules
    were checked when it wrote them.
    """
    if verb == "accepted":
        return not _accepts(actor, handoff, slug)
    if verb not in _WORK or not actor or handoff.twin:
        return False
    if is_pool(handoff.recipient) or is_person(actor) or is_coordinator(actor):
        return False
    theirs = (handoff.sender, handoff.recipient, *takers)
    return _plain(actor, slug) not in {_plain(name, slug) for name in theirs}


def _accepts(actor: str, handoff: Handoff, slug: str) -> bool:
    """Return whether a line of a file can accept; a person does so at the hub alone."""
    name = reviewer_of(handoff)
    if name == BY_PERSON:
        return False
    if is_person(actor) or is_coordinator(actor):
        return True
    return name != BY_COORDINATOR and _plain(actor, slug) == _plain(name, slug)


def _plain(name: str, slug: str) -> str:
    return name.strip().removeprefix(f"{slug}/").casefold()
