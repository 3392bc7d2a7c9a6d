"""compact.rs's texts: the summary in a model's form, and its continuation message.

After claw-code 782d9ce (2026-04-01). Tags are searched one by one, so that a text with
reversed or unclosed tags gives the same result as in the original.
"""

from __future__ import annotations

from collections.abc import Iterator

from memoryhub.compaction.rust_text import lines, trim, trim_end

PREAMBLE = (
    "This session is being continued from a previous conversation that ran out of"
    " context. The summary below covers the earlier portion of the conversation.\n\n"
)
RECENT_NOTE = "Recent messages are preserved verbatim."
RESUME = (
    "Continue the conversation from where it left off without asking the user any"
    " further questions. Resume directly — do not acknowledge the summary, do not"
    " recap what was happening, and do not preface with continuation text."
)
TITLE = "Conversation summary:"
TIMELINE = "- Key timeline:"
_HEAD = ("<summary>", TITLE)
_TITLES = frozenset({"", "Summary:", TITLE})


def cut(text: str, limit: int) -> str:
    """Truncate a text to a number of characters, with an ellipsis."""
    return text if len(text) <= limit else text[:limit] + "…"


def formatted(summary: str) -> str:
    """Return a summary without its analysis and tags, blank lines drawn together."""
    text = _without_analysis(summary)
    said = _tagged(text, "summary")
    if said is not None:
        text = text.replace(f"<summary>{said}</summary>", f"Summary:\n{trim(said)}")
    return trim("".join(f"{line}\n" for line in _few_blanks(text)))


def continuation(summary: str, *, recent_kept: bool = True) -> str:
    """Return the message that replaces the compacted ones."""
    note = f"\n\n{RECENT_NOTE}" if recent_kept else ""
    return f"{PREAMBLE}{formatted(summary)}{note}\n{RESUME}"


def summary_in(text: str) -> str | None:
    """Return the summary of a continuation message; None for any other text."""
    if not text.startswith(PREAMBLE):
        return None
    said = text.removeprefix(PREAMBLE).partition(f"\n\n{RECENT_NOTE}")[0]
    return trim(said.partition(f"\n{RESUME}")[0])


def merged(before: str, new: str) -> str:
    """Merge an earlier summary and a new one; the timeline is the new one's."""
    said = formatted(new)
    parts = (
        ("- Previously compacted context:", _highlights(before)),
        ("- Newly compacted context:", _highlights(said)),
        (TIMELINE, _timeline(said)),
    )
    rows = [
        (title, *(f"  {line}" for line in found)) for title, found in parts if found
    ]
    return "\n".join([*_HEAD, *(line for row in rows for line in row), "</summary>"])


def tagged(rows: list[str]) -> str:
    """Return a new summary of these lines."""
    return "\n".join([*_HEAD, *rows, "</summary>"])


def _without_analysis(text: str) -> str:
    """Cut from the first start tag to the first end tag, in either order."""
    start, end = text.find("<analysis>"), text.find("</analysis>")
    if start < 0 or end < 0:
        return text
    return text[:start] + text[end + len("</analysis>") :]


def _tagged(text: str, tag: str) -> str | None:
    _, opened, rest = text.partition(f"<{tag}>")
    said, closed, _ = rest.partition(f"</{tag}>")
    return said if opened and closed else None


def _few_blanks(text: str) -> Iterator[str]:
    """Yield the lines of a text, the first of several blank ones only."""
    was_blank = False
    for line in lines(text):
        is_blank = not trim(line)
        if not (is_blank and was_blank):
            yield line
        was_blank = is_blank


def _highlights(summary: str) -> list[str]:
    """Return the lines of a summary above its timeline, without titles."""
    said = [trim_end(line) for line in lines(formatted(summary))]
    end = said.index(TIMELINE) if TIMELINE in said else len(said)
    return [line for line in said[:end] if line not in _TITLES]


def _timeline(summary: str) -> list[str]:
    """Return the lines below the timeline's title, up to a blank one."""
    said = [trim_end(line) for line in lines(formatted(summary))]
    start = said.index(TIMELINE) + 1 if TIMELINE in said else len(said)
    rows = [line for line in said[start:] if line != TIMELINE]
    return rows[: rows.index("")] if "" in rows else rows
