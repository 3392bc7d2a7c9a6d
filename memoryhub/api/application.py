"""Assembly of the API: routers, authentication, error handlers."""

from __future__ import annotations

from memoryhub.api import documents, forgetting, memory, tools, topics, workspaces
from memoryhub.api.door import TextParser, Token, described_to_the_known
from memoryhub.api.failures import tell_failures
from memoryhub.api.schema import DocumentedAPI

api = DocumentedAPI(
    title="MemoryHub",
    version="1",
    description="The markdown memory of AI agents, for programs.",
    urls_namespace="api",
    docs_url=None,
    docs_decorator=described_to_the_known,
    auth=Token(),
    parser=TextParser(),
)
tell_failures(api)
for module in (workspaces, topics, memory, documents, forgetting, tools):
    api.add_router("", module.router)
