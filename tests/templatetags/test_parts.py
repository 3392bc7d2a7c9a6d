"""Small parts of rows."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from memoryhub.web.templatetags.parts import monogram_of, row_of, spoken
from memoryhub.web.topics.sessions import UnassignedRow


@pytest.mark.parametrize(
    "html",
    [
        "<p>配送费按距离计算，免邮门槛 99 元。</p>",
        "<p>修复 webhook 重试：失败后等待再试</p>",
    ],
)
def test_chinese_text_says_so(html: str) -> None:
    assert spoken(html) == ' lang="zh"'


@pytest.mark.parametrize(
    "html",
    [
        "<p>Delivery fees</p>",
        "<p>Said 存一下 in an English sentence that goes on for quite a while.</p>",
        "<p>データベースの接続数は三十二までとする決定事項です</p>",
        "",
        None,
    ],
)
def test_other_text_does_not(html: str | None) -> None:
    assert spoken(html) == ""


@pytest.mark.parametrize(
    ("name", "letters"), [("builder", "Bu"), ("a", "A"), ("审查员", "审"), ("--", "?")]
)
def test_a_monogram_fits_its_square(name: str, letters: str) -> None:
    assert monogram_of(name) == letters


def test_a_row_is_made_once_for_each_language() -> None:
    row = UnassignedRow("One & two", "/one/", "a.md:1", "/a/", "08:00", "", "api")
    name = "topics/_unassigned_row.html"

    first = row_of(name, row)
    with override("zh-hans"):
        other = row_of(name, row._replace())

    assert "One &amp; two" in first and "no agent" in first
    assert "One &amp; two" in other and "no agent" not in other
    assert row_of(name, row._replace()) is first
