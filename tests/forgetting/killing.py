"""Forgetting in children that kill themselves: ``python -m tests.forgetting.killing``.

Arguments: the kind, what to forget, a seed. A child goes on with the forgetting that is
under way, or else asks and confirms one, and dies at some statement; again and again,
until one comes to its end. Prints how many were killed, and in which states.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections import Counter

import django

from tests.killing import ended, started


def main(arguments: list[str]) -> int:
    kind, what, seed = arguments
    django.setup()
    chance, states = random.Random(seed), Counter[str]()
    reach = 90.0
    while True:
        at = chance.randint(1, int(reach))
        if not ended(started(lambda: _forget(kind, what), at)):
            break
        reach *= 1.06
        states[_state()] += 1
    sys.stdout.write(json.dumps(states))
    return 0


def _forget(kind: str, what: str) -> None:
    from memoryhub.forgetting import forgettings
    from memoryhub.forgetting.models import Forgetting
    from memoryhub.journal.models import Workspace

    found = Forgetting.objects.order_by("-id").first()
    if found is not None and found.state == Forgetting.State.DONE:
        return  # killed after its last step
    if found is None or found.state not in forgettings.OPEN:
        wanted = forgettings.Target(kind, text=what, path=what, minutes=0)
        asked = forgettings.ask(Workspace.objects.get(), wanted, "operator")
        found = forgettings.confirm(forgettings.plan(asked))
    forgettings.carry_on(found)


def _state() -> str:
    """Return how far it is, read by a connection that no child inherits."""
    child_reads, parent_reads = os.pipe()[::-1]
    child = os.fork()
    if not child:
        from memoryhub.forgetting.models import Forgetting

        found = Forgetting.objects.order_by("-id").first()
        os.write(child_reads, (found.state if found else "none").encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(child_reads)
    with os.fdopen(parent_reads) as told:
        return told.read()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
