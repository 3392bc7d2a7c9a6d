"""Assembly of the API: schema with distinct names, routers, error handlers."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from django.conf import settings
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from memoryhub import __version__
from memoryhub.api import (
    comments,
    documents,
    forgetting,
    inbox,
    memory,
    reviews,
    tools,
    topics,
    workspaces,
)
from memoryhub.api.door import (
    NAME_LENGTH,
    TextParser,
    Token,
    described_to_the_known,
    without_unknown_parameters,
)
from memoryhub.api.examples import BODIES
from memoryhub.api.failures import register_handlers
from memoryhub.web.kit.served import own_path

_REF = '"#/components/schemas/{}"'


#: Parameter of every operation.
_AGENT = {
    "in": "header",
    "name": "MemoryHub-Agent",
    "required": False,
    "description": "The agent for which a program with the local token acts; an agent's"
    " own token names it already",
    "schema": {"type": "string", "maxLength": NAME_LENGTH},
}


class DistinctSchema(OpenAPISchema):
    """A schema with distinct names for models: in ninja the last of a name would win.

    Tools are written apart from each other, and several may call a model `Entry`.
    """

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        """Return an operation's schema, with models renamed where names clash."""
        known, self.schemas = self.schemas, {}
        details: dict[str, Any] = super().operation_details(operation)
        details["parameters"] = [*details["parameters"], _AGENT]
        _add_example(details)
        own, self.schemas = self.schemas, known
        names = _new_names(own, known, details["operationId"])
        self.schemas |= {
            names.get(name, name): _renamed(model, names) for name, model in own.items()
        }
        renamed: dict[str, Any] = _renamed(details, names)
        return renamed


class DocumentedAPI(NinjaAPI):
    """An API whose document keeps models of the same name apart."""

    def get_openapi_schema(
        self,
        *,
        path_prefix: str | None = None,
        path_params: dict[str, Any] | None = None,
    ) -> OpenAPISchema:
        """Return the OpenAPI document, cached: building it takes half a second."""
        prefix = path_prefix
        if prefix is None:
            prefix = own_path(self.get_root_path(path_params or {}))
        return _described(self, prefix)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the id of an operation: its function's name."""
        return operation.view_func.__name__


def _add_example(details: dict[str, Any]) -> None:
    """Add an example to the body of an operation that has one."""
    content = details.get("requestBody", {}).get("content", {})
    for body in content.values():
        body["example"] = BODIES[details["operationId"]]


@cache
def _described(api: DocumentedAPI, prefix: str) -> DistinctSchema:
    address = settings.MEMORYHUB_URL.rstrip("/") or "/"
    api.servers = [{"url": address, "description": "This hub"}]
    return DistinctSchema(api, prefix)


def _new_names(
    own: dict[str, Any], known: dict[str, Any], operation: str
) -> dict[str, str]:
    """Return new names for models with clashing names, and those that refer to them."""
    names: dict[str, str] = {}
    while True:
        other = {
            name: f"{name}_of_{operation}"
            for name, model in own.items()
            if name not in names and known.get(name, model) != _renamed(model, names)
        }
        if not other:
            return names
        names |= other


def _renamed(model: Any, names: dict[str, str]) -> Any:
    if not names:
        return model
    text = json.dumps(model)
    for name, new in names.items():
        text = text.replace(_REF.format(name), _REF.format(new))
    return json.loads(text)


api = DocumentedAPI(
    title="MemoryHub",
    version=__version__,
    description="The markdown memory of AI agents, for programs.",
    urls_namespace="api",
    docs_url=None,
    docs_decorator=described_to_the_known,
    auth=Token(),
    parser=TextParser(),
)
register_handlers(api)
api.add_decorator(without_unknown_parameters)
for module in (
    workspaces,
    topics,
    memory,
    inbox,
    comments,
    documents,
    reviews,
    forgetting,
    tools,
):
    api.add_router("", module.router)
