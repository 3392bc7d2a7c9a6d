"""Nothing that people can use is without its page."""

from __future__ import annotations

import re
from argparse import SUPPRESS
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, get_resolver

from memoryhub.accounts.services.persons import TEAM_URLS
from memoryhub.api.application import api
from memoryhub.cli import COMMANDS
from memoryhub.dialects.registry import DIALECTS
from memoryhub.management.command import HubCommand
from memoryhub.tools.registry import TOOLS

ROOT = Path(__file__).parents[1]
OWN = sorted(
    name.replace("_", "-") for name, app in get_commands().items() if app == "memoryhub"
)
PAGES = ["README.md"]
PAGES += [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")]
PAGES += [str(p.relative_to(ROOT)) for p in ROOT.glob("memoryhub/dialects/*/manual.md")]
_SETTING = re.compile(r'"(MEMORYHUB_[A-Z_]+)"')


def headings(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def command(name: str) -> HubCommand:
    found = load_command_class("memoryhub", name.replace("-", "_"))
    assert isinstance(found, HubCommand)
    return found


def test_the_overview_lists_every_command() -> None:
    assert sorted(COMMANDS) == sorted([*OWN, "hook"])


@pytest.mark.parametrize("name", OWN)
def test_every_command_has_a_heading_and_its_example(name: str) -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")

    assert name in headings("cli.md")
    assert f"\n    memoryhub {name} " in page or f"\n    memoryhub {name}\n" in page


@pytest.mark.parametrize("name", OWN)
def test_every_command_has_help_and_an_example(name: str) -> None:
    found = command(name)

    assert found.help.endswith(".")
    assert found.example.startswith(f"memoryhub {name}")


@pytest.mark.parametrize("name", OWN)
def test_every_option_has_help_and_stands_on_the_page(name: str) -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
    general = page.split("\n## ")[0]
    parser = command(name).create_parser("memoryhub", name)
    django = {"-h", "-v", "--traceback"}
    for action in parser._actions:
        if action.help == SUPPRESS or django & set(action.option_strings):
            continue
        assert action.help, f"{action.dest} of {name}"
        for option in action.option_strings:
            assert option in section + general, f"{name} {option}"


def test_every_setting_has_a_heading() -> None:
    source = (ROOT / "memoryhub/settings.py").read_text(encoding="utf-8")
    names = set(_SETTING.findall(source))

    assert names
    assert names <= set(headings("settings.md"))


@pytest.mark.parametrize("name", [found.name for found in DIALECTS])
def test_every_format_has_a_page(name: str) -> None:
    assert headings(f"../memoryhub/dialects/{name}/manual.md")


def test_every_tool_has_a_heading_in_the_order_of_the_registry() -> None:
    pages = ("tools.md", "claims.md", "comments.md")
    named = [name for page in pages for name in headings(page)]
    described = [name for name in named if name in TOOLS]

    assert described == list(TOOLS)


def address_names() -> Iterator[str]:
    def below(patterns: list[Any]) -> Iterator[str]:
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                assert pattern.name, pattern
                yield pattern.name
            elif pattern.namespace not in ("api", "a2a"):
                yield from below(pattern.url_patterns)

    yield from below(get_resolver(TEAM_URLS).url_patterns)


def test_every_address_has_a_line_and_every_line_an_address() -> None:
    page = (ROOT / "docs/dashboard.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `([a-z_-]+)` \| .+ \| .+ \|$", page, re.MULTILINE)

    assert sorted(lines) == sorted(address_names())


def test_every_operation_of_the_api_has_a_line() -> None:
    page = (ROOT / "docs/rest.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `([a-z_]+)` \| .+ \| .+ \|$", page, re.MULTILINE)
    described = api.get_openapi_schema()["paths"].values()
    operations = [op["operationId"] for path in described for op in path.values()]

    assert sorted(lines) == sorted(n for n in operations if not n.startswith("tool_"))


def test_every_key_has_a_line() -> None:
    keys = (ROOT / "docs/dashboard.md").read_text(encoding="utf-8").split("## Keys")[1]
    templates = (ROOT / "templates").rglob("*.html")
    text = "".join(path.read_text(encoding="utf-8") for path in templates)

    assert all(f"`{key}`" in keys for key in re.findall(r'data-key="(\w)"', text))


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = re.sub(r"`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"))
    for target in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", text):
        assert ((ROOT / page).parent / target).exists(), target


def test_every_promise_of_security_names_tests_that_exist() -> None:
    tables = (ROOT / "docs/security.md").read_text(encoding="utf-8").split("\n\n")
    rows = [
        row
        for table in tables
        if re.match(r"\| .*\btest\b", table)
        for row in table.splitlines()[2:]
    ]
    modules = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}
    for row in rows:
        last = row.rstrip(" |").rpartition("|")[2]
        named = re.findall(r"`([\w/]+\.py)`", last)
        assert named or last.strip() == "the same", row
        assert all(((ROOT / n).is_file() or n in modules) for n in named), row
    assert len(rows) > 60
