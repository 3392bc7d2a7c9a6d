"""Snippets that connect an agent: files of the project, with this hub's address.

What a file names as an example is replaced: the address, the workspace, the agent. The
token is read from the environment, never written into a snippet.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from django.conf import settings

_FOLDER = settings.BASE_DIR / "integrations/connect"
#: Examples in the files, as they occur in texts and in addresses.
_HUB, _WORKSPACE, _AGENT = "http://127.0.0.1:8765", "main", "builder"


class Place(NamedTuple):
    """Parameters of a snippet: the hub's address, a workspace, an agent."""

    hub: str
    workspace: str
    agent: str


class Snippet(NamedTuple):
    """A file with a place filled in."""

    name: str
    text: str


def snippet(name: str, place: Place) -> Snippet:
    """Return a file of the folder for this place."""
    text = (_FOLDER / name).read_text("utf-8")
    return Snippet(name, _filled(text, Path(name).suffix, place))


def _filled(text: str, kind: str, place: Place) -> str:
    address = quote(place.workspace, safe=""), quote(place.agent, safe="")
    named = {
        f"workspace={_WORKSPACE}&agent={_AGENT}": "workspace={}&agent={}".format(
            *address
        ),
        f"/workspaces/{_WORKSPACE}": f"/workspaces/{address[0]}",
        f"MemoryHub-Agent: {_AGENT}": f"MemoryHub-Agent: {address[1]}",
        f'"{_WORKSPACE}"': f'"{_escaped(place.workspace)}"',
        f'"{_AGENT}"': f'"{_escaped(place.agent)}"',
        _HUB: place.hub,
    }
    known = re.compile("|".join(map(re.escape, named)))
    return known.sub(lambda found: named[found[0]], text)


def _escaped(name: str) -> str:
    """Return a name as it stands between quotes in JSON, Python and TypeScript."""
    return name.replace("\\", "\\\\").replace('"', '\\"')
