"""Whether an item is open: not done, not struck out, and not a word for "none".

Words are of thirteen languages and may be mixed; texts are compared in lower case.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.labels import says_nothing

#: Signs of work that waits; some also begin an ordinary remark.
WAITING_SIGNS = "⏳⌛🔲⬜☐🔜"
_DONE_SIGNS = "✅✔☑✓"
_DONE_WORD = (
    r"(?:(?:already |all |now |is |was |are |has been |ist |schon |está |ya |já |est "
    r"|c['’]est |уже |è |jest )?(?:done|finished|completed?|resolved|fixed|closed"
    r"|solved|sorted|shipped|merged|delivered|cancell?ed|dropped|obsolete|moot"
    r"|approved|accepted|booked|received|renewed|signed"
    r"|no longer needed|superseded|answered|sent|erledigt|fertig|gemacht|abgeschlossen"
    r"|gelöst|geklärt|behoben|verworfen|abgesagt|hinfällig|hecho|hecha|listo"
    r"|resuelt[oa]"
    r"|terminad[oa]|completad[oa]|cerrad[oa]|cancelad[oa]|descartad[oa]|feit[oa]"
    r"|resolvid[oa]|concluíd[oa]|fechad[oa]|entregue|fait|terminé|réglé|résolu|annulé"
    r"|abandonné|fatto|risolto|completato|chiuso|annullato|gedaan|klaar|afgerond"
    r"|opgelost|afgehandeld|vervallen|сделано|готово|закрыто|решено|выполнено|снято"
    r"|отменено|отпало|zrobione|gotowe|zamknięte|załatwione|anulowane|tamamlandı|bitti"
    r"|yapıldı|çözüldü|iptal edildi)\b|(?:已经?)(?:完成|解决|解決|处理|處理|办|取消"
    r"|上线"
    r"|关闭|做完|搞定)|完成|搞定|取消|完了|済み?|끝|解決|対応済み?|中止|완료|해결|취소"
    r"|처리)"
    r"(?:됨|함|했음|했다|しました|した|です|了)?"
)
_STRUCK = re.compile(r"~~([^~\n]{1,400})~~[ \t]*([^\n]{0,400})")
_IS_DONE = re.compile(rf"{_DONE_WORD}\b")
_AT_START = re.compile(
    rf"[*_]{{0,2}}(?:[{_DONE_SIGNS}]|❌|\[[xX]\]|\[done\]"
    r"|(?:done|erledigt|hecho|feito|fait|fatto|gedaan|сделано|готово|完成|完了|완료"
    r"|zrobione)[:：.!][ \t*])"
)
#: At the end: a mark, or a word behind a dash, a colon, a comma or a bracket.
_AT_END = re.compile(
    rf"[{_DONE_SIGNS}]\ufe0f?[^{_DONE_SIGNS}\n]{{0,40}}\Z"
    rf"|(?:[-–—→:：,，;；(（\[.。]|=>|\*\*)[ \t]*[*_]{{0,2}}{_DONE_WORD}[*_]{{0,2}}"
    r"(?:[ \t,.(（:]{1,3}[^\s?？]{1,12}(?:[ \t][^\s?？]{1,12}){0,4})?"
    r"[ \t.!。！)）\]*_]{0,5}\Z"
)
_ANSWERED = re.compile(r"[?？][\"'”»*_ \t]{0,3}(?:→|->|=>|[-–—] ?(?:yes|no|ja|nein)\b)")
_IDEA = re.compile(
    r"[(（](?:only |just |nur |eine |only an )?(?:an )?(?:idea|idee|ideia|idée|идея"
    r"|pomysł"
    r"|fikir|想法|アイデア|아이디어)\b[^()（）\n]{0,80}[)）][ \t.]*\Z"
)
#: What somebody might do one day, or will not: no work.
_HEDGED = re.compile(
    r"(?:maybe|perhaps|someday|vielleicht|evtl\.|eventuell|irgendwann|quizás|tal vez"
    r"|talvez|peut-être|forse|magari|может быть|может,|может\b|быть может|być może|może"
    r"|belki|也许|或许|不用做|もしかし|いつか|언젠가|어쩌면)(?![^?？]*[?？]\Z)"
    r"|.{0,120}(?:nothing (?:more |else |left )?to do|no plan(?:s|ned)?|kein plan"
    r"|nothing for us|not for us|nur eine idee|only an idea|just an idea|sin fecha"
    r"|nobody has (?:raised|asked)|without a date|без срока)[ .!]*\Z"
)
#: What nobody went on with, and what need not be done.
_DROPPED = re.compile(
    r"\b(?:nothing (?:ever )?came of it|(?:no one|nobody) (?:has )?(?:since )?"
    r"(?:took|taken|raised|mentioned|picked)(?: it)? (?:further|up|since)"
    r"|nobody has raised it|no hurry|not needed (?:yet|now|for now)"
    r"|(?:none|nothing) .{0,40}\b(?:over)?due|not (?:yet )?due(?: yet)?|unimportant"
    r"|unwichtig|probably not|rather not|too early|eher nicht|eher nein|zu früh"
    r"|plutôt non|trop tôt|più no che sì|troppo presto|más bien no|demasiado pronto"
    r"|mais para não|cedo demais|скорее нет|рано ещ[её]|za wcześnie|raczej nie)\b"
    r"|用不上|没接话|没人(?:再)?提"
    r"|\((?:trop cher|too expensive|zu teuer|demasiado caro) ?\?\)"
)
_BRACKETED = re.compile(r"[(（\[【<{][^()（）\[\]【】<>{}\n]{0,80}[)）\]】>}][ \t.。]*")
_TEMPLATE = re.compile(
    r"\{\{|\$\{|\}\}|<[a-z][\w -]{0,30}>|[.…?_]{1,9}|x{3,9}|tb[da]\b.{0,20}"
    r"|to be (?:determined|filled|added|defined|announced|written).{0,30}"
    r"|(?:task|item|step|action|todo|thing|aufgabe|punkt|tarefa|tarea|задача|任务|事项"
    r"|項目|할 일)[ _-]?(?:\d{1,2}|[a-c]|name|description|here)?[.…]{0,3}"
    r"|(?:your|add|insert|list|describe|write) .{1,30} here|lorem ipsum.{0,80}"
    r"|placeholder.{0,40}"
)
_OPENISH = (
    r"(?:open|pending|new|further|other|more|outstanding|remaining|known|immediate"
    r"|current|urgent|critical|active|major|real|blocking|next|special|specific|action"
    r"|particular|explicit|formal|additional|else|worth|interesting)"
)
_THINGS = (
    r"(?:tasks?|items?|blockers?|issues?|questions?|actions?|todos?|to-dos?"
    r"|follow[- ]?ups?|steps?|problems?|reminders?|things?|threads?|decisions?"
    r"|action items?|needs?|loops?)"
)
_NOTHING = re.compile(
    rf"(?:0|zero) .{{0,60}}|"
    rf"(?:there (?:is|are) )?(?:currently |still )?(?:no|not any) (?:{_OPENISH} )*"
    rf"{_THINGS}\b.{{0,60}}"
    rf"|(?:currently |still )?(?:nothing|none|no one)(?: (?:is|was"
    rf"|are))?(?: (?:{_OPENISH}"
    r"|left|to do|to report|planned|for|at|here|today|tomorrow|from|so far|besides"
    r"|about"
    r"|scheduled|required|needed|noted|beyond|on my side)\b(?!.*\b(?:yet|works?"
    r"|tested)\b)"
    r".{0,40})?|no(?:thing)? (?:news|more|further|else)\b.{0,30}"
    r"|(?:nenhum[a]?|sem|não há(?: mais)?)(?: outr[oa]s?| nov[oa]s?)? (?:pend\w+"
    r"|tarefas?"
    r"|ite(?:m|ns)|bloque\w+|questões|dúvidas?|impedimentos?|novidades?"
    r"|assuntos?).{0,60}"
    r"|(?:ningun[oa]?|sin|no (?:hay|quedan?))(?: más| otr[oa]s?| nuev[oa]s?)?"
    r" (?:pendientes?|tareas?|bloqueos?|novedad\w*|temas?|dudas?|asuntos?|preguntas?"
    r"|asignar|definir|nada|problemas?).{0,60}"
    r"|nad[ai]\b(?: (?:mais|más|de|por|pendiente|pendente|nuevo|novo|a|para|hoy|hoje"
    r"|que|especial|urgente)\b.{0,50})?"
    r"|keine?[rns]?(?: \w{2,16}en?)? (?:punkte?|fragen?|aufgaben?|themen|to-?dos?"
    r"|blocker|probleme?|hindernisse|änderungen|rückfragen)\b.{0,60}"
    r"|(?:derzeit |aktuell |sonst )?nichts\b(?: (?:offen\w*|mehr|weiter\w*|neues|zu \w+"
    r"|anstehend\w*|heute|besonderes|dringendes|bekannt|geplant)\b.{0,30})?"
    r"|(?:aucune?|pas d[e'’]) ?(?:autre )?(?:tâche|point|question|blocage|problème"
    r"|action|rappel|suite)\w*\b.{0,60}"
    r"|rien\b(?: (?:à|de|d['’]|pour|en).{0,40})?"
    r"|(?:nessun[oa]?) (?:attività|blocc\w|punto|questione|domanda|problema|pendenza"
    r"|altr\w).{0,50}|(?:niente|nulla)\b(?: (?:di|da|in|per|altro)\b.{0,40})?"
    r"|geen (?:open \w+|openstaande \w+|taken|punten|vragen|blok\w+|acties|problemen)"
    r".{0,50}|niets\b.{0,30}"
    r"|(?:пока |больше )?(?:нет|ничего|без)(?: (?:открыт|нов|больше|друг|важн|срочн"
    r"|вопрос|задач|блокер|проблем|хвост|дел|нет|незакрыт|планов)\w*){0,3}"
    r"|(?:brak|nic|żadn\w+)(?: (?:otwart|zadań|spraw|blok|pyta|problem|now|więcej|piln"
    r")\w*){0,3}|(?:.{0,25} )?yok(?:tur)?|hiçbir şey.{0,20}"
    r"|(?:暂时?|目前|今天|当前|明天)?(?:暂?没有?|暂?無|暂?无|沒有?)(?:其他|其它|新的?"
    r"|待办"
    r"|待处理|未完成|遗留|阻塞|更多|特别|什么|需要|可|紧急|的|任务|事项|问题|了|安排|要"
    r"|做|处理|跟进|事){0,6}"
    r"|(?:特に|現時点で|今のところ|本日|今日)?は?(?:.{0,8}(?:課題|タスク|残り|残件|問題"
    r"|宿題|やること|未対応|保留|ブロッカー|懸案|予定|事項|該当|変更|もの"
    r"|こと)[はもが]?)?"
    r"(?:特に)?(?:なし|無し|ありません|ない|無い)(?:です)?"
    r"|(?:.{0,10}(?:할 ?일|작업|이슈|과제|사항|문제|블로커|것|업무|보류|대기"
    r"|일정) ?[은는이가]?"
    r" ?)?(?:없음|없다|없습니다|없어요|없었음)"
    r"|all (?:done|clear|good|caught up|closed|green).{0,30}|alles (?:erledigt|gut"
    r"|klar)"
    r"|todo (?:listo|hecho|al día)|tudo (?:feito|em dia|certo)|вс[её] (?:готово"
    r"|сделано)"
)
#: A count, a time or a size: what a label of a measure has behind it.
_MEASURE = re.compile(
    r"[~≈<>≤≥+±-]{0,2}[ \t]*[$€£¥]?\d[\d.,:/%h–-]*[ \t]*(?:%|am|pm|uhr|min\w*|h|hrs?"
    r"|hours?|days?|tage?|sec\w*|s|ms|[kmgt]i?b|items?|tasks?|tokens?|条|个|項目?|件|개"
    r"|건|шт|€|usd|eur|utc|[a-z]{2,4}t)?[ \t.]*",
    re.IGNORECASE,
)
#: What somebody says, with nothing behind it.
_SPEECH = re.compile(
    r"\*{0,2}[\w .]{2,30}\*{0,2}[:：]\*{0,2} ?[\"“„«「『]"
    r"[^\"”“»」』?？]{8,}[.!。！]?[\"”“»」』]\.?"
)
_STRIPPED = " \t\r\n.。!！;；*_"


def is_done(text: str) -> bool:
    """Return whether an item is done, by its words or marks."""
    low = text.lower()
    if _AT_START.match(low):
        return True
    if low.startswith("~~") and (struck := _STRUCK.match(low)):
        is_whole = " " in struck[1] or len(struck[1]) >= len(struck[2])
        return is_whole or _IS_DONE.match(struck[2]) is not None
    return _AT_END.search(low[-120:]) is not None or _ANSWERED.search(low) is not None


def is_empty(text: str) -> bool:
    """Return whether an item reports no open work, or is a placeholder."""
    bare = text.strip(_STRIPPED).lower()
    return (
        not bare
        or says_nothing(text)
        or _BRACKETED.fullmatch(bare) is not None
        or _TEMPLATE.fullmatch(bare) is not None
        or "{{" in bare
        or "${" in bare
        or _NOTHING.fullmatch(bare) is not None
        or _IDEA.search(bare) is not None
        or _HEDGED.match(bare) is not None
        or _DROPPED.search(bare) is not None
        or _SPEECH.fullmatch(bare) is not None
    )


def is_measure(text: str) -> bool:
    """Return whether the text behind a label is a count or a time."""
    return _MEASURE.fullmatch(text.strip(_STRIPPED)) is not None
