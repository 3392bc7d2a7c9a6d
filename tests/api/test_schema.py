"""Whatever the schema allows, and much that it does not, is answered as it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.schemas import BaseSchema

from memoryhub.workspaces.models import Workspace

Case = schemathesis.Case[Any]

_pages = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Answer as to a program on the operator's own computer."""
    own = {
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost",
        # The client does not decompress what it asks to be compressed.
        "HTTP_ACCEPT_ENCODING": "identity",
    }
    return _pages(environ | own, start_response)


#: What follows the schema can be refused all the same, by a rule that has a name.
_BY_RULE = ["2xx", "3xx", "403", "404", "409", "412", "422", "428"]
_CONFIG = {
    "parameters": {"path.slug": "acme"},
    "checks": {"positive_data_acceptance": {"expected-statuses": _BY_RULE}},
    "operations": [
        {
            # It answers an unknown action in the words of the tool it stands in for.
            "include-operation-id": "tool_context_snap",
            "checks": {"negative_data_rejection": {"enabled": False}},
        }
    ],
}


def described(**config: Any) -> BaseSchema:
    return schemathesis.openapi.from_wsgi(
        "/api/v1/openapi.json",
        application,
        config=schemathesis.Config.from_dict(_CONFIG | config),
    )


thorough = described()
quick = described(phases={"coverage": {"enabled": False}})


def only_a_rule_refuses_what_fits(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: Case
) -> None:
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if fits and response.status_code == 422:
        assert response.json()["error"]["code"] != "request-invalid"


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the connection that holds the test's transaction, as test clients do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@quick.parametrize()
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_it_is_described(
    case: Case, workspace: Workspace
) -> None:
    case.call_and_validate(additional_checks=[only_a_rule_refuses_what_fits])


@pytest.mark.soak
@thorough.parametrize()
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_example_is_answered_otherwise(case: Case, workspace: Workspace) -> None:
    case.call_and_validate(additional_checks=[only_a_rule_refuses_what_fits])
