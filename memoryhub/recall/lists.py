"""Lists of a recall, a line each with its place: directives, open items, decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils.translation import override

from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Source, Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.recall.texts import Passage, cut_words, decision_line, open_item_line
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.queries.open_items import Wanted, newest_open, owned_items
from topics.models import Decision, Directive, Topic

Row = TypeVar("Row", bound=Model)

#: How many of each are given, and how many directives are looked through for repeats.
DIRECTIVES, ITEMS, _LOOKED_THROUGH = 10, 10, 100
#: How many open items and decisions are given that a topic does not have.
OTHERS = 5


def listed(heading: str, lines: Sequence[str]) -> Passage | None:
    """Return lines under a heading with their number; None without lines."""
    return Passage(f"{heading} ({len(lines)})", "\n".join(lines)) if lines else None


def directives(
    workspace: Workspace,
    *,
    private: bool,
    topic: Topic | None = None,
    seq: int | None = None,
) -> tuple[Passage | None, Passage | None]:
    """Return people's directives, and rules in memory that others wrote or may have.

    Newest first, undated ones last; each text once. For a topic: what concerns it or no
    other one.
    """
    rows = _stated(Directive.objects.filter(workspace=workspace), seq)
    if topic is not None:
        rows = rows.filter(Q(topic=topic) | Q(topic__isnull=True))
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    people = Q(origin=Directive.Origin.PERSON)
    directed, noted = (
        _directive_lines(workspace, found)
        for found in (rows.filter(people), rows.exclude(people))
    )
    return (
        listed("Directed by people", directed),
        listed("Rules noted in memory", noted),
    )


def _directive_lines(workspace: Workspace, rows: QuerySet[Directive]) -> list[str]:
    order = ("-occurred_at", "-first_seq", "file_id", "position")
    newest = rows.order_by(UNDATED_LAST, *order)
    once: dict[str, Directive] = {}
    for row in newest.select_related("file")[:_LOOKED_THROUGH]:
        once.setdefault(folded(row.text).casefold(), row)
    owner, lines = owners_of(workspace), []
    with override("en"):
        for row in [*once.values()][:DIRECTIVES]:
            place = f"{row.file.path}:{row.first_line}"
            who = written_by(row, owner)
            lines.append(
                f"- {cut_words(row.text)} ({', '.join(filter(None, (place, who)))})"
            )
    return lines


def written_by(row: Directive, owner: Callable[[str], str]) -> str:
    """Return who wrote a directive, in words; empty for a person's words in a file."""
    if row.origin == Directive.Origin.PERSON and not row.written_by:
        return ""
    return changed_by(row.written_by, owner(row.file.path))


def open_items(workspace: Workspace, *, private: bool) -> Passage | None:
    """Return the open items mentioned last."""
    works = newest_open(workspace, ITEMS, Wanted(private=private))
    return listed("Open items", [open_item_line(each) for each in owned_items(works)])


def items_of_topic(
    topic: Topic, *, private: bool, every: bool, seq: int | None = None
) -> tuple[Passage | None, Passage | None]:
    """Return the open items of a topic mentioned last, and those of no topic.

    With `every` the second are those of all other topics too.
    """
    ids = None if every else frozenset({None, topic.pk})
    wanted = Wanted(topic_ids=ids, private=private)
    works = newest_open(topic.workspace, _LOOKED_THROUGH, wanted, seq=seq)
    own = [work for work in works if work.topic_id == topic.pk][:ITEMS]
    others = [work for work in works if work.topic_id != topic.pk][:OTHERS]
    lines = [open_item_line(each) for each in owned_items([*own, *others])]
    heading = f"Open items of {'other topics' if every else 'no topic'}"
    return (
        listed("Open items", lines[: len(own)]),
        listed(heading, lines[len(own) :]),
    )


def other_decisions(topic: Topic, *, private: bool) -> Passage | None:
    """Return the newest decisions in force of other topics and of none."""
    rows = Decision.objects.filter(
        workspace=topic.workspace, state__in=Decision.STANDING
    )
    heading = "Recent decisions of other topics"
    return decisions(
        topic.workspace,
        rows.exclude(topic=topic) | rows.filter(topic=None),
        OTHERS,
        private=private,
        heading=heading,
    )


def decisions(
    workspace: Workspace,
    rows: QuerySet[Decision],
    number: int,
    *,
    private: bool,
    heading: str = "Recent decisions",
) -> Passage | None:
    """Return the newest of these decisions, each with the place that states it."""
    if not private:
        rows = not_private(rows)
    newest = rows.order_by(UNDATED_LAST, "-occurred_at", "-first_seq", "-pk")
    shown = list(newest.select_related("workspace")[:number])
    places = _places(shown, private=private)
    lines = [f"{decision_line(row)}{places.get(row.pk, '')}" for row in shown]
    return listed(heading, lines)


def not_private(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    """Return the decisions that another file than the private one states."""
    others = Source.objects.exclude(file__path__iexact=PRIVATE)
    target = {"target_id": OuterRef("pk"), "target_kind": Source.Target.DECISION}
    return rows.filter(Exists(others.filter(**target)))


def _places(rows: Iterable[Decision], *, private: bool) -> dict[int, str]:
    """Return the newest place of each decision, in brackets, by its id."""
    sources = Source.objects.filter(
        target_id__in=[row.pk for row in rows],
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    )
    if not private:
        sources = sources.exclude(file__path__iexact=PRIVATE)
    return {
        source.target_id: f" ({source.file.path}:{source.first_line})"
        for source in sources.select_related("file").order_by("first_seq", "pk")
    }


def _stated(rows: QuerySet[Row], seq: int | None) -> QuerySet[Row]:
    """Return the rows that files state now, or stated at a seq."""
    if seq is None:
        return rows.filter(last_seq__isnull=True)
    still = Q(last_seq__isnull=True) | Q(last_seq__gt=seq)
    return rows.filter(still, first_seq__lte=seq)
