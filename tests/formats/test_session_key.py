from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.openclaw.session_key import (
    SessionKey,
    find_session_keys,
    is_shared,
    is_skipped,
    parse_session_key,
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


def test_runs_without_a_person_are_skipped() -> None:
    assert is_skipped("cron:nightly")
    assert is_skipped("agent:main:cron:nightly")
    assert is_skipped("agent:main:heartbeat")
    assert is_skipped("agent:main:main:heartbeat")
    assert not is_skipped("agent:main:main")
    assert not is_skipped("agent:main:discord:channel:memory")


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
    ("key", "shared"),
    [
        ("agent:main:discord:channel:123456", True),
        ("agent:main:telegram:Group:-100:topic:7", True),
        ("agent:main:main", False),
        ("agent:main:telegram:456789", False),
        ("", False),
    ],
)
def test_groups_and_channels_are_shared(key: str, shared: bool) -> None:
    assert is_shared(key) is shared
