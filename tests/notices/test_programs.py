"""A program that cannot be run is named with its path."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from memoryhub.notices.sending import BadAddress, dismiss, service_of


def test_the_interpreter_that_cannot_be_run_is_named(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = str(tmp_path / "closed/python")
    dismiss()
    monkeypatch.setattr(sys, "executable", program)

    with caplog.at_level(logging.ERROR), pytest.raises(BadAddress) as caught:
        service_of("ntfy://topic")

    assert program in caught.value.reason and program in caplog.text
