"""Sections of ccw's texts, and the values in them: exact, or best-effort.

Headings are a fixed list, in a fixed order as ccw writes them. Free text between them
is unescaped and may hold headings of its own, so only the listed ones count, each once:
in their longest run in order, or else where it is first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryhub.formats.base import Lines
from memoryhub.formats.ccw.session_analysis import (
    NONE,
    PLAN_CLOSING,
    PLAN_OPENING,
    SOURCE_LABELS,
    SOURCE_OPENING,
)
from memoryhub.formats.text.list_items import (
    Choice,
    FileItem,
    Item,
    list_items,
    paragraph,
)

_HEADING = re.compile(r"\n## ([^\n]{1,80})(?=\n|\Z)")

_SOURCES = {label: source for source, label in SOURCE_LABELS.items()}
_ROLE = " (role: "
_NONE_OPENING = ("(none", "（none", "none")
_SUMMARY = re.compile(r"[ \t]*<summary>[^\n]*</summary>[ \t\r]*\n?")


@dataclass(frozen=True, slots=True)
class KnownSection:
    """A listed heading and the raw text up to the next one, as offsets into `text`."""

    text: str
    title: str
    start: int
    body_start: int
    end: int
    lines: Lines

    @property
    def body(self) -> str:
        return self.text[self.body_start : self.end]

    @property
    def value(self) -> str:
        """The body without the blank line that parts it from the next heading."""
        if self.end == len(self.text):
            return self.body
        body = self.body
        cut = "\r\n\r\n" if body.endswith("\r\n\r\n") else "\n\n"
        return body.removesuffix(cut)

    @property
    def body_line(self) -> int:
        return self.lines.first + 1


#: A heading by its offset, the offset of its end, and its title.
_Found = tuple[int, int, str]


def split_known(
    text: str,
    titles: Sequence[str],
    *,
    start: int = 0,
    hidden: tuple[int, int] = (0, 0),
) -> tuple[KnownSection, ...]:
    """Return the listed sections of a text as they stand there, from `start` on.

    Headings between the two offsets `hidden` do not count.
    """
    found = [
        one
        for one in _listed(text, titles)
        if one[0] >= start and not hidden[0] <= one[0] < hidden[1]
    ]
    run = _longest_run(found, titles)
    first = {index: (at, end, titles[index]) for at, end, index in reversed(found)}
    in_run = {title for *_, title in run}
    others = (one for one in first.values() if one[2] not in in_run)
    chain = sorted([*run, *others])
    ends = [*(at for at, _, _ in chain[1:]), len(text)]
    sections: list[KnownSection] = []
    line, counted = 1, 0
    for (at, body, title), end in zip(chain, ends[: len(chain)], strict=True):
        line += text.count("\n", counted, at)
        counted = at
        place = Lines(line, line + text[at:end].rstrip().count("\n"))
        sections.append(KnownSection(text, title, at, body, end, place))
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


def _listed(text: str, titles: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    places = {title.casefold(): index for index, title in enumerate(titles)}
    short = {title.partition(" (")[0]: index for title, index in places.items()}
    for found in _HEADING.finditer("\n" + text):
        name = found[1].strip(" \t\r#:").casefold()
        index = places.get(name, short.get(name, -1))
        if index >= 0:
            yield found.start(), min(found.end(), len(text)), index


def exact_items(section: KnownSection) -> tuple[Item, ...]:
    """Return the items as ccw wrote them: each begins a line with a hyphen."""
    return tuple(_dashed(section)) if section.value.startswith("- ") else ()


def _dashed(section: KnownSection) -> Iterator[Item]:
    line = section.body_line
    for part in section.value[2:].split("\n- "):
        last = line + part.count("\n")
        yield Item(part, Lines(line, last))
        line = last + 1


def loose_items(section: KnownSection) -> tuple[Item, ...]:
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


def loose_text(section: KnownSection | None) -> str:
    """Return a body without the blanks around it, empty for words for none."""
    if section is None:
        return ""
    bare = section.body.strip()
    return "" if bare.casefold() in (NONE, "none") else bare


def exact_plan(section: KnownSection | None) -> tuple[str, str]:
    """Return the source and the plan of ccw's own form, verbatim."""
    body = section.value if section else ""
    opening = body.find(PLAN_OPENING)
    whole = body.startswith(SOURCE_OPENING) and body.endswith(PLAN_CLOSING)
    if opening < 0 or not whole:
        return "", ""
    label = body[len(SOURCE_OPENING) : opening]
    plan = body[opening + len(PLAN_OPENING) : -len(PLAN_CLOSING)]
    return _SOURCES.get(label, label), plan


def loose_plan(section: KnownSection | None) -> tuple[str, str]:
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
