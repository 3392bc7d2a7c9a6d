"""The links to stylesheets, a builtin of every template."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memoryhub.web.kit.sheets import sheet_url

register = template.Library()


@register.simple_tag
def sheet(name: str) -> SafeString:
    """Return the link to a stylesheet: see `memoryhub.web.kit.sheets.SHEETS`."""
    return format_html('<link rel="stylesheet" href="{}">', sheet_url(name))
