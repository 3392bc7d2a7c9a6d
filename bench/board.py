"""A seeded workspace full of handoffs: ``python -m bench.board TARGET``.

Most are finished; some wait, are taken, blocked, signed off or sent back. They belong
to ten topics, and a log beside them has task snapshots.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bench import dialects
from bench.prose import Prose

#: As many as a busy workspace has after some months.
HANDOFFS = 5_000
_TOPICS = tuple(f"topic-{number}" for number in range(1, 11))
_TODAY = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_A_DAY = 40
_TYPES, _SHARES = ("read_only", "write", "decision"), (45, 40, 15)
#: How the logs go on after "sent", and the share of each; R receives, L leads.
_LIVES = (
    (("R: taken", "R: done"), 62),
    (("L: signed off", "R: taken", "R: done"), 10),
    (("R: taken", "R: failed -- the tests stay red"), 6),
    (("R: taken", "R: done", "L: sent back -- not all of it", "R: taken"), 4),
    (("R: taken", "R: blocked -- the key has expired"), 5),
    (("R: taken", "R: put back"), 2),
    ((), 11),
)


def generate(root: Path, *, handoffs: int = HANDOFFS, seed: int = 1) -> None:
    """Write a workspace of so many handoffs below `root`."""
    folder = root / "memory/handoffs"
    folder.mkdir(parents=True)
    for path, text in _around(Prose(Random(seed))):
        (root / path).write_text(text)
    for task_id, text in _files(Prose(Random(seed)), handoffs):
        (folder / f"{task_id}.md").write_text(text)


def add_step(root: Path, step: int) -> None:
    """Send one of the newest handoffs back, another one at each step."""
    newest = sorted((root / "memory/handoffs").glob("*.md"))[-_A_DAY:]
    file = newest[step % len(newest)]
    log, *results = file.read_text().partition("\n<r>")
    moment = _TODAY + timedelta(minutes=step)
    line = f"- {moment:%Y-%m-%dT%H:%M:%SZ} coordinator: sent back\n"
    file.write_text("".join((log, line, *results)))


def _around(prose: Prose) -> Iterator[tuple[str, str]]:
    """Return a workspace's files other than handoffs: agents, topics, a log."""
    agents = "".join(f"- **{name}**: works\n" for name in dialects.AGENTS)
    yield "AGENTS.md", f"# Agents\n\n{agents}"
    for name in _TOPICS:
        yield f"memory/context-{name}.md", dialects.topic_context(prose, _TODAY)
    yield "memory/context-session-map.json", dialects.session_map(prose, _TOPICS)
    snapshots = "\n".join(dialects.task_snapshot(prose, _TODAY, n) for n in (1, 2))
    yield f"memory/{_TODAY:%Y-%m-%d}.md", f"# {_TODAY:%Y-%m-%d}\n\n{snapshots}"


def _files(prose: Prose, handoffs: int) -> Iterator[tuple[str, str]]:
    lives, shares = [life for life, _ in _LIVES], [share for _, share in _LIVES]
    for number in range(handoffs):
        prose.turn_page()
        days, place = divmod(number, _A_DAY)
        begun = _TODAY - timedelta(days=days, minutes=10 * place)
        task_id = f"{begun:%Y%m%d}-{_A_DAY - place:02}"
        life = prose.rng.choices(lives, shares)[0]
        yield task_id, _handoff(prose, task_id, begun, life)


def _handoff(prose: Prose, task_id: str, begun: datetime, life: tuple[str, ...]) -> str:
    sender, receiver = prose.rng.sample(dialects.AGENTS, 2)
    kind = prose.rng.choices(_TYPES, _SHARES)[0]
    task = dialects.handoff_task(prose, task_id, (sender, receiver), kind)
    actors = {"R": receiver, "L": "coordinator"}
    log, moment = f"- {begun:%Y-%m-%dT%H:%M:%SZ} {sender}: sent\n", begun
    for step in life:
        moment += timedelta(minutes=prose.number(2, 90))
        who, _, what = step.partition(": ")
        log += f"- {moment:%Y-%m-%dT%H:%M:%SZ} {actors[who]}: {what}\n"
    ends = [end for end in ("done", "failed") if any(end in step for step in life)]
    blocks = [dialects.handoff_result(prose, task_id, end) for end in ends]
    topic = f"- topic: {prose.rng.choice(_TOPICS)}\n"
    head = f"# Handoff {task_id}\n\n{topic}"
    return "\n".join([head, task, f"## Log\n\n{log}", *blocks])


def main() -> None:
    """Write the workspace that the command line asks for."""
    parser = argparse.ArgumentParser(prog="bench.board", description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--handoffs", type=int, default=HANDOFFS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generate(options.target, handoffs=options.handoffs, seed=options.seed)


if __name__ == "__main__":
    main()
