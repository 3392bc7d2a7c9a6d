from __future__ import annotations

import pytest

from memoryhub.recall.texts import NamedPaths, named_paths

THERE = {"MEMORY.md", "memory", "memory/today.md", "src/app.py"}
ROOT = "/srv/agents/acme"


def found(text: str, path: str = "memory/context-api.md") -> NamedPaths:
    return named_paths([(path, text)], ROOT, THERE.__contains__)


@pytest.mark.parametrize(
    "text",
    [
        "see `src/app.py:12`",
        "[log](today.md), [it](memory/today.md#top), [all](memory/)",
        "at /srv/agents/acme/src/app.py",
        "https://example.org/gone.md, [site](https://example.org), [me](mailto:a@b.c)",
        "and/or, 2026/11/20, v1.2",
    ],
)
def test_what_is_there_or_no_path_is_not_named(text: str) -> None:
    assert found(text) == NamedPaths()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("see src/old.py", "src/old.py"),
        ("[log](gone.md)", "gone.md"),
        ("`gone.md`", "gone.md"),
        ("at /srv/agents/acme/gone.md", "/srv/agents/acme/gone.md"),
        ("- **Plan** -> memory/plan.md", "memory/plan.md"),
    ],
)
def test_what_is_not_there_is_gone(text: str, path: str) -> None:
    assert found(text) == NamedPaths(gone=(path,))


@pytest.mark.parametrize(
    "path", ["/etc/app.conf", "~/notes/a.md", "/srv/agents/acme/../other/x.md"]
)
def test_what_is_outside_is_never_looked_for(path: str) -> None:
    assert found(f"see {path}") == NamedPaths(outside=(path,))


def test_a_thousand_paths_are_not_all_looked_for() -> None:
    text = "\n".join(f"see src/{number}.py" for number in range(1_000))

    assert len(found(text).gone) == 100
