"""The bench of retrieval: conversations as logs, scores of what is given."""

from __future__ import annotations

from pathlib import Path

from bench.retrieval.conversations import Question, daily_logs
from bench.retrieval.scoring import Given, score

_TALK = {
    "speaker_a": "Ana",
    "speaker_b": "Bo",
    "session_2_date_time": "9:05 am on 2 June, 2024",
    "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Rain\nagain."}],
    "session_1_date_time": "1:56 pm on 31 May, 2024",
    "session_1": [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "Hi!"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "See:", "blip_caption": "a cat"},
    ],
}


def test_a_session_is_the_log_of_its_day() -> None:
    logs, places = daily_logs(_TALK)

    assert logs["memory/2024-05-31.md"] == [
        "# 2024-05-31", "", "## 13:56 Conversation Ana and Bo", "",
        "- **Ana**: Hi!", "- **Bo**: See: [shares a cat]",
    ]  # fmt: skip
    assert logs["memory/2024-06-02.md"][-1] == "- **Bo**: Rain again."
    assert places["D1:2"] == ("memory/2024-05-31.md", 6)


def test_a_line_counts_as_whole_only_if_all_of_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\nthe second line\n")
    question = Question("w", "what", 4, (("a.md", 2), ("a.md", 1)))
    given = [Given("b.md", 1, 9, "x"), Given("a.md", 2, 2, "the second")]

    found = score(question, given, tmp_path)

    assert (found.file_at_5, found.whole, found.named, found.mrr) == (1, 0, 0.5, 0.5)
