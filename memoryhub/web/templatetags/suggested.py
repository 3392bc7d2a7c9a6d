"""The block of suggestions below what a page declares."""

from __future__ import annotations

from typing import Any

from django import template

from memoryhub.journal.grades import Graded
from memoryhub.web.suggestions.presenters import (
    how_sure,
    suggestion_block,
    verdict_text,
)
from snapshots.queries.suggestions import Among

register = template.Library()


@register.inclusion_tag("suggestions/_block.html", takes_context=True)
def suggested(context: template.Context, kinds: str, **among: Any) -> dict[str, Any]:
    """Return the suggestions of some kinds, of a topic, an agent or a time."""
    block = suggestion_block(context["shell"], Among(tuple(kinds.split()), **among))
    kept = ("shell", "request", "may", "csrf_token")
    return block | {name: context.get(name) for name in kept}


@register.inclusion_tag("suggestions/_graded.html", takes_context=True)
def graded(
    context: template.Context, row: Graded, kind: str, code: str
) -> dict[str, Any]:
    """Return the grade of a card: why it is suggested, or whose verdict it has."""
    kept = ("shell", "request", "may", "csrf_token")
    return {
        "row": row,
        "mark": f"{kind}:{code}",
        "how_sure": how_sure(row.confidence),
        "verdict": verdict_text(row, context["shell"]),
        **{name: context.get(name) for name in kept},
    }
