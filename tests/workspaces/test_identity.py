from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.values.identity import (
    code_of,
    derive,
    derive_at,
    derive_run,
    id_of,
    nth_id,
    workspace_uuid,
)

WORKSPACE = workspace_uuid("file:///home/ana/notes").bytes
IDS = st.integers(min_value=0, max_value=2**63 - 1)


@given(IDS)
def test_a_code_gives_back_its_id(row_id: int) -> None:
    assert id_of(code_of(row_id)) == row_id


@pytest.mark.parametrize("code", ["", "0" * 12, "0" * 14, "0" * 12 + "i", "ü" * 13])
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(ValueError):
        id_of(code)


def test_equal_facts_have_equal_ids_in_every_hub() -> None:
    elsewhere = workspace_uuid(Path("/home/ana/notes").as_uri()).bytes

    assert derive(WORKSPACE, "Topic", "a") == derive(elsewhere, "Topic", "a")


def test_other_workspaces_kinds_and_keys_have_other_ids() -> None:
    other = workspace_uuid("file:///home/ben/notes").bytes
    ids = {
        derive(WORKSPACE, "Topic", "a"),
        derive(WORKSPACE, "Topic", "b"),
        derive(WORKSPACE, "Topic", "a", "b"),
        derive(WORKSPACE, "Agent", "a"),
        derive(other, "Topic", "a"),
    }

    assert len(ids) == 5


@given(st.integers(min_value=1, max_value=2**40), st.integers(0, 10**6))
def test_ids_fit_a_database_s_integers(seq: int, ordinal: int) -> None:
    base = derive_run(WORKSPACE, seq, "Event", "a")

    assert 0 <= nth_id(base, ordinal) < 2**63
    assert 0 <= derive(WORKSPACE, "Event", seq) < 2**63


def test_rows_born_later_lie_behind_those_born_before() -> None:
    early, late = (derive_at(WORKSPACE, seq, "Event", "x") for seq in (1, 1000))

    assert early < late


def test_rows_born_together_are_all_different() -> None:
    base = derive_run(WORKSPACE, 7, "LogEntry", 1)

    assert len({nth_id(base, ordinal) for ordinal in range(100_000)}) == 100_000


def test_names_that_no_encoding_can_hold_have_ids() -> None:
    assert derive(WORKSPACE, "Topic", "lone \udfff")
