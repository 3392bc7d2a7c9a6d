"""The import rules of docs/architecture.md, checked on the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from django.apps import apps

ROOT = Path(__file__).parents[1]

#: From the bottom up. A module imports its own layer and those before it;
#: the first pattern that matches a module's name decides its layer.
LAYERS = {
    layer: patterns.split()
    for layer, patterns in {
        "pure": """
            memoryhub topics snapshots *.migrations* memoryhub.formats*
            memoryhub.compaction* memoryhub.files memoryhub.places memoryhub.identity
            memoryhub.hindrances memoryhub.terminal memoryhub.scopes
            memoryhub.additions memoryhub.drafts memoryhub.carrying
            memoryhub.replacing memoryhub.swapping memoryhub.version memoryhub.merging
            memoryhub.tokens memoryhub.limits
            memoryhub.rendering memoryhub.markdown_* memoryhub.diffing
            memoryhub.blame memoryhub.plots *_verbs *.rules*
            memoryhub.handoffs.graph* memoryhub.notices.webhook
            memoryhub.workspaces.ledger memoryhub.workspaces.ownership
            memoryhub.workspaces.packing memoryhub.workspaces.reading
            memoryhub.workspaces.verbs memoryhub.workspaces.follow_ups
            memoryhub.sync.plan memoryhub.sync.scan memoryhub.sync.preparing
            memoryhub.sync.garbage memoryhub.sync.landing
            memoryhub.search.parser memoryhub.search.chunking
            memoryhub.search.ranking memoryhub.search.words
            memoryhub.refusal_shape memoryhub.errors
            memoryhub.json_bounds memoryhub.budgets
            memoryhub.search.porter memoryhub.search.places
            memoryhub.search.index_blocks
        """,
        "models": "*.models memoryhub.sealing memoryhub.forgetting.fields",
        "mapping": """
            memoryhub.workspaces.importing memoryhub.workspaces.signals
            *.importers* *.exporters* *.queries* snapshots.recall*
            memoryhub.workspaces.sql
            memoryhub.workspaces.rows memoryhub.workspaces.spans
            memoryhub.workspaces.changes memoryhub.workspaces.entities
            memoryhub.workspaces.journal memoryhub.workspaces.problems
            memoryhub.workspaces.versions memoryhub.workspaces.kept
            memoryhub.workspaces.tombstones
            memoryhub.search.index memoryhub.search.store
            memoryhub.search.lookup memoryhub.search.terms
            memoryhub.search.scopes memoryhub.search.things
            memoryhub.search.jumps memoryhub.search.spelling
            memoryhub.search.results memoryhub.search.texts
        """,
        "engine": """
            memoryhub.sync* memoryhub.schema memoryhub.backups* memoryhub.founding
            memoryhub.data_folder memoryhub.secret_key memoryhub.read_only
            memoryhub.durability
            memoryhub.repair*
        """,
        "services": """
            *.services* memoryhub.people.policy memoryhub.people.marks
            memoryhub.people.passing memoryhub.people.access
            memoryhub.people.callers
            memoryhub.people.loopback memoryhub.people.sites
            memoryhub.jobs.worker memoryhub.jobs.local_work
            memoryhub.tools*
        """,
        "interfaces": """
            *.views* *.pages* *.forms *.middleware *.templatetags*
            memoryhub.http memoryhub.masking memoryhub.sheets
            memoryhub.wording* memoryhub.hindrance_wording memoryhub.live
            memoryhub.management* memoryhub.api* memoryhub.mcp* memoryhub.hooks*
            memoryhub.refusals memoryhub.addresses memoryhub.answers
            memoryhub.moments memoryhub.figures memoryhub.notices.teller
            memoryhub.search.commands memoryhub.serving.connections
        """,
        "assembly": "*",
    }.items()
}
PURE = 0
MODELS = list(LAYERS).index("models")
ENGINE = list(LAYERS).index("engine")

#: These never import each other: what two of them need lives a layer below.
SIBLINGS = ("memoryhub.api", "memoryhub.mcp", "memoryhub.hooks")

#: Packages whose tables an app's foreign keys may point to.
POINTS_TO = {
    "people": {"people", "workspaces"},
    "workspaces": {"workspaces"},
    "topics": {"topics", "workspaces"},
    "snapshots": {"snapshots", "topics", "workspaces"},
    "handoffs": {"handoffs", "snapshots", "topics", "workspaces"},
    "timeline": {"timeline", "topics", "workspaces"},
    "tools": {"tools", "workspaces"},
    "notices": {"notices", "workspaces"},
    "forgetting": {"forgetting", "workspaces"},
}

#: Below the engine only these touch the disk.
DISK_LAYER = {
    "memoryhub.carrying",
    "memoryhub.drafts",
    "memoryhub.files",
    "memoryhub.places",
    "memoryhub.replacing",
    "memoryhub.swapping",
}

#: What would let a module touch a workspace's disk.
DISK_MODULES = {"os", "shutil", "tempfile", "glob", "fcntl"}


def layer_of(module: str) -> int:
    for level, patterns in enumerate(LAYERS.values()):
        if any(fnmatchcase(module, pattern) for pattern in patterns):
            return level
    raise LookupError(module)


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
            if target in modules:
                yield module, target


def test_imports_point_down_the_layers() -> None:
    upward = {
        f"{module} imports {target}"
        for module, target in project_imports()
        if layer_of(target) > layer_of(module)
    }

    assert not upward


def test_rules_and_tables_look_to_the_left_alone() -> None:
    order = ["workspaces", "topics", "snapshots", "handoffs", "timeline"]

    def place(module: str) -> int:
        package = module.removeprefix("memoryhub.").partition(".")[0]
        return order.index(package) if package in order else -1

    to_the_right = {
        f"{module} imports {target}"
        for module, target in project_imports()
        if place(target) > place(module) >= 0 and layer_of(module) <= MODELS
    }

    assert not to_the_right


def test_the_pure_layer_is_free_of_django() -> None:
    impure = {
        module
        for module, path in source_modules().items()
        if layer_of(module) == PURE and ".migrations" not in module
        for name in imported_names(path)
        if name.partition(".")[0] == "django"
    }

    assert not impure


def test_the_interfaces_do_not_import_each_other() -> None:
    for edge in project_imports():
        touched = {s for s in SIBLINGS for name in edge if f"{name}.".startswith(s)}

        assert len(touched) <= 1, edge


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


def test_only_the_engine_and_files_touch_the_disk() -> None:
    touching = {
        module
        for module, path in source_modules().items()
        if layer_of(module) < ENGINE
        and module not in DISK_LAYER
        and not module.startswith("memoryhub.sync.")
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


def test_no_module_is_longer_than_400_lines() -> None:
    long = {
        module
        for module, path in source_modules().items()
        if path.read_bytes().count(b"\n") > 400
    }

    assert not long
