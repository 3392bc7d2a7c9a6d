"""The OpenAPI document as a generator of clients reads it, and what it promises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from jsonschema_rs import Draft202012Validator

from memoryhub.api.application import api
from memoryhub.journal.models import Workspace

Operation = tuple[str, str, dict[str, Any]]


def operations() -> Iterator[Operation]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, details in methods.items():
            yield path, method, details


WITH_BODY = [
    pytest.param(details, id=details["operationId"])
    for _, _, details in operations()
    if "requestBody" in details
]


@pytest.mark.parametrize("details", WITH_BODY)
def test_every_body_has_an_example_that_its_schema_allows(
    details: dict[str, Any],
) -> None:
    whole = json.loads(json.dumps(api.get_openapi_schema()))
    (content,) = details["requestBody"]["content"].values()
    schema = {**content["schema"], "components": whole["components"]}

    Draft202012Validator(schema).validate(content["example"])


def test_it_names_its_server_and_the_header_of_agents() -> None:
    assert [server["url"] for server in api.get_openapi_schema()["servers"]] == ["/"]
    for _, _, details in operations():
        names = [found["name"] for found in details["parameters"]]
        assert names.count("MemoryHub-Agent") == 1
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "operation", [*operations()], ids=lambda o: o[2]["operationId"]
)
def test_a_parameter_that_nothing_knows_is_refused(
    operation: Operation, program: Client, workspace: Workspace
) -> None:
    path, method, details = operation
    (content,) = details.get("requestBody", {"content": {"": {}}})["content"].values()
    place = path.format(
        slug=workspace.slug, code="x", day="2026-11-20", path="MEMORY.md", number=1
    )
    answer = program.generic(
        method.upper(),
        f"{place}?surprise=1",
        json.dumps(content.get("example", {})) if content else "",
        content_type="application/json",
    )

    assert answer.status_code == 422
    (wrong,) = answer.json()["error"]["details"]["fields"]
    assert wrong["field"] == "query.surprise"
