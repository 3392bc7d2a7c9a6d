"""Session memories: the text of ccw's ``/memory:compact``, bare or in a memory file.

Texts of exactly that grammar round-trip exactly; looser ones are read on a best-effort
basis. Nothing is dropped: bodies keep their raw text.

Headings of ccw's texts are a fixed list, in a fixed order as ccw writes them. Free text
between them is unescaped and may hold headings of its own, so only the listed ones
count, each once: in their longest run in order, or else where it is first. For a new
session the plan of the best source is chosen, paths become absolute, and violations of
the command's own checklist are reported.
"""

from __future__ import annotations

import datetime
import ntpath
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Document, Memory, Time
from memoryhub.dialects.task_snapshot import is_absolute, listed_items
from memoryhub.formats.base import NO_PATH, Lines, Problem
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.frontmatter import FrontMatter
from memoryhub.formats.text.list_items import (
    Choice,
    FileItem,
    Item,
    list_items,
    paragraph,
)
from memoryhub.formats.text.source import Section
from memoryhub.prose.stated import OpenItem, find_stated

PLAN = "Execution Plan"
WORKING_FILES = "Working Files (Modified)"
REFERENCE_FILES = "Reference Files (Read-Only)"
DECISIONS = "Decisions"
CONSTRAINTS = "Constraints"
DEPENDENCIES = "Dependencies"
KNOWN_ISSUES = "Known Issues"
CHANGES_MADE = "Changes Made"
PENDING = "Pending"

#: The fields of a session by their headings in the text, in their order.
FIELDS = {
    "Session ID": "session_id",
    "Project Root": "project_root",
    "Objective": "objective",
    PLAN: "plan",
    WORKING_FILES: "working_files",
    REFERENCE_FILES: "reference_files",
    "Last Action": "last_action",
    DECISIONS: "decisions",
    CONSTRAINTS: "constraints",
    DEPENDENCIES: "dependencies",
    KNOWN_ISSUES: "known_issues",
    CHANGES_MADE: "changes_made",
    PENDING: "pending",
    "Notes": "notes",
}
TITLES = tuple(FIELDS)
#: The headings of lists; the fields of pairs, their keys in JSON and their form.
_LISTS = (WORKING_FILES, REFERENCE_FILES, *TITLES[7:-1])
_PAIRS = {
    "working_files": ("absolutePath", "role", "{} (role: {})"),
    "reference_files": ("absolutePath", "role", "{} (role: {})"),
    "decisions": ("decision", "reasoning", "{}: {}"),
}
#: Texts of which the absence is said.
_SAID_NONE = ("session_id", "notes")

NONE = "(none)"

#: Wording of two of the plan's sources in the text; others are used verbatim.
SOURCE_LABELS = {"workflow": "workflow (IMPL_PLAN.md)", "todo": "todo (TodoWrite)"}

PLAN_OPENING = (
    "\n\n<details>\n<summary>Full Execution Plan (Click to expand)</summary>\n\n"
)
PLAN_CLOSING = "\n\n</details>"
SOURCE_OPENING = "### Source: "

Pairs = tuple[tuple[str, str], ...]

#: Sources of a plan, the best first.
PLAN_SOURCES = ("workflow", "todo", "user-stated", "inferred")
#: How many working files a session should name.
FEWEST_FILES, MOST_FILES = 3, 8

_MARKS = {"completed": "x", "in_progress": ">"}
_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")


@dataclass(frozen=True, slots=True)
class SessionAnalysis:
    """The values of a session. Pairs are (path, role) and (decision, reasoning)."""

    session_id: str = ""
    project_root: str = ""
    objective: str = ""
    plan_source: str = ""
    plan: str = ""
    working_files: Pairs = ()
    reference_files: Pairs = ()
    last_action: str = ""
    decisions: Pairs = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    known_issues: tuple[str, ...] = ()
    changes_made: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    notes: str = ""


def render_session(analysis: SessionAnalysis) -> str:
    """Return the session text exactly as ccw's `generateStructuredText` writes it.

    Nothing is escaped there: a value with a newline goes on in the next line.
    """
    bodies = (f"## {title}\n{_body(analysis, name)}" for title, name in FIELDS.items())
    return "\n\n".join(bodies)


def _body(analysis: SessionAnalysis, name: str) -> str:
    held = getattr(analysis, name)
    if name == "plan":
        label = SOURCE_LABELS.get(analysis.plan_source, analysis.plan_source)
        return f"{SOURCE_OPENING}{label}{PLAN_OPENING}{held}{PLAN_CLOSING}"
    if isinstance(held, str):
        return held or (NONE if name in _SAID_NONE else "")
    if name in _PAIRS:
        held = (_PAIRS[name][2].format(*pair) for pair in held)
    return "\n".join(f"- {item}" for item in held) or NONE


def analysis_from_json(mapping: Mapping[str, object]) -> SessionAnalysis:
    """Return the analysis of ccw's JSON object; missing and odd values are empty."""
    plan = mapping.get("executionPlan")
    plan = plan if isinstance(plan, Mapping) else {}
    held: dict[str, Any] = {}
    for title, name in FIELDS.items():
        first, *rest = name.split("_")
        value = mapping.get(first + "".join(map(str.title, rest)))
        if name in _PAIRS:
            held[name] = _pairs(value, _PAIRS[name])
        else:
            held[name] = _texts(value) if title in _LISTS else _text(value)
    held |= {"plan": _text(plan.get("content"))}
    return SessionAnalysis(**held, plan_source=_text(plan.get("source")))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list | tuple) else ()


def _pairs(value: object, form: tuple[str, str, str]) -> Pairs:
    items = value if isinstance(value, list | tuple) else ()
    maps = (item for item in items if isinstance(item, Mapping))
    return tuple((_text(item.get(form[0])), _text(item.get(form[1]))) for item in maps)


def todo_plan(todos: Iterable[tuple[str, str]]) -> str:
    """Return the plan of a todo list, from pairs of status and content."""
    return "\n".join(f"- [{_MARKS.get(done, ' ')}] {what}" for done, what in todos)


def with_best_plan(
    analysis: SessionAnalysis, plans: Iterable[tuple[str, str]]
) -> SessionAnalysis:
    """Return a copy with the plan of the best source, of pairs of source and plan.

    The analysis' own plan is one of them; a plan without text is none.
    """
    own = (analysis.plan_source, analysis.plan)
    usable = [pair for pair in (own, *plans) if pair[1].strip()]
    if not usable:
        return analysis
    source, plan = min(usable, key=_rank)
    return replace(analysis, plan_source=source, plan=plan)


def _rank(plan: tuple[str, str]) -> int:
    source = plan[0]
    return PLAN_SOURCES.index(source) if source in PLAN_SOURCES else len(PLAN_SOURCES)


def with_absolute_paths(analysis: SessionAnalysis) -> SessionAnalysis:
    """Return a copy whose files have absolute paths, below the project's root."""
    root = analysis.project_root
    if not is_absolute(root):
        return analysis
    return replace(
        analysis,
        working_files=_absolute(root, analysis.working_files),
        reference_files=_absolute(root, analysis.reference_files),
    )


def _absolute(root: str, files: Pairs) -> Pairs:
    join, normal = posixpath.join, posixpath.normpath
    if _WINDOWS.match(root):
        join, normal = ntpath.join, ntpath.normpath
    return tuple(
        (path if is_absolute(path) or not path else normal(join(root, path)), role)
        for path, role in files
    )


def validate(analysis: SessionAnalysis) -> tuple[Problem, ...]:
    """Return the violations of the command's checklist in a session."""
    return tuple(_problems(analysis))


def _problems(analysis: SessionAnalysis) -> Iterator[Problem]:
    if not is_absolute(analysis.project_root):
        root = analysis.project_root
        yield Problem("project-root-not-absolute", 0, {"path": root})
    for name in ("objective", "plan", "last_action"):
        if not getattr(analysis, name).strip():
            yield Problem("section-empty", 0, {"title": name.replace("_", " ")})
    for path, _ in (*analysis.working_files, *analysis.reference_files):
        if not is_absolute(path):
            yield Problem("path-relative", 0, {"path": path})
    count = len(analysis.working_files)
    if not FEWEST_FILES <= count <= MOST_FILES:
        yield Problem("working-files-count", 0, {"count": count})
    for decision, reasoning in analysis.decisions:
        if not reasoning.strip():
            yield Problem("decision-without-reason", 0, {"text": decision})


_HEADING = re.compile(r"\n## ([^\n]{1,80})(?=\n|\Z)")

_SOURCES = {label: source for source, label in SOURCE_LABELS.items()}
_ROLE = " (role: "
_NONE_OPENING = ("(none", "（none", "none")
_SUMMARY = re.compile(
    r"(?<![ \t])[ \t]*<summary>(?:(?!<summary>)[^\n])*</summary>[ \t\r]*\n?"
)


#: A heading by its offset, the offset of its end, and its title.
_Found = tuple[int, int, str]


def split_known(
    text: str,
    titles: Sequence[str],
    *,
    start: int = 0,
    hidden: tuple[int, int] = (0, 0),
) -> tuple[Section, ...]:
    """Return the listed sections of a text as they stand there, from `start` on.

    Headings between the two offsets `hidden` do not count.
    """
    found = [
        one
        for one in _headings_listed(text, titles)
        if one[0] >= start and not hidden[0] <= one[0] < hidden[1]
    ]
    run = _longest_run(found, titles)
    first = {index: (at, end, titles[index]) for at, end, index in reversed(found)}
    in_run = {title for *_, title in run}
    others = (one for one in first.values() if one[2] not in in_run)
    chain = sorted([*run, *others])
    ends = [*(at for at, _, _ in chain[1:]), len(text)]
    sections: list[Section] = []
    line, counted = 1, 0
    for (at, body, title), end in zip(chain, ends[: len(chain)], strict=True):
        line += text.count("\n", counted, at)
        counted = at
        sections.append(Section(text, at, body, end, 2, title, line))
    return tuple(sections)


def _longest_run(
    found: Sequence[tuple[int, int, int]], titles: Sequence[str]
) -> tuple[_Found, ...]:
    """Choose the headings: the longest increasing run, the first of equal ones."""
    runs: list[tuple[_Found, ...]] = [()] * len(titles)
    for at, end, index in found:
        before = max(runs[:index], key=len, default=())
        if len(before) >= len(runs[index]):
            runs[index] = (*before, (at, end, titles[index]))
    return max(runs, key=len, default=())


def _headings_listed(
    text: str, titles: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    places = {title.casefold(): index for index, title in enumerate(titles)}
    short = {title.partition(" (")[0]: index for title, index in places.items()}
    for found in _HEADING.finditer("\n" + text):
        name = found[1].strip(" \t\r#:").casefold()
        index = places.get(name, short.get(name, -1))
        if index >= 0:
            yield found.start(), min(found.end(), len(text)), index


def _value(section: Section) -> str:
    """Return a body without the blank line that parts it from the next heading."""
    if section.end == len(section.text):
        return section.body
    body = section.body
    return body.removesuffix("\r\n\r\n" if body.endswith("\r\n\r\n") else "\n\n")


def _exact_items(section: Section) -> Iterator[Item]:
    """Yield the items as ccw wrote them: each begins a line with a hyphen."""
    line, value = section.body_line, _value(section)
    for part in value[2:].split("\n- ") if value.startswith("- ") else ():
        last = line + part.count("\n")
        yield Item(part, Lines(line, last))
        line = last + 1


def _loose_items(section: Section) -> tuple[Item, ...]:
    """Return the items of any list; prose is one item, words for none are none.

    Texts keep their checkbox: see `memoryhub.formats.text.list_items.without_checkbox`.
    """
    found = list_items(section.body, section.body_line)
    if len(found) < 2 and _says_none(section.body):
        return ()
    return found or paragraph(section.body, section.body_line)


def _says_none(body: str) -> bool:
    bare = body.lstrip(" \t\r\n*_-").casefold()
    if not bare.startswith(_NONE_OPENING):
        return False
    first = bare.split("\n", 1)[0]
    return first[0] != "n" or first.strip(" .\r*_") == "none"


def _loose_text(section: Section | None) -> str:
    """Return a body without the blanks around it, empty for words for none."""
    if section is None:
        return ""
    bare = section.body.strip()
    return "" if bare.casefold() in (NONE, "none") else bare


def _exact_plan(section: Section | None) -> tuple[str, str]:
    """Return the source and the plan of ccw's own form, verbatim."""
    body = _value(section) if section else ""
    opening = body.find(PLAN_OPENING)
    whole = body.startswith(SOURCE_OPENING) and body.endswith(PLAN_CLOSING)
    if opening < 0 or not whole:
        return "", ""
    label = body[len(SOURCE_OPENING) : opening]
    plan = body[opening + len(PLAN_OPENING) : -len(PLAN_CLOSING)]
    return _SOURCES.get(label, label), plan


def _loose_plan(section: Section | None) -> tuple[str, str]:
    """Return the source and the plan of any body, with or without details."""
    if section is None:
        return "", ""
    body, source = section.body.strip(), ""
    if body.startswith("### Source:"):
        label, _, body = body.removeprefix("### Source:").partition("\n")
        source = _SOURCES.get(label.strip(), label.strip())
    opening = body.find("<details>")
    if opening >= 0:
        body = body[opening + len("<details>") :].lstrip("\r\n")
        body = body[:closing] if (closing := body.rfind("</details>")) >= 0 else body
        body = _SUMMARY.sub("", body, count=1)
    plan = body.strip("\r\n")
    return source, "" if _says_none(plan) else plan


def read_file(item: Item, *, exact: bool) -> FileItem:
    """Return the path and role of ``path (role: ...)``, or of a looser item."""
    text = item.text
    cut = text.rfind(_ROLE)
    if cut >= 0 and text.endswith(")"):
        path, role = text[:cut], text[cut + len(_ROLE) : -1]
    elif exact:
        path, role = text, ""
    else:
        path, role = _loose_file(text)
    return FileItem(path if exact else path.strip(" `*"), role, item.lines)


def _loose_file(text: str) -> tuple[str, str]:
    if text.startswith("`") and (end := text.find("`", 1)) > 0:
        return text[1:end], _unwrapped(text[end + 1 :].strip(" -—–:"))
    for sign in (" (", " -- ", " — ", " - ", ": "):
        path, found, role = text.partition(sign)
        if found and path.strip():
            return path, _unwrapped((sign + role).strip(" -—–:"))
    return text, ""


def _unwrapped(text: str) -> str:
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def read_choice(item: Item, *, exact: bool) -> Choice:
    """Return decision and reasoning, cut at the first colon."""
    text = item.text
    signs = (": ",) if exact else (": ", "：", " -- ", " — ")
    for sign in signs:
        head, found, tail = text.partition(sign)
        if found:
            if not exact:
                head, tail = head.strip(" *"), tail.strip().removeprefix("** ")
            return Choice(head, tail, item.lines)
    return Choice(text if exact else text.strip(" *"), "", item.lines)


NAME = "session_compact"

#: Headings that other notes do not have.
_OWN_TITLES = {
    *("Session ID", PLAN, WORKING_FILES, REFERENCE_FILES, "Last Action", CHANGES_MADE)
}

_PLAN_START = re.compile(r"\n## Execution Plan[ \t\r]*\n(?:[^\n]*\n){0,4}?<details>")
_PLAN_END = re.compile(
    r"\n</details>[ \t\r]*\n[ \t\r]*\n"
    r"(?=## Working Files \(Modified\)[ \t\r]*(?:\n|\Z))"
)
#: A memory that came with a bundle may have a prefix before its id.
_MEMORY_ID = re.compile(
    r"(?:[A-Za-z0-9._-]{1,30}-)?CMEM-([0-9]{8}-[0-9]{6})[A-Za-z0-9._-]*"
)
_FIELD = re.compile(r"\n\*\*([^*\n:]{1,40}):?\*\*:?[ \t]*([^\n]*)")
_TITLE = re.compile(r"\n# ([^\n]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCompact(Document):
    """A session memory; missing values are empty.

    `content` is the text as imported, without the front matter of a memory file.
    `canonical` is True if rendering the analysis gives exactly that text. `items` are
    those of its lists, by their headings.
    """

    content: str
    canonical: bool
    preamble: str
    sections: tuple[Section, ...]
    analysis: SessionAnalysis
    items: dict[str, tuple[Item, ...]]
    memory_id: str
    created: datetime.datetime | None
    updated: datetime.datetime | None
    archived: bool
    summary: str
    tags: tuple[str, ...]

    @property
    def memory(self) -> Memory:
        said = self.analysis
        return Memory(
            self.memory_id,
            said.session_id,
            said.project_root,
            said.objective or self.title,
            said.plan_source,
            said.last_action,
            len(said.pending),
            self.summary,
            list(self.tags),
            self.archived,
            Time(self.created),
            self.decisions,
            (*self._open_items(),),
        )

    def _open_items(self) -> Iterator[OpenItem]:
        """Yield the open items of its lists, and the boxes of its plan."""
        yield from listed_items((*self.items[KNOWN_ISSUES], *self.items[PENDING]))
        if plan := self.section(PLAN):
            first, last = plan.lines
            for item in find_stated(self.text, asked=()).open_items:
                if item.mark and first <= item.lines.first <= last:
                    yield item

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

    def section(self, title: str) -> Section | None:
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


def parse(text: str, path: PurePosixPath = NO_PATH) -> SessionCompact:
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
    named = front.get("id") or fields.get("recovery id", "").strip(" `\r")
    found = _MEMORY_ID.match(named)
    memory_id = found[0] if found else ""
    heading = _TITLE.search("\n" + preamble)
    return SessionCompact(
        text=text,
        # The first heading before the sections, which ccw itself does not write.
        title=heading[1].strip() if heading else "",
        content=content,
        canonical=canonical,
        preamble=preamble,
        sections=sections,
        analysis=analysis,
        items=items,
        memory_id=memory_id,
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


def _sections(text: str, start: int) -> tuple[Section, ...]:
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
    parts: dict[str, Section], *, exact: bool
) -> tuple[SessionAnalysis, dict[str, tuple[Item, ...]]]:
    items_of = _exact_items if exact else _loose_items
    text_of = _exact_text if exact else _loose_text
    plan_of = _exact_plan if exact else _loose_plan
    items: dict[str, tuple[Item, ...]] = {}
    held: dict[str, Any] = dict(
        zip(("plan_source", "plan"), plan_of(parts.get(PLAN)), strict=True)
    )
    for title, name in FIELDS.items():
        if title in _LISTS:
            found = items[title] = (
                tuple(items_of(parts[title])) if title in parts else ()
            )
            read = read_choice if title == DECISIONS else read_file
            held[name] = tuple(
                read(item, exact=exact)[:2] if name in _PAIRS else item.text
                for item in found
            )
        elif title != PLAN:
            held[name] = text_of(parts.get(title))
    return SessionAnalysis(**held), items


def _exact_text(section: Section | None) -> str:
    value = _value(section) if section else ""
    is_none = section and value == NONE and FIELDS[section.title] in _SAID_NONE
    return "" if is_none else value


DIALECT = Dialect(
    title=gettext_noop("Session memories"),
    kind=gettext_noop("session compact"),
    order=220,
    is_found=True,
    in_rows=always,
)
