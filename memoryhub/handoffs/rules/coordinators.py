"""Agents that files call coordinators, people that they let sign off. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
