"""Pools: recipients of several agents, of whom the first takes the handoff. Pure.

``any`` is every agent of the workspace, ``role:NAME`` those whose role begins so.
"""

from __future__ import annotations

import re

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
    return name == ANY or _plain(name.removeprefix(_ROLE)) == _plain(role)


def _plain(role: str) -> str:
    """Return the name of a role, without its description and without marks."""
    head = _END.split(role.replace("*", "").replace("`", "").strip(), maxsplit=1)[0]
    words = head.casefold().split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)
