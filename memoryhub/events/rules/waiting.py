"""Deadlocks: circles in the graph of who waits for whom. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def circles_of(waits: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the circles of names, each waiting for the next one.

    Each name is in at most one circle: further ones show once it is broken.
    """
    ahead: dict[str, list[str]] = {}
    for waiting, on in waits:
        if waiting != on:
            ahead.setdefault(waiting, []).append(on)
    found: list[tuple[str, ...]] = []
    settled: set[str] = set()
    for name in sorted(ahead):
        if name not in settled:
            found += _circles_from(name, ahead, settled)
    return tuple(found)


def _circles_from(
    start: str, ahead: dict[str, list[str]], settled: set[str]
) -> list[tuple[str, ...]]:
    """Search depth-first from a name; return the circles it closes."""
    found, path = [], [start]
    todo = [iter(sorted(set(ahead.get(start, ()))))]
    on_path = {start: 0}
    while todo:
        name = next(todo[-1], None)
        if name is None:
            todo.pop()
            settled.add(last := path.pop())
            del on_path[last]
        elif name in on_path:
            found.append(tuple(path[on_path[name] :]))
        elif name not in settled:
            on_path[name] = len(path)
            path.append(name)
            todo.append(iter(sorted(set(ahead.get(name, ())))))
    return found
