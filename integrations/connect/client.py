"""Recall an agent's memory, and search it."""

import os

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

URL = "http://127.0.0.1:8765/mcp?workspace=main&agent=builder&profile=worker"
HEADERS = {"Authorization": f"Bearer {os.environ['MEMORYHUB_TOKEN']}"}


async def main() -> None:
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=90) as http,
        Client(streamable_http_client(URL, http_client=http)) as hub,
    ):
        recalled = await hub.call_tool("recall")
        print(recalled.content[0].text)
        found = await hub.call_tool("memory_search", {"query": "decided"})
        print(found.content[0].text)


anyio.run(main)
