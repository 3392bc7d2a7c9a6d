"""Agents of a workspace: the roles of ``AGENTS.md``.

Handoffs in ``AGENTS.md`` are parsed by `memoryhub.dialects.handoff`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.dialect import Role as FileRole
from memoryhub.dialects.facts import Agent, Document
from memoryhub.dialects.plain import first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text.list_items import section_bullets
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)
from memoryhub.prose.labels import kind_of_label, normalise

#: Headings of lists of agents. AGENTS.md is mostly instructions: no other list counts.
_LABELS = frozenset(
    {
        *("roles", "agents", "agent roles", "the agents", "our agents", "team"),
        *("agent team", "the team", "team members", "members", "sub-agents"),
        *("subagents", "agent roster", "roster", "who does what", "角色", "团队"),
        *("智能体", "代理", "エージェント", "役割", "funções", "rollen", "rôles"),
    }
)
_COLUMNS = frozenset(
    {"agent", "role", "name", "who", "id", "agent id", "角色", "智能体"}
)
_HEADING = re.compile(r"(?:Agent|Role)[ \t]*[:：][ \t]*(.+)")
_ROLE = re.compile(
    r"(\*\*|__|`|)([^*_`:：|\n—–]{1,40}?)[ \t]*+"
    r"(?:[:：]\1|\1[ \t]*(?:[:：—–]|--?[ \t]))[ \t]*(\S.*)"
)
_NAME = re.compile(r"[\w@][\w@.:/ -]{0,39}")


#: The usual title of the file: the headings below it are about anything.
_OWN_NAME = "AGENTS"


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the file name is ``AGENTS.md``, in any case."""
    return path.name.casefold() == "agents.md"


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the roles of any text; template values in braces are none."""
    found = [*_roles(split_sections(text), fenced_lines(text))]
    roles = {role.name: role for role in reversed(found)}
    return Document(text, told=tuple(reversed(roles.values())))


def _roles(sections: tuple[Section, ...], fenced: frozenset[int]) -> Iterator[Agent]:
    list_level = 0
    for section in sections:
        named = _HEADING.fullmatch(section.title)
        listing = normalise(section.title) in _LABELS
        if section.level <= list_level:
            list_level = 0
        if named and section.level:
            yield from _role(named[1], _first(section), section.lines)
        elif (
            list_level
            and section.level == list_level + 1
            and not (listing or kind_of_label(section.title))
        ):
            yield from _role(section.title, _first(section), section.lines)
        if section.level and listing:
            if section.title.strip() != _OWN_NAME:
                list_level = section.level
            yield from _listed(section, fenced)
            yield from _rows(section, fenced)


def _role(name: str, responsibility: str, lines: Lines) -> Iterator[Agent]:
    clean = name.strip(" \t*_`")
    if _NAME.fullmatch(clean):
        yield Agent(clean, lines, responsibility.strip())


def _first(section: Section) -> str:
    return first_paragraph(section.body)[0]


def _listed(section: Section, fenced: frozenset[int]) -> Iterator[Agent]:
    for bullet in section_bullets(section, fenced):
        found = None if bullet.depth else _ROLE.fullmatch(bullet.text)
        if found:
            yield from _role(found[2], found[3], bullet.lines)


def _rows(section: Section, fenced: frozenset[int]) -> Iterator[Agent]:
    """Read the rows of tables whose first column names agents."""
    in_table = False
    for number, line in enumerate(split_lines(section.body), section.body_line):
        content = line.strip()
        cells = [cell.strip() for cell in content.strip("|").split("|")]
        if not content.startswith("|") or number in fenced:
            in_table = False
        elif not in_table:
            in_table = cells[0].casefold() in _COLUMNS
        elif content.strip("|:- \t") and len(cells) > 1:
            yield from _role(cells[0], cells[1], Lines(number, number))


DIALECT = Dialect(
    title=gettext_noop("Agents and their roles"),
    kind=gettext_noop("agent roles"),
    order=160,
    role=FileRole.INSTRUCTION,
    declares_agents=True,
    lives_long=True,
    read_whole=True,
    is_found=True,
)
