"""Template tags of saved views and of comments at a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from memoryhub.people.services.saved_views import view_address
from memoryhub.web.kit.frame import Shell

register = template.Library()


@register.simple_tag
def comments_at(
    marks: Mapping[int, Sequence[dict[str, Any]]], number: int
) -> SafeString | str:
    """Return the link from a line to its comments, with their number."""
    threads = marks.get(number)
    if not threads:
        return ""
    count = len(threads)
    label = ngettext("%(n)s comment", "%(n)s comments", count) % {"n": count}
    return format_html(
        ' <a class="tag" href="#c{}">{}</a>', threads[0]["thread"].pk, label
    )


@register.inclusion_tag("people/_save_view.html", takes_context=True)
def save_view(context: template.Context) -> dict[str, Any]:
    """Return the saved view of the current address, or the address to save."""
    shell: Shell = context["shell"]
    base = shell.addresses.base
    address = view_address(context["request"].get_full_path().removeprefix(base))
    views = (v for v in shell.saved_views if v["url"] == f"{base}{address}")
    saved = next(views, None) if address else None
    return {"slug": shell.workspace.slug, "address": address, "saved": saved}
