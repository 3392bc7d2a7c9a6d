from __future__ import annotations

import pytest

from memoryhub.compaction.flush import parse_version, snippet_for
from memoryhub.formats.base import FormatError


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
    with pytest.raises(FormatError, match="config-key-unknown"):
        flush_of(version, capture_prompt=True)
    assert set(flush_of(version)) == {"enabled", "softThresholdTokens"}


@pytest.mark.parametrize("version", ["", "latest", "2026.13.1", "1.2.3", "2026.9.6\0"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(FormatError, match="version-unknown"):
        parse_version(version)


def test_the_program_has_the_name_it_had() -> None:
    assert str(parse_version("2026.1.24")) == "Clawdbot 2026.1.24"
    assert str(parse_version("openclaw@2026.1.29")) == "OpenClaw 2026.1.29"
