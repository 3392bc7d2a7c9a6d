"""Fifty fixed queries, as people and agents type them, for the words of the corpus."""

from __future__ import annotations

_WORDS = """
deploy
webhook
retry
review
seluor
canevenly
ingraent
request response
deploy branch
error session
check camanoor
traterdeal config
api key
update status page
why build error
when will deploy run
what was decided now
the only one
fix test still error
endpoint
"""

_PHRASES = """
"the request"
"build error"
"of the"
"deploy branch" api
"in the config" session
review "to be"
"""

_FILTERED = """
review kind:snapshot
deploy kind:decision
error kind:handoff
request kind:memory
config agent:scout
branch agent:planner
status after:2026-01-01
build before:2026-06-01
session after:2026-03-01 before:2026-04-01
deploy -branch
error -"build error"
review -kind:snapshot
kind:decision
path:daily deploy
is:blocked api
"""

_EXACT = """
CMEM-20260708-075757
CMEM-20250916-161626
20261120-03
memory/2025-07-08.md
2025-07-08-0431
TASK-12
"""

_OTHER = """
的一是
不了有
压缩记忆
reveiw
deplyo
"""

#: Queries in the proportions of use: words first.
QUESTIONS = tuple(
    line
    for part in (_WORDS, _PHRASES, _FILTERED, _EXACT, _OTHER)
    for line in part.strip().splitlines()
)[:50]
