"""Codes in words: none is left to be spelled out."""

from __future__ import annotations

import pytest

from memoryhub.journal.verbs import _VERBS
from memoryhub.web.kit.labels import event_verb


@pytest.mark.parametrize("verb", _VERBS)
def test_what_was_done_through_the_hub_has_a_word(verb: str) -> None:
    word, _ = event_verb("edit", verb)

    assert word
