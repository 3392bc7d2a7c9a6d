"""Template tag that saves the current view."""

from __future__ import annotations

from typing import Any

from django import template

from memoryhub.people.services.saved_views import view_address
from memoryhub.web.kit.frame import Shell

register = template.Library()


@register.inclusion_tag("people/_save_view.html", takes_context=True)
def save_view(context: template.Context) -> dict[str, Any]:
    """Return the saved view of the current address, or the address to save."""
    shell: Shell = context["shell"]
    base = shell.addresses.base
    address = view_address(context["request"].get_full_path().removeprefix(base))
    views = (v for v in shell.saved_views if v.url == f"{base}{address}")
    saved = next(views, None) if address else None
    return {"slug": shell.workspace.slug, "address": address, "saved": saved}
