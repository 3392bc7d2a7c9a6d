"""The review queue: query of the list, rows, one card with its diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from memoryhub.formats.text.merging import Choice
from memoryhub.health.queries import host_of
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.ledger import Budget as HostBudget
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import (
    Version,
    line_changes,
    newest_text,
    no_version,
    text_of,
    versions_at,
)
from memoryhub.people.policy import me
from memoryhub.reviews.models import ReviewCard, ReviewRule
from memoryhub.reviews.queries import Wanted, neighbours, people_needed
from memoryhub.reviews.reasons import Reason, promotions_of, reasons_of
from memoryhub.reviews.reverting import Revert, path_now
from memoryhub.values import tokens
from memoryhub.values.budgets import Budget
from memoryhub.web.files.history import compare
from memoryhub.web.kit.clashes import Shown, shown_clash
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import clauses
from memoryhub.web.kit.limits import most_read, usage_of
from memoryhub.web.kit.links import with_query
from memoryhub.web.kit.listing import FilterLink, ListQuery, number, parameter

#: Seconds for counting the changed lines of a page.
_SECONDS = 2.0
#: Characters of a quoted reason, and of a file in a filter link.
_EXCERPT, _LABEL = 300, 32

STATES: dict[str, tuple[str, Promise]] = {
    "open": ("turn", gettext_lazy("To review")),
    "proposed": ("blocked", gettext_lazy("Revert proposed")),
    "accepted": ("done", gettext_lazy("Accepted")),
    "edited": ("done", gettext_lazy("Edited")),
    "reverted": ("stale", gettext_lazy("Reverted")),
    "forgotten": ("idle", gettext_lazy("Forgotten")),
}
_KINDS: dict[str, Promise] = {
    "changed": pgettext_lazy("memory file", "changed"),
    "new": pgettext_lazy("memory file", "new file"),
    "deleted": pgettext_lazy("memory file", "deleted"),
    "moved": pgettext_lazy("memory file", "renamed"),
}
_SOURCES: dict[str, Promise] = {
    "operation": gettext_lazy("Said with the change"),
    "log": gettext_lazy("In its log at that time"),
    "session": gettext_lazy("Summary of its session"),
    "promotion": gettext_lazy("Promoted by dreaming"),
}


@dataclass(frozen=True, slots=True)
class ReviewQuery(ListQuery):
    """Filters and place of the list of cards."""

    text: str = parameter("q", in_form=True)
    state: str = parameter("state", default="open", choices=(*STATES, "all"))
    file: str = parameter("file", length=1_000)
    agent: str = parameter("agent")
    below: int = number("before")

    @property
    def wanted(self) -> Wanted:
        """The filter of the query."""
        state = "" if self.state == "all" else self.state
        return Wanted(state, self.file, self.agent, self.text)


def card_rows(
    cards: Sequence[ReviewCard], shell: Shell, *, current: int = 0
) -> list[dict[str, Any]]:
    """Return rows of cards; lines are counted as far as the time budget allows."""
    workspace = shell.workspace
    seqs = {seq for card in cards for seq in (card.before_seq, card.last_seq) if seq}
    versions = versions_at(workspace, seqs)
    pairs = [
        (versions[card.last_seq], versions.get(card.before_seq))
        for card in cards
        if card.last_seq in versions and versions[card.last_seq].blob_id is not None
    ]
    counts = line_changes(pairs, Budget.of(_SECONDS))
    owner = owners_of(workspace)
    return [_row(card, owner, shell, counts, current) for card in cards]


def _row(
    card: ReviewCard,
    owner: Callable[[str], str],
    shell: Shell,
    counts: dict[int, tuple[int, int]],
    current: int,
) -> dict[str, Any]:
    glyph, state = state_of(card)
    added, removed = counts.get(card.last_seq, (0, 0))
    return {
        "card": card,
        "who": changed_by(card.agent, owner(card.path)),
        "url": shell.addresses.review(card.pk),
        "glyph": glyph,
        "state": state,
        "facts": tuple(_facts(card)),
        "added": added,
        "removed": removed,
        "may_accept": card.first_by != me()
        or people_needed(shell.workspace, card.path) < 2,
        "can_revert": card.is_open and not card.is_rename,
        "current": card.pk == current,
    }


def state_of(card: ReviewCard) -> tuple[str, str]:
    """Return glyph and words of a card's state."""
    name = "proposed" if card.is_open and card.rule_id else card.state
    glyph, words = STATES[name]
    return glyph, str(words)


def _facts(card: ReviewCard) -> list[str]:
    """Return facts that distinguish a card, other than file and agent."""
    found = [str(_KINDS[card.kind])]
    if card.changes > 1:
        n = card.changes
        found.append(ngettext("%(n)s change", "%(n)s changes", n) % {"n": n})
    if card.promoted:
        n = card.promoted
        words = ngettext("%(n)s promotion", "%(n)s promotions", n)
        found.append(words % {"n": n})
    if card.is_open and card.first_by:
        found.append(gettext("accepted by %(who)s") % {"who": card.first_by})
    elif card.handled_by:
        found.append(clauses(dict.fromkeys(filter(None, _deciders(card)))))
    return found


def _deciders(card: ReviewCard) -> tuple[str, str]:
    """Return who accepted a card first, of two people, and who decided it."""
    return card.first_by if card.is_accepted else "", card.handled_by


def facet_links(
    query: ReviewQuery, facets: dict[str, list[tuple[str, int]]]
) -> list[dict[str, Any]]:
    """Return groups of filter links: state, agent, file."""
    states = [
        FilterLink(str(words), query.address(state=name), current=query.state == name)
        for name, (_, words) in STATES.items()
        if name != "forgotten"
    ]
    every = FilterLink(
        gettext("All"), query.address(state="all"), current=query.state == "all"
    )
    groups = [
        (gettext("State"), [*states, every]),
        (gettext("Agent"), _links(query, "agent", facets["agent"])),
        (gettext("File"), _links(query, "file", facets["path"])),
    ]
    return [{"label": label, "links": links} for label, links in groups if links]


def _links(
    query: ReviewQuery, field: str, values: list[tuple[str, int]]
) -> list[FilterLink]:
    chosen = getattr(query, field)
    if len(values) < 2 and not chosen:
        return []
    known = values if any(v == chosen for v, _ in values) or not chosen else [
        *values, (chosen, 0),
    ]  # fmt: skip
    return [query.link(field, value, _short(value), n) for value, n in known]


def _short(name: str) -> str:
    """Return the end of a long path, to fit into a link of a narrow screen."""
    return name if len(name) <= _LABEL else f"…{name[-_LABEL:]}"


def card_page(card: ReviewCard, shell: Shell, *, everything: bool) -> dict[str, Any]:
    """Return a card with its diff, reasons, host and neighbours."""
    workspace, addresses = shell.workspace, shell.addresses
    old, new = _versions(workspace, card)
    is_gone = old.is_forgotten or new.is_forgotten
    comparison = None
    reasons = reasons_of(workspace, card)
    if not is_gone:
        comparison = compare(old, new, everything=everything, secrets=False)
        if card.promoted:
            reasons += promotions_of(text_of(old), text_of(new))
    newer, older = neighbours(card)
    path = path_now(workspace, card)
    needs = people_needed(workspace, card.path) if card.is_open else 1
    return {
        "card": card,
        "row": _row(card, owners_of(workspace), shell, {}, 0),
        "comparison": comparison,
        "is_gone": is_gone,
        "reasons": tuple(_reason(reason, shell) for reason in reasons),
        "host": _host(workspace, path),
        "path": path,
        "rule": str(card.rule) if card.rule else "",
        "session": card.session,
        "handled": _handled(card, shell),
        "needs": needs,
        "newer": addresses.review(newer) if newer else "",
        "older": addresses.review(older) if older else "",
        "when": _when(card, shell),
    }


def _versions(workspace: Workspace, card: ReviewCard) -> tuple[Version, Version]:
    found = versions_at(workspace, {card.before_seq, card.last_seq})
    none = no_version(card.path)
    return found.get(card.before_seq, none), found.get(card.last_seq, none)


def _when(card: ReviewCard, shell: Shell) -> str:
    last = shell.clock.moment(card.last_at)
    if card.first_seq == card.last_seq:
        return last
    words = {"first": shell.clock.moment(card.first_at), "last": last}
    return gettext("%(first)s to %(last)s") % words


def _reason(reason: Reason, shell: Shell) -> dict[str, Any]:
    text = " ".join(reason.text.split())
    score = f" ({reason.score:g})" if reason.score is not None else ""
    place = f"{reason.path}:{reason.line}" if reason.line else reason.path
    return {
        "label": f"{_SOURCES[reason.source]}{score}",
        "text": text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…",
        "place": place,
        "url": shell.addresses.file(reason.path, line=reason.line)
        if reason.path
        else "",
        "when": shell.clock.moment(reason.at) if reason.at else "",
    }


def _handled(card: ReviewCard, shell: Shell) -> str:
    if not card.handled_by or card.handled_at is None:
        return ""
    times = (card.first_accepted_at, card.handled_at)
    return " · ".join(
        gettext("%(who)s, %(when)s") % {"who": who, "when": shell.clock.moment(at)}
        if at
        else who
        for who, at in zip(_deciders(card), times, strict=True)
        if who
    )


def _host(workspace: Workspace, path: str) -> dict[str, object]:
    """Return which host reads a file, and whether it is within its limit."""
    text = newest_text(workspace, path)
    host = host_of(workspace, path, text)
    if host is None or not host.host:
        return {}
    size, lines = len(text.encode("utf-8", "replace")), text.count("\n")
    is_over = host.is_exceeded(len(text), size, lines)
    cost = HostBudget(
        path,
        tokens.seed(len(text)),
        lines,
        (),
        (),
        is_over,
        host,
        characters=len(text),
        bytes=size,
        all_lines=lines,
    )
    words = {"host": host.host, "usage": usage_of(cost).text, "most": most_read(host)}
    if is_over:
        said = gettext("%(host)s reads %(most)s of it: it is longer (%(usage)s)")
    else:
        said = gettext("%(host)s reads it: %(usage)s")
    return {"text": said % words, "is_over": is_over}


def shown_clashes(found: Revert, choices: dict[int, Choice]) -> list[Shown]:
    """Return the conflicts of a revert, as the export preview shows its own."""
    total = len(found.clashes)
    title = gettext("Conflict %(n)s of %(total)s: changed again since")
    sides = {"disk": gettext("On disk now"), "here": gettext("Before the change")}
    options = {
        "disk": gettext("Keep what is on disk now"),
        "here": gettext("Put back what was there before"),
        "both": gettext("Both, that on disk first"),
        "other": gettext("Write another text"),
    }
    return [
        shown_clash(
            clash,
            title % {"n": number + 1, "total": total},
            sides,
            options,
            choices.get(number),
            (0, number),
        )
        for number, clash in enumerate(found.clashes)
    ]


def rule_rows(rules: Sequence[ReviewRule], shell: Shell) -> list[dict[str, Any]]:
    """Return the rules "never again" of the settings page."""
    return [
        {
            "rule": rule,
            "url": shell.addresses.review_rule(rule.pk),
            "remove": f"{shell.addresses.review_rule(rule.pk)}remove/",
            "proposed": with_query(shell.addresses.reviews, state="proposed"),
            "when": shell.clock.moment(rule.made_at),
        }
        for rule in rules
    ]
