"""Tools by REST."""

from __future__ import annotations

from django.test import Client

from memoryhub.api.application import api
from memoryhub.journal.models import Workspace
from memoryhub.tools.registry import TOOLS

URL = "/api/v1/workspaces/acme/tools/workspace_status"
JSON = "application/json"


def test_a_tool_answers_in_the_one_shape(program: Client, workspace: Workspace) -> None:
    response = program.post(URL, "{}", JSON)

    assert response.status_code == 200
    assert response.json()["data"]["files"] == 3
    assert response.json()["next"] is None


def test_an_agent_is_let_in_by_its_token(agent: Client) -> None:
    assert agent.post(URL, "{}", JSON).status_code == 200


def test_every_tool_is_an_operation(program: Client) -> None:
    paths = program.get("/api/v1/openapi.json").json()["paths"]

    for name in TOOLS:
        assert f"/api/v1/workspaces/{{slug}}/tools/{name}" in paths


def test_models_of_one_name_are_told_apart(program: Client) -> None:
    described = program.get("/api/v1/openapi.json").json()
    models = described["components"]["schemas"]

    for tool in TOOLS.values():
        path = f"/api/v1/workspaces/{{slug}}/tools/{tool.name}"
        body = described["paths"][path]["post"]["requestBody"]["content"]
        name = body["application/json"]["schema"]["$ref"].rpartition("/")[2]
        own = tool.request.model_json_schema().get("properties", {})
        assert set(models[name].get("properties", {})) == set(own)


def test_it_is_described_once_for_each_place_it_is_at() -> None:
    described = api.get_openapi_schema()

    assert api.get_openapi_schema() is described
    elsewhere = api.get_openapi_schema(path_prefix="elsewhere/")
    assert "/elsewhere/workspaces" in elsewhere["paths"]


def test_an_unknown_tool_is_refused_with_the_nearest(
    program: Client, workspace: Workspace
) -> None:
    answer = program.post("/api/v1/workspaces/acme/tools/core_memroy", "{}", JSON)

    assert answer.status_code == 404
    told = answer.json()["error"]
    assert told["code"] == "tool-unknown"
    assert told["message"] == "there is no tool core_memroy. Did you mean core_memory?"
    assert program.get(URL).status_code == 405
