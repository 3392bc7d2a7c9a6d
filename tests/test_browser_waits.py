"""Tests in a browser wait after each act, because the page answers when it can."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"
TESTS = sorted(BROWSER.glob("test_*.py"))
#: What a page answers later.
ACTS = {
    "check", "click", "dispatch_event", "fill", "press_sequentially",
    "select_option", "set_input_files", "type", "uncheck",
}  # fmt: skip
#: Keys that only move the focus, at once.
MOVES = {"j", "k", "Tab"}
#: What is back when the page is there; and whatever is expected, `to_have_text`.
WAITS = {"goto", "go_back", "go_forward", "reload", "wait_for"}
#: What reads a page as it happens to be.
READS = {
    "all", "all_inner_texts", "all_text_contents", "bounding_box", "content", "count",
    "evaluate", "evaluate_all", "get_attribute", "inner_html", "inner_text",
    "input_value", "is_checked", "is_hidden", "is_visible", "text_content", "title",
    "url",
}  # fmt: skip

Functions = dict[str, ast.FunctionDef]


def functions_of(tree: ast.AST) -> Functions:
    return {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}


def steps(node: ast.AST, functions: Functions) -> Iterator[tuple[str, int]]:
    """Yield what is done, keys, waits and reads with their lines, in their order."""
    rounds = 2 if isinstance(node, ast.For | ast.While) else 1
    for child in [*ast.iter_child_nodes(node)] * rounds:
        if not isinstance(child, ast.FunctionDef):
            yield from steps(child, functions)
    if isinstance(node, ast.Attribute) and node.attr == "url":
        yield "read", node.lineno
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield _kind(node.func.attr, node.args), node.func.end_lineno or 0
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        called = functions.get(node.func.id)
        yield from steps(called, functions) if called else ()


def _kind(name: str, arguments: list[ast.expr]) -> str:
    if name == "press":
        key = arguments[-1]
        return "" if isinstance(key, ast.Constant) and key.value in MOVES else "key"
    if name.endswith("to_have_url"):
        return "address"
    if name in WAITS or name.startswith(("to_", "not_to_", "wait_for_")):
        return "wait"
    return "act" if name in ACTS else "read" if name in READS else ""


def too_early(source: str) -> set[int]:
    """Return the lines that read a page before what was done there can have shown.

    A page has its address before it has its scripts: a key is lost on it.
    """
    functions = functions_of(ast.parse(source))
    found = set()
    for function in functions.values():
        before = ""
        for kind, line in steps(function, functions):
            if (kind == "read" and before in ("act", "key")) or (
                kind == "key" and before == "address"
            ):
                found.add(line)
            elif kind not in ("", "read"):
                before = kind
    return found


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_a_page_is_read_after_what_was_done_there_has_shown(path: Path) -> None:
    early = too_early(path.read_text())

    assert not early


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("page.click('a')\n assert page.url", 3),
        ("expect(page).to_have_url('a')\n page.press('l')", 3),
        ("page.wait_for_url('a')\n page.press('l')", 0),
        ("page.press('r')\n a = page.locator('b').first.inner_text()", 3),
        ("page.click('a')\n expect(page).to_have_url('b')\n page.title()", 0),
        ("page.press('j')\n page.title()", 0),
        ("while page.locator('a').count():\n  page.press('x')", 2),
        ("page.click('a')\n seen(page)\n\ndef seen(page):\n page.title()", 6),
    ],
)
def test_a_read_that_comes_too_early_is_found(body: str, line: int) -> None:
    assert too_early(f"def test(page):\n {body}\n") == ({line} if line else set())


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_nothing_is_waited_for_by_the_clock(path: Path) -> None:
    names = {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("sleep", "wait_for_timeout")
        or any(given.arg == "timeout" for given in node.keywords)
    }
    assert not names
