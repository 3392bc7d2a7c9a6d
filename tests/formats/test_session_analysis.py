from __future__ import annotations

from memoryhub.formats.ccw.session_analysis import (
    SessionAnalysis,
    todo_plan,
    validate,
    with_absolute_paths,
    with_best_plan,
)

FULL = SessionAnalysis(
    project_root="/srv/app",
    objective="Ship",
    plan_source="user-stated",
    plan="1. do",
    working_files=(("a.ts", "x"), ("b.ts", "y"), ("/c.ts", "z")),
    last_action="Tests pass",
    decisions=(("Use X", "fast"),),
)


def test_an_unknown_source_comes_last_and_a_blank_plan_is_none() -> None:
    plans = [("guess", "g"), ("workflow", " \n"), ("inferred", "i")]

    assert with_best_plan(FULL, plans).plan == "1. do"
    assert with_best_plan(SessionAnalysis(), plans).plan == "i"
    assert with_best_plan(SessionAnalysis(plan_source="todo"), []).plan == ""


def test_todos_keep_their_state() -> None:
    todos = [("completed", "a"), ("in_progress", "b"), ("pending", "c")]

    assert todo_plan(todos) == "- [x] a\n- [>] b\n- [ ] c"


def test_a_whole_session_has_nothing_to_mend() -> None:
    made = with_absolute_paths(FULL)

    assert [path for path, _ in made.working_files] == [
        "/srv/app/a.ts", "/srv/app/b.ts", "/c.ts",
    ]  # fmt: skip
    assert not validate(made)


def test_what_the_checklist_misses_is_named() -> None:
    codes = {
        problem.code for problem in validate(SessionAnalysis(decisions=(("a", ""),)))
    }

    assert codes == {
        *("project-root-not-absolute", "section-empty", "working-files-count"),
        "decision-without-reason",
    }
