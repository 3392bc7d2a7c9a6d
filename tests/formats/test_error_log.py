from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.error_log import errors_in, matches, text_with_error
from memoryhub.formats.base import FormatError, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/error_log/samples"
PIECES = st.sampled_from(["- ", "2026-01-02", ": ", "enoent", "\n", "\r\n", "```", "#"])
TEXTS = st.lists(PIECES | st.text(max_size=4)).map("".join)


@pytest.mark.parametrize("name", ["errors.md", "crlf.md"])
def test_it_reads_one_error_a_line(name: str) -> None:
    errors = errors_in((CORPUS / name).read_bytes().decode())

    assert [(e.kind, e.lines.first) for e in errors] == [
        ("PermissionDenied", 3),
        ("FileNotFound", 4),
        ("mismatch", 5),
        ("compaction", 6),
        ("", 12),
        ("PermissionDenied", 13),
    ]
    assert [e.date.day for e in errors if e.date] == [2, 3, 4]
    assert errors[0].text == "2026-11-02: PermissionDenied on /srv/secrets/key.pem"
    assert errors[1].date == datetime.date(2026, 11, 3)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("EACCES: permission Denied", "PermissionDenied"),
        ("PermissionDenied on key.pem", "PermissionDenied"),
        ("open failed: ENOENT", "FileNotFound"),
        ("No such file or directory", "FileNotFound"),
        ("version differs from the lock file", "mismatch"),
        ("checksum does not match", "mismatch"),
        ("Compaction was too late", "compaction"),
        ("L2: no summary", "compaction"),
        ("x" * 980 + " mismatch", "mismatch"),
        ("x" * 999 + " mismatch", ""),
        ("timeout", ""),
    ],
)
def test_an_error_has_the_kind_of_its_words(text: str, kind: str) -> None:
    assert [one.kind for one in errors_in(f"+ {text}\n")] == [kind]


def test_headings_rules_comments_tables_and_fences_are_no_errors() -> None:
    text = (
        "# Errors\n---\n<!-- old -->\n| a |\n \n  1) 2026-13-01: a\n"
        "```\nb\n```\n\\- c\n"
    )

    assert [(one.text, one.date, one.lines) for one in errors_in(text)] == [
        ("2026-13-01: a", None, Lines(6, 6)),
        ("\\- c", None, Lines(10, 10)),
    ]


@given(TEXTS)
def test_a_new_error_is_the_last_line(text: str) -> None:
    edited = text_with_error(text, "2026-11-05: L2 failed")

    assert edited.startswith(text)
    assert edited.rstrip().endswith("- 2026-11-05: L2 failed")


def test_an_error_of_two_lines_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^value-has-newline"):
        text_with_error("", "a\nb")
    assert text_with_error("# E", " a ") == "# E\n- a\n"


def test_it_matches_by_name() -> None:
    assert matches(PurePosixPath("memories/errors.md"), "")
    assert matches(PurePosixPath("Error-Log.md"), "")
    assert not matches(PurePosixPath("memories/error.md"), "")


def test_a_large_log_is_read() -> None:
    assert len(errors_in("- a\n" * 100_000 + "x" * 200_000)) == 100_001
    assert errors_in("a")[0].lines == Lines(1, 1)
