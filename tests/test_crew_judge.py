"""The judge of a simulated crew finds what must never be, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import crew_judge, crew_terms
from bench.crew_alarms import Look, alarms_as_expected, expected_alarms
from bench.crew_calls import Call
from bench.crew_files import HandoffFile, read_handoffs
from bench.crew_history import History, histories

Answer = dict[str, Any]


class Work:
    """Two workspaces' files, and the calls that are said to have led to them."""

    def __init__(self, folder: Path) -> None:
        self.roots = {slug: folder / slug for slug in ("shop", "mill")}
        self.calls: list[Call] = []
        self._clock = 0.0
        for root in self.roots.values():
            (root / "memory/handoffs").mkdir(parents=True)

    def file(
        self,
        task_id: str,
        kind: str,
        *log: str,
        slug: str = "shop",
        to: str = "bob",
        repository: str = "",
        review: str = "",
    ) -> None:
        lines = "".join(f"- 2026-11-20T09:00:00Z {line}\n" for line in log)
        parts = f"<from>ann</from>\n<to>{to}</to>\n<type>{kind}</type>\n- eve: done\n"
        parts += f"<review>{review}</review>\n"
        parts += f"<repository>{repository}</repository>\n"
        text = f"<task>\n{parts}</task>\n\n## Log\n\n{lines}"
        (self.roots[slug] / f"memory/handoffs/{task_id}.md").write_text(text)

    def asked(
        self,
        actor: str,
        tool: str,
        task_id: str,
        *,
        took: float = 1,
        waits: tuple[str, ...] = (),
        **asked: Any,
    ) -> None:
        """Add an accepted call, which begins where the one before ended.

        `waits`: what its task comes after by the answer, where nobody asked for that.
        """
        key = f"{actor}-{len(self.calls):05d}"
        begun, self._clock = self._clock, self._clock + took
        request = {"task_id": task_id, **asked}
        answer: Answer = {"task_id": task_id, "standing": "99 later, on", "state": ""}
        answer["recipient"] = asked.get("to", "bob")
        answer["after"] = [*waits, *asked.get("after", ())]
        slug = "mill" if actor == "miller" else "shop"
        self.calls.append(
            Call(actor, key, tool, request, begun, self._clock, 200, answer, slug)
        )

    def sent_and_taken(self, task_id: str) -> None:
        self.asked("ann", "handoff_send", task_id)
        self.asked("bob", "handoff_take", task_id)

    def between(self, task_id: str, *taken: str) -> None:
        """Add a write for the mill that is taken there, where its file says so."""
        self.asked("ann", "handoff_send", task_id, to="mill/miller")
        self.asked("miller", "handoff_take", task_id)
        lines = ("shop/ann: sent", *taken)
        self.file(task_id, "write", *lines, slug="mill", to="miller")

    @property
    def files(self) -> dict[str, HandoffFile]:
        return read_handoffs(self.roots)

    @property
    def found(self) -> dict[str, History]:
        return histories(self.files, self.calls)

    @property
    def wrong(self) -> list[str]:
        return [v.name for h in self.found.values() for v in h.violations]


def test_what_was_asked_for_is_what_the_files_say(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("bob", "handoff_update", "A", action="put_back")
    work.file("A", "write", "ann: sent", "bob: taken", "bob: put back -- bob-00002")

    assert work.wrong == []
    assert work.found["shop/A"].state == work.found["shop/A"].file.state == "open"


def test_lines_that_are_lost_or_that_nobody_asked_for_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.sent_and_taken("B")
    work.file("A", "write", "ann: sent")
    work.file("B", "write", "ann: sent", "bob: taken", "bob: taken")

    assert work.wrong == ["line-lost", "line-unasked"]


def test_a_decision_that_began_unsigned_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("lead", "handoff_update", "A", action="sign_off")
    work.asked("lead", "handoff_update", "A", action="send_back")
    work.asked("ann", "handoff_update", "A", action="revise")
    work.asked("bob", "handoff_take", "A")
    signs = ("lead: signed off -- lead-00001", "lead: sent back -- lead-00002")
    better = "ann: revised -- ann-00003"
    work.file("A", "decision", "ann: sent", *signs, better, "bob: taken")

    assert work.wrong == ["unsigned-decision"]


def test_work_that_is_taken_twice_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("eve", "handoff_take", "A")
    work.file("A", "read_only", "ann: sent", "bob: taken", "eve: taken")

    assert work.wrong == ["taken-twice"]


def test_a_result_that_came_late_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("bob", "handoff_report", "A", status="done")
    work.file("A", "write", "ann: sent", "bob: done -- bob-00001")

    assert work.wrong == ["late-result"]


def test_two_writes_at_one_time_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    for task_id in ("A", "B"):
        work.sent_and_taken(task_id)
        work.file(task_id, "write", "ann: sent", "bob: taken")

    names = [v.name for v in crew_judge.overlapping_writes(work.found.values())]

    assert names == ["two-writes"]


def test_writes_one_after_the_other_are_not(tmp_path: Path) -> None:
    work = Work(tmp_path)
    for task_id, key in (("A", "bob-00002"), ("B", "bob-00005")):
        work.sent_and_taken(task_id)
        work.asked("bob", "handoff_report", task_id, status="done")
        log = ("ann: sent", "bob: taken", f"bob: done -- {key}")
        work.file(task_id, "write", *log)

    assert not list(crew_judge.overlapping_writes(work.found.values()))
    assert not list(crew_judge.out_of_turn(work.found.values()))


def test_a_write_before_its_turn_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("ann", "handoff_list", "")
    work.asked("ann", "handoff_list", "")
    work.sent_and_taken("B")
    work.file("A", "write", "ann: sent")
    work.file("B", "write", "ann: sent", "bob: taken")

    names = [str(v) for v in crew_judge.out_of_turn(work.found.values())]

    assert names == ["out-of-turn: shop/B before shop/A"]


def test_work_handed_off_again_waits_for_what_it_came_after(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "C")
    work.asked("ann", "handoff_update", "A", waits=("C",), action="hand_off_again")
    work.asked("ann", "handoff_list", "", took=3)
    work.sent_and_taken("B")
    work.file("C", "read_only", "ann: sent")
    work.file("A", "write", "ann: sent")
    work.file("B", "write", "ann: sent", "bob: taken")

    assert not list(crew_judge.out_of_turn(work.found.values()))
    assert crew_terms.after_of(work.found["shop/A"], "shop") == ("shop/C",)


def test_handoffs_that_are_lost_or_doubled_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    for task_id in ("A", "B", "B"):
        work.asked("ann", "handoff_send", task_id)
    work.file("B", "write", "ann: sent")
    work.file("C", "write", "ann: sent")

    names = [v.name for v in crew_judge.lost_or_doubled(work.files, work.calls)]

    assert names == ["handoff-lost", "handoff-doubled", "handoff-doubled"]


def test_results_and_memory_updates_are_counted(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked(
        "bob", "handoff_report", "A", status="done", memory_update="learned bob-00000"
    )
    work.file("A", "read_only", "bob: done -- bob-00000")
    (tmp_path / "shop/memory/day.md").write_text("learned bob-00000\n" * 2)

    results = list(crew_judge.results_as_reported(work.files, work.calls))
    memory = list(crew_judge.memory_as_reported(work.roots.values(), work.calls))

    assert [v.what for v in results] == ["shop/A has 0 for 1 reports"]
    assert [v.what for v in memory] == ["bob-00000 is there 2x"]


def test_counts_that_differ_from_the_hubs_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.file("A", "write", "ann: sent")

    told = [{"name": "shop/A", "state": state} for state in ("done", "open")]
    wrong = list(crew_judge.counts_agree(work.found, told))

    assert [v.what for v in wrong] == ["the hub has shop/A done"]


def test_one_between_workspaces_is_one_file_that_says_it_all(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.between("A", "miller: taken")

    assert work.wrong == []
    assert {name: h.file.state for name, h in work.found.items()} == {
        "mill/A": "in_progress"
    }
    assert not list(crew_judge.lost_or_doubled(work.files, work.calls))


def test_what_the_file_between_workspaces_lacks_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.between("A")
    work.between("B", "miller: taken", "miller: taken")

    wrong = [str(v) for h in work.found.values() for v in h.violations]

    assert [each.partition(" LogLine")[0] for each in wrong] == [
        "line-lost: mill/A", "line-unasked: mill/B"
    ]  # fmt: skip


def test_a_second_file_and_a_missing_one_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A", to="mill/miller")
    work.asked("ann", "handoff_send", "B", to="mill/miller")
    work.file("B", "write", "ann: sent", to="mill/miller")
    work.file("B", "write", "shop/ann: sent", slug="mill", to="miller")

    lost = [str(v) for v in crew_judge.lost_or_doubled(work.files, work.calls)]

    assert lost == ["handoff-lost: mill/A", "handoff-doubled: shop/B was never sent"]


def test_a_result_that_the_file_lacks_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.between("A", "miller: taken")
    work.asked("miller", "handoff_report", "A", status="done")

    results = list(crew_judge.results_as_reported(work.files, work.calls))

    assert [v.what for v in results] == ["mill/A has 0 for 1 reports"]


def test_each_workspace_has_a_lane_of_its_own(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.between("A", "miller: taken")
    work.sent_and_taken("B")
    work.file("B", "write", "ann: sent", "bob: taken")
    assert not list(crew_judge.overlapping_writes(work.found.values()))
    work.between("C", "mill/miller: taken")

    names = [str(v) for v in crew_judge.overlapping_writes(work.found.values())]

    assert names == ["two-writes: mill/A and mill/C"]


def test_handoffs_of_one_id_in_two_workspaces_are_two(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    work.asked("miller", "handoff_send", "A")
    work.file("A", "write", "ann: sent", "bob: taken")
    work.file("A", "write", "miller: sent", slug="mill")

    assert work.wrong == []
    assert not list(crew_judge.lost_or_doubled(work.files, work.calls))


def test_writes_to_two_repositories_do_not_meet(tmp_path: Path) -> None:
    work = Work(tmp_path)
    for task_id, repository in (("A", "web"), ("B", "api"), ("C", "web")):
        work.sent_and_taken(task_id)
        work.file(task_id, "write", "ann: sent", "bob: taken", repository=repository)

    (wrong,) = crew_judge.overlapping_writes(work.found.values())

    assert (wrong.name, wrong.what) == ("two-writes", "shop/A and shop/C")


def test_a_task_that_begins_before_what_it_comes_after_is_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("ann", "handoff_send", "B", after=["A"])
    work.asked("bob", "handoff_take", "B")
    work.file("A", "read_only", "ann: sent")
    work.file("B", "read_only", "ann: sent", "bob: taken")
    assert [v.name for v in crew_terms.begun_too_early(work.found)] == ["begun-early"]

    work.asked("ann", "handoff_update", "B", action="revise", after=[])
    work.asked("bob", "handoff_report", "B", status="done")
    lines = ("ann: sent", "bob: taken", "ann: revised -- ann-00003")
    work.file("B", "read_only", *lines, "bob: done -- bob-00004")
    assert len([*crew_terms.begun_too_early(work.found)]) == 1


def test_who_is_not_in_a_pool_and_who_did_not_take_are_found(tmp_path: Path) -> None:
    work = Work(tmp_path)
    for name, taker in (("A", "bob"), ("B", "eve")):
        work.asked("ann", "handoff_send", name, to="role:worker")
        work.asked(taker, "handoff_take", name)
    work.asked("cid", "handoff_report", "A", status="done")
    done = "cid: done -- cid-00004"
    work.file("A", "read_only", "ann: sent", "bob: taken", done, to="role:worker")
    work.file("B", "read_only", "ann: sent", "eve: taken", to="role:worker")

    found = crew_terms.taken_by_strangers(work.found, {"bob", "cid"})

    assert [v.name for v in found] == ["not-the-taker", "not-in-pool"]


def test_alarms_that_are_missing_or_that_nothing_explains_are_found(
    tmp_path: Path,
) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A")
    work.asked("ann", "handoff_send", "B", after=["A"])
    work.asked("bob", "handoff_update", "A", action="fail")
    work.file("A", "read_only", "ann: sent", "bob: failed -- bob-00002")
    work.file("B", "read_only", "ann: sent")
    stuck = frozenset({("stuck", "shop/B")})
    odd = frozenset({("silent", "shop/A"), *stuck})
    looks = [
        Look("shop", 4.0, 4.1, frozenset()),
        Look("shop", 6.0, 6.1, frozenset()),
        Look("shop", 7.0, 7.1, stuck),
        Look("shop", 8.0, 8.1, odd),
    ]

    found = [str(v) for v in alarms_as_expected(work.found, looks)]

    assert found == ["alarm-missing: shop/B", "alarm-unexpected: silent of shop/A"]
    assert expected_alarms(work.found) == 1


def test_what_the_hub_puts_back_of_a_silent_holder_was_not_asked_for(
    tmp_path: Path,
) -> None:
    work = Work(tmp_path)
    work.sent_and_taken("A")
    back = "memoryhub: put back -- its holder bob is silent"
    work.file("A", "write", "ann: sent", "bob: taken", back)
    assert work.wrong == [] and work.found["shop/A"].state == "open"

    work.file("A", "write", "ann: sent", "bob: taken", back, back)
    assert work.wrong == ["line-unasked"]


def test_a_reviewer_of_the_senders_workspace_may_accept(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.asked("ann", "handoff_send", "A", to="mill/miller")
    work.asked("miller", "handoff_take", "A")
    work.asked("miller", "handoff_report", "A", status="done", reason="miller-00002")
    work.asked("cid", "handoff_update", "A", action="accept", reason="cid-00003")
    lines = ("shop/ann: sent", "miller: taken", "miller: done -- miller-00002")
    accepted = "shop/cid: accepted -- cid-00003"
    names = {"slug": "mill", "to": "miller", "review": "shop/cid"}
    work.file("A", "write", *lines, accepted, **names)

    assert work.wrong == []
