"""Sign-offs that an agent runs into: the person gets the link to the page.

MCP never signs off: a decision needs a person in a signed-in browser. A host that can
open addresses (elicitation of the mode ``url``) asks whether to open the page; others
show the link in the text of the refusal.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import anyio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestURLParams,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memoryhub.mcp.tools import PAGE_META

Context = ServerRequestContext[Any]
#: How long a person may take to answer, in seconds.
_PATIENCE = 120
_QUESTION = "sign-off"
_MESSAGE = "A decision waits for your sign-off. Open its page in the hub?"


async def with_question(
    context: Context, params: CallToolRequestParams, result: CallToolResult
) -> CallToolResult | InputRequiredResult:
    """Ask the person to open the page of a decision, where the host can; else nothing.

    The answer stays the refusal: the agent calls again once it is signed off.
    """
    page = (result.meta or {}).get(PAGE_META)
    if not page or not _opens_pages(context):
        return result
    question = ElicitRequestURLParams(
        message=_MESSAGE, url=page, elicitation_id=uuid4().hex
    )
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        if params.input_responses is not None:
            return result
        request = ElicitRequest(params=question)
        return InputRequiredResult(input_requests={_QUESTION: request})
    if context.session.can_send_request:
        await _ask(context, question)
    return result


async def _ask(context: Context, question: ElicitRequestURLParams) -> None:
    """Ask over a connection on which the server can; an error is no answer."""
    try:
        with anyio.move_on_after(_PATIENCE):
            await context.session.elicit_url(
                question.message,
                question.url,
                question.elicitation_id or "",
                related_request_id=context.request_id,
            )
    except MCPError:
        return


def _opens_pages(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return bool(elicitation and elicitation.url is not None)
