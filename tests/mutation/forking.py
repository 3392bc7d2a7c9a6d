"""A pytest session that runs all tests once, then each mutant in a fork of itself.

A fork starts in milliseconds with everything imported and migrated. It runs only the
tests that come to the mutant's statement, the quickest first, until one fails.
"""

from __future__ import annotations

import builtins
import functools
import gc
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import groupby, islice
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.runner import runtestprotocol
from django.core.cache import cache
from django.db import connections

from memoryhub.journal.prepared import Prepared
from tests.mutation.mutants import REACHED, Mutant, traced

#: CPU seconds of tests for one mutant; what is not run then counts as not noticing.
_MOST_SECONDS = 60.0
#: A mutant's fork is ended after as many times the CPU time of its tests, and more.
_TIMES, _MORE = 10, 10
#: It is ended after this time too, and as many times its CPU time on top, however busy
#: the machine is: it may wait for something that never comes.
_WALL_SECONDS, _WALL_TIMES = 600, 50
_MEMORY = 4 << 30
#: Exit code of a fork in which a test failed.
_KILLED = 9
_PRODUCT = ("memoryhub.", "topics.", "snapshots.")

#: Called with each mutant and what became of it.
Tell = Callable[[Mutant, str], None]


class Forking:
    """Pytest plugin in place of the run of tests."""

    def __init__(
        self, drawn: Iterable[Mutant], sample: int, place: Path, tell: Tell
    ) -> None:
        self._drawn, self._sample, self._tell = drawn, sample, tell
        self._mutants: list[Mutant] = []
        self._place = place
        self._databases: list[dict[str, Any]] = []
        self._reached: set[int] = set()
        self._seconds: dict[pytest.Item, float] = {}
        self._tests: dict[int, list[pytest.Item]] = defaultdict(list)
        #: Tests that fail without any mutant; they are not run again.
        self.failing: list[str] = []
        #: What became of each mutant: killed, slow, survived or unreached.
        self.fates: dict[Mutant, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Draw the same examples each time; `tests/conftest.py` was read by now."""
        import hypothesis  # pytest has to import plugins first

        hypothesis.settings.register_profile(
            "mutants", hypothesis.settings(), derandomize=True, database=None
        )
        hypothesis.settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        valid = (mutant for mutant in self._drawn if mutant.code())
        self._mutants = list(islice(valid, self._sample or None))
        self._run_all(session)
        connections.close_all()
        settings = [connection.settings_dict for connection in connections.all()]
        # Where no test needs a database, there is none.
        self._databases = [one for one in settings if Path(one["NAME"]).exists()]
        caches = _caches()
        self._check_that_forks_pass(caches)
        for number, mutant in enumerate(self._mutants):
            self.fates[mutant] = self._fate(mutant, self._tests[number], caches)
            self._tell(mutant, self.fates[mutant])
        self._check_that_forks_pass(caches)
        return True

    def _check_that_forks_pass(self, caches: Iterable[Any]) -> None:
        """Run tests in a fork without a mutant; one that fails would notice anything.

        So it is also after all mutants: the sources may have been edited meanwhile.
        """
        if self._fate(None, self._seconds, caches) != "survived":
            self.failing.append("a fork without a mutant")

    def _run_all(self, session: pytest.Session) -> None:
        """Note which tests come to which mutants, and how long each takes."""
        setattr(builtins, REACHED, self._reached.add)
        before = self._trace()
        prepared = _every(Prepared)
        for item in session.items:
            self._reached.clear()
            _compile_anew(prepared)
            begun = time.process_time()
            if not _passes(item):
                self.failing.append(item.nodeid)
                continue
            self._seconds[item] = time.process_time() - begun
            for number in self._reached:
                self._tests[number].append(item)
        for function, code in before:
            function.__code__ = code

    def _trace(self) -> list[tuple[Any, Any]]:
        numbered = sorted(enumerate(self._mutants), key=lambda pair: pair[1].path)
        before = []
        for _, together in groupby(numbered, key=lambda pair: pair[1].path):
            pairs = list(together)
            functions = {mutant.function: mutant.live() for _, mutant in pairs}
            for name, code in traced(pairs).items():
                before.append((functions[name], functions[name].__code__))
                functions[name].__code__ = code
        return before

    def _fate(
        self,
        mutant: Mutant | None,
        tests: Collection[pytest.Item],
        caches: Iterable[Any],
    ) -> str:
        if not tests:
            return "unreached"
        chosen: list[pytest.Item] = []
        left = _MOST_SECONDS
        for item in sorted(tests, key=self._seconds.__getitem__):
            left -= self._seconds[item]
            if left < 0 and chosen:
                break
            chosen.append(item)
        limit = int((_MOST_SECONDS - max(left, 0)) * _TIMES) + _MORE
        if not (child := os.fork()):
            try:
                self._break(mutant, caches, limit)
                os._exit(0 if all(map(_passes, chosen)) else _KILLED)
            finally:
                traceback.print_exc(file=sys.__stderr__)
                os._exit(1)
        return _ended(child)

    def _break(self, mutant: Mutant | None, caches: Iterable[Any], limit: int) -> None:
        """Have this process run the mutant, on a database of its own."""
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        for settings in self._databases:
            settings["NAME"] = str(shutil.copy(settings["NAME"], self._place))
        cache.clear()
        for one in caches:
            one.cache_clear()
        _compile_anew(_every(Prepared))
        if mutant is not None:
            code = mutant.code()
            assert code is not None
            mutant.live().__code__ = code
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)


def _passes(item: pytest.Item) -> bool:
    """Run a test, so that it can be run again; return whether it passes."""
    try:
        # The session in the place of the next test: all but its own fixtures end.
        after = cast(pytest.Item, item.session)
        reports = runtestprotocol(item, log=False, nextitem=after)
    except BaseException:  # also an exit: a broken program may ask for one
        return False
    return not any(report.failed for report in reports)


def _ended(child: int) -> str:
    """Wait for a fork; return what it found."""
    begun = time.monotonic()
    while time.monotonic() - begun < _WALL_SECONDS + _WALL_TIMES * _cpu_seconds(child):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if os.WIFSIGNALED(status):
                return "slow"
            code = os.WEXITSTATUS(status)
            assert code in (0, _KILLED)
            return "killed" if code else "survived"
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "slow"


def _cpu_seconds(process: int) -> float:
    """Return the CPU time of a process that was not waited for yet."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _caches() -> list[Any]:
    """Return the product's caches of functions, which would hide a mutant."""
    found = _every(type(functools.lru_cache(len)))
    return [one for one in found if str(one.__module__).startswith(_PRODUCT)]


def _compile_anew(prepared: Iterable[Any]) -> None:
    """Have queries that were compiled without the mutant made once more."""
    for one in prepared:
        one._compiled = None


def _every(kind: type) -> list[Any]:
    """Return all objects of a type."""
    gc.unfreeze()
    found = [one for one in gc.get_objects() if isinstance(one, kind)]
    gc.freeze()
    return found
