"""Whatever the schema allows, and much that it does not, is answered as it says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from memoryhub.journal.models import Workspace
from tests.api.described import Case, check, described

quick = described(phases={"coverage": {"enabled": False}})

pytestmark = pytest.mark.usefixtures("one_connection")


@quick.parametrize()
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_it_is_described(
    case: Case, workspace: Workspace
) -> None:
    check(case)
