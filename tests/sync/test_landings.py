"""Whether a write landed, by the versions before and after it and the file now."""

from __future__ import annotations

import pytest

from memoryhub.disk.landing import Landing, landing_of

Versions = tuple[bytes | None, bytes | None, bytes | None]

LOG, ADDED = b"# Log\n", b"# Log\n- ours\n"
HALF, DONE = b"a\nHalf.\nz\n", b"a\nDone.\nz\n"


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        ((LOG, ADDED, ADDED), LOG),
        ((LOG, ADDED, b"# Log\n- theirs\n- ours\n"), b"# Log\n- theirs\n"),
        ((LOG, ADDED, b"# Log\n- theirs\n- ours\n- late\n"), b"# Log\n- theirs\n"),
        ((None, b"- ours\n", b"- ours\n- late\n"), None),
        ((None, b"- ours\n", b"- theirs\n- ours\n"), b"- theirs\n"),
        ((LOG, None, None), LOG),
    ],
)
def test_an_addition_is_found_behind_what_others_wrote(
    versions: Versions, found: bytes | None
) -> None:
    before, after, now = versions

    landing = landing_of(before, after, now)

    assert landing is not None
    assert (landing.is_part, landing.found) == (False, found)
    if after is not None and now is not None:
        added = after.removeprefix(before or b"")
        assert landing.written == (found or b"") + added


@pytest.mark.parametrize(
    "versions",
    [
        (LOG, ADDED, LOG),
        (LOG, ADDED, b"# Log\n- theirs\n"),
        (None, b"- ours\n", b"- ou"),
        (None, b"- ours\n", None),
        (HALF, DONE, HALF),
        (LOG, ADDED, b"# New\n- theirs\n"),
        (b"# Log\n- ours\n", b"# Log\n- ours\n- ours\n", b"# New\n- ours\n"),
    ],
)
def test_a_file_without_the_change_is_unwritten(versions: Versions) -> None:
    assert landing_of(*versions) is None


@pytest.mark.parametrize(
    ("now", "found", "whole"),
    [
        (b"# Log\n- ou", LOG, ADDED),
        (b"# Log\n- ou- late\n", b"# Log\n- late\n", b"# Log\n- ours\n- late\n"),
    ],
)
def test_half_an_addition_is_to_be_completed(
    now: bytes, found: bytes, whole: bytes
) -> None:
    note = b"- ou" + b"r" * 4096 + b"s\n"
    cut = 4096 - len(LOG)
    now = now.replace(b"- ou", note[:cut])

    landing = landing_of(LOG, LOG + note, now)

    assert landing is not None and landing.is_part
    assert landing.found == found
    assert landing.written == whole.replace(b"- ours\n", note)


@pytest.mark.parametrize(
    "now",
    [
        b"a\nDone.\nz\n- late\n",
        b"- early\na\nDone.\n",
        b"a\nDone.\nz\nDone.\n",
        b"  Done.  \r\nz\n",
    ],
)
def test_a_changed_line_counts_wherever_it_is_now(now: bytes) -> None:
    assert landing_of(HALF, DONE, now) == Landing(HALF, DONE)


@pytest.mark.parametrize(
    "versions",
    [
        (HALF, DONE, None),
        (HALF, None, DONE),
        (HALF, DONE, b"a\nBegun.\nz\n"),
        (HALF, DONE, b"a\nHalf.\nDone.\nz\n"),
        (HALF, b"z\nHalf.\na\n", b"b\n"),
        (HALF, b"a\nDone.\nDone.\nz\n", DONE),
    ],
)
def test_a_file_that_says_something_else_leaves_it_open(versions: Versions) -> None:
    assert landing_of(*versions) is None


@pytest.mark.parametrize("times", [1, 2])
def test_a_log_saved_anew_has_the_addition_if_it_has_more_of_it(times: int) -> None:
    before = b"# Log\n" + b"- again\n" * (times - 1)

    landing = landing_of(
        before, before + b"- again\n", b"# New\n" + b"- again\n" * times
    )

    assert landing == Landing(before, before + b"- again\n")
