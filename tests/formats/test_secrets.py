from __future__ import annotations

import pytest

from memoryhub.formats.secrets import MASK
from memoryhub.formats.secrets.detection import (
    find_secrets,
    lines_of_secrets,
    masked,
)
from tests.formats.secret_examples import examples, scored
from tests.growth import assert_ends, assert_in_proportion

KEY = "sk-proj-" + "a1B2" * 8


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("**Root password:** hunter2!x here", "hunter2!x"),
        ("- **API key**: `abcd1234efgh`", "abcd1234efgh"),
        ("api_key = 'zz99-zz99-zz99'", "zz99-zz99-zz99"),
        ("密码：pa55word!", "pa55word!"),
        (f"mem0: m0-{'aB3x' * 8}", f"m0-{'aB3x' * 8}"),
        ("`.boiler_key` = `Xk9!trsw@q` — local-only", "Xk9!trsw@q"),
        ("gateway token: `harbor-lantern-seven-moss`", "harbor-lantern-seven-moss"),
        (f"export OPENAI_API_KEY={KEY}", KEY),
        ("use ghp_" + "A1b2C3d4" * 5, "ghp_" + "A1b2C3d4" * 5),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("bot 123456789:AA" + "x" * 33, "123456789:AA" + "x" * 33),
        ("postgres://app:s3cr3t@db/acme", "s3cr3t"),
        (
            "eyJhbGciOiJI.eyJzdWIiOiI.c2lnbmF0dXJl",
            "eyJhbGciOiJI.eyJzdWIiOiI.c2lnbmF0dXJl",
        ),
    ],
)
def test_it_finds_what_looks_like_a_secret(text: str, secret: str) -> None:
    found = [text[start:end] for start, end in find_secrets(text)]

    assert found == [secret]
    assert masked(text) == (text.replace(secret, MASK), 1)


@pytest.mark.parametrize(
    "text",
    [
        "Token estimate: ~121k (prepare at 120k)",
        "password: $DB_PASSWORD",
        "token: <your-token-here>",
        "api key: your-key-1234",
        "Session tokens need upstream v2.1",
        "token: see-the-page-of-tokens.md",
        "cache_key: user:42:4f2ab7",
        "sort_key = created_at2",
        "The secret: nobody knows it",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "password: xxxxxxxxxx",
        # Rows of a page stand apart: only the first is a heading.
        "| name |\n\n| change_password |\n\n| change-name |\n",
        "postgres://postgres:test@localhost:5432/app",
        "session started with model=claude-3-5-sonnet-20241022",
        "令牌：每30天轮换一次",
        "SSID: Lakehouse2024",
        "Backup: 20260131, keeping seven",
        "`key-rotation-ed25519-hosts`",
    ],
)
def test_it_leaves_plain_language_alone(text: str) -> None:
    assert masked(text) == (text, 0)


@pytest.mark.parametrize("name", ["tuned.txt", "unseen.txt"])
def test_nearly_all_secrets_are_found_and_little_else(name: str) -> None:
    score = scored(examples(name), find_secrets)

    assert score.recall >= 0.95, score.missed
    assert score.precision >= 0.90, score.mistaken


def test_there_are_three_hundred_examples_and_a_third_is_unseen() -> None:
    tuned, unseen = examples("tuned.txt"), examples("unseen.txt")

    assert len(tuned) + len(unseen) >= 300
    assert len(unseen) >= 100
    assert not {each.text for each in tuned} & {each.text for each in unseen}


@pytest.mark.parametrize("text", ["Zürich ", "密码 ", "İstanbul ", "\ud800 "])
def test_offsets_are_those_of_characters(text: str) -> None:
    found = find_secrets(f"{text}use ghp_{'A1b2C3d4' * 5}\n{text}password: hunter2x!9")

    assert [
        f"{text}use ghp_{'A1b2C3d4' * 5}\n{text}password: hunter2x!9"[s:e]
        for s, e in found
    ] == ["ghp_" + "A1b2C3d4" * 5, "hunter2x!9"]


def test_lines_of_secrets_are_found_in_a_text_that_grows() -> None:
    text = "".join(f"## {n}\nNothing of note.\n\n" for n in range(3000))
    for line in (f"use ghp_{'A1b2C3d4' * 5}\n", "password: hunter2x!9\n"):
        text += f"{line}\nMore.\n"
        last = text.count("\n", 0, text.rindex(line)) + 1
        assert lines_of_secrets(text)[-1] == (last, last)

    assert len(lines_of_secrets(text)) == 2
    assert lines_of_secrets(f"\n{text}") == [
        (first + 1, last + 1) for first, last in lines_of_secrets(text)
    ]


def test_a_private_key_is_masked_in_each_of_its_lines() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----"

    text, count = masked(f"one\n{block}\ntwo\n")

    assert text == "one\n" + f"{MASK}\n" * 4 + "two\n"
    assert count == 1


@pytest.mark.parametrize(
    "text",
    [
        "password" * 60_000,
        "token: " * 60_000,
        "-----BEGIN PRIVATE KEY-----" * 9000,
        "a://b:" * 60_000,
        "eyJ" + "a" * 400_000,
        "password" + "*" * 400_000,
        "| password |\n" * 20_000,
        "| password |\n\n" * 20_000,
        "cookie: a=b; " * 30_000,
        "seed phrase " + "abandon " * 50_000,
        "curl -u " * 50_000,
        "Authorization: Bearer " * 20_000,
        "recovery codes\n" + " " * 100_000 + "!",
    ],
    ids=lambda text: text[:20],
)
def test_a_large_text_takes_no_square_time(text: str) -> None:
    assert_in_proportion(lambda size: masked(text[:size]), len(text) // 16)
    assert_ends(lambda: masked(text * 2))
