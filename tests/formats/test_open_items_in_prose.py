"""Open items in sentences of free text, in thirteen languages."""

from __future__ import annotations

import pytest

from memoryhub.formats.openclaw import daily_log
from tests.formats.open_items import items, items_at


@pytest.mark.parametrize(
    "line",
    [
        "Mailed the supplier, no answer yet.",
        "Still waiting for the office to sign.",
        "Somebody has to clean the rollers.",
        "The fence is not painted yet.",
        "Das Amt hat noch nicht geantwortet.",
        "Wir warten auf die Freigabe der Stadt.",
        "Le plombier n'a pas rappelé depuis lundi.",
        "Demain il faut commander la farine.",
        "Falta que la ferretería confirme el precio.",
        "Hay que preguntar a la señora del portal.",
        "A cliente ainda não respondeu ao correio.",
        "Il fornitore non ha ancora risposto alla mail.",
        "De gemeente heeft nog niet geantwoord op de brief.",
        "Надо вызвать мастера по весам.",
        "Ждём подписи директора на заявке.",
        "Urząd jeszcze nie odpisał na list.",
        "Belediyeden cevap bekliyoruz.",
        "装修队还没选，等周三两家都量完再说。",
        "市役所の返事待ち。",
        "업체에서 아직 답이 없다.",
        "Mara promised to bring the key.",
        "Order more paper before Friday.",
        "Der Lieferant hat sich nicht gemeldet.",
        "La question du parking reste ouverte.",
        "Tengo que llamar a la gestora el lunes.",
        "- Gate 2 squeaks (open)",
        "- Zaun Nordseite — offen",
        "The hinge is loose → order a new one",
        "No idea who has the key.",
        "내일 목록 보고 다시 이야기하기로.",
        "Traduzir as novas condições.",
        "Domani chiamo l'idraulico.",
        "Не хватает подписи директора.",
        "Заказать бумагу до среды.",
        "合同待老板签字。",
        "駐車場の件は保留。",
        "They want to sleep on the price.",
        "The roof is held up by the permit.",
        "The parcel has not arrived at the depot.",
        "Bei der Versicherung nachfassen",
        "Die Rechnungen müssen noch.",
        "Nos debe el segundo recibo.",
        "No hemos confirmado la sala.",
        "On ne sait toujours pas qui vient.",
        "Ninguém trouxe a caixa, ficou a meio.",
        "Никого не нашли на вечер.",
        "Мы должны сдать отчёт в среду.",
        "Musimy wymienić zamek.",
        "Müsste mal jemand die Rinne ansehen.",
    ],
)
def test_sentences_tell_of_open_work(line: str) -> None:
    assert items(f"# 2026-05-03\n\n{line}\n") == [line.removeprefix("- ")]


@pytest.mark.parametrize(
    "line",
    [
        "We waited for the bus.",
        "No answer needed.",
        'Ana: "I am waiting for the bus".',
        "Finally signed, nothing left to wait for.",
        "Das ist nicht mehr nötig, noch nicht einmal am Rand ✅",
        "> still waiting for Bo",
        "| waiting for Bo |",
        "Why: the old one did not answer yet.",
        "We always have to ask first.",
        "I have not changed anything.",
        "Who has not paid: B2, B6.",
    ],
)
def test_other_sentences_tell_of_none(line: str) -> None:
    assert items(f"# 2026-05-03\n\n{line}\n") == []


def test_a_sentence_about_a_listed_item_is_none_of_its_own() -> None:
    text = "Asked Bo for posts, no answer yet.\n\n## Next\n- posts from Bo\n"
    assert items(text) == ["posts from Bo"]


def test_a_short_sentence_comes_with_the_one_before() -> None:
    assert items("Mailed the baker. No answer yet. Rain.\n") == [
        "Mailed the baker. No answer yet."
    ]
    assert items("- Cellar: three offers sent (a, b, c). No answer yet\n") == [
        "Cellar: three offers sent (a, b, c). No answer yet"
    ]


def test_a_sentence_may_head_the_list_of_what_is_open() -> None:
    assert items("Falta a planta e o laudo.\n- planta: pedir ao Caio\n- laudo\n") == [
        "planta: pedir ao Caio",
        "laudo",
    ]


def test_in_a_conversation_firm_sentences_count() -> None:
    text = (
        "# Session: 2026-09-16 07:12:44 UTC\n\n- **Session Key**: agent:main:main\n"
        "- **Session ID**: s\n- **Source**: web\n\n## Conversation Summary\n\n"
        "user: we have to be quick, is the town hall back?\n"
        "assistant: They have not answered yet.\n```\nwaiting for x\n```\n"
    )
    assert items_at("memory/2026-09-16-town.md", text) == [
        "They have not answered yet."
    ]


def test_a_list_item_that_asks_is_open_until_it_is_answered() -> None:
    assert items("- the old gate, keep or drop?\n- red or blue? → red\n") == [
        "the old gate, keep or drop?"
    ]


def test_what_is_done_further_below_is_not_open() -> None:
    assert items("## A\n- [ ] paint gate\n\n## B\n- [x] paint gate\n") == []
    text = "## A\n⏳ the drum plots\n\n## B\nSent 14 drum plots to her.\n"
    assert items(text) == []


def test_a_fact_about_a_project_tells_of_open_work() -> None:
    head = "---\nname: parser\ndescription: d\ntype: {}\n---\n\n"
    said = "Nested quotes are not handled yet.\n\n**Why:** nobody asked yet.\n"
    project, rule = (head.format(kind) + said for kind in ("project", "feedback"))
    assert items_at(".claude/memory/a.md", project) == [
        "Nested quotes are not handled yet."
    ]
    assert items_at(".claude/memory/a.md", rule) == []


def test_a_sentence_that_is_wrapped_is_read_whole() -> None:
    text = (
        "The list is filled in by Ana. The stamp on page six is still missing,\n"
        "the surgery closes at one on Saturdays so no luck today.\n"
    )

    (item,) = daily_log.parse(text).open_items
    assert item.text.startswith("The stamp") and item.text.endswith("luck today.")
    assert item.lines == (1, 2)


def test_of_a_long_bullet_only_the_sentence_that_is_open_counts() -> None:
    line = "The mast is up and the rigging holds. The surveyor has not answered yet."
    log = daily_log.parse(f"# 2026-05-04\n\n## 10:00 Boat\n\n- {line}\n")
    found = log.open_items

    assert [one.text for one in found] == ["The surveyor has not answered yet."]
