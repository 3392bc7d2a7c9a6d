"""What the original programs read and wrote, asked of the formats."""

from __future__ import annotations

from typing import Any

from memoryhub.dialects import session_compact, topic_context
from memoryhub.dialects.session_compact import analysis_from_json, render_session
from tests.recorded import recorded


def test_topic_values_are_those_of_snap_memory() -> None:
    for case in recorded("snap-memory")["parse"]:
        document = topic_context.parse(case["input"])
        read = {
            "meta": {entry.key: entry.value for entry in document.meta},
            "currentStatus": document.status,
            "keyDecisions": [item.text for item in document.decisions],
            "history": [item.text for item in document.history],
        }

        assert read == case["output"], case["input"]
        assert document.text == case["input"]


def test_a_session_is_written_as_ccw_writes_it() -> None:
    for case in recorded("ccw-session")["cases"]:
        assert render_session(analysis_from_json(case["input"])) == case["output"]


def test_a_session_text_gives_its_values_back() -> None:
    read_back = 0
    for case in recorded("ccw-session")["cases"]:
        session = session_compact.parse(case["output"])

        assert session.text == case["output"]
        assert session.canonical
        if _is_unambiguous(case["input"]):
            read_back += 1
            expected = analysis_from_json(case["input"])
            assert session.analysis == expected
    assert read_back


def _is_unambiguous(case: dict[str, Any]) -> bool:
    """Tell whether no item starts a line like another, or a cut could be elsewhere."""
    decisions = [item["decision"] for item in case["decisions"]]
    roles = [
        item["role"] for key in ("workingFiles", "referenceFiles") for item in case[key]
    ]
    names = ("constraints", "dependencies", "knownIssues", "changesMade", "pending")
    items = [item for name in names for item in case[name]] + roles + decisions
    items += [item["reasoning"] for item in case["decisions"]]
    return (
        not any("\n- " in item for item in items)
        and not any(": " in f"{item} " for item in decisions)
        and not any(" (role: " in role for role in roles)
        and case["notes"] != "(none)"
    )
