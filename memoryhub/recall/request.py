"""What a recall is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from memoryhub.disk.places import Presence
from memoryhub.recall.texts import Passage
from memoryhub.values.limits import RECALL_TOKENS

#: Headings of news for the agent, by key; they are part of every recall.
NEWS = {
    "messages": "Messages to you",
    "moved": "What others did with your handoffs",
    "comments": "Open comments on this memory",
    "claims": "Held by other agents: leave them alone",
    "reverted": "Reverted by people: do not write it again",
    "overlaps": "Also being changed by another agent",
}
#: Keys of what every recall has.
ALWAYS = frozenset({*NEWS, "gone", "outside"})


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Parameters of a recall: form, agent, excluded blocks, budget, moment.

    `only` names the requested blocks, None means all. `text` replaces the topic's file
    where edits wait to be written. With `seq` the answer is that of the past moment,
    with `now` as the time. `there` checks whether a path named in the text is in the
    workspace; without it none is checked. `news` are lines for the agent by keys of
    `NEWS`. Without `private` what the private file alone states is left out. `found`
    answers a question and comes first. Without `beside` a topic is given without
    long-term memory and other topics.
    """

    form: str = "hub"
    agent: str = ""
    without: frozenset[str] = frozenset()
    budget: int = RECALL_TOKENS
    text: str | None = None
    seq: int | None = None
    now: datetime = field(default_factory=timezone.now)
    only: frozenset[str] | None = None
    there: Presence | None = None
    news: Mapping[str, Sequence[str]] = field(default_factory=dict)
    private: bool = True
    found: Passage | None = None
    beside: bool = True

    def leaves_out(self, key: str) -> bool:
        """Return whether a block is excluded."""
        unwanted = self.only is not None and key not in self.only
        return key in self.without or (unwanted and key not in ALWAYS)
