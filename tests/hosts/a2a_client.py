"""A client with the official SDK of A2A, run by its own Python: ADDRESS TOKEN.

Prints what it was given as one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as a2a


async def main(address: str, token: str) -> None:
    """Send a task, read it, list tasks, cancel it."""
    headers = {"authorization": f"Bearer {token}", "memoryhub-agent": "visitor"}
    async with httpx.AsyncClient(headers=headers) as http:
        card = await A2ACardResolver(http, address).get_agent_card()
        config = ClientConfig(httpx_client=http, streaming=False, polling=True)
        client = ClientFactory(config).create(card)
        message = a2a.Message(
            message_id="m1",
            role=a2a.Role.ROLE_USER,
            parts=[a2a.Part(text="Count the tests")],
        )
        request = a2a.SendMessageRequest(message=message)
        answers = [answer async for answer in client.send_message(request)]
        name = answers[-1].task.id
        read = await client.get_task(a2a.GetTaskRequest(id=name))
        listed = await client.list_tasks(a2a.ListTasksRequest())
        canceled = await client.cancel_task(a2a.CancelTaskRequest(id=name))
    state = a2a.TaskState.Name
    found = {
        "card": card.name,
        "read": state(read.status.state),
        "input": read.history[0].parts[0].text,
        "listed": name in [task.id for task in listed.tasks],
        "canceled": state(canceled.status.state),
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
