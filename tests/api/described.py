"""Calls made of the API's own description, and how their answers are checked."""

from __future__ import annotations

from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from schemathesis.core.parameters import ParameterLocation
from schemathesis.schemas import BaseSchema

from memoryhub.people.services.local_token import local_token

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


def _known() -> dict[str, str]:
    return {"Authorization": f"Bearer {local_token()}"}


#: What follows the schema can be refused all the same, by a rule that has a name.
_BY_RULE = ["2xx", "3xx", "403", "404", "409", "412", "413", "422", "428"]
#: Also a body over the limit, which is refused before it is read.
_REFUSED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428"]
_CONFIG = {
    "parameters": {"path.slug": "acme"},
    "checks": {
        "positive_data_acceptance": {"expected-statuses": _BY_RULE},
        "negative_data_rejection": {"expected-statuses": _REFUSED},
    },
    "operations": [
        {
            # It answers an unknown action in the words of the tool it stands in for.
            "include-operation-id": "tool_context_snap",
            "checks": {"negative_data_rejection": {"enabled": False}},
        }
    ],
}


def described(**config: Any) -> BaseSchema:
    """Return what the API says of itself, to make calls of."""
    return schemathesis.openapi.from_wsgi(
        "/api/v1/openapi.json",
        application,
        headers=_known(),
        config=schemathesis.Config.from_dict(_CONFIG | config),
    )


def only_a_rule_refuses_what_fits(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: Case
) -> None:
    """Check that the schema says all that a request can be wrong in."""
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if fits and response.status_code == 422:
        assert response.json()["error"]["code"] != "request-invalid"


def check(case: Case) -> None:
    """Make a call, and check that its answer is as the schema says."""
    headers = {} if _breaks_headers(case) else _known()
    case.call_and_validate(
        headers=headers, additional_checks=[only_a_rule_refuses_what_fits]
    )


def _breaks_headers(case: Case) -> bool:
    """Tell whether a call is made with wrong headers, such as none that lets it in."""
    if case.meta is None:
        return False
    header = case.meta.components.get(ParameterLocation.HEADER)
    return header is not None and header.mode.is_negative
