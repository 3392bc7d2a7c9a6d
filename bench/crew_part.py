"""The part of one agent in a simulated crew."""

from __future__ import annotations

from dataclasses import dataclass

from bench.crew_history import COORDINATOR


@dataclass(frozen=True, slots=True)
class Part:
    """Name, quota and crew of an agent; names are `workspace/agent`."""

    full_name: str
    quota: int
    crew: tuple[str, ...]

    @property
    def home(self) -> str:
        """Slug of the agent's workspace."""
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.partition("/")[2]

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the other agents as recipients from its workspace."""
        others = (name for name in self.crew if name != self.full_name)
        return tuple(name.removeprefix(f"{self.home}/") for name in others)

    @property
    def coordinates(self) -> bool:
        return self.name.startswith(COORDINATOR)

    @property
    def hears(self) -> bool:
        """Whether its host has the hub's hooks."""
        return self.crew.index(self.full_name) % 3 == 2
