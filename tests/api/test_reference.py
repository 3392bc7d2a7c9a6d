"""The page that lists what programs can ask."""

from __future__ import annotations

from django.test import Client

from memoryhub.tools.registry import TOOLS


def test_it_lists_every_operation_and_loads_nothing_else(client: Client) -> None:
    response = client.get("/api/v1/docs")
    html = response.content.decode()

    assert "/documents/{path}" in html
    assert all(f"/tools/{name}" in html for name in TOOLS)
    assert "http" not in html.replace("https://github.com", "").split("<body>")[0]
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_backticks_of_descriptions_are_code(client: Client) -> None:
    html = client.get("/api/v1/docs").content.decode()
    assert "`" not in html
    assert "<code>admin</code>" in html
