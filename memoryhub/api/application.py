"""The API put together: its operations, its door, its errors."""

from __future__ import annotations

from ninja import NinjaAPI

from memoryhub.api import documents, told, topics, workspaces
from memoryhub.api.door import Door, TextParser
from memoryhub.api.failures import tell_failures
from memoryhub.api.tools import add_tools

api = NinjaAPI(
    title="MemoryHub",
    version="1",
    description="The markdown memory of AI agents, for programs.",
    urls_namespace="api",
    docs_url=None,
    auth=Door(),
    parser=TextParser(),
)
tell_failures(api)
for module in (workspaces, topics, told, documents):
    api.add_router("", module.router)
add_tools(api.default_router)
