from __future__ import annotations

from dataclasses import replace

import pytest

from memoryhub.dialects.session_compact import (
    PLAN_CLOSING,
    PLAN_OPENING,
    SOURCE_OPENING,
    SessionAnalysis,
    analysis_from_json,
    render_session,
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
    better = with_best_plan(FULL, [("todo", "t"), ("todo", "u"), ("inferred", "i")])
    assert (better.plan_source, better.plan) == ("todo", "t")
    assert better.objective == "Ship"
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
    poor = SessionAnalysis(
        project_root="app",
        objective=" ",
        working_files=(("a", ""),),
        reference_files=(("/r", ""), ("r2", "")),
        decisions=(("a", " "), ("b", "why")),
    )

    assert [(p.code, p.line, p.parameters) for p in validate(poor)] == [
        ("project-root-not-absolute", 0, {"path": "app"}),
        ("section-empty", 0, {"title": "objective"}),
        ("section-empty", 0, {"title": "plan"}),
        ("section-empty", 0, {"title": "last action"}),
        ("path-relative", 0, {"path": "a"}),
        ("path-relative", 0, {"path": "r2"}),
        ("working-files-count", 0, {"count": 1}),
        ("decision-without-reason", 0, {"text": "a"}),
    ]


@pytest.mark.parametrize(
    ("count", "codes"),
    [(2, ["working-files-count"]), (3, []), (8, []), (9, ["working-files-count"])],
)
def test_a_session_names_three_to_eight_working_files(
    count: int, codes: list[str]
) -> None:
    made = replace(FULL, working_files=(("/a.ts", "x"),) * count)

    assert [problem.code for problem in validate(made)] == codes


@pytest.mark.parametrize(
    ("root", "path", "absolute"),
    [
        ("/srv/app/", "../lib/./a.ts", "/srv/lib/a.ts"),
        ("/srv/app", "", ""),
        ("/srv/app", "C:\\a.ts", "C:\\a.ts"),
        ("C:\\app", "src\\a.ts", "C:\\app\\src\\a.ts"),
        ("C:\\app", "..\\a.ts", "C:\\a.ts"),
        ("\\\\host\\app", "a.ts", "\\\\host\\app\\a.ts"),
        ("app", "a.ts", "a.ts"),
        ("", "a.ts", "a.ts"),
    ],
)
def test_a_path_is_below_the_root_in_the_form_of_its_system(
    root: str, path: str, absolute: str
) -> None:
    made = with_absolute_paths(
        SessionAnalysis(
            project_root=root,
            working_files=((path, "x"),),
            reference_files=((path, "y"),),
        )
    )

    assert made.working_files == ((absolute, "x"),)
    assert made.reference_files == ((absolute, "y"),)


JSON = {
    "sessionId": 7,
    "projectRoot": "/srv/app",
    "objective": "Ship",
    "executionPlan": {"source": "inferred", "content": "1. do"},
    "workingFiles": [{"absolutePath": "/a.ts", "role": "x"}, "odd"],
    "referenceFiles": [{"absolutePath": "/r.ts", "role": "y"}],
    "lastAction": "Tests pass",
    "decisions": [{"decision": "Use X", "reasoning": "fast"}, {"decision": None}],
    "constraints": ["c"],
    "dependencies": ["d"],
    "knownIssues": ["k"],
    "changesMade": ["m"],
    "pending": ["p", None],
    "notes": "n",
}


def test_every_field_of_the_json_object_is_read() -> None:
    assert analysis_from_json(JSON) == SessionAnalysis(
        session_id="7",
        project_root="/srv/app",
        objective="Ship",
        plan_source="inferred",
        plan="1. do",
        working_files=(("/a.ts", "x"),),
        reference_files=(("/r.ts", "y"),),
        last_action="Tests pass",
        decisions=(("Use X", "fast"), ("", "")),
        constraints=("c",),
        dependencies=("d",),
        known_issues=("k",),
        changes_made=("m",),
        pending=("p", ""),
        notes="n",
    )
    tuples = {"workingFiles": ({"role": "x"},), "pending": ("p",), "sessionId": 0}
    assert analysis_from_json(tuples) == SessionAnalysis(
        session_id="0", working_files=(("", "x"),), pending=("p",)
    )
    odd = dict.fromkeys(JSON, None) | {"executionPlan": "x", "pending": "x"}
    assert analysis_from_json(odd) == analysis_from_json({}) == SessionAnalysis()


def test_every_field_is_written_under_its_title() -> None:
    text = render_session(analysis_from_json(JSON))

    opening = f"{SOURCE_OPENING}inferred{PLAN_OPENING}1. do{PLAN_CLOSING}"
    assert [part.split("\n", 1)[1] for part in f"\n\n{text}".split("\n\n## ")[1:]] == [
        "7", "/srv/app", "Ship", opening, "- /a.ts (role: x)", "- /r.ts (role: y)",
        "Tests pass", "- Use X: fast\n- : ", "- c", "- d", "- k", "- m", "- p\n- ", "n",
    ]  # fmt: skip
    empty = render_session(SessionAnalysis(plan_source="workflow"))
    assert f"{SOURCE_OPENING}workflow (IMPL_PLAN.md){PLAN_OPENING}" in empty
    assert "## Session ID\n(none)\n" in empty and empty.endswith("\n(none)")
