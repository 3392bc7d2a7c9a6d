"""Guard of a git repository: its pre-commit hook, and the files of a commit."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

#: The guard's hook, and the name under which the hook before it stays.
HOOK, BEFORE = "pre-commit", "pre-commit.before-memoryhub"
#: Exit code of a check that found files of others; no other code refuses a commit.
HELD = 3
_MARK = "# memoryhub guard:"
_SCRIPT = """\
#!/bin/sh
{mark} refuses a commit of files that another agent holds.
before="$(dirname "$0")/{before}"
if [ -x "$before" ]; then
  "$before" "$@" || exit $?
fi
{environment}{check}
[ $? -eq {held} ] && exit 1
exit 0
"""


class NoRepository(Exception):
    """No git repository at a folder, or git refused; the text has the reason."""


def top_folder(folder: Path) -> Path:
    """Return the top folder of the repository around a folder.

    Raises:
        NoRepository: there is none, or no git.
    """
    return Path(_git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))


def staged_files(top: Path) -> list[str]:
    """Return the paths that a commit would change, both of a renamed file.

    Raises:
        NoRepository: git refused.
    """
    listed = _git(top, "diff", "--cached", "--name-only", "-z", "--no-renames")
    return [path for path in listed.split("\0") if path]


def configured_agent(folder: Path) -> str:
    """Return the agent that the repository's configuration names; "" for none."""
    try:
        return _git(folder, "config", "--get", "memoryhub.agent").strip()
    except NoRepository:
        return ""


def install_hook(
    folder: Path, command: Sequence[str], environment: Mapping[str, str]
) -> Path:
    """Install the guard's hook, calling an existing one too; return its path.

    Raises:
        NoRepository: the folder is in none.
        FileExistsError: a hook from before an earlier guard is in the way.
    """
    place = _hooks_folder(folder) / HOOK
    place.parent.mkdir(parents=True, exist_ok=True)
    before = place.with_name(BEFORE)
    if place.exists() and not is_guard(place):
        if before.exists():
            raise FileExistsError(f"{before} exists: move it away first")
        place.rename(before)
    lines = (f"export {n}={shlex.quote(v)}\n" for n, v in environment.items())
    text = _SCRIPT.format(
        mark=_MARK,
        before=BEFORE,
        environment="".join(lines),
        check=shlex.join(command),
        held=HELD,
    )
    place.write_text(text, encoding="utf-8")
    place.chmod(0o755)
    return place


def uninstall_hook(folder: Path) -> bool:
    """Remove the guard's hook and put the one before it back; False if none was.

    Raises:
        NoRepository: the folder is in none.
    """
    place = _hooks_folder(folder) / HOOK
    if not is_guard(place):
        return False
    before = place.with_name(BEFORE)
    if before.exists():
        before.replace(place)
    else:
        place.unlink()
    return True


def is_guard(place: Path) -> bool:
    """Return whether a hook is the guard's."""
    try:
        return _MARK in place.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _hooks_folder(folder: Path) -> Path:
    return Path(folder, _git(folder, "rev-parse", "--git-path", "hooks").rstrip("\n"))


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        path = error.filename or "git"
        raise NoRepository(f"{path} cannot be run: {error.strerror}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        fatal = [line for line in said if line.startswith("fatal:")]
        raise NoRepository([f"git {words[0]} failed", *said, *fatal][-1])
    return done.stdout.decode("utf-8", "surrogateescape")
