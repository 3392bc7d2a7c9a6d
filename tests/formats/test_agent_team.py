from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.agent_team import (
    messages_like,
    parse,
    with_message,
    without_message,
)
from memoryhub.dialects.facts import Agent, Document
from memoryhub.dialects.registry import detect
from memoryhub.formats.base import FormatError, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/agent_team/samples"
PIECES = st.sampled_from(
    [
        *('[{"from":"a","text":"b"}', "]", ",", "{", "}", '"subject":"a"', "\n", " "),
        *('"blockedBy":[1,null]', '"members":[{"name":"a"}]', '"status":"pending"'),
        *('"timestamp":"2026-05-01T08:00:00Z"', "null", "1e9999", '"', "\\ud800"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_text("utf-8"))


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        *("[", "[]", "[null, 7, [1]]", '[{"text": 7}]', '{"subject": 7}', "7", ""),
        *('{"members": {"a": 1}}', '{"members": [{"name": 7}]}', "[" * 100_000),
        '{"subject": "a", "blockedBy": {"b": 1}, "owner": null}',
    ],
)
def test_odd_values_are_left_out(text: str) -> None:
    read = parse(text)

    assert not read.parts
    assert not read.told


def test_a_task_is_an_item_of_its_owner() -> None:
    task = sample("1.json")

    (item,) = task.statements().open_items
    assert (item.text, item.done) == ("Paint the buoys (blocked by 2, 3)", False)
    assert item.lines == Lines(1, 10)
    assert (task.title, task.authors) == ("Paint the buoys", ("painter",))


def test_a_team_has_members() -> None:
    assert sample("config.json").told == (
        Agent("team-lead", Lines(1, 1), "lead"),
        Agent("painter", Lines(1, 1), "general-purpose"),
    )


def test_messages_of_agents_are_entries() -> None:
    first, second = sample("team-lead.json").parts

    assert first.title == "painter: Buoys painted"
    assert first.excerpt == "Three buoys are red.\nThe fourth leaks."
    assert (first.agent, first.lines) == ("painter", Lines(2, 8))
    assert second.title == "pilot: Is the [pier] free? I come at noon"
    assert second.lines == Lines(10, 10)
    assert second.time.at is not None


def test_invalid_json_is_a_problem() -> None:
    (problem,) = parse('{"subject": "a",\n oops').problems

    assert (problem.code, problem.line) == ("json-invalid", 2)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (".claude/tasks/a/1.json", '{"subject": "a", "status": "b"}', "agent_team"),
        ("a/12.json", '{"subject": "a", "status": "b"}', "agent_team"),
        (".claude/teams/a/inboxes/b.json", "[]", "agent_team"),
        (".claude/teams/a/config.json", '{"name": "a", "members": []}', "agent_team"),
        (".claude/settings.json", '{"name": "a", "members": []}', "plain"),
        ("memory/1.json", '{"mood": "b"}', "plain"),
        ("memory/a.json", '{"subject": "a", "status": "b"}', "plain"),
    ],
)
def test_name_and_keys_tell_it(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


SAID = {"from": "miller", "text": "Flour", "summary": "Flour", "timestamp": "x"}
JSON = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["from", "text", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=4), st.sampled_from([None, 0, 1, "\t"]), st.text(" \n"))
def test_a_message_is_added_behind_all_and_taken_out_again(
    held: list[object], indent: int | str | None, around: str
) -> None:
    text = around + json.dumps(held, indent=indent, ensure_ascii=False) + around

    after = with_message(text, SAID)

    assert json.loads(after) == [*held, {**SAID, "type": "message", "read": False}]
    assert messages_like(after, SAID) == 1 + messages_like(text, SAID)
    back = without_message(after, SAID)
    assert json.loads(back) == held
    assert not held or indent is None or back.rstrip() == text.rstrip()


@pytest.mark.parametrize("text", ["{}", "[", '"[]"', "[1,]", "\0"])
def test_no_message_is_added_to_what_is_no_array(text: str) -> None:
    with pytest.raises(FormatError, match=r"^json-invalid"):
        with_message(text, SAID)
    assert json.loads(with_message("\ufeff \n", SAID).lstrip("\ufeff"))
