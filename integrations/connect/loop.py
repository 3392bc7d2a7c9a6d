"""An agent that waits for tasks, works on them and reports the results."""

import os

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

URL = "http://127.0.0.1:8765/mcp?workspace=main&agent=builder&profile=worker"
HEADERS = {"Authorization": f"Bearer {os.environ['MEMORYHUB_TOKEN']}"}


async def work(task: str) -> str:
    return f"Read {len(task)} characters."  # here your agent works


async def heartbeat(hub: Client, task_id: str) -> None:
    while True:
        await anyio.sleep(60)
        fields = {"task_id": task_id, "action": "heartbeat"}
        await hub.call_tool("handoff_update", fields)


async def handle(hub: Client, task_id: str) -> None:
    task = await hub.call_tool("handoff_take", {"task_id": task_id})
    if task.is_error:  # another one took it, or it is not its turn yet
        return
    async with anyio.create_task_group() as beside:
        beside.start_soon(heartbeat, hub, task_id)
        try:
            status, output = "done", await work(task.content[0].text)
        except Exception as error:
            status, output = "failed", str(error)
        beside.cancel_scope.cancel()
    report = {"task_id": task_id, "status": status, "output": output}
    await hub.call_tool("handoff_report", report)


async def main(cursor: str = "") -> None:
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=90) as http,
        Client(streamable_http_client(URL, http_client=http)) as hub,
    ):
        while True:
            asked = {"since": cursor, "wait": 30}
            inbox = (await hub.call_tool("handoff_inbox", asked)).structured_content
            for task in inbox["ready"]:
                await handle(hub, task["task_id"])
            cursor = inbox["cursor"]


anyio.run(main)
