from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.text.mentions import files_in

TEXT = """
Moved `src/billing/webhook.ts:333-336` to src/pay/hook.ts and back (commit 4f2a91c).
See memory/2026-03-01.md:12, `README.md`, `~/notes/plan.txt`, ../a/b.py and ./c/d.rs.
在src/中文之后 `文档/说明.md` 修改了config/app.yaml。 Again `README.md`.
https://docs.example.com/a.html?x=1), (https://en.example.org/Set_(type)) https://x.cn/页。
Fixed #212 and reverted `a1b2c3d4`. Key agent:main:main.
"""


def test_files_are_named_once_without_marks_or_line_numbers() -> None:
    assert files_in(TEXT) == (
        "src/billing/webhook.ts",
        "src/pay/hook.ts",
        "memory/2026-03-01.md",
        "README.md",
        "~/notes/plan.txt",
        "../a/b.py",
        "./c/d.rs",
        "文档/说明.md",
        "config/app.yaml",
    )


@pytest.mark.parametrize(
    "text",
    [
        "`os.path` `foo.bar()` `v1.2` `example.com` `run a.b`",
        "and/or, 24/7, http/1.1, v1.2/v1.3",
        "",
    ],
)
def test_what_only_looks_like_it_is_left(text: str) -> None:
    assert files_in(text) == ()


@given(st.text("ab1/.`#:@ \\-~(\n" + "页", max_size=200))
def test_any_text_may_be_searched(text: str) -> None:
    assert all(path in text for path in files_in(text))


@pytest.mark.parametrize(
    "part", ["a/", "a.", "a/a.", "`", "`a/", "#1", "a-", "~/", "https://", "C:\\", "()"]
)
def test_a_long_line_is_no_burden(part: str) -> None:
    files_in(part * 100_000)
