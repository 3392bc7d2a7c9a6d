"""Open items of free text, a family of rules at a time, in thirteen languages."""

from __future__ import annotations

import random
import time
from pathlib import PurePosixPath

import pytest

from memoryhub.formats import parse
from memoryhub.formats.openclaw import daily_log
from memoryhub.formats.statements.reading import statements_of
from memoryhub.formats.text.labels import is_open_label, kind_of_inline_label


def items(text: str) -> list[str]:
    """Return the texts of what a log leaves open."""
    return [one.text for one in daily_log.parse(text).open_items if not one.done]


def items_at(path: str, text: str) -> list[str]:
    """Return the texts of what the file at a path leaves open."""
    place = PurePosixPath(path)
    found = statements_of(place, parse(place, text)).open_items
    return [one.text for one in found if not one.done]


@pytest.mark.parametrize(
    "label",
    [
        *("Open items / watch", "Next session priorities", "Top 3 next actions"),
        *("Remaining blockers", "Things left", "What's left to build", "Not done yet"),
        *(
            "Pending user ask",
            "Question for Ana",
            "Blocked on review",
            "Waiting for Bo",
        ),
        *("Offene Punkte mit Jana", "Was noch fehlt", "Noch nicht entschieden"),
        *("Nächste Sitzung", "Liegen geblieben", "Wartet auf Freigabe"),
        *("Ce qui traîne", "Reste à faire", "Points en suspens", "À relancer"),
        *("Lo que falta", "Lo que no se decidió", "Preguntas abiertas", "Sin resolver"),
        *("Pendências da loja", "O que ficou para amanhã", "Questões em aberto"),
        *("Cosa manca", "Da fare domani", "Punti aperti", "In attesa di risposta"),
        *("Wat nog moet", "Openstaande punten", "Nog te doen", "Vervolgstappen"),
        *("Что осталось на завтра", "Вопросы к Раде", "Ждём ответа", "Не сделано"),
        *("Do zrobienia", "Otwarte pytania", "Następne kroki", "Czeka na odpowiedź"),
        *("Yapılacaklar", "Bekleyen işler", "Sonraki adımlar", "Açık sorular"),
        *("明天要做的事", "待处理工作", "遗留问题", "下一步建议", "等待回复"),
        *("残り", "次回やること", "未解決の件", "返事待ち", "明日の作業"),
        *("Loose ends", "Hanging", "First thing tomorrow", "Carried into week 20"),
        *("Хвосты", "Не закрыто", "Niezrobione", "Co przechodzi dalej", "Flecos"),
        *("Pontas soltas", "Nicht vergessen", "Pas fini", "Losse eindjes", "やり残し"),
        *("남은 일", "해야 할 일", "내일 할 일", "미해결 이슈", "답변 대기"),
    ],
)
def test_it_knows_labels_of_open_work_by_their_words(label: str) -> None:
    assert is_open_label(label)


@pytest.mark.parametrize(
    "label",
    [
        *("Open source", "Opening hours", "Waiting list", "Completed tasks", "Done"),
        *("Resolved issues", "Out of scope", "Not doing", "Current status", "Summary"),
        *("Cleaned the todo parser", "Open in the browser", "Vaccination reminders"),
        *("Erledigt", "Warteliste", "Was funktioniert", "Hecho", "Lo que hicimos"),
        *("O que ficou decidido", "Liste d'attente", "Fatto", "Сделано", "Предложения"),
        *("已完成", "未来", "完了", "完了した作業", "今日の作業", "완료", "오늘 한 일"),
    ],
)
def test_other_labels_are_none(label: str) -> None:
    assert not is_open_label(label)


def test_a_field_of_a_program_is_read_as_words() -> None:
    assert kind_of_inline_label("next_step") == "open"
    assert items("## 06:30\n- next_step: print labels\nnext_step: none\n") == [
        "print labels"
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("offen: Zaun streichen", "Zaun streichen"),
        ("- Remaining: import the card index", "import the card index"),
        ("Open question: who pays for it?", "who pays for it?"),
        ("- **Waiting for Ana:** the signed form", "the signed form"),
        ("À voir la semaine prochaine : les étiquettes", "les étiquettes"),
        ("- 待跟进：房东的答复", "房东的答复"),
        ("Pendiente: la llave del portal", "la llave del portal"),
    ],
)
def test_a_label_may_have_its_item_behind_it(line: str, text: str) -> None:
    assert items(f"Quiet day.\n\n{line}\n") == [text]


@pytest.mark.parametrize(
    "line",
    [
        *("Pending: 0", "Open: 9–18 h", "Remaining: 45 min", "Next run: 18:30"),
        *("## Current task: the importer", "offen: -", "Waiting list: 6 names"),
    ],
)
def test_a_count_or_a_time_behind_a_label_is_no_item(line: str) -> None:
    assert items(f"{line}\n") == []


def test_several_items_may_stand_behind_one_label() -> None:
    assert items("Хвосты: справки; договор на бензин; сцепление ✅\n") == [
        "справки",
        "договор на бензин",
    ]
    assert items("남은 일: 가죽 주문 / 장부 정리(끝)\n") == ["가죽 주문"]
    assert items("Offen sonst: Hofschlüssel. Erledigt: Preisliste\n") == [
        "Hofschlüssel"
    ]


def test_arrows_are_bullets_below_a_label() -> None:
    assert items("**Hanging**\n→ report of the print\n→ none\n") == [
        "report of the print"
    ]


def test_a_line_right_above_a_list_is_its_label() -> None:
    assert items("## 18:00\nОсталось\n- сканер в ремонт\n\nМелочи\n- чай\n") == [
        "сканер в ремонт"
    ]
    assert items("To do after this visit\n\n1. fix the step\n2. carry posts\n") == [
        "fix the step",
        "carry posts",
    ]
    assert items("offen:\n– Textbuch nachtragen\n– Kopien verteilen\n") == [
        "Textbuch nachtragen",
        "Kopien verteilen",
    ]


def test_what_is_done_below_a_heading_of_open_work_is_left_out() -> None:
    text = "## Next\n### Now\n- paint\n### Done\n- order\n#### Yesterday\n- saw\n"
    assert items(text) == ["paint"]


@pytest.mark.parametrize(
    "item",
    [
        *("~~order posts~~", "~~order posts~~ (no longer needed)", "✅ order posts"),
        *("order posts ✅", "order posts — done", "order posts (done 12 May)"),
        *("order posts: ✅ done", "Pfosten: erledigt", "Pfosten bestellen — fertig."),
        *("pedir postes: hecho", "postes — feito", "poteaux : fait", "pali: fatto"),
        *("столбы — готово", "столбы: сделано", "订柱子：已完成", "柱の注文（完了）"),
        *("기둥 주문 — 완료", "DL or C6? → DL, the windows fit", "słupki — zrobione"),
    ],
)
def test_an_item_that_is_done_is_not_open(item: str) -> None:
    assert items(f"## Next\n- {item}\n") == []


@pytest.mark.parametrize(
    "item",
    [
        *("order posts (not done)", "get this done by Friday", "Pfosten: nicht fertig"),
        *("ask whether the gate is closed", "cerrar la puerta", "柱の注文：未完了"),
        *("no answer from the bank yet", "Keine Antwort vom Amt", "返事なし"),
        *("nessuna risposta da Bo", "нет ответа от банка", "无法登录后台"),
    ],
)
def test_an_item_that_only_sounds_done_is_open(item: str) -> None:
    assert items(f"## Next\n- {item}\n") == [item]


@pytest.mark.parametrize(
    "item",
    [
        *("none", "No pending tasks from the office.", "No blockers", "Nothing left"),
        *("nothing to report", "(to be filled)", "(none yet)", "TBD", "Task 1", "..."),
        *("<your task here>", "{{step}}", "all done", "keine offenen Punkte", "Nichts"),
        *("nada más", "sin pendientes", "Nenhuma pendência com o moinho", "Nada mais"),
        *("aucun point", "rien à signaler", "niente", "geen open punten", "нет"),
        *("пока ничего", "暂无其他", "无", "没有待办", "特になし", "進行中の課題なし"),
        *("없음", "할 일 없음", "brak", "yok", "bench at km 6 (idea, nobody agreed)"),
    ],
)
def test_words_for_nothing_and_places_to_fill_are_no_items(item: str) -> None:
    assert items(f"## Next\n- {item}\n") == []


@pytest.mark.parametrize("mark", [" ", "~", "/", "!", "?", "🔄", "⏳", ">"])
def test_a_box_may_have_many_marks(mark: str) -> None:
    assert items(f"* [{mark}] fence\n") == ["fence"]


@pytest.mark.parametrize("mark", ["x", "X", "-", "✅", "✓", "❌"])
def test_a_box_that_is_closed_is_kept_as_done(mark: str) -> None:
    (one,) = daily_log.parse(f"- [{mark}] fence\n").open_items
    assert one.done


def test_tags_of_notes_are_read() -> None:
    text = "- [todo] order stock #shed\n- [fact] 12 trees\n- [question] who digs?\n"
    assert items(f"{text}- [pendiente] regar\n- [done] pay\n") == [
        "order stock #shed",
        "who digs?",
        "regar",
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("⏳ Ana checks the text", "Ana checks the text"),
        ("- 🔲 Kabel bestellen", "Kabel bestellen"),
        ("- 14:05 ❓ which door?", "which door?"),
        ("Draft is ready. ⏳ Bo has to sign it", "Bo has to sign it"),
        ("* TODO postage table", "postage table"),
    ],
)
def test_a_sign_marks_an_item(line: str, text: str) -> None:
    assert items(f"Morning.\n\n{line}\n") == [text]


@pytest.mark.parametrize(
    "line",
    ["✅ done, ⏳ waits", "## ⏳ 14:00", "TODO comments were removed", "a ⏳ sign"],
)
def test_a_sign_in_passing_marks_none(line: str) -> None:
    assert items(f"{line}\n") == []


def test_rows_of_a_table_are_open_by_their_state() -> None:
    text = (
        "| # | Task | Status |\n|---|:---:|---|\n| 1 | Export | ✅ done |\n"
        "| 2 | Import | 🔄 running |\n| 3 | Load test | pending |\n"
        "| 4 | Dialect | dropped |\n| 5 | | open |\n"
    )
    assert items(text) == ["Import", "Load test"]
    text = "| Datum | Was | Warum |\n|---|---|---|\n| 10-?? | Pause | noch offen |\n"
    assert items(text) == ["Pause"]
    assert (
        items("| gate | note |\n|---|---|\n| north | open since May, oiled |\n") == []
    )
    assert items("| state |\n|---|\n```\n| open |\n```\n") == []


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


def test_an_item_said_twice_in_a_file_is_one() -> None:
    line = "next_step: renew the certificate\n"
    assert items(f"## 12:00\n{line}\n## 18:00\n{line}") == ["renew the certificate"]


def test_nothing_in_a_fence_or_in_front_matter_is_open() -> None:
    text = "---\nnext: fence\n---\n```\n- [ ] a\n⏳ b\nTODO: c\n```\n"
    assert items_at("notes/a.md", text) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("notes/walls.md", True),
        ("HANDOFF.md", True),
        ("memory-bank/progress.md", True),
        ("MEMORY.md", True),
        ("docs/adr/0004-queue.md", True),
        (".claude/commands/report.md", False),
        ("templates/note.md", False),
        ("README.md", False),
    ],
)
def test_notes_of_many_kinds_have_open_items(path: str, found: bool) -> None:
    text = "# Walls\n\n## Next steps\n- paint the north wall\n"
    assert bool(items_at(path, text)) is found


def test_a_fact_about_a_project_tells_of_open_work() -> None:
    head = "---\nname: parser\ndescription: d\ntype: {}\n---\n\n"
    said = "Nested quotes are not handled yet.\n\n**Why:** nobody asked yet.\n"
    project, rule = (head.format(kind) + said for kind in ("project", "feedback"))
    assert items_at(".claude/memory/a.md", project) == [
        "Nested quotes are not handled yet."
    ]
    assert items_at(".claude/memory/a.md", rule) == []


@pytest.mark.parametrize(
    "part",
    [
        *(
            "- [ ] ",
            "⏳ ",
            "| a | open ",
            "~~",
            "TODO: ",
            "Next: ",
            "noch nicht ",
            "((",
        ),
        *(
            "waiting for ",
            "has not ",
            "等",
            "まだ",
            "아직",
            "→ a to ",
            "no no ",
            "- – ",
        ),
        *(
            "still ",
            "[todo] ",
            "open, ",
            "done: ",
            "？→",
            "sin ",
            "к ",
            "|-",
            " pending ",
        ),
    ],
)
def test_a_long_line_is_no_burden(part: str) -> None:
    started = time.process_time()
    daily_log.parse(part * 20_000)
    daily_log.parse(f"## Next\n{part * 20_000}\n" + f"- {part * 10}\n" * 2_000)
    assert time.process_time() - started < 8


def test_two_thousand_hostile_texts_are_read_in_time() -> None:
    chance = random.Random(11)
    parts = (
        *("- [ ] ", "## Next\n", "Next: ", "⏳", "|---|\n", "| open |\n", "~~", "done"),
        *(
            "(",
            "）",
            "waiting for ",
            "not yet",
            "\n",
            "\n\n",
            "?",
            "→",
            "TODO ",
            "\ud800",
        ),
        *(
            "还没",
            "まだ",
            "아직 ",
            "надо ",
            "hay que ",
            "[todo] ",
            ": ",
            "：",
            "- ",
            "\0",
        ),
        *("pending items ", "offene Punkte", "```\n", "\u2028", "\r\n", "x" * 90),
    )
    started = time.process_time()
    for _ in range(2_000):
        text = "".join(chance.choices(parts, k=chance.randrange(40)))
        log = daily_log.parse(text)
        last = text.count("\n") + 1
        assert log.render() == text
        assert all(1 <= n <= last for one in log.open_items for n in one.lines)
        assert all(one.text.strip() for one in log.open_items)
    assert time.process_time() - started < 30
