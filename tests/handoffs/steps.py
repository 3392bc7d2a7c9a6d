"""Steps of handoffs by a name each, for tests that need a handoff to be somewhere."""

from __future__ import annotations

from dataclasses import replace

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author, Done, send
from memoryhub.handoffs.services.steps import Step, move
from memoryhub.journal.models import Workspace


def send_now(workspace: Workspace, to: str, after: str = "") -> Handoff:
    """Send a task from ann at the present time."""
    task = Task("", "", to, "read_only", "Mend the door", "i", after=after)
    return send(workspace, task, Author("ann")).handoff


def put_back(
    handoff: Handoff, asked: Author, *, reason: str = "", base: str | None = None
) -> Done:
    """Give work that was taken back, so that it can be taken again."""
    return move(handoff, Step("put back", reason, base), asked)


def block(
    handoff: Handoff, asked: Author, *, reason: str, base: str | None = None
) -> Done:
    """Say what the work waits for; a write keeps its place and lets the next one go."""
    return move(handoff, Step("blocked", reason, base), asked)


def sign_off(
    handoff: Handoff, asked: Author, *, reason: str = "", base: str | None = None
) -> Done:
    """Agree to a decision, as a person does who is signed in."""
    return move(handoff, Step("signed off", reason, base), replace(asked, person=True))


def send_back(
    handoff: Handoff, asked: Author, *, reason: str, base: str | None = None
) -> Done:
    """Ask for something else than was sent, or than came of it."""
    return move(handoff, Step("sent back", reason, base), asked)


def reopen(
    handoff: Handoff, asked: Author, *, reason: str, base: str | None = None
) -> Done:
    """Ask for more than came of work that has ended."""
    return move(handoff, Step("reopened", reason, base), asked)


def revise(handoff: Handoff, asked: Author, **changes: str) -> Done:
    """Change the task and send it again, as its sender."""
    return move(handoff, Step("revised", changes=changes), asked)


def withdraw(
    handoff: Handoff, asked: Author, *, reason: str = "", base: str | None = None
) -> Done:
    """Take back what was sent."""
    return move(handoff, Step("withdrawn", reason, base), asked)


def override(
    handoff: Handoff, asked: Author, *, reason: str, base: str | None = None
) -> Done:
    """Let a write be taken out of its turn, as a coordinator."""
    return move(handoff, Step("overridden", reason, base), asked)


def mark_failed(
    handoff: Handoff, asked: Author, *, reason: str, base: str | None = None
) -> Done:
    """Give work up without a result."""
    return move(handoff, Step("failed", reason, base), asked)
