"""Open items of free text, a family of rules at a time; sentences are apart."""

from __future__ import annotations

import pytest

from memoryhub.formats.openclaw import daily_log
from memoryhub.formats.text.labels import is_open_label, kind_of_inline_label
from tests.formats.open_items import items, items_at


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
        *("What you have to do", "Asked, no answer", "Left when the freeze ends"),
        *("Threads that are not finished", "Offen, schon lange", "Lo que te dejo"),
        *("Conséquences ouvertes", "Sospesi di oggi", "Encaminhamentos", "На неделю"),
        *("Na tydzień", "Elde olan işler", "没完的线", "まだ決まっていない件", "Doing"),
        *("아직 안 끝난 것", "En discusión", "Falamos e não fechamos", "讨论中"),
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


def test_rows_below_a_heading_of_open_work_are_open_without_states() -> None:
    table = "| tarea | quién |\n|---|---|\n| pintar la puerta | Inés |\n"
    table += "| comprar cal | hecho |\n"

    assert items("## Pendientes\n\n" + table) == ["pintar la puerta"]
    assert items("## Materiales\n\n" + table) == []


def test_a_heading_of_open_work_may_have_a_time() -> None:
    assert items("## 晚上 20:10 — 明天\n1. 看差异日志\n2. 恢复演练\n") == [
        "看差异日志",
        "恢复演练",
    ]


def test_a_morning_is_no_list_for_tomorrow() -> None:
    assert items("## Morgen\n- 06:20 Briefing raus\n- Müll: Papier\n") == []
    assert items("## Morgen\n- Müll rausbringen\n") == ["Müll rausbringen"]


@pytest.mark.parametrize(
    "item",
    [
        "Second oven for the yard, nobody has raised it since",
        "Thought about a bell, nothing came of it",
        "Signs in braille: too early",
        "~~Kasse~~ erledigt 20.08.",
        "Garage mieten (zu teuer?)",
        "Навес для дров: скорее нет",
    ],
)
def test_what_nobody_went_on_with_is_no_item(item: str) -> None:
    assert items(f"# 2026-05-03\n\n## Open\n\n- {item}\n- call Ada\n") == ["call Ada"]


def test_what_might_be_done_one_day_is_no_item() -> None:
    hedged = "- maybe colours\n- vielleicht ein Zaun\n- может, камеру\n- 也许加一页\n"

    assert items(f"## Open items\n{hedged}- paint the pump, nothing to do\n") == []
    assert items("## Open items\n- maybe a fence?\n") == ["maybe a fence?"]


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
    ],
)
def test_notes_of_many_kinds_have_open_items(path: str, found: bool) -> None:
    text = "# Walls\n\n## Next steps\n- paint the north wall\n"
    assert bool(items_at(path, text)) is found


def test_a_sentence_in_the_column_of_states_leaves_its_row_open() -> None:
    rows = "| keel | nobody has looked |\n| mast | done |\n"
    table = f"| part | state |\n| --- | --- |\n{rows}"

    assert items(f"# 2026-05-04\n\n{table}") == ["keel"]


def test_a_person_who_speaks_below_a_label_leaves_nothing_open() -> None:
    text = '# 2026-05-04\n\n## Next\n- Ida: "whoever merges also watches."\n- oil it\n'

    assert items(text) == ["oil it"]


def test_one_part_of_a_label_is_enough() -> None:
    text = (
        "# 2026-05-04\n\n## Things that did not work / still hanging\n- move the mast\n"
    )

    assert items(text) == ["move the mast"]
