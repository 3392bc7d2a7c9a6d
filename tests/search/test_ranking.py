"""The second stage: lines scored, cut to passages, marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from memoryhub.search.cutting import Passage, cut
from memoryhub.search.ranking import (
    Candidate,
    SearchTerms,
    Texts,
    newer_first,
    score_lines,
    weight,
)
from memoryhub.search.snippets import Mark, snippet_of
from memoryhub.values.budgets import ENDLESS, Budget
from tests.growth import assert_growth_below

TEXT = """# Deploys
nothing here
the deploy failed on friday
because the certificate had expired
nothing here
nothing either
the deploy worked
ERR_DUP_KEY was raised
and MY_ERR_DUP_KEY_2 was not"""
LOG = TEXT.split("\n")
BLOCK = Candidate(1, 1, len(LOG), 5.0)


def wanted(*words: str, **values: object) -> SearchTerms:
    return SearchTerms(dict.fromkeys(words, 2.0), **values)  # type: ignore[arg-type]


def best_passages(
    blocks: Sequence[Candidate],
    texts: Texts,
    want: SearchTerms,
    *,
    today: int | None = None,
    budget: Budget = ENDLESS,
) -> list[Passage]:
    lines = score_lines(blocks, texts, want, budget=budget)
    return list(cut(newer_first(lines, today) if today else lines, texts, want))


def ranked(want: SearchTerms) -> list[Passage]:
    return best_passages([BLOCK], lambda _: LOG, want)


def lines(passage: Passage) -> tuple[int, int]:
    return passage.first_line, passage.last_line


def test_the_line_with_most_words_comes_first() -> None:
    best = ranked(wanted("fail", "certif"))[0]

    first, last = lines(best)
    assert first == 2 and last >= 4
    assert best.line == 3


def test_no_line_is_given_twice() -> None:
    found = ranked(wanted("deploi", "noth", "certif", "expir", "work"))
    given = [n for p in found for n in range(p.first_line, p.last_line + 1)]

    assert len(given) == len(set(given))


def test_a_name_that_is_whole_comes_first() -> None:
    best, *others = ranked(wanted("deploi", "err", "dup", names=("err_dup_key",)))

    assert (best.line, best.exact) == (8, 1)
    assert not any(other.exact for other in others)


def test_age_counts_only_where_it_is_asked_for() -> None:
    blocks = [Candidate(1, 1, 1, 5.0, 100), Candidate(2, 1, 1, 4.9, 1_000)]
    want = wanted("deploi")
    texts = {1: ["the deploy"], 2: ["the deploy"]}

    by_words = best_passages(blocks, texts.__getitem__, want)
    by_age = best_passages(blocks, texts.__getitem__, want, today=1_000)

    assert [p.file for p in by_words] == [1, 2]
    assert [p.file for p in by_age] == [2, 1]


def test_blocks_are_read_until_the_time_is_over_ten_in_any_case() -> None:
    """The clock goes on by one each time it is asked: once before each other ten."""
    blocks = [Candidate(file, 1, 1, 5.0) for file in range(50)]

    def read_in(seconds: int) -> int:
        budget = Budget.of(seconds, count().__next__)
        want = wanted("deploi")
        return len(best_passages(blocks, lambda _: ["deploy"], want, budget=budget))

    assert [read_in(seconds) for seconds in (1, 3, 9)] == [10, 30, 50]


def test_age_never_hides_a_name() -> None:
    blocks = [Candidate(1, 1, 1, 0.1, 1), Candidate(2, 1, 1, 9.0, 9_999)]
    texts = {1: ["ERR_DUP"], 2: ["err dup err dup"]}
    want = wanted("err", "dup", names=("err_dup",))

    assert best_passages(blocks, texts.__getitem__, want, today=9_999)[0].file == 1


def test_a_phrase_stands_on_its_lines_only() -> None:
    found = ranked(wanted("fail", "fridai", phrases=(("on", "fridai"),)))

    assert [p.line for p in found] == [3]


def test_a_phrase_may_go_on_in_the_next_line() -> None:
    found = ranked(wanted("fridai", "becaus", phrases=(("fridai", "becaus"),)))

    assert {p.line for p in found} <= {3, 4}
    assert found


def test_a_common_word_alone_is_no_result() -> None:
    assert not ranked(wanted("the", plain=frozenset({"the"})))


def test_a_snippet_marks_words_names_and_phrases() -> None:
    want = wanted(
        "deploi", names=("err_dup",), phrases=(("on", "fridai"),), prefix="cert"
    )
    text = "Deployed ERR_DUP on Friday, certificates"
    marks = [text[mark.start : mark.end] for mark in snippet_of([text], want).marks]

    assert marks == ["Deployed", "ERR_DUP", "on Friday", "certificates"]


def test_marks_of_a_run_are_one() -> None:
    snippet = snippet_of(["记忆压缩很好"], wanted("记忆", "忆压", "压缩"))

    assert snippet.marks == (Mark(0, 4),)


def test_a_long_line_is_cut_around_its_match() -> None:
    snippet = snippet_of(["x " * 5_000 + "needle " + "y " * 5_000], wanted("needl"))

    assert snippet.cut
    assert "needle" in snippet.text
    assert len(snippet.text) <= 700


def test_lines_that_are_not_there_any_more_are_no_error() -> None:
    assert not best_passages([Candidate(1, 5, 9, 1.0)], lambda _: [], wanted("a"))


def test_a_long_line_takes_no_longer_than_its_beginning() -> None:
    def rank(size: int) -> None:
        line = "needle " * size
        candidates = [Candidate(1, 1, 1, 1.0)]
        assert best_passages(candidates, lambda _: [line], wanted("needl"))

    assert_growth_below(2, rank, 40_000)


def test_rare_terms_weigh_more() -> None:
    assert weight(1, 1_000) > weight(100, 1_000) > weight(999, 1_000) > 0
