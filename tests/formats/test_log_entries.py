"""Logs of many styles and languages are cut as a reader would cut them."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from memoryhub.dialects import daily_log
from memoryhub.dialects.registry import parse
from tests.growth import assert_ends, assert_in_proportion

#: A style of logs, a text of it, and where its entries begin: line and time.
FAMILIES = {
    "timed headings, a list of work last": (
        (
            "# 2026-05-03\n\nWoke up, read the notes.\n\n## 08:12 - Round\nText.\n"
            "### Detail\nMore.\n\n## 9:40 AM — Draft\n- a\n\n## Next\n- [ ] b\n"
        ),
        [(5, "08:12"), (10, "09:40")],
    ),
    "timed headings below a timeline": (
        (
            "# Notas\n\n## Cronología\n\n### 09:00 Inicio\nTexto.\n#### Paso\n\n"
            "### 10:30 Fotos\nTexto.\n\n## Pendientes\n- x\n"
        ),
        [(5, "09:00"), (9, "10:30")],
    ),
    "timed headings below a label of decisions": (
        (
            "# 2026-02-27\n\n## 关键决策\n\n下面是流水：\n\n### 15:25 回电\n好。\n\n"
            "### 深夜 23:40 自检\n好。\n\n## 下一步建议\n1. 录入\n"
        ),
        [(7, "15:25"), (10, "23:40")],
    ),
    "an untimed thing among timed ones": (
        (
            "# 2026-08-18\n\n## Brief (07:05 ET)\nSent.\n\n## Small things\nToner.\n\n"
            "## 2026-08-17 - late addition\nA light.\n\n## Session ended\nno_reply\n"
        ),
        [(3, "07:05"), (6, ""), (9, ""), (12, "")],
    ),
    "timed bullets": (
        (
            "- 09:05 Lager gezählt\n  - zweimal\n- 14.30 Uhr Bestellung\n"
            "- Entscheidung: nur Zehnerpackungen\n- offen: Mindestmenge\n"
        ),
        [(1, "09:05"), (3, "14:30")],
    ),
    "timed bullets below a line about the day": (
        (
            "Montag, Urlaub\n\n- 08:40 – Auszug geholt\n- 09:15 – zugeordnet\n\n"
            "Noch offen:\n- drei Zahlungen\n"
        ),
        [(3, "08:40"), (4, "09:15")],
    ),
    "timed paragraphs": (
        (
            "# 5 октября 2026, понедельник\n\n08:10 — отчёт отправлен.\n\n"
            "09:30 — пересчитали.\nЧто решили:\n- сразу\n\nОсталось\n- сканер\n"
        ),
        [(3, "08:10"), (5, "09:30")],
    ),
    "bold times below a title": (
        (
            "---\nagent: x\n---\n# Probe Akt II\n\n**19:30** Beginn\n\n**20:05** Ende\n"
            "Er will Tee.\n\noffen:\n– Textbuch\n"
        ),
        [(6, "19:30"), (8, "20:05")],
    ),
    "sessions with their parts": (
        (
            "# 2026-06-21\n\n## Session Summary\nFixed it.\n\n## Changes\n- a\n\n"
            "## Decisions\n- b\n\n## Session Summary\nAgain.\n\n## Open Issues\n- no\n"
        ),
        [(3, ""), (12, "")],
    ),
    "a list of what happened": (
        (
            "# 2026-01-17\n\n- Paperless aktualisiert\n- todo: Ersatzplatte\n"
            "- Platte 3 meldet Sektoren\n  - acht\n"
        ),
        [(3, ""), (5, "")],
    ),
    "items with a category": (
        (
            "# Domingo en la huerta\n\n- [evento] sensor calibrado\n"
            "- [decisión] riego aparte\n- [pendiente] comprar válvula\n"
        ),
        [(3, "")],
    ),
    "paragraphs": (
        (
            "La bomba no arrancaba.\n\nLlegó la factura:\n- una\n- dos\n\n"
            "Pendiente: la señora de la 14.\n"
        ),
        [(1, ""), (3, "")],
    ),
    "the lines below a title": (
        "# Migration call, 2 July 2026\n\npresent: two\n\n- rows over\n- Sunday\n",
        [(5, ""), (6, "")],
    ),
    "a list right below a paragraph": (
        "# 2026-07-02\n\nWent to town\n- milk\n- nails\n\n- called Ana\n",
        [(3, ""), (7, "")],
    ),
    "figures in a row": (
        "# Report\n\n• Price: 60\n• Index: 1.04\n• Volume: 3\n",
        [(1, "")],
    ),
    "figures in a row among notes": (
        "# Log\n\n- Mended the boiler\n- Price: 60\n- Index: 1.04\n- Called Ana\n",
        [(3, ""), (4, ""), (6, "")],
    ),
    "a decision alone": (
        "# 2026-05-01\n\nDecision: Use Postgres for the tide store\n",
        [(3, "")],
    ),
    "figures beside what happened": (
        (
            "# 2026-07-02\n\n## Boiler\nMended.\n\n## Numbers\n| a | b |\n|---|---|\n"
            "| heat | 60 |\n\n## Zahlen\n- Preis: 60 €\n- Index: +1,04\n"
        ),
        [(3, "")],
    ),
    "a diary under its day": (
        "Mardi 10 février 2026\n\nJournée calme.\n\nVers midi il est passé.\n",
        [(1, "")],
    ),
    "a second title with a checksum": (
        (
            "# 2026-04-25\n\nmemory_type: derived\n\n## Heartbeat 00:30\n- ok\n\n"
            "## Heartbeat 06:30\n- ok\n\n# 2026-04-25\n\nchecksum: 4 runs\n"
        ),
        [(5, "00:30"), (8, "06:30")],
    ),
    "a closing time with a list of work": (
        (
            "# 2026-03-02 日志\n\n## 上午10点 - 礼盒\n不卖了。\n\n"
            "## 晚上 9:05 - 收尾\n待办：\n- 补货\n"
        ),
        [(3, "10:00")],
    ),
    "paragraphs below a day, a list of work behind its label": (
        (
            "20 апреля 2026, понедельник\n\nУтром комиссия.\n\nВ 19:30 написала.\n\n"
            "Хвосты: медсправки; договор.\n"
        ),
        [(3, ""), (5, "19:30")],
    ),
    "rows of a table with times": (
        (
            "# 2026-05-03\n\n| time | what |\n|---|---|\n| 09:30 | mail |\n"
            "| 10:15 | call |\n"
        ),
        [(5, "09:30"), (6, "10:15")],
    ),
    "items with their time behind": (
        "# 2026-05-03\n\n- pump fixed (09:30)\n- called Ana\n",
        [(3, "09:30"), (4, "")],
    ),
    "headings of a Polish day": (
        (
            "# 2026-05-06\n\n## 9.15 – Poczta\nDwa.\n\n## godz. 14:30 Telefon\nTak.\n\n"
            "## Do zrobienia\n- klej\n"
        ),
        [(3, "09:15"), (6, "14:30")],
    ),
    "named sections without times": (
        "# Kaskelot\n\n## Photos\nRenamed.\n\n## Shop\nMoved.\n",
        [(3, ""), (6, "")],
    ),
    "parts without a summary": (
        "# 2026-03-01\n\n## Done\n- moved the shop\n\n## Next steps\n- photos\n",
        [(3, "")],
    ),
    "Korean parts of the day": (
        (
            "# 2026-04-20 작업 일지\n\n## 오후 2시 - 회의\n결정: 기기 우선\n\n"
            "## 밤 10시 - 충돌률\n없음\n\n### 남은 일\n- [ ] 문구\n"
        ),
        [(3, "14:00"), (6, "22:00")],
    ),
    "titled paragraphs behind an opening line": (
        (
            "# 10 мая\n\nКоротко, все устали.\n\n**Крыша.** Течёт стык.\n\n"
            "**Забор.** Стоит.\n\n**Банк.** Открыт.\n\nХорошо бы камеру.\n\n"
            "Осталось\n- краска\n"
        ),
        [(5, ""), (7, ""), (9, "")],
    ),
    "messages with times under one of several headings": (
        (
            "# 2026-02-09\n\n## Filter bestellt\nZwei.\n\n## Nachrichten von Ute\n"
            "- 08:20 Lüfter läuft\n- 12:04 nicht schreiben\n"
        ),
        [(3, ""), (6, "")],
    ),
    "boxes below a heading": (
        (
            "## Ascensore fermo\nFermo dalle sette.\n\nUno voleva rifare tutto.\n\n"
            "- [x] cartello\n- [ ] terzo preventivo\n"
        ),
        [(1, "")],
    ),
    "headings with their whole stamps": (
        (
            "# Log\n\n## 2026-05-03 14:05 – call\nText.\n\n"
            "## 2026-05-03T16:00:00Z deploy\nT.\n"
        ),
        [(3, "14:05"), (6, "16:00")],
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_log_is_cut_where_something_happened(name: str) -> None:
    text, wanted = FAMILIES[name]

    found = daily_log.parse(text).entries
    assert [
        (e.lines.first, f"{e.time.hour:02}:{e.time.minute:02}" if e.time else "")
        for e in found
    ] == wanted


@pytest.mark.parametrize(
    ("path", "text", "starts"),
    [
        ("sessions/2026-08-05.md", "# Werk\n\n## Ziel\na\n\n## Umbau\nb\n", [1]),
        ("sessions/2026-08-05.md", "# 2026-08-05\n\n## Ziel\na\n\n## Umbau\nb\n", [3]),
        ("journal/2026-08-05-a.md", "# 検査\n\n## 直した\na\n\n## 調べた\nb\n", [1]),
        ("memory/2026-08-05-1930.md", "# A\n\n## B\na\n\n## C\nb\n", [1]),
        ("memory/2026-08-05-a.md", "---\na: b\n---\n# A\n\n## B\na\n\n## C\nb\n", [4]),
        ("memory/2026_08_05_a.md", "# A\n\n## B\na\n\n## C\nb\n", [1]),
        ("sessions/2026-08-05.md", "# A\n\n## 09:00 b\nc\n\n## 10:00 d\ne\n", [3, 6]),
        (
            "memory/2026-08-05-a.md",
            "# A\n\n## Course\n- 09:00 b\n- 10:00 c\n\n## Cause\nd\n",
            [4, 5],
        ),
        (
            "journal/2026-08-05.md",
            "# 2026-08-05\n\n## Umbau\nb\n\n## Kauf\nc\n",
            [3, 6],
        ),
    ],
)
def test_a_file_of_one_piece_of_work_is_one_entry(
    path: str, text: str, starts: list[int]
) -> None:
    found = parse(PurePosixPath(path), text)

    assert isinstance(found, daily_log.DailyLog)
    assert [entry.lines.first for entry in found.entries] == starts


def test_only_a_list_of_work_is_no_entry() -> None:
    assert daily_log.parse("# 2026-05-03\n\n## TODO\n- [ ] a\n- [ ] b\n").entries == ()


def test_a_call_about_open_work_is_an_entry() -> None:
    log = daily_log.parse(
        "## 10:00 Follow-up with Ana\nShe said yes.\n\n## Call about the roof\nX.\n"
    )

    assert [entry.title for entry in log.entries] == [
        "10:00 Follow-up with Ana",
        "Call about the roof",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## 09:30 A\n### B\n" * 8_000,
        "".join("#" * (n % 6 + 1) + " 下午3点 x\n" for n in range(16_000)),
        "- 09:30 a\n" * 16_000,
        "- [evento] a\n" * 16_000,
        "## Session Summary\n## Changes\n" * 8_000,
        "a paragraph\n\n" * 16_000,
        "**19:30** a\n\noffen:\n- b\n\n" * 8_000,
        "5 May 2026 " * 16_000,
        "## " + "9h" * 100_000,
        "## " + "晚上 " * 16_000,
        "1 de " * 40_000 + "\n",
        "[" * 100_000 + "\n" + "(" * 100_000,
        "**a.** b\n\nc\n\n" * 16_000,
        "**" * 100_000,
    ],
    ids=range(14),
)
def test_a_hostile_log_is_cut_in_linear_time(text: str) -> None:
    assert_in_proportion(lambda size: daily_log.parse(text[:size]), len(text) // 32)
    assert_ends(lambda: daily_log.parse(text))
