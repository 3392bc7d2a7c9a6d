"""The guard of a git repository: a real one, with real commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub.hooks.spool import is_empty
from tests.browser.hub import ROOT, empty_hub, manage
from tests.clock import machine_clock
from tests.waiting import wait_for
from tests.warm import python

SRC = "src/parser.py"


class Repository:
    """A git repository next to a hub whose server does not run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.top = folder, folder / "web"
        self.top.mkdir()
        empty_hub(folder)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "a@example.org")
        self.git("config", "user.name", "A")
        (self.top / "MEMORY.md").write_text("# Memory\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        manage(folder, "add", str(self.top))

    def hub(self, *words: str, agent: str = "") -> subprocess.CompletedProcess[str]:
        return self._run(python(ROOT / "manage.py", *words), agent)

    def git(self, *words: str, agent: str = "") -> subprocess.CompletedProcess[str]:
        return self._run(["git", *words], agent)

    def claim(self, agent: str, path: str, minutes: int = 60) -> None:
        request = f'{{"paths": ["{path}"], "minutes": {minutes}, "reason": "grammar"}}'
        done = self.hub("tool", "files_claim", "--request", request, "--agent", agent)
        assert done.returncode == 0, done.stderr

    def commits(self, path: str, agent: str = "", *options: str) -> bool:
        """Change and commit a file; return whether git did."""
        place = self.top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{os.urandom(4).hex()}\n")
        self.git("add", path)
        done = self.git("commit", "-q", "-m", "more", *options, agent=agent)
        self.said = done.stderr
        return done.returncode == 0

    def _run(self, words: list[str], agent: str) -> subprocess.CompletedProcess[str]:
        data = str(self.folder / "data")
        kept = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
        named = {"MEMORYHUB_AGENT": agent} if agent else {}
        return subprocess.run(
            words,
            cwd=self.top,
            env={**kept, "MEMORYHUB_DATA": data, **named},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module", autouse=True)
def _clock_of_the_guard() -> Iterator[None]:
    """Have the machine's clock: the guard ignores `PYTHONPATH`, thus the tests' one."""
    with machine_clock():
        yield


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("guard"))
    made.claim("ann", "src")
    assert made.hub("guard", "install").returncode == 0
    return made


def test_a_commit_of_what_another_agent_holds_is_refused_by_name(
    repository: Repository,
) -> None:
    assert not repository.commits(SRC, "bob")

    assert f"{SRC} is held by ann until 20" in repository.said
    assert "grammar" in repository.said
    repository.git("reset", "-q")


def test_holders_and_other_files_pass(repository: Repository) -> None:
    assert repository.commits(SRC, "ann")
    assert repository.commits("docs/a.md", "bob")
    assert not repository.commits(SRC)
    repository.git("config", "memoryhub.agent", "Ann")
    assert repository.commits(SRC)
    repository.git("config", "--unset", "memoryhub.agent")


def test_deleting_and_renaming_touch_the_file_too(repository: Repository) -> None:
    assert repository.commits("src/old.py", "ann")
    repository.git("mv", "src/old.py", "docs-old.py")

    refused = repository.git("commit", "-q", "-m", "move", agent="bob")
    checked = repository.hub("guard", "check", "--json", agent="bob")

    assert (refused.returncode, checked.returncode) == (1, 3)
    assert '"path": "src/old.py"' in checked.stdout
    repository.git("reset", "-q", "--hard")


def test_a_worktree_is_the_same_repository(repository: Repository) -> None:
    repository.git("worktree", "add", "-q", "../other-tree", "-b", "side")
    there = repository.top.parent / "other-tree"
    (there / "src").mkdir(exist_ok=True)
    (there / "src/new.py").write_text("x\n")
    repository.git("-C", str(there), "add", ".")
    request = '{"paths": ["lib"], "repository": "web"}'
    repository.hub("tool", "files_claim", "--request", request, "--agent", "ann")
    (there / "lib").mkdir()
    (there / "lib/a.py").write_text("x\n")
    repository.git("-C", str(there), "add", ".")

    done = repository.git("-C", str(there), "commit", "-qm", "x", agent="bob")

    assert done.returncode == 1
    assert "src/new.py is held by ann" in done.stderr
    assert "lib/a.py is held by ann" in done.stderr


def test_a_hub_that_cannot_be_read_refuses_nothing(repository: Repository) -> None:
    database = repository.folder / "data/memoryhub.sqlite3"
    hidden = database.rename(database.with_suffix(".away"))
    try:
        assert repository.commits("src/free.py", "bob")
    finally:
        database.unlink(missing_ok=True)
        hidden.rename(database)


def test_an_existing_hook_runs_first_and_comes_back(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    hook = made.top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho own hook >&2\ntest ! -e stop\n")
    hook.chmod(0o755)
    before = hook.read_bytes()

    for _ in range(2):
        assert made.hub("guard", "install", "--agent", "bob").returncode == 0
    assert made.commits("a.py")
    assert "own hook" in made.said
    (made.top / "stop").touch()
    assert not made.commits("b.py")
    assert made.hub("guard", "uninstall").returncode == 0

    assert hook.read_bytes() == before
    assert "No guard" in made.hub("guard", "uninstall").stdout
    assert not list(hook.parent.glob("*memoryhub*"))


def test_a_folder_without_git_is_a_wrong_use(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    (made.top / ".git").rename(tmp_path / "gone")
    done = made.hub("guard", "install")
    assert done.returncode == 2
    assert "not a git repository" in done.stderr


def test_a_link_in_the_place_of_a_held_file_or_folder_is_refused_too(
    repository: Repository,
) -> None:
    assert repository.commits("src/deep/old.py", "ann")
    held, elsewhere = repository.top / "src", repository.top / "away"
    held.rename(elsewhere)
    held.symlink_to(elsewhere)
    repository.git("add", "-A", ".")
    folder = repository.git("commit", "-q", "-m", "link", agent="bob")
    repository.git("reset", "-q", "--hard")
    (held / "deep/old.py").unlink()
    (held / "deep/old.py").symlink_to("/dev/null")
    repository.git("add", "-A", ".")

    file = repository.git("commit", "-q", "-m", "link", agent="bob")

    assert (folder.returncode, file.returncode) == (1, 1)
    assert "src/deep/old.py is held by ann" in file.stderr
    repository.git("reset", "-q", "--hard")


def test_a_name_that_is_no_text_does_not_hide_what_is_held(
    repository: Repository,
) -> None:
    (repository.top / "src").mkdir(exist_ok=True)
    odd = os.fsencode(repository.top / "src") + b"/\xff\x1b[2J\n.py"
    Path(os.fsdecode(odd)).write_text("x\n")
    repository.git("add", "-A", ".")

    done = repository.git("commit", "-q", "-m", "odd", agent="bob")
    listed = repository.hub("guard", "check", "--json", agent="bob")

    assert (done.returncode, listed.returncode) == (1, 3)
    assert "\x1b" not in done.stderr + listed.stdout
    repository.git("reset", "-q", "--hard")


def test_a_commit_in_another_session_of_the_holder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repository(tmp_path)
    made.hub("guard", "install", "--agent", "smith")
    for session in ("dawn", "dusk"):
        said = f'{{"session_id": "{session}", "cwd": "{made.top}"}}'
        manage(tmp_path, "hook", "Stop", "--agent", "smith", stdin=said)
    # A busy machine puts an event off to the next command.
    wait_for(lambda: made.hub("status") and is_empty(tmp_path / "data"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "dawn")
    made.claim("smith", "src")

    assert made.commits(SRC)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "dusk")
    assert not made.commits(SRC)
    assert "is held by smith in another session until" in made.said
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert made.commits(SRC)
