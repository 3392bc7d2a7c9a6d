from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memoryhub.compaction.flush import (
    FORCED_BYTES,
    RESERVE_TOKENS,
    SOFT_TOKENS,
    Generation,
    flush_prompts,
    flush_reason,
    flush_threshold,
    parse_version,
    snippet_for,
)
from memoryhub.formats.base import FormatError

CLAWDBOT: Generation = "clawdbot"
OPENCLAW: Generation = "openclaw-9.6"
NOW = datetime(2026, 4, 8, 23, 27, tzinfo=UTC)


def threshold(generation: Generation, window: int = 200_000) -> int:
    return flush_threshold(generation, window, RESERVE_TOKENS, SOFT_TOKENS)


@pytest.mark.parametrize("generation", [CLAWDBOT, OPENCLAW])
def test_a_flush_is_due_from_the_threshold_on(generation: Generation) -> None:
    assert threshold(generation) == 176_000
    assert flush_reason(generation, 176_000, 176_000) == "tokens"
    assert flush_reason(generation, 176_000, 175_999) == "below"


def test_a_small_window_is_never_too_small_for_openclaw() -> None:
    assert threshold(CLAWDBOT, 16_000) == 0
    assert flush_reason(CLAWDBOT, 0, 9_000) == "no-room"
    assert threshold(OPENCLAW, 16_000) == 16_000 - 4_000 - 4_000
    assert threshold(OPENCLAW, 8_000) == 3_000


@pytest.mark.parametrize("generation", [CLAWDBOT, OPENCLAW])
def test_each_compaction_has_one_flush(generation: Generation) -> None:
    found = flush_reason(
        generation,
        176_000,
        176_000,
        is_flushed=True,
        transcript_bytes=FORCED_BYTES,
    )

    assert found == "flushed"


def test_a_long_transcript_forces_a_flush_in_openclaw_alone() -> None:
    long = FORCED_BYTES

    assert flush_reason(OPENCLAW, 9, None, transcript_bytes=long) == "transcript"
    assert flush_reason(CLAWDBOT, 9, None, transcript_bytes=long) == "unknown"


def test_what_cannot_be_written_is_not_flushed() -> None:
    found = flush_reason(OPENCLAW, 176_000, 176_000, is_writable=False)

    assert found == "not-writable"


def test_clawdbot_leaves_the_day_to_its_agent() -> None:
    prompt, _ = flush_prompts(CLAWDBOT, NOW)

    assert prompt == (
        "Pre-compaction memory flush. Store durable memories now (use"
        " memory/YYYY-MM-DD.md; create memory/ if needed). If nothing to store, reply"
        " with NO_REPLY."
    )


def test_openclaw_names_the_day_and_the_time() -> None:
    prompt, system = flush_prompts(OPENCLAW, NOW.astimezone(ZoneInfo("Asia/Shanghai")))

    assert "memories only in memory/2026-04-09.md" in prompt
    assert "(e.g., 2026-04-09-HHMM.md)" in prompt
    assert prompt.endswith(
        "\nCurrent time: Thursday, April 9th, 2026 - 7:27 AM (Asia/Shanghai)"
        "\nReference UTC: 2026-04-08 23:27 UTC"
    )
    assert "YYYY" not in prompt + system


def flush_of(version: str, *, capture_prompt: bool = False) -> dict[str, object]:
    parsed = parse_version(version)
    config, _ = snippet_for(parsed, capture_prompt=capture_prompt)
    found: dict[str, object] = config["agents"]["defaults"]["compaction"]["memoryFlush"]
    return found


def test_openclaw_of_today_is_given_what_it_knows() -> None:
    version = parse_version("2026.9.6")
    config, left_out = snippet_for(version, ("--workspace", "acme"))

    assert config["memory"] == {"search": {"provider": "none"}}
    server = {"command": "memoryhub", "args": ["mcp", "--workspace", "acme"]}
    assert config["mcp"] == {"servers": {"memoryhub": server}}
    assert not left_out


def test_clawdbot_is_told_nothing_it_would_reject() -> None:
    config, left_out = snippet_for(parse_version("2026.1.24"))

    assert set(config) == {"agents"}
    assert len(left_out) == 2


@pytest.mark.parametrize("version", ["2026.1.24", "v2026.3.7", "2026.6.10-beta.1"])
def test_older_versions_take_the_prompts_of_big_memory(version: str) -> None:
    flush = flush_of(version, capture_prompt=True)

    assert "BIG-MEMORY-SNAPSHOT" in str(flush["prompt"])
    assert "NO_REPLY" in str(flush["prompt"])


@pytest.mark.parametrize("version", ["2026.7", "2026.9.6", "2027.1.1"])
def test_newer_versions_reject_them(version: str) -> None:
    with pytest.raises(FormatError, match=r"^config-key-unknown"):
        flush_of(version, capture_prompt=True)
    assert set(flush_of(version)) == {"enabled", "softThresholdTokens"}


@pytest.mark.parametrize("version", ["", "latest", "2026.13.1", "1.2.3", "2026.9.6\0"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(FormatError, match=r"^version-unknown"):
        parse_version(version)


def test_the_program_has_the_name_it_had() -> None:
    assert str(parse_version("2026.1.24")) == "Clawdbot 2026.1.24"
    assert str(parse_version("openclaw@2026.1.29")) == "OpenClaw 2026.1.29"
