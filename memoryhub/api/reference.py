"""The API reference page, rendered from the OpenAPI document."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

#: Imported on demand: no other page needs it.
_API = "memoryhub.api.application.api"
#: What all paths begin with.
_ROOT = "/api/v1"
_CODE = re.compile("``?([^`]+)``?")


@require_GET
def docs(request: HttpRequest) -> HttpResponse:
    """Render the operations of the API."""
    described = import_string(_API).get_openapi_schema()
    operations = [
        _shown(path, method, details, described["components"]["schemas"])
        for path, methods in described["paths"].items()
        for method, details in methods.items()
    ]
    groups = groupby(operations, key=lambda operation: operation["tag"])
    context = {
        "title": gettext("API reference"),
        "groups": [(tag, list(members)) for tag, members in groups],
    }
    return render(request, "api/reference.html", context)


def _shown(
    path: str, method: str, details: dict[str, Any], models: dict[str, Any]
) -> dict[str, Any]:
    body = details.get("requestBody", {}).get("content", {}).get("application/json", {})
    model = models.get(body.get("schema", {}).get("$ref", "").rpartition("/")[2], {})
    required = set(model.get("required", ()))
    fields = [
        {"name": name, "in": "body", "required": name in required, **about}
        for name, about in model.get("properties", {}).items()
    ]
    fields = [*filter(_is_own, details["parameters"]), *fields]
    about = details.get("description", "") or details["summary"]
    summary, _, rest = about.partition("\n\n")
    return {
        "id": details["operationId"],
        "tag": details["tags"][0],
        "method": method.upper(),
        "path": path.removeprefix(_ROOT),
        "summary": _prose(summary),
        "text": _prose(rest),
        "fields": [
            {**field, "description": _prose(field.get("description", ""))}
            for field in fields
        ],
    }


def _prose(text: str) -> SafeString:
    """Return a description as HTML, with backticks as code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(text)))


def _is_own(parameter: dict[str, Any]) -> bool:
    """Return whether a parameter needs a row: headers are stated once, paths shown."""
    return bool(parameter["in"] == "query")
