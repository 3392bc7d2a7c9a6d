"""Template tag of the suggestions below what a page declares."""

from __future__ import annotations

from typing import Any

from django import template

from snapshots.importers.linking import STATEMENTS
from snapshots.queries.suggestions import suggestions

#: Most rows of a block; the verdicts on these make room for the next.
_SHOWN = 30

register = template.Library()


@register.inclusion_tag("suggestions/_block.html", takes_context=True)
def suggested(
    context: template.RequestContext, kinds: str = "", **among: Any
) -> dict[str, Any]:
    """Return the suggestions of some kinds, of a topic, an agent or a span of time."""
    workspace = context["shell"].workspace
    found = suggestions(workspace, kinds=kinds.split() or [*STATEMENTS], **among)
    page: Any = context.flatten() if found else {}
    return {**page, "suggested": found[:_SHOWN], "total": len(found)}
