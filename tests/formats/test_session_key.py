from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.openclaw.session_key import (
    SessionKey,
    find_session_keys,
    is_main,
    parse_session_key,
    unattended_run,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("agent:ops:discord:channel:99", ("ops", "discord", "channel", "99")),
        (
            "agent:main:telegram:direct:1:topic:2",
            ("main", "telegram", "direct", "1:topic:2"),
        ),
        ("agent:main:main", ("main", "", "main", "")),
        ("agent:main:telegram:+49 170/123", ("main", "telegram", "", "+49 170/123")),
        ("agent:main:subagent:9f", ("main", "", "subagent", "9f")),
        ("cron:nightly", ("", "", "cron", "nightly")),
        ("hook:1b2c", ("", "", "hook", "1b2c")),
        ("agent", ("", "", "", "")),
        ("something else", ("", "", "", "")),
    ],
)
def test_it_reads_the_parts(text: str, parts: tuple[str, str, str, str]) -> None:
    assert parse_session_key(text) == SessionKey(text, *parts)


@given(st.text(alphabet=st.sampled_from("agent:main cron/\n")))
def test_it_reads_any_text(text: str) -> None:
    assert parse_session_key(text).text == text


@pytest.mark.parametrize(
    ("key", "run"),
    [
        ("cron:nightly", "cron"),
        ("agent:main:cron:nightly", "cron"),
        ("agent:main:heartbeat", "heartbeat"),
        ("agent:main:main:heartbeat", "heartbeat"),
        ("agent:main:memory:1", "memory"),
        ("agent:main:main", ""),
        ("agent:main:discord:channel:memory", ""),
    ],
)
def test_a_key_tells_which_run_has_no_person(key: str, run: str) -> None:
    assert unattended_run(key) == run


def test_it_finds_keys_in_order_and_once() -> None:
    text = "Seen `agent:main:main`, agent:ops:discord:channel:9. Again agent:main:main!"

    assert find_session_keys(text) == ("agent:main:main", "agent:ops:discord:channel:9")


def test_a_labelled_key_may_hold_blanks() -> None:
    text = "- **session**: agent:main:telegram:+49 170/1\r\n- x"

    assert find_session_keys(text) == ("agent:main:telegram:+49 170/1",)


def test_a_long_line_of_labels_is_read() -> None:
    assert find_session_keys("- **s**: agent:a:b " * 20_000)[1:] == ("agent:a:b",)


@pytest.mark.parametrize(
    "text", ["", "agent: main", "user-agent:a:b", "agent:main", "agent:a: b"]
)
def test_it_finds_no_key_in_other_words(text: str) -> None:
    assert find_session_keys(text) == ()


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:main",
        "agent:ops:telegram:dm:1",
        "agent:main:telegram:direct:55500123",
        "agent:main:direct:55500123",
        "agent:main:telegram:work:direct:55500123",
        "agent:claude:claude-code:session:4c1f-77",
    ],
)
def test_a_main_session_is_an_agents_own_or_a_chat_with_one_person(key: str) -> None:
    assert is_main(key)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "public",
        "main",
        "cron:nightly",
        "hook:4c1f",
        "agent:main:cron:5",
        "agent:main:cron:direct",
        "agent:main:subagent:5",
        "agent:main:main:heartbeat",
        "agent:main:main:thread:9",
        "agent:main:slack:thread:1",
        "agent:main:slack:direct:1:thread:9",
        "agent:main:discord:channel:123456",
        "agent:main:telegram:Group:-100:topic:7",
        "agent:main:telegram:direct:",
    ],
)
def test_no_other_session_is_main(key: str) -> None:
    assert not is_main(key)
