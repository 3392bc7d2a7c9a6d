"""One handoff with all about it: steps, its topic, where it went on, its evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Result
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.conversation import (
    ChangedFile,
    conversation,
    evidence_of,
    unreadable,
)
from memoryhub.handoffs.queries.lane import parts_of, unfinished_parts
from memoryhub.handoffs.queries.sides import seen_from
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Workspace
from tests.factories import TOPIC, snapshot_text
from tests.handoffs.pairs import by, sent
from tests.handoffs.sides import of
from tests.handoffs.steps import mark_failed, put_back
from tests.writing import say

Both = tuple[Workspace, Workspace]
BLOCK = (
    "<task>\n<from>ann</from>\n<to>bob</to>\n<task_id>{}</task_id>\n"
    "<type>read_only</type>\n</task>\n"
)
RESULT = "<r>\n<task_id>{}</task_id>\n<status>{}</status>\n</r>\n"


def ids(rows: object) -> list[str]:
    assert isinstance(rows, tuple | list)
    return [row.task_id[-2:] for row in rows]


def test_the_newest_five_of_a_topic_are_shown_with_its_handoff(acme: Workspace) -> None:
    lines = "".join(f"- 2026-11-0{n}: Decide {n}\n" for n in range(1, 8))
    topic = TOPIC.replace("- 2026-11-10: Poll every minute (simplest to ship)\n", lines)
    log = "# 2026-11-20\n" + "".join(snapshot_text(n) for n in range(1, 8))
    say(acme, {"memory/context-api.md": topic, "memory/2026-11-20.md": log})

    shown, alone = conversation(sent(acme, topic="api")), conversation(sent(acme))

    assert [d.text for d in shown.decisions] == [f"Decide {n}" for n in "76543"]
    hours = [snapshot.occurred_at.hour for snapshot in shown.snapshots]
    assert (len(hours), hours) == (5, sorted(hours, reverse=True))
    assert (alone.decisions, alone.snapshots) == ((), ())


def test_it_names_where_work_went_on_and_where_it_came_from(acme: Workspace) -> None:
    sent(acme)
    old = mark_failed(sent(acme), by("bob", 1), reason="no wood").handoff
    new = hand_off_again(old, by("ann", 2), recipient="eve").handoff
    mark_failed(new, by("eve", 3), reason="no wood")
    last = hand_off_again(new, by("ann", 4), recipient="cid").handoff

    told = [conversation(row) for row in (old, new, last)]

    assert [ids(one.again) for one in told] == [["03"], ["02", "04"], ["03"]]
    assert [one.same_id for one in told] == [(), (), ()]


def test_others_with_its_id_are_named_apart(acme: Workspace) -> None:
    say(acme, {f"memory/{n}.md": BLOCK.format("t1") for n in "abc"})
    say(acme, {"memory/d.md": BLOCK.format("t2")})
    first, second, third = Handoff.objects.filter(task_id="t1").order_by("file__path")

    told = conversation(second)

    assert told.same_id == (first, third) and told.again == ()


def test_a_conversation_has_the_names_of_the_side_that_reads_it(both: Both) -> None:
    shop, mill = both
    here = sent(shop, "baker mill/miller")
    take(of(mill), by("miller", 1))
    report(of(mill), Result("", "done", "Flour", "src/a.py, src/b.py and src/a.py"),
           by("miller", 2))  # fmt: skip
    (row,) = seen_from([shop], [Handoff.objects.get(pk=here.pk)])

    told, there = conversation(row), conversation(of(mill))

    assert [s.step.actor for s in told.steps] == [
        "baker", "mill/miller", "mill/miller", "" ]  # fmt: skip
    assert [s.step.actor for s in there.steps][:2] == ["shop/baker", "miller"]
    assert told.files == there.files == ("src/a.py", "src/b.py")


def test_a_step_without_a_time_has_that_of_its_record_if_read_later(
    acme: Workspace,
) -> None:
    text = BLOCK.format("t1") + "\n## Log\n\n- bob: taken\n"
    say(acme, {"memory/handoffs/t1.md": text})
    say(acme, {"memory/handoffs/t1.md": text + "- bob: done\n"})

    taken, done = conversation(Handoff.objects.get()).steps

    assert taken.step.happened_at is None and taken.at is None
    assert done.step.happened_at is None and done.at == done.step.recorded_at


def test_steps_of_several_files_are_in_the_order_they_became_known(
    acme: Workspace,
) -> None:
    say(acme, {"memory/notes.md": BLOCK.format("t1")})
    row = take(Handoff.objects.get(), by("bob", 1)).handoff
    say(acme, {"memory/notes.md": BLOCK.format("t1") + RESULT.format("t1", "blocked")})
    put_back(row, by("bob", 4))
    (log,) = Path(acme.root).rglob("handoffs/*.md")
    line = "- 2026-11-20T12:00:00Z ann: said -- first\n"
    text = log.read_text().replace("- 2026", f"{line}- 2026", 1)
    say(acme, {str(log.relative_to(acme.root)): text})

    told = [(s.step.verb, s.step.is_result) for s in conversation(row).steps]

    assert told == [
        ("blocked", True), ("said", False), ("taken", False), ("put back", False)
    ]  # fmt: skip


def test_blocks_and_lines_that_nobody_understands_are_told_with_their_place(
    acme: Workspace,
) -> None:
    odd, done = RESULT.format("t1", "maybe"), RESULT.format("t8", "done")
    nobody = BLOCK.format("t2").replace("<to>bob</to>\n", "")
    log = "# Handoff t3\n\n- due: soon\n\n## Log\n\n- ann: hums\n"
    a, b, c = "memory/a.md", "memory/b.md", "memory/c.md"
    notes = {a: f"# A\n\n{odd}", b: f"{done}\n{odd}", c: nobody}
    say(acme, {**notes, "memory/handoffs/t3.md": log})

    found = unreadable(acme)

    assert set(found) == {
        ("unknown-status", "t1", a, 3, 6, odd),
        ("no-such-task", "t8", b, 1, 4, done),
        ("unknown-status", "t1", b, 6, 9, odd),
        ("no-recipient", "t2", c, 1, 5, nobody),
        ("handoff-due-unknown", "t3", "memory/handoffs/t3.md", 3, 3, "due: soon"),
        ("handoff-line-unknown", "t3", "memory/handoffs/t3.md", 7, 7, "ann: hums"),
    }
    assert len(found) == 6
    say(acme, {a: None, b: None, c: "", "memory/handoffs/t3.md": ""})
    assert unreadable(acme) == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```\n" + BLOCK.format("t1") + "```\n", "handoff-block-unread"),
        (BLOCK.format("t1").replace("</task>", ""), "not-closed"),
        ("<r>\n<status>done</status>\n</r>\n", "no-task-id"),
    ],
)
def test_one_that_stands_alone_is_told_too(
    acme: Workspace, text: str, code: str
) -> None:
    say(acme, {"memory/x.md": text})

    assert [(odd.code, odd.path) for odd in unreadable(acme)] == [(code, "memory/x.md")]
    assert unreadable(acme)[0].text


def test_the_log_of_work_that_goes_well_is_understood(acme: Workspace) -> None:
    take(sent(acme), by("bob", 1))

    assert unreadable(acme) == ()


def test_parts_are_named_in_the_order_they_were_sent(both: Both) -> None:
    shop, _ = both
    whole = sent(shop)
    parts = [
        sent(shop, f"bob {to}", parent=whole.task_id)
        for to in ("cid", "dan", "mill/eve")
    ]
    mark_failed(parts[0], by("cid", 1), reason="no wood")
    sent(shop), sent(shop, parent=parts[1].task_id)

    assert parts_of(whole) == parts
    assert unfinished_parts(whole) == parts[1:]
    assert [row.recipient for row in parts_of(parts[1])] == ["bob"]


def worked(
    acme: Workspace, *files: str, said: str = "", status: str = "done"
) -> Handoff:
    """Return a handoff in whose time these files changed, the last one first."""
    say(acme, {"seed.md": "# Before\n"})
    handoff = take(sent(acme), by("bob", 1)).handoff
    for number, path in enumerate(reversed(files)):
        say(acme, {path: f"# {number}\n"})
    result = Result("", status, said, "")
    return report(handoff, result, by("bob", 5)).done.handoff


def test_evidence_names_files_and_who_changed_them_the_newest_first(
    acme: Workspace,
) -> None:
    paths = ("agents/cid/memory/2026-11-20.md", "notes.md")
    handoff = worked(acme, *paths, said="Changed notes.md, src/x.py and a/notes.md")

    found = evidence_of(handoff)

    assert found is not None
    assert [file.path for file in found.files] == list(paths)
    assert found.files[1] == ChangedFile("notes.md", "seen", "on disk", named=True)
    assert found.files[0].by == "on disk, probably cid (owner)"
    assert not found.files[0].named
    assert (found.unchanged, found.commits, found.more) == (("src/x.py",), (), 0)


def test_a_file_that_changed_twice_is_named_once_with_its_last_change(
    acme: Workspace,
) -> None:
    say(acme, {"notes.md": "# Before\n"})
    handoff = take(sent(acme), by("bob", 1)).handoff
    say(acme, {"notes.md": "# Now\n"})
    say(acme, {"notes.md": None})
    row = report(handoff, Result("", "done", "Tidied"), by("bob", 5)).done.handoff

    found = evidence_of(row)

    assert found and [(f.path, f.kind) for f in found.files] == [
        ("notes.md", "deleted")
    ]


def test_more_than_fifty_files_are_counted(acme: Workspace) -> None:
    handoff = take(sent(acme), by("bob", 1)).handoff
    say(acme, {f"memory/n{n}.md": "# N\n" for n in range(53)})
    row = report(handoff, Result("", "done", "Done"), by("bob", 5)).done.handoff

    found = evidence_of(row)

    assert found and (len(found.files), found.more) == (50, 3)


def test_at_most_twenty_commits_are_named_each_once(acme: Workspace) -> None:
    hashes = [f"{n:06x}a{n % 9}" for n in range(25)]
    handoff = worked(acme, said=" ".join([*hashes, *hashes]))

    found = evidence_of(handoff)

    assert found and found.commits == tuple(hashes[:20])


@pytest.mark.parametrize("status", ["failed", "blocked", ""])
def test_only_work_that_ended_with_a_result_has_evidence(
    acme: Workspace, status: str
) -> None:
    if status:
        handoff = worked(acme, "notes.md", said="See notes.md", status=status)
    else:
        handoff = mark_failed(sent(acme), by("bob", 1), reason="no wood").handoff

    assert (evidence_of(handoff) is not None) == (status == "failed")


def test_what_changed_before_it_was_taken_is_no_evidence_unless_nobody_took_it(
    acme: Workspace,
) -> None:
    handoff, other = sent(acme), sent(acme)
    say(acme, {"notes.md": "# N\n"})
    taken = take(handoff, by("bob", 1)).handoff
    rows = [
        report(row, Result("", "done", "Seen"), by("bob", 5)).done.handoff
        for row in (taken, other)
    ]

    found = [evidence_of(row) for row in rows]

    paths = [[file.path for file in one.files] for one in found if one]
    assert "notes.md" not in paths[0] and "notes.md" in paths[1]
