"""Kinds of headings in a log: an event, a part of one, a list.

Labels of decisions, open items and directives are known to
`memoryhub.formats.text.labels`; here are the other headings that agents give to parts
of a session or of a day, in nine languages.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from memoryhub.formats.text.dates import title_without_time
from memoryhub.formats.text.days import is_day_title, without_days
from memoryhub.prose.labels import list_kind_of as kind_of_label
from memoryhub.prose.labels import normalise

#: own: it names what happened; part: of a session; over: what is
#: below it happened; list: of decisions or directives;
#: work: a list of what is left;
#: summary: it opens a session; day: nothing but the day of the log.
Role = Literal["own", "part", "over", "list", "work", "summary", "day"]

_SUMMARIES = """
session summary|summary|summary of the session|session recap|recap|session overview
overview|session|session notes|session log|tl;dr|tldr|conversation summary
resumen de la sesión|resumen|resumo da sessão|resumo|resumen de sesión
resumen del día|resumo do dia|résumé de la session|résumé|récapitulatif
zusammenfassung|sitzungszusammenfassung|zusammenfassung der sitzung|sitzung|überblick
итоги сессии|итог сессии|сводка|резюме|краткое содержание|итоги|кратко|обзор
会话总结|会话摘要|会话小结|摘要|总结|概要|概述|会話の要約|セッション概要|セッション要約
要約|まとめ|今日のまとめ|概要|세션 요약|요약|작업 요약|개요
riepilogo|riepilogo della sessione|riassunto|sintesi|sommario
podsumowanie|podsumowanie sesji|podsumowanie dnia|streszczenie|samenvatting
sammanfattning
"""

_PARTS = """
changes|changes made|files|files changed|files modified|files touched|files created
modified files|code changes|what changed|commits|artifacts|artifacts created|outputs
deliverables|done|done today|completed|completed today|what was done|what i did
what we did|accomplished|accomplishments|achievements|wins|progress|work done
tasks completed|completed tasks|results|outcome|outcomes|findings|key findings
lessons|lessons learned|lesson learned|learnings|key learnings|insights|key insights
takeaways|key takeaways|what i learned|what went well|what didn't|reflections|reflection
notes|note|key notes|observations|key points|important points
highlights|key highlights|context|background|details|references|links|resources
participants|attendees|people|agenda|topics|topics discussed|discussion|metrics|stats
statistics|totals|numbers|usage|cost|costs|tokens|budget|environment|setup|status
current status|current state|state|health|system status|active context|focus|goals
goals for today|plan|today's plan|plan for today|priorities|priorities for today
today's priorities|blockers|issues|issues encountered|problems|problems encountered
risks|errors|errors encountered|mistakes|failures|bugs fixed|fixes|fixed|tests
test results
memory updates|memory|memories|preferences|metadata|tags|mood|weather|gratitude
session ended|session end|end of session|end of log|session closed|no_reply|template
reading|cambios|archivos|archivos modificados|hecho|hecho hoy|completado|logros|avances
aprendizajes|lecciones|lecciones aprendidas|lo aprendido|notas|observaciones|contexto
detalles|enlaces|totales|estadísticas|bloqueos|bloqueos actuales|problemas|errores
riesgos|puntos clave|puntos importantes|estado|estado actual
archivos tocados|resultados|métricas|asistentes|participantes|costes|costos
mudanças|alterações|arquivos|arquivos modificados|ficheiros|ficheiros alterados|feito
feito hoje|concluído|concluídos|concluídas|conquistas|aprendizados|aprendizagens|lições
lições aprendidas|observações|totais|estatísticas|bloqueios|erros|riscos
pontos importantes|pontos-chave|estado atual|resultados
änderungen|geänderte dateien|dateien|erledigt|heute erledigt|geschafft|fortschritt
gelernt|gelerntes|erkenntnisse|lehren|notizen|beobachtungen|kontext|einzelheiten
links|summen|statistik|blocker|hindernisse|probleme|fehler|risiken|wichtige punkte
stand|teilnehmer|anwesend|ergebnisse|kosten
changements|modifications|fichiers|fichiers modifiés|fait|fait aujourd'hui|terminé
accompli|leçons|leçons apprises|apprentissages|enseignements|remarques|contexte|détails
liens|totaux|statistiques|blocages|problèmes|erreurs|risques|points importants
points clés|état|présents|participants|résultats|coûts
изменения|файлы|изменённые файлы|измененные файлы|сделано|сделано сегодня|готово
выполнено|что сделано|уроки|выводы|замечания|заметки|наблюдения|контекст|подробности
ссылки|статистика|показатели|блокеры|проблемы|ошибки|риски|важное|важные моменты
статус|состояние|участники|результаты|расходы
变更|修改|改动|文件变更|修改的文件|修改文件|完成|已完成|今日完成|完成事项|完成的工作
今日工作
工作内容|成果|进展|经验|经验教训|教训|收获|学习|学到的|反思|备注|观察|要点|关键点
重要信息|背景
上下文|详情|链接|参考|统计|数据|指标|阻塞|阻塞项|问题|遇到的问题|错误|风险

状态|当前状态|参与者|参会人|结果|费用|成本|今日统计
変更|変更点|変更内容|変更ファイル|完了|完了したこと|やったこと|今日やったこと|成果
進捗|学び
学んだこと|気づき|反省|メモ|備考|観察|ポイント|重要|背景|詳細|リンク|参考|統計|数字
障害|問題
問題点|エラー|リスク|状態|現状|参加者|結果|費用|教訓
변경|변경 사항|변경사항|수정한 파일|파일|완료|완료한 일|한 일|오늘 한 일|성과|진행
진행 상황
배운 점|배운 것|교훈|느낀 점|회고|메모|비고|관찰|요점|중요|배경|맥락|세부
링크|참고|통계|숫자|장애물|차단|문제|문제점|오류|위험|상태|현재 상태
참석자|결과|비용
modifiche|file modificati|fatto|fatto oggi|completato|lezioni|lezioni apprese|note
zmiany|pliki|zmienione pliki|zrobione|zrobiono|ukończone|wnioski|lekcje|uwagi|notatki
obserwacje|kontekst|statystyki|liczby|problemy|błędy|ryzyka|uczestnicy|wyniki|koszty
nb|nota bene|memo|nota|hinweis|anmerkung|remarque|примечание|заметка|备忘|uwaga
osservazioni|contesto|dettagli|statistiche|totali|blocchi|problemi|errori|rischi
punti chiave|stato|partecipanti|risultati|costi
goal|cause|root cause|why|why it happened|impact|effect|what we learned|review
post-mortem|corrections|expenses|spending|money spent|shopping|shopping list|groceries
notes to self|notes to future me|carry|ideas|idea|idea parked|parked|log excerpt|excerpt
for others|quick status|thoughts|odds and ends|looking ahead|asked and answered
ursache|auswirkung|auswirkungen|ziel|einkauf|einkaufsliste|einkäufe|ausgaben|ideen
korrekturen|gedanken|was wir gelernt haben|was ich gelernt habe|rückblick|causa|causas
impacto|objetivo|gastos|compras|lista de compras|lista de la compra|ideas sueltas
correcciones|correções|despesas|ideias|pensamentos|pensamientos|cause|causes|objectif
achats|courses|dépenses|idées|corrections|pensées|causa|impatto|obiettivo|spese|spesa
lista della spesa|idee|correzioni|pensieri|annotazioni|annotazioni varie|appunti vari
причина|причины|последствия|цель|траты|расходы|покупки|список покупок|идеи|мысли
исправления|мысли без последствий|neden|nedeni|etki|etkisi|ne öğrendik|amaç|harcamalar
alışveriş|fikirler|notlar|przyczyna|skutki|cel|wydatki|zakupy|lista zakupów|pomysły
poprawki|原因|影响|根本原因|目标|目的|开销|支出|花费|购物|采购清单|想法|随想|更正|杂记
影響|支出|買い物|買い物リスト|アイデア|訂正|雑感|雑記|원인|영향|목표|지출|장보기|아이디어|정정
생각|잡담
"""

_OVER_ENTRIES = """
timeline|log|logs|daily log|work log|worklog|entries|events|activity|activities
chronology|what happened|happenings|journal|diary|sessions|cronología|registro
lo que pasó|qué pasó|eventos|linha do tempo|registo|o que aconteceu|cronologia
verlauf|ablauf|zeitleiste|chronik|was passiert ist|chronologie|déroulé
ce qui s'est passé|journal de bord|хронология|ход дня|лента|что было|события|时间线
时间轴|流水|流水账|日程|发生了什么|時系列|タイムライン|経過|出来事|타임라인|시간순
있었던 일|오늘 있었던 일|cos'è successo|przebieg|oś czasu|co się działo|dziennik
"""

#: Headings of what an agent thinks of a day, in the first person.
_OWN_THOUGHTS = re.compile(
    r"(?:notes? (?:to|for) (?:self|myself|future me|tomorrow)|notes to future \w+"
    r"|what i(?:['’]m| am)? (?:noticed|learned|learnt|unsure of|not sure of|think|chose"
    r"|got wrong)\b|corrections? (?:to|of)\b|wrong in yesterday|notiz(?:en)? an mich"
    r"|nota(?:s)? para mí|notas? para mim|notes? pour moi|note per me|заметк[аи] себе"
    r"|was mir auffiel|lo que noté|o que notei|给自己|自分へ|自分用)"
)
#: Words of headings of lists of work, wherever they stand in a short heading.
_WORK = re.compile(
    r"\b(?:to-?dos?|todo list|pending|next (?:steps?|actions?|up|session)|open"
    r" (?:items?|issues?|questions?|tasks?|points?|threads?|loops?)"
    r"|action items?|follow[- ]?ups?"
    r"|still (?:open|around|to do|pending|there)|left (?:over|to do)|leftovers?"
    r"|not (?:yet )?done|unfinished|carry[- ]?over|carried (?:over|forward)"
    r"|(?:for|tomorrow[’']?s?) (?:tomorrow|priorit(?:y|ies)|plan|list)|backlog"
    r"|pend[eê]nci[ae]s?|pendentes?|pendientes?|pr[oó]xim[oa]s (?:passos|pasos|ações"
    r"|acciones|etapas)|(?:por|a) (?:fazer|hacer)|em aberto|(?:temas|asuntos|puntos)"
    r" abiertos|para (?:amanhã|mañana)|(?:o que|lo que) (?:falta|fica|queda|resta)"
    r"|offene?[ns]? \w+|nächste schritte|noch (?:zu tun|offen)|zu (?:tun|erledigen)"
    r"|für morgen|übrig|(?:reste )?à faire|(?:points|sujets|questions) ouverts?"
    r"|ouvertes|prochaines étapes|pour demain|en attente|в работе|осталось|не сделано"
    r"|незаверш\w+|открытые \w+|следующи[ей] шаги?|на завтра|нужно сделать|задачи"
    r"|da fare|in sospeso|prossimi passi|per domani|do zrobienia|następne kroki"
    r"|na jutro|otwarte|zaległe|pozostało|zostało|хвосты|висит)\b"
    r"|待办|待辦|待处理|待處理|待跟进|待跟進|待确认|待完成|待解决|下一步|后续|後續|遗留"
    r"|明[天日](?:要|待|计划|任务|安排)|未完成|残り|残[タ作課件]|やること|未対応|未解決"
    r"|次(?:回|にや)|明日|宿題|持ち越し|남은|할 ?일|미완료|미해결|다음 (?:단계|작업|할)"
    r"|내일|보류",
    re.IGNORECASE,
)
_LONGEST_LIST_TITLE = 48
#: The end of a day: with a list alone, it is a list of work.
_CLOSING = re.compile(
    r"\W*(?:wrap[- ]?up|closing|close|end of (?:the )?day|eod|sign[- ]?off|fecho"
    r"|fechamento|encerramento|cierre|fin del d[ií]a|fim do dia|feierabend|tagesende"
    r"|abschluss|clôture|fin de journée|chiusura|fine giornata|конец дня|закрытие"
    r"|zamknięcie|koniec dnia|收尾|收工|日结|终わり|終わり|終業|締め|마감|마무리)\W*",
    re.IGNORECASE,
)
#: A session in which nothing happened.
_IDLE = re.compile(
    r"\W*(?:no (?:input|activity|session|messages?|events?|new)\b|nothing (?:new|to)"
    r"\b|idle\b|no_reply|none\W*\Z)",
    re.IGNORECASE,
)
#: A log is named in its title.
_LOG_TITLE = re.compile(
    r"(?:^|\W)(?:(?:work|dev|heartbeat|day|daily)?[ -]?log|diary|journal|daily notes"
    r"|tagebuch|logbuch|di[aá]rio|bitácora|журнал|дневник|dziennik|giornale|dagboek)"
    r"(?=\W|$)|日[志誌记記报報]|ログ|일지|일기",
    re.IGNORECASE,
)
#: A session is named in the title of its file.
_SESSION_TITLE = re.compile(
    r"(?:^|\W)(?:session|sitzung|besprechung|meeting|call|handoff|handover|sesión|sesion"
    r"|reunión|reunião|sessão|séance|réunion|sesja|spotkanie|zebranie|сессия|встреча|совещание|sessione|riunione)"
    r"(?=\W|$)|会话|会议|會議|会議|打ち合わせ|セッション|세션|회의|交接",
    re.IGNORECASE,
)


def _listed(words: str) -> frozenset[str]:
    lines = words.split("\n")
    return frozenset(normalise(w) for line in lines for w in line.split("|") if w)


_SUMMARY, _PART = _listed(_SUMMARIES), _listed(_PARTS)
_OVER = _listed(_OVER_ENTRIES)


@lru_cache(maxsize=2048)
def role_of(title: str) -> Role:
    """Return the kind of a heading, regardless of its time."""
    bare = title_without_time(title)
    if kind := kind_of_label(bare):
        return "work" if kind == "open" else "list"
    label = normalise(bare)
    if label in _OVER:
        return "over"
    if label in _SUMMARY:
        return "summary"
    if label in _PART or _OWN_THOUGHTS.match(label):
        return "part"
    return "day" if is_day_title(bare) else "own"


def is_summary(title: str) -> bool:
    """Return whether a heading opens a session; quicker than its role."""
    label = normalise(title_without_time(title))
    return label in _SUMMARY and role_of(title) == "summary"


def closes_a_day(title: str) -> bool:
    """Return whether a heading is of the end of a day."""
    return _CLOSING.fullmatch(title_without_time(title)) is not None


def is_idle(title: str, body: str) -> bool:
    """Return whether a session's summary reports that nothing happened."""
    return is_summary(title) and _IDLE.match(body.lstrip()[:80]) is not None


def names_a_log(title: str) -> bool:
    """Return whether a title calls its file a log, whatever else it names."""
    return _LOG_TITLE.search(title[:200]) is not None


def names_work(title: str) -> bool:
    """Return whether a short heading has a word for unfinished work.

    It heads a list of such work only where there is a list.
    """
    return len(title) <= _LONGEST_LIST_TITLE and _WORK.search(title) is not None


def names_a_session(title: str) -> bool:
    """Return whether the title of a file names one session."""
    return _SESSION_TITLE.search(title[:200]) is not None


def title_of(heading: str) -> str:
    """Return a heading without its time and its day; empty if it has no more."""
    bare = title_without_time(heading)
    undated = without_days(bare)
    if undated == bare:
        return bare
    return " ".join(undated.split()).strip(" -–—|,，:：·•[]")


def own_title(heading: str) -> str:
    """Return a log heading without time and day; empty for a session's summary."""
    return "" if is_summary(heading) else title_of(heading)
