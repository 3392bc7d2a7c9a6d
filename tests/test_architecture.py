"""The import rules of docs/architecture.md, checked on the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from django.apps import apps

ROOT = Path(__file__).parents[1]

#: Packages from the bottom up: each imports those before it.
ORDER = [
    "values",
    "disk",
    "prose",
    "formats",
    "dialects",
    "errors",
    "compaction",
    "audit",
    "journal",
    "backups",
    "database",
    "jobs",
    "people",
    "accounts",
    "events",
    "sync",
    "claims",
    "topics",
    "snapshots",
    "reviews",
    "handoffs",
    "comments",
    "search",
    "forgetting",
    "health",
    "recall",
    "notices",
    "discovery",
    "workspaces",
    "timeline",
    "exports",
    "repair",
    "tools",
    "web",
    "api",
    "a2a",
    "mcp",
    "hooks",
    "runtime",
]
#: Modules above all packages: they put the program together.
ASSEMBLY = [
    "__main__",
    "apps",
    "asgi",
    "cli",
    "environment",
    "management",
    "settings",
    "team_urls",
    "mail_server",
    "urls",
    "views",
    "wsgi",
]
#: The only imports upwards, with their reasons.
UPWARD = {
    ("topics", "snapshots"): "the state of a topic is that of its newest snapshot",
    ("topics", "handoffs"): "a topic's counts name its open handoffs",
}
#: Text in, values out: free of Django.
PURE = ("values", "disk", "prose", "formats", "dialects", "compaction", "discovery")
#: These never import each other: what two of them need lives below.
SIBLINGS = {"api", "a2a", "mcp", "hooks"}

#: Packages whose tables an app's foreign keys may point to.
POINTS_TO = {
    "audit": {"audit"},
    "people": {"people", "workspaces"},
    "accounts": {"accounts", "people", "workspaces"},
    "workspaces": {"workspaces"},
    "topics": {"topics", "workspaces"},
    "snapshots": {"snapshots", "topics", "workspaces"},
    "handoffs": {"handoffs", "snapshots", "topics", "workspaces"},
    "claims": {"claims", "workspaces"},
    "comments": {"comments", "workspaces"},
    "reviews": {"reviews", "workspaces"},
    "timeline": {"timeline", "topics", "workspaces"},
    "tools": {"tools", "workspaces"},
    "notices": {"notices", "people", "workspaces"},
    "forgetting": {"forgetting", "workspaces"},
}

#: Rows are a function of the journal: these packages never look at the disk.
ROWS_ALONE = (
    "formats",
    "dialects",
    "compaction",
    "journal",
    "events",
    "recall",
    "timeline",
)
DISK_MODULES = {"os", "shutil", "tempfile", "glob", "fcntl"}


@cache
def source_modules() -> dict[str, Path]:
    found = {}
    for package in ("memoryhub", "topics", "snapshots"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def package_of(module: str) -> str:
    """Return the top folder of a module; a module at the top is its own."""
    return module.removeprefix("memoryhub.").partition(".")[0]


def imports_in(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.walk(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child


def imported_names(path: Path) -> Iterator[str]:
    for node in imports_in(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def project_imports() -> Iterator[tuple[str, str]]:
    modules = source_modules()
    for module, path in modules.items():
        for name in imported_names(path):
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules and target != module:
                yield module, target


def test_packages_import_those_below_them() -> None:
    place = {name: number for number, name in enumerate([*ORDER, *ASSEMBLY])}
    place |= dict.fromkeys(ASSEMBLY, len(ORDER)) | {"memoryhub": -1}
    upward = {
        (package_of(module), package_of(target))
        for module, target in project_imports()
        if place[package_of(target)] > place[package_of(module)]
    }

    assert upward == set(UPWARD)


def test_no_imports_run_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module, target in project_imports():
        graph.setdefault(module, set()).add(target)

    TopologicalSorter(graph).prepare()


def test_pure_packages_are_free_of_django() -> None:
    impure = {
        module
        for module, path in source_modules().items()
        if package_of(module) in PURE or ".rules." in module
        for name in imported_names(path)
        if name.partition(".")[0] == "django"
    }

    assert not impure


def test_only_training_needs_numpy_to_read_prose() -> None:
    needing = {
        module
        for module, path in source_modules().items()
        if package_of(module) == "prose"
        for name in imported_names(path)
        if name.partition(".")[0] == "numpy"
    }
    users = {module for module, target in project_imports() if target in needing}

    assert needing == {"memoryhub.prose.fit"}
    assert users == {"memoryhub.prose.__main__"}


def test_the_doors_for_programs_do_not_import_each_other() -> None:
    for edge in project_imports():
        assert len(set(map(package_of, edge)) & SIBLINGS) <= 1, edge


def test_no_import_is_relative() -> None:
    relative = {
        path
        for path in source_modules().values()
        for node in imports_in(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.level
    }

    assert not relative


def test_no_function_imports_our_own_modules() -> None:
    for module, path in source_modules().items():
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for found in imports_in(node):
                names = [getattr(found, "module", None) or found.names[0].name]
                roots = {name.partition(".")[0] for name in names}
                hidden = roots & {"memoryhub", "topics", "snapshots"}
                # A hook is answered before Django and the formats are loaded.
                early = {"memoryhub.cli", "memoryhub.hooks.client"}
                assert not hidden or module in early, (module, node.name)


def test_foreign_keys_point_to_the_left() -> None:
    for label, allowed in POINTS_TO.items():
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.concrete_fields:
                if field.remote_field is not None:
                    target = field.remote_field.model._meta.app_label
                    assert target in allowed, f"{model.__name__}.{field.name}"


def test_rows_are_made_without_a_look_at_the_disk() -> None:
    touching = {
        module
        for module, path in source_modules().items()
        if package_of(module) in ROWS_ALONE or ".importers" in module
        for name in imported_names(path)
        if name.partition(".")[0] in DISK_MODULES or name == "pathlib.Path"
    }

    assert not touching


def test_every_module_says_what_it_holds() -> None:
    silent = {
        module
        for module, path in source_modules().items()
        if path.stat().st_size and ".migrations" not in module
        if not ast.get_docstring(tree_of(path))
    }

    assert not silent


def test_no_module_is_longer_than_800_lines() -> None:
    long = {
        module
        for module, path in source_modules().items()
        if path.read_bytes().count(b"\n") > 800
    }

    assert not long
