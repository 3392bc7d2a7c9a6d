"""Mutants of a module, made by mutmut's operators; each is one changed expression."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import libcst
from mutmut.mutation.file_mutation import Mutation, create_mutations

from tests.mutation.areas import ROOT

#: Name under which the running code reports that it comes to a mutant's statement.
REACHED = "mutant_reached"


@dataclass(frozen=True, eq=False)
class Mutant:
    """A change of one function; `draw` orders mutants at random by a seed."""

    path: str
    function: str
    draw: bytes
    module: libcst.Module
    mutation: Mutation

    @property
    def key(self) -> str:
        """The mutant's name among those of one seed."""
        return f"{self.path} {self.draw.hex()}"

    @cached_property
    def source(self) -> str:
        """The module's source with the change."""
        change = self.mutation
        changed = self.module.deep_replace(change.original_node, change.mutated_node)
        assert isinstance(changed, libcst.Module)
        return changed.code

    @cached_property
    def change(self) -> tuple[int, str, str]:
        """The first changed line, and the changed lines before and after."""
        old, new = self.module.code.splitlines(), self.source.splitlines()
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        changed = [block for block in blocks if block[0] != "equal"]
        first = min(block[1] for block in changed)
        before = [line for block in changed for line in old[block[1] : block[2]]]
        after = [line for block in changed for line in new[block[3] : block[4]]]
        return first + 1, _joined(before), _joined(after)

    def code(self) -> CodeType | None:
        """Return the function's changed code; None if it is the same."""
        found = _code_of(
            compile(self.source, self.path, "exec", dont_inherit=True), self.function
        )
        return None if found == self.live().__code__ else found

    def live(self) -> FunctionType:
        """Return the function of the running program."""
        return _live(self.path, self.function)


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def mutants_of(path: Path, seed: int) -> Iterator[Mutant]:
    """Yield all mutants of a module's functions."""
    name = path.relative_to(ROOT).as_posix()
    module, mutations, *_ = create_mutations(name, path.read_text())
    functions = dict(_functions(module))
    numbers: Counter[str] = Counter()
    for mutation in mutations:
        owner = mutation.contained_by_top_level_function
        if owner is not None and (function := functions.get(id(owner))):
            numbers[function] += 1
            drawn = f"{seed} {function} {numbers[function]}"
            draw = sha256(drawn.encode()).digest()
            yield Mutant(name, function, draw, module, mutation)


def _functions(module: libcst.Module) -> Iterator[tuple[int, str]]:
    for node in module.body:
        if isinstance(node, libcst.FunctionDef):
            yield id(node), node.name.value
        elif isinstance(node, libcst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, libcst.FunctionDef):
                    yield id(inner), f"{node.name.value}.{inner.name.value}"


def _code_of(code: CodeType, function: str) -> CodeType:
    """Return the code object of a function inside that of its module."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    for one in inner:
        if one.co_qualname == function:
            return one
        if function.startswith(f"{one.co_qualname}."):
            return _code_of(one, function)
    raise LookupError(function)


def _live(path: str, function: str) -> FunctionType:
    found: Any = __import__(path.removesuffix(".py").replace("/", "."), fromlist=["_"])
    for name in function.split("."):
        found = vars(found)[name]
    found = getattr(found, "__func__", found)
    assert isinstance(found, FunctionType), function
    return found


def traced(mutants: Sequence[tuple[int, Mutant]]) -> dict[str, CodeType]:
    """Return the code of one module's functions that reports statements by number."""
    path = mutants[0][1].path
    tree = ast.parse((ROOT / path).read_text())
    for number, mutant in mutants:
        body, place = _statement(tree, mutant.change[0])
        body.insert(place, ast.parse(f"{REACHED}({number})").body[0])
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return {m.function: _code_of(code, m.function) for _, m in mutants}


def _statement(tree: ast.Module, line: int) -> tuple[list[ast.stmt], int]:
    """Return the body and the position of the innermost statement at a line."""
    found: tuple[list[ast.stmt], int] = tree.body, 0
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            statements: list[ast.stmt] = body if isinstance(body, list) else []
            for place, one in enumerate(statements):
                if one.lineno <= line <= (one.end_lineno or one.lineno):
                    found = statements, place
    return found
