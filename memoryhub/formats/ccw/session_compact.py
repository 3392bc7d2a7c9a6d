"""Session memories: the text of ccw's ``/memory:compact``, bare or in a memory file.

Texts of exactly that grammar round-trip exactly; looser ones are read on a best-effort
basis. Nothing is dropped: bodies keep their raw text.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from memoryhub.formats.ccw.sections import (
    KnownSection,
    exact_items,
    exact_plan,
    loose_items,
    loose_plan,
    loose_text,
    read_choice,
    read_file,
    split_known,
)
from memoryhub.formats.ccw.session_analysis import (
    CHANGES_MADE,
    CONSTRAINTS,
    DECISIONS,
    DEPENDENCIES,
    KNOWN_ISSUES,
    LAST_ACTION,
    NOTES,
    OBJECTIVE,
    PENDING,
    PLAN,
    PROJECT_ROOT,
    REFERENCE_FILES,
    SESSION_ID,
    TITLES,
    WORKING_FILES,
    SessionAnalysis,
    render_session,
)
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.frontmatter import FrontMatter
from memoryhub.formats.text.list_items import Choice, FileItem, Item

NAME = "session_compact"

#: Headings that other notes do not have.
_OWN_TITLES = {
    SESSION_ID,
    PLAN,
    WORKING_FILES,
    REFERENCE_FILES,
    LAST_ACTION,
    CHANGES_MADE,
}

_LISTS = (
    WORKING_FILES,
    REFERENCE_FILES,
    DECISIONS,
    CONSTRAINTS,
    DEPENDENCIES,
    KNOWN_ISSUES,
    CHANGES_MADE,
    PENDING,
)

_PLAN_START = re.compile(r"\n## Execution Plan[ \t\r]*\n(?:[^\n]*\n){0,4}?<details>")
_PLAN_END = re.compile(
    r"\n</details>[ \t\r]*\n[ \t\r]*\n"
    r"(?=## Working Files \(Modified\)[ \t\r]*(?:\n|\Z))"
)
#: A memory that came with a bundle may have a prefix before its id.
_MEMORY_ID = re.compile(r"(?:[A-Za-z0-9._-]{1,30}-)?CMEM-([0-9]{8}-[0-9]{6})")
_FIELD = re.compile(r"\n\*\*([^*\n:]{1,40}):?\*\*:?[ \t]*([^\n]*)")
_TITLE = re.compile(r"\n# ([^\n]*)")


@dataclass(frozen=True, slots=True)
class SessionCompact:
    """A session memory; missing values are empty.

    `content` is the text as imported, without the front matter of a memory file.
    `canonical` is True if rendering the analysis gives exactly that text. `items` are
    those of its lists, by their headings.
    """

    text: str
    content: str
    canonical: bool
    preamble: str
    sections: tuple[KnownSection, ...]
    analysis: SessionAnalysis
    items: dict[str, tuple[Item, ...]]
    memory_id: str
    created: datetime.datetime | None
    updated: datetime.datetime | None
    archived: bool
    summary: str
    tags: tuple[str, ...]

    @property
    def title(self) -> str:
        """The first heading before the sections, which ccw itself does not write."""
        heading = _TITLE.search("\n" + self.preamble)
        return heading[1].strip() if heading else ""

    @property
    def working_files(self) -> tuple[FileItem, ...]:
        items = self.items[WORKING_FILES]
        return tuple(read_file(item, exact=self.canonical) for item in items)

    @property
    def reference_files(self) -> tuple[FileItem, ...]:
        items = self.items[REFERENCE_FILES]
        return tuple(read_file(item, exact=self.canonical) for item in items)

    @property
    def decisions(self) -> tuple[Choice, ...]:
        items = self.items[DECISIONS]
        return tuple(read_choice(item, exact=self.canonical) for item in items)

    def section(self, title: str) -> KnownSection | None:
        return next((part for part in self.sections if part.title == title), None)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text is a memory file by name, or has three of the headings.

    One of the headings has to be ccw's own: daily notes have Decisions and Notes too.
    """
    if path.suffix == ".md" and _MEMORY_ID.match(path.name):
        return True
    if "\n## " not in text:
        return False
    found = {part.title for part in _sections(text, 0)}
    return len(found) > 2 and bool(found & _OWN_TITLES)


def parse(text: str) -> SessionCompact:
    """Return the values of any text; never fails."""
    front, content = split_content(text)
    start = len(text) - len(content)
    sections = _sections(text, start)
    parts = {part.title: part for part in sections}
    analysis, items = _read(parts, exact=True)
    canonical = render_session(analysis) == content
    if not canonical:
        analysis, items = _read(parts, exact=False)
    preamble = text[start : sections[0].start if sections else len(text)]
    fields = {
        k.strip().casefold(): v for k, v in _FIELD.findall("\n" + preamble[:4000])
    }
    if not analysis.project_root:
        root = fields.get("project root") or fields.get("project") or ""
        analysis = replace(analysis, project_root=root.strip().strip("`"))
    memory_id = front.get("id") or fields.get("recovery id", "").strip(" `\r")
    return SessionCompact(
        text=text,
        content=content,
        canonical=canonical,
        preamble=preamble,
        sections=sections,
        analysis=analysis,
        items=items,
        memory_id=memory_id if _MEMORY_ID.match(memory_id) else "",
        created=parse_timestamp(front.get("created")) or moment_of(memory_id),
        updated=parse_timestamp(front.get("updated")),
        archived=front.get("archived").casefold() in ("true", "1", "yes"),
        summary=front.get("summary"),
        tags=front.items("tags"),
    )


def split_content(text: str) -> tuple[FrontMatter, str]:
    """Return the front matter of a memory file, and the imported text below it."""
    front = frontmatter.split(text)
    body = front.body
    if front.source and body.startswith(("\n", "\r\n")):
        body = body[2 if body[0] == "\r" else 1 :]
    return front, body


def moment_of(memory_id: str) -> datetime.datetime | None:
    """Return the time in a memory's id, in the writer's wall-clock time."""
    found = _MEMORY_ID.match(memory_id)
    if not found:
        return None
    try:
        return datetime.datetime.strptime(found[1], "%Y%m%d-%H%M%S")
    except ValueError:
        return None


def _sections(text: str, start: int) -> tuple[KnownSection, ...]:
    return split_known(text, TITLES, start=start, hidden=_plan_span(text))


def _plan_span(text: str) -> tuple[int, int]:
    """Return a plan's offsets: up to the last closing mark before Working Files."""
    if "</details>" not in text:
        return 0, 0
    opening = _PLAN_START.search("\n" + text)
    if not opening:
        return 0, 0
    end = 0
    for closing in _PLAN_END.finditer(text, opening.end() - 1):
        end = closing.end()
    return (opening.end() - 1, end) if end else (0, 0)


def _read(
    parts: dict[str, KnownSection], *, exact: bool
) -> tuple[SessionAnalysis, dict[str, tuple[Item, ...]]]:
    items_of = exact_items if exact else loose_items
    items = {
        title: items_of(parts[title]) if title in parts else () for title in _LISTS
    }
    working, reference = (
        tuple(read_file(item, exact=exact)[:2] for item in items[title])
        for title in (WORKING_FILES, REFERENCE_FILES)
    )
    text_of = _exact_text if exact else loose_text
    source, plan = (exact_plan if exact else loose_plan)(parts.get(PLAN))
    texts = {
        title: tuple(item.text for item in found) for title, found in items.items()
    }
    analysis = SessionAnalysis(
        session_id=text_of(parts.get(SESSION_ID)),
        project_root=text_of(parts.get(PROJECT_ROOT)),
        objective=text_of(parts.get(OBJECTIVE)),
        plan_source=source,
        plan=plan,
        working_files=working,
        reference_files=reference,
        last_action=text_of(parts.get(LAST_ACTION)),
        decisions=tuple(
            read_choice(item, exact=exact)[:2] for item in items[DECISIONS]
        ),
        constraints=texts[CONSTRAINTS],
        dependencies=texts[DEPENDENCIES],
        known_issues=texts[KNOWN_ISSUES],
        changes_made=texts[CHANGES_MADE],
        pending=texts[PENDING],
        notes=text_of(parts.get(NOTES)),
    )
    return analysis, items


def _exact_text(section: KnownSection | None) -> str:
    if section is None:
        return ""
    none = section.title in (SESSION_ID, NOTES) and section.value == "(none)"
    return "" if none else section.value
