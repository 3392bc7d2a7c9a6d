"""A decision in one line: day, text, reason, superseded decision, sign-off."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.dates import parse_date, split_dated

#: The first of these ends a decision and starts its rationale; big-memory's own
#: is the first, agents also write the dashes.
_DASHES = (" -- ", " — ", " – ")

_SUPERSEDES = "supersedes "
_SIGNED_OFF = "signed off by "
_REJECTED = "rejected:"
_BLANKS = re.compile(r"\s+")
_MARKS = str.maketrans("", "", "*_`")


@dataclass(frozen=True, slots=True)
class DecisionText:
    """A decision and the details of its line."""

    date: datetime.date | None
    text: str
    reason: str = ""
    supersedes: str = ""
    signed_off_by: str = ""
    signed_off_on: datetime.date | None = None
    rejected: bool = False
    #: Outcome by another line or file: ``rejected``, ``superseded`` or empty.
    lapsed: str = ""

    @property
    def stands(self) -> bool:
        """Whether it is in force: neither a rejection nor lapsed since."""
        return not (self.rejected or self.lapsed)


def settled(
    decisions: Iterable[DecisionText], lapsed: Mapping[str, str] | None = None
) -> tuple[DecisionText, ...]:
    """Return the decisions with `lapsed` set where others rejected or superseded them.

    `lapsed` adds outcomes from other places, by `normalise`d texts.
    """
    held = tuple(decisions)
    became = dict(lapsed or {}) | outcomes(held)
    states = [became.get(normalise(one.text), "") for one in held]
    return tuple(
        one if one.rejected else replace(one, lapsed=state)
        for one, state in zip(held, states, strict=True)
    )


def outcomes(decisions: Iterable[DecisionText]) -> dict[str, str]:
    """Return the outcomes of decisions by later lines, by `normalise`d texts."""
    found: dict[str, str] = {}
    for one in decisions:
        if one.supersedes and normalise(one.supersedes) != normalise(one.text):
            found[normalise(one.supersedes)] = "superseded"
        if one.rejected:
            found[normalise(one.text)] = "rejected"
    return found


def parse_decision(text: str) -> DecisionText:
    """Parse a line ``YYYY-MM-DD: Decision (reason; ...)``.

    The other parts are ``supersedes YYYY-MM-DD: old`` and ``signed off by NAME
    YYYY-MM-DD``, in any order. A rationale after a dash is a reason too. A colon does
    not separate: ``API: keep REST`` is one decision.
    """
    date, body = split_dated(text.strip().removeprefix("- ").strip())
    rejected = body[: len(_REJECTED)].casefold() == _REJECTED
    if rejected:
        body = body[len(_REJECTED) :].strip()
    body, inner = _split_parentheses(body)
    details = _details(inner)
    decision, rationale = _split_at_dash(body)
    reason = _joined_reason(rationale, inner, details) if rationale else details.reason
    return DecisionText(
        date,
        decision,
        reason,
        details.supersedes,
        details.signed_off_by,
        details.signed_off_on,
        rejected,
    )


def _joined_reason(rationale: str, inner: str, details: DecisionText) -> str:
    if not details.reason:
        return rationale
    if details.supersedes or details.signed_off_by:
        return f"{rationale}; {details.reason}"
    return f"{rationale} ({inner})"


def _split_parentheses(text: str) -> tuple[str, str]:
    """Split ``decision (parts)`` in two; the parentheses have to balance."""
    if not text.endswith(")"):
        return text, ""
    depth = 0
    for found in reversed(list(re.finditer(r"[()]", text))):
        depth += 1 if found[0] == ")" else -1
        if not depth:
            start = found.start()
            head = text[:start].rstrip()
            inner = text[start + 1 : -1].strip()
            whole = bool(head and inner and text[start - 1].isspace())
            return (head, inner) if whole else (text, "")
    return text, ""


def _details(inner: str) -> DecisionText:
    found = DecisionText(None, "")
    if not inner:
        return found
    reasons: list[str] = []
    for part in _parts(inner):
        low = part.casefold()
        if low.startswith(_SUPERSEDES):
            found = replace(found, supersedes=part[len(_SUPERSEDES) :].strip())
        elif low.startswith(_SIGNED_OFF):
            found = _with_sign_off(found, part[len(_SIGNED_OFF) :].strip())
        elif reasons and found.supersedes and not found.signed_off_by:
            # The written order is reason, supersedes: this is the old text's own ";".
            found = replace(found, supersedes=f"{found.supersedes}; {part}")
        else:
            reasons.append(part)
    return replace(found, reason="; ".join(reasons))


def _parts(inner: str) -> list[str]:
    """Split at semicolons outside inner parentheses."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(r"[();]", inner):
        if found[0] != ";":
            depth += 1 if found[0] == "(" else -1
        elif depth <= 0:
            parts.append(inner[start : found.start()].strip())
            start = found.end()
    parts.append(inner[start:].strip())
    return [part for part in parts if part]


def _with_sign_off(decision: DecisionText, text: str) -> DecisionText:
    name, _, last = text.rpartition(" ")
    day = parse_date(last)
    if day is None or not name:
        return replace(decision, signed_off_by=text)
    return replace(decision, signed_off_by=name.rstrip(), signed_off_on=day)


def split_reason(text: str) -> tuple[str, str]:
    """Split ``Decision -- rationale`` in two; the reason is empty without one.

    big-memory's skill writes two hyphens, its reference file a colon: the first
    dash wins, else the first colon with a blank.
    """
    decision, reason = _split_at_dash(text)
    if reason:
        return decision, reason
    head, _, tail = text.partition(": ")
    head, tail = head.strip(), tail.strip()
    return (head, tail) if head and tail else (text.strip(), "")


def _split_at_dash(text: str) -> tuple[str, str]:
    for dash in _DASHES:
        head, found, tail = text.partition(dash)
        if found and head.strip() and tail.strip():
            return head.strip(), tail.strip()
    return text.strip(), ""


def render_decision(decision: DecisionText) -> str:
    """Return the line of a decision, without the list mark."""
    day = f"{decision.date.isoformat()}: " if decision.date else ""
    rejected = "Rejected: " if decision.rejected else ""
    inner = "; ".join(_rendered_parts(decision))
    return f"{day}{rejected}{decision.text}" + (f" ({inner})" if inner else "")


def with_sign_off(line: str, name: str, day: datetime.date) -> str:
    """Return a decision's line with a sign-off added; the rest is unchanged.

    Raises `FormatError` ``sign-off-no-place`` where the result would parse otherwise.
    """
    body, part = line.rstrip(), f"{_SIGNED_OFF}{name} {day.isoformat()}"
    inner = _split_parentheses(body)[1]
    signed = f"{body[:-1]}; {part})" if inner else f"{body} ({part})"
    before, after = parse_decision(body), parse_decision(signed)
    wanted = replace(before, signed_off_by=name, signed_off_on=day)
    if before.signed_off_by or after != wanted:
        raise FormatError("sign-off-no-place")
    return signed


def _rendered_parts(decision: DecisionText) -> list[str]:
    is_said = decision.text.endswith(f"({decision.reason})")
    parts = [decision.reason] if decision.reason and not is_said else []
    if decision.supersedes:
        parts.append(f"{_SUPERSEDES}{decision.supersedes}")
    if decision.signed_off_by:
        day = decision.signed_off_on
        when = f" {day.isoformat()}" if day else ""
        parts.append(f"{_SIGNED_OFF}{decision.signed_off_by}{when}")
    return parts


def normalise(text: str) -> str:
    """Return the comparison key of a decision: equal for its different spellings.

    Day, reason, Markdown marks, case, width and trailing punctuation are removed.
    A rejection has the key of the rejected decision.
    """
    plain = unicodedata.normalize("NFKC", parse_decision(text).text).casefold()
    return _trimmed(_BLANKS.sub(" ", plain.translate(_MARKS)).strip())


def _trimmed(text: str) -> str:
    end = len(text)
    while end and unicodedata.category(text[end - 1])[0] in "PZ":
        end -= 1
    return text[:end] or text
