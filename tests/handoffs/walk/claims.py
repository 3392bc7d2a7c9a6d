"""The model's file claims: which patterns meet, who holds what, what is refused.

Two patterns meet if one of the files of a small tree is in both: nothing here follows
how the hub compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from itertools import product
from random import Random
from typing import Any

from tests.handoffs.walk.world import Claim, World

#: Paths that are claimed, each with the name by which it is listed.
_PATHS = {
    "src": "src",
    "./src/": "src",
    "src/api": "src/api",
    "SRC/API": "SRC/API",
    "src/api/x.py": "src/api/x.py",
    "src/*.py": "src/*.py",
    "src\\y.py": "src/y.py",
    "test_?.py": "test_?.py",
    "**/test_*.py": "**/test_*.py",
    "docs/**/a.md": "docs/**/a.md",
    "docs": "docs",
    "[id]/x.py": "[id]/x.py",
    ".": "**",
}
_BAD = ("/etc/passwd", "../src", "src/../..", "~/x", "C:\\x", " ", "a" * 301, "*" * 17)
_NAMES = (
    "src", "api", "docs", "x.py", "y.py", "test_a.py", "test_ab.py", "a.md", "[id]",
    "i", "other",
)  # fmt: skip
_REPOSITORIES = ("", "", "web", "WEB", "api")
#: The files of the tree, three folders deep.
_FILES = [
    "/".join(parts)
    for depth in (1, 2, 3, 4)
    for parts in product(_NAMES, repeat=depth)
    if depth < 4 or parts[:2] in (("src", "api"), ("docs", "src"))
]
_WILD = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@cache
def files_of(pattern: str) -> frozenset[str]:
    """Return the files of the tree that a pattern or folder stands for."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.casefold())
    form = "".join(_WILD.get(part, re.escape(part)) for part in parts)
    found = re.compile(f"{form}(?:/.*)?")
    return frozenset(file for file in _FILES if found.fullmatch(file))


def meet(one: Claim, repository: str, path: str) -> bool:
    """Tell whether a claim can be of a file that a path of a repository stands for."""
    named = {one.repository.casefold(), repository.casefold()} - {""}
    return len(named) < 2 and not files_of(one.path).isdisjoint(files_of(path))


def live(world: World) -> list[Claim]:
    """Return the claims that hold now, the oldest first."""
    return [claim for claim in world.claims if claim.ends_at > world.now]


def overlaps(world: World) -> set[tuple[str, ...]]:
    """Return the overlaps that alarms name: agents and paths, one of them forced."""
    held = live(world)
    return {
        (first.agent, first.name, second.agent, second.name)
        for place, second in enumerate(held)
        for first in held[:place]
        if (first.forced or second.forced)
        and first.agent != second.agent
        and meet(first, second.repository, second.path)
    }


def drawn(rng: Random) -> dict[str, Any]:
    """Draw a request of the tool."""
    action = rng.choices(("claim", "renew", "release", "list"), (11, 3, 4, 2))[0]
    bad = rng.random() < 0.08
    names = _BAD if bad else tuple(_PATHS)
    most = 1 if bad else rng.choice((0, 1, 1, 1, 2))
    return {
        "action": action,
        "paths": rng.sample(names, k=most),
        "repository": rng.choice(_REPOSITORIES),
        "minutes": rng.choice((5, 60, 300)),
        "reason": rng.choice(("", "retries")),
        "force": rng.random() < 0.3,
    }


def refusals(world: World, agent: str, fields: dict[str, Any]) -> set[str]:
    """Return the codes by which a request can be refused; none if it is allowed."""
    paths, action = fields["paths"], fields["action"]
    if any(path in _BAD for path in paths):
        # The schema has the longest length, too.
        return {"claim-path", "request-invalid"}
    if action == "claim":
        if not paths:
            return {"claim-nothing"}
        others = [] if fields["force"] else met(world, agent, fields)
        return {"files-claimed"} if others else set()
    held = {claim.path.casefold() for claim in _own(world, agent, fields)}
    wanted = {_PATHS[path].casefold() for path in paths}
    return set() if action == "list" or wanted <= held else {"claim-ended"}


def met(world: World, agent: str, fields: dict[str, Any]) -> list[Claim]:
    """Return the claims of others that meet the paths of a request."""
    return [
        claim
        for claim in live(world)
        if claim.agent != agent
        and any(meet(claim, fields["repository"], _PATHS[p]) for p in fields["paths"])
    ]


def apply(world: World, agent: str, fields: dict[str, Any]) -> list[Claim]:
    """Apply a request that is allowed; return the claims of its answer."""
    if fields["action"] == "list":
        wanted = fields if fields["paths"] else fields | {"paths": ["."]}
        return met(world, "", wanted)
    until = world.now + timedelta(minutes=fields["minutes"])
    if fields["action"] == "claim":
        return list(_made(world, agent, fields, until))
    names = {_PATHS[path].casefold() for path in fields["paths"]}
    found = [
        claim
        for claim in _own(world, agent, fields)
        if not names or claim.path.casefold() in names
    ]
    for claim in found:
        if fields["action"] == "renew":
            claim.ends_at = until
        else:
            world.claims.remove(claim)
    return found


def _own(world: World, agent: str, fields: dict[str, Any]) -> list[Claim]:
    place = fields["repository"].casefold()
    return [
        claim
        for claim in live(world)
        if claim.agent == agent and place in ("", claim.repository.casefold())
    ]


def _made(
    world: World, agent: str, fields: dict[str, Any], until: Any
) -> Iterator[Claim]:
    """Make the claims of a request; one of a path that is held goes on."""
    # Of names that differ in case alone the last one counts.
    named = {_PATHS[path].casefold(): _PATHS[path] for path in fields["paths"]}
    for path in named.values():
        new = Claim(agent, fields["repository"], path, fields["reason"], until)
        own = (c for c in live(world) if c.agent == agent)
        known = next((c for c in own if c.name.casefold() == new.name.casefold()), None)
        if known is None:
            world.claims.append(known := new)
        known.ends_at, known.reason = until, fields["reason"]
        known.forced = known.forced or fields["force"]
        yield known
