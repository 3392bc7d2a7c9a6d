"""What `test_schema.py` asks, with every odd value of every field."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from memoryhub.journal.models import Workspace
from tests.api.described import Case, check, described

thorough = described()

pytestmark = [pytest.mark.soak, pytest.mark.usefixtures("one_connection")]


@thorough.parametrize()
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_example_is_answered_otherwise(case: Case, workspace: Workspace) -> None:
    check(case)
