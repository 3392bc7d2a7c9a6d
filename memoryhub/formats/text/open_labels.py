"""Labels of open work known by their words: ``Top 3 next actions``, ``Was noch fehlt``.

A label is one if it is a phrase for open work, or if a word for open stands before or
behind a noun for work. It may go on: ``Open items / watch``, ``Pendências da loja``.
Labels come normalised, see `memoryhub.formats.text.labels`.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.open_label_words import OPEN_WORD_STEMS, has_open_word
from memoryhub.formats.text.stems import Stems

_WORD = r"[\w'’\-.]+"
#: Up to two words before the head, but none of what was done: ``Importer next steps``.
_BEFORE = (
    r"(?:(?!(?!planned|suggested|proposed|recommended|related|updated|combined|needed"
    rf"|required|prioriti[sz]ed)\w+ed ){_WORD} ){{0,2}}"
)
_ON = r"(?: .{1,40})?"
_JOINT = r"(?:\s*[/&+,;・、|]\s*|\s+(?:and|or|und|y|e|et|i|ve|en|и|및|と)\s+|[与和及])"
#: What may follow the head: a neighbour, or words behind a preposition.
_BEHIND = (
    rf"(?:{_JOINT}.{{1,40}}|(?:\s*[-–—:]\s*|\s+)(?:for|from|after|before|on|in|about"
    r"|during|by|re|regarding|of|to|with|at|as of|this|für|von|vom|zum|zur|aus|bei|mit"
    r"|bis|heute|im|am|para|del?|da|do"
    r"|das|dos|na|no|por|pour|du|des|dans|sur|per|di|del|della|voor|van|door|na|po"
    r"|dla|w|по|на|для|к|с|от|в|из) .{1,40}|"
    r" (?:left|today|now|so far|current|list|here|log))?"
)
_ENGLISH_OPEN = (
    r"(?:open|pending|outstanding|remaining|unresolved|unfinished|unanswered|unsettled"
    r"|undecided|incomplete|undone|upcoming|next|blocked|blocking|waiting|awaiting"
    r"|deferred|postponed|parked|future|follow[- ]?up|missing|leftover|left[- ]over"
    r"|carried[- ]over|carry[- ]over|overdue|todo|to-do|immediate|tomorrow['’]s"
    r"|(?:next|this|coming) week['’]s|next session['’]s|uncompleted|ongoing"
    r"|in[- ]progress|unclear|unknown|still[- ]open)"
)
_ENGLISH_WORK = (
    r"(?:items?|tasks?|questions?|issues?|threads?|loops?|points?|work|actions?|steps?"
    r"|priorit(?:y|ies)|blockers?|todos?|to-dos?|decisions?|topics?|matters?|problems?"
    r"|bugs?|requests?|reviews?|approvals?|follow[- ]?ups?|things|ends|moves"
    r"|deliverables|commitments|concerns|answers?|replies|repl(?:y|ies)|responses?"
    r"|confirmations?|asks?|fixes|jobs?|chores|errands|dependencies|investigations?"
    r"|tickets?|prs|pull requests|plans?|migrations?|orders?|payments?|invoices?"
    r"|features?|research|experiments?|tests?|refactors?|cleanups?)"
)
_ENGLISH = (
    rf"{_BEFORE}{_ENGLISH_OPEN}(?:{_JOINT}{_ENGLISH_OPEN})?(?: {_WORD}){{0,1}}"
    rf" {_ENGLISH_WORK}(?: {_ENGLISH_WORK})?{_BEHIND}"
    rf"|(?:{_WORD} ){{0,2}}(?:current|active|my|our|main) (?:tasks?|todos?|to-dos?"
    rf"|blockers?|open items){_BEHIND}"
    rf"|{_BEFORE}(?:to-?dos?|to do|todo (?:list|items)|to-do (?:list|items)|backlog"
    rf"|blockers?|follow[- ]?ups?|action (?:items?|points?)|loose ends"
    rf"|next (?:steps?|up|actions?|time|session|week|day|run|milestones?|focus"
    rf"|meeting|sprint)){_BEHIND}"
    rf"|(?:what|things?|work|items?|tasks?|stuff|points?|all)?(?:['’]s| is| are"
    rf"| that is"
    rf"| that are)? ?(?:still )?(?:left|missing|open|unfinished|outstanding|pending)"
    rf"(?: to (?:do|build|fix|finish|decide|clarify|check)| (?:for|from) .{{1,30}})?"
    r"|what(?:['’]s| is|s)? (?:next|remains|still (?:open|left|missing|to do|needs"
    r" .{1,20})|comes next|needs (?:doing|to be done|to happen))(?: .{1,20})?"
    r"|(?:still|yet) (?:open|to do|to be done|pending|missing|needed|around|waiting"
    r"|unsolved|unresolved|left|not done|to come|needs .{1,20}|to .{1,20})"
    r"|(?:what (?:is|was)|things?|items?)? ?(?:still )?not (?:yet )?(?:done|started"
    r"|finished|resolved|decided|implemented|tested|fixed|handled|clear|answered"
    r"|complete|completed)(?: yet)?"
    r"|(?:things )?to be (?:done|decided|confirmed|discussed|continued|fixed|checked"
    r"|clarified|ordered)"
    r"|(?:things )?to (?:verify|check|fix|investigate|discuss|ask|decide|clarify|finish"
    r"|follow up|order|review|resolve)(?: .{1,20})?"
    r"|needs? (?:doing|attention|follow[- ]?up|(?:a )?decision|(?:a )?review|input"
    r"|action|an? answer|clarification|work|approval|confirmation)(?: .{1,20})?"
    r"|(?:still |now )?(?:waiting|awaiting|blocked|stuck)(?: (?:for|on|by|with)"
    r"(?: .{1,40})?)?|(?:still |now )?pending(?: (?:for|with|from) .{1,40})?"
    r"|(?:on hold|parked|deferred|postponed|in progress|work in progress|wip|in flight"
    r"|unknowns|unsolved|undecided|unfinished|outstanding|upcoming|overdue)"
    r"|(?:left )?for (?:tomorrow|next time|later|monday|tuesday|wednesday|thursday"
    r"|friday|the (?:next|weekend|week).{0,20}|next (?:week|session)|whoever .{1,20})"
    r"|tomorrow(?:['’]s .{1,30})?|(?:plan|list|tasks) for tomorrow"
    r"|carr(?:y|ied)[- ]?(?:over|forward|on)(?: .{1,20})?"
    rf"|(?:open )?questions? (?:for|to) {_WORD}(?: .{{1,20}})?"
    r"|(?:where to )?(?:pick up|continue|resume|start)(?: here| from here| with"
    r"| next time| tomorrow){1,2}"
    r"|(?:don['’]?t forget|remember to|remaining|hanging|dangling|up in the air)"
    r"|(?:now |currently )?doing|first thing tomorrow|carried into .{1,20}"
    r"|what(?:['’]s| is) hurting"
)
_GERMAN = (
    rf"(?:immer )?(?:noch )?offen(?:e[nrs]?)?(?: (?:sind|ist|geblieben|bleibt))?{_ON}"
    rf"|{_BEFORE}offene[nrs]? {_WORD}{_ON}"
    rf"|noch (?:zu {_WORD}|nicht {_WORD}|fehlend\w*|fehlt|offen|ausstehend\w*"
    rf"|ungeklärt\w*|unklar\w*){_ON}"
    r"|was (?:\w+ ){0,2}(?:fehlt|ansteht|bleibt|aussteht|kommt|(?:übrig|offen)"
    r" (?:ist|bleibt|blieb)|zu (?:tun|klären) (?:ist|bleibt)|liegen ?(?:bleibt|blieb"
    r"|geblieben ist)|nicht (?:entschieden|erledigt|fertig) (?:ist|wurde))"
    r"|(?:die )?nächste[rsnm]? (?:schritte?|aufgaben?|aktionen|sitzung|session|termine?"
    rf"|woche|mal|etappen?|todos?|prioritäten|treffen|arbeiten|ziele|maßnahmen){_ON}"
    r"|als nächstes|als nächster schritt|weiteres vorgehen|(?:wie|so) geht['’]?s weiter"
    rf"|zu (?:tun|erledigen|klären|prüfen|besprechen|entscheiden|machen|beachten){_ON}"
    rf"|(?:ausstehend|unerledigt|ungeklärt|unfertig|anstehend|restlich|verbleibend)\w*"
    rf"(?: {_WORD}){{0,2}}"
    rf"|(?:liegen ?geblieben\w*|vertagt|verschoben|wiedervorlage|rückfragen?){_ON}"
    r"|rest(?:arbeiten|aufgaben|punkte)|blocker|blockiert|merkzettel|nachfassen"
    rf"|(?:es )?(?:wartet?|warten|wartend) ?(?:noch )?(?:auf)?{_ON}"
    rf"|fragen? (?:an|für) {_WORD}{_ON}"
    r"|für (?:morgen|später|nächste .{1,20}|die nächste .{1,20}|montag|dienstag"
    r"|mittwoch|donnerstag|freitag)|morgen|in arbeit"
)
_DUTCH = (
    r"(?:nog )?te (?:doen|regelen|beslissen|checken|bespreken|controleren|bestellen)"
    rf"|(?:nog )?open(?:staande?)?(?: (?:punten|vragen|taken|zaken|acties|kwesties"
    rf"|einden|eindjes)){_ON}|nog open|openstaand\w*"
    rf"|volgende (?:stap(?:pen)?|keer|sessie|acties?|week|taken){_ON}"
    r"|vervolg(?:stappen|acties)|actiepunten|geblokkeerd|resterend\w*(?: .{1,20})?"
    r"|wat (?:\w+ ){0,2}(?:rest|openstaat|open staat|ontbreekt|moet|blijft liggen"
    r"|te doen (?:is|staat))(?: .{1,20})?"
    rf"|(?:wacht(?:en|end|t)? (?:nog )?op|in afwachting|nog niet){_ON}"
    r"|voor (?:morgen|later|volgende .{1,20})|blijft liggen|bezig"
)
_FRENCH = (
    r"ce qu(?:i|['’]il) (?:\w+ )?(?:reste|traîne|manque|bloque|attend|est en \w+)"
    rf"{_ON}|reste(?:nt)? (?:à|ouvert\w*){_ON}|restes?|restant"
    r"|à (?:faire|voir|suivre|traiter|relancer|revoir|confirmer|décider|vérifier"
    r"|trancher|prévoir|discuter|finir|régler|reprendre|corriger|tester|acheter"
    rf"|terminer|clarifier|ne pas oublier|demander|commander){_ON}"
    rf"|{_BEFORE}en (?:attente|suspens|cours|souffrance){_ON}"
    r"|(?:les )?prochaine?s? (?:étapes?|actions?|séances?|sessions?|fois|tâches?|pas"
    rf"|points?){_ON}|étapes? suivantes?|la suite|suites? à donner"
    r"|(?:les )?(?:points?|questions?|sujets?|tâches?|actions?|choses|travaux)"
    r" (?:encore )?(?:ouvert\w*|bloquant\w*|restante?s?|en (?:suspens|attente|cours)"
    r"|à \w+|pour .{1,20}|non .{1,20})"
    r"|pour (?:demain|la prochaine .{1,20}|la semaine prochaine|plus tard|lundi|mardi"
    r"|mercredi|jeudi|vendredi)|demain"
    rf"|bloqu(?:ée?s?|ants?){_ON}|blocages?|(?:non|pas) (?:encore )?(?:fait|résolu"
    rf"|réglé"
    rf"|terminé|fini|décidé)e?s?|en attente{_ON}|relances?|pas encore .{{1,20}}"
)
_SPANISH = (
    rf"{_BEFORE}pendientes?{_ON}"
    r"|(?:todo )?(?:lo |qué |cosas )?(?:que )?(?:todavía |aún )?(?:faltan?|quedan?)"
    r"(?: (?:por|para|pendiente|abierto|de|en|la|el|los|hacer)\b.{0,30})?"
    r"|por (?:hacer|resolver|decidir|confirmar|definir|revisar|cerrar|terminar|ver)"
    rf"|(?:los |las )?(?:próxim|siguiente)\w* (?:pasos?|acciones|acción|tareas?|etapas?"
    rf"|sesión|vez|semana){_ON}|qué sigue|lo que sigue"
    rf"|(?:{_WORD} )?(?:preguntas?|temas?|asuntos?|cuestiones|puntos?|tareas?|dudas?"
    rf"|frentes?|hilos?|cabos?) (?:\w+ )?(?:abiert[oa]s?|sueltos|por \w+|sin \w+"
    rf"|para .{{1,20}}){_ON}"
    r"|lo que (?:aún |todavía )?no se (?:ha )?\w+"
    r"|sin (?:resolver|cerrar|hacer|terminar|contestar|decidir|respuesta)"
    r"|para (?:mañana|luego|después|la próxima.{0,20}|la semana .{1,20}|el lunes"
    r"|el martes|el miércoles|el jueves|el viernes)|mañana"
    rf"|(?:a la espera|en espera|esperando|bloquead[oa]s?|bloqueos?|en curso"
    rf"|en proceso){_ON}|recordatorios?|dudas"
)
_PORTUGUESE = (
    rf"{_BEFORE}pend(?:ências?|entes?){_ON}"
    r"|(?:o |coisas |tudo o )?(?:que )?(?:ainda )?(?:faltam?|restam?)(?: .{1,30})?"
    r"|(?:o que )?fic(?:ou|aram|a) (?:para|pra|por|pendente|em aberto|faltando)"
    r"(?: .{1,30})?|a fazer|não (?:feito|resolvido|decidido|concluído)s?"
    r"|(?:a|por) (?:fazer|resolver|decidir|confirmar|tratar|rever|verificar|definir)"
    rf"|(?:os |as )?próxim[oa]s? (?:passos?|etapas?|ações|ação|tarefas?|sessão|vez"
    rf"|semana){_ON}"
    rf"|(?:{_WORD} )?(?:questões|perguntas|temas|assuntos|pontos|tarefas|dúvidas|itens)"
    rf" (?:ainda )?(?:em aberto|abert[oa]s|por \w+|restantes|para .{{1,20}}){_ON}"
    rf"|em (?:aberto|espera|andamento|curso){_ON}|(?:à espera|aguardando|aguarda){_ON}"
    r"|para (?:amanhã|depois|a próxima.{0,20}|a semana .{1,20}|segunda|terça|quarta"
    r"|quinta|sexta)|amanhã|bloqueios?|bloquead[oa]s?|impedimentos?|dúvidas|lembretes?"
)
_ITALIAN = (
    r"(?:cose |ancora |tutto )?da (?:fare|decidere|confermare|verificare|chiarire"
    rf"|rivedere|sistemare|completare|controllare|discutere|chiedere|finire){_ON}"
    rf"|{_BEFORE}in (?:sospeso|attesa|corso){_ON}"
    rf"|(?:i |le )?prossim\w+ (?:passi|passo|step|azioni|attività|sessione|volta"
    rf"|settimana){_ON}"
    rf"|(?:punti|questioni|domande|temi|attività|compiti) (?:ancora )?(?:apert[eio]"
    rf"|in sospeso|da \w+|rimanenti|restanti|per .{{1,20}}){_ON}"
    r"|(?:che )?(?:cosa|quello che|ciò che) (?:ancora )?(?:manca|resta|rimane)"
    r"(?: .{1,20})?|(?:resta|restano|manca|mancano)(?: da .{1,20}| ancora.{0,20})?"
    r"|per (?:domani|la prossima.{0,20}|dopo|lunedì|martedì|mercoledì|giovedì|venerdì)"
    r"|domani|bloccat[oiae]|blocchi|non (?:fatto|risolto|deciso|finito)|pendenti"
    r"|promemoria"
)
_RUSSIAN = (
    rf"(?:что |вс[её] )?(?:ещ[её] |пока |нам )?остал(?:ось|ись|ся|ась){_ON}"
    rf"|(?:что )?(?:пока |ещ[её] )?не (?:сдела|реш[еёи]|успел|закры|додела|готов"
    rf"|выполн|законч|разобра)\w*{_ON}"
    r"|(?:нереш[её]нн|открыт|незакрыт|незаверш[её]нн|невыполненн|недоделанн|висящ|текущ"
    r"|ближайш|отложенн|оставш|срочн)\w* (?:вопрос|задач|пункт|дел|тем|шаг|хвост"
    rf"|проблем|работ)\w*{_ON}"
    rf"|(?:следующ|дальнейш|ближайш)\w* (?:шаг|действи|задач|сесси|раз|дел"
    rf"|этап)\w*{_ON}"
    r"|(?:что )?(?:дальше|далее)|(?:задачи|план|планы|дела|список) на .{1,25}"
    r"|для следующ\w+ .{1,20}"
    r"|на (?:завтра|потом|следующ\w+ .{1,20}|понедельник|контроле)|завтра"
    rf"|(?:жд[её]м|жду|ожида\w+|в ожидании){_ON}"
    r"|(?:что )?(?:надо|нужно|необходимо|предстоит)(?: ещ[её])?(?: (?:с|до)?делать"
    r"| \w+ть){0,1}|(?:до|с)делать|к (?:выполнению|исполнению|обсуждению)"
    r"|вопросы? (?:к|для|на|без) .{1,25}|под вопросом|висит|хвосты?|долги"
    r"|блокер\w*"
    r"|заблокирован\w*|в работе|в процессе|незаверш[её]нное|недоделки|туду"
    r"|напоминания|(?:нереш[её]нное|открытое|отложено)"
)
_POLISH = (
    rf"(?:jeszcze )?do (?:zrobienia|ustalenia|wyjaśnienia|potwierdzenia|decyzji"
    rf"|sprawdzenia|załatwienia|poprawy){_ON}"
    r"|(?:następn|kolejn|dals)\w+ (?:kroki?|zadani\w+|działania|sesja)(?: .{1,20})?"
    rf"|otwart\w+ (?:pytania|sprawy|kwestie|punkty|zadania|tematy|wątki){_ON}"
    rf"|(?:oczekuj\w+|czeka(?:m|my|ją)?(?: na)?|pozostał\w+|zaległ\w+){_ON}"
    rf"|(?:co )?(?:jeszcze )?(?:zostało|brakuje|przechodzi){_ON}"
    rf"|pytani[ea] do .{{1,20}}|"
    rf"co dalej|w toku|jutro|blokery"
    r"|na (?:jutro|później|następn\w+ .{1,20})|zablokowan\w+"
    r"|nie(?:załatwion|rozwiązan|ukończon|zrobion)\w+(?: .{1,20})?"
)
_TURKISH = (
    rf"(?:{_WORD} )?(?:yapılacak|bekleyen|kalan)(?:lar)?{_ON}"
    rf"|(?:{_WORD} )?(?:sonraki|sıradaki) \w+(?: .{{1,20}})?"
    r"|açık (?:soru|konu|iş|madde|nokta|kalem|görev)\w*(?: .{1,20})?|beklemede"
    r"|engel(?:ler)?|tamamlanmayan\w*|eksik(?:ler)?|yapılmayan\w*|ertelenen\w*"
    r"|yarın(?: (?:için|yapılacak\w*))?"
)
_NO_DIGIT = r"[^\d:：,，。]"
_CHINESE = (
    rf"{_NO_DIGIT}{{0,8}}待[办辦处處跟完解确確定做续續推执執回审審决決讨討补補优優修沟"
    rf"核验"
    rf"驗查收付发改测买采][^\d:：]{{0,8}}"
    rf"|{_NO_DIGIT}{{0,6}}(?:todo|未完成|未解决|未解決|未处理|未處理|未决|未決"
    rf"|未了结|未回复"
    rf"|遗留|遺留|剩余|剩餘|剩下|还剩|還剩|没做完|没完成|沒做完|还没.{{1,6}}|悬而未决"
    rf"|卡点"
    rf"|卡住|阻塞|阻碍|堵点|进行中|進行中){_NO_DIGIT}{{0,8}}"
    rf"|(?:{_NO_DIGIT}{{0,4}})(?:下一?步|接下来|接下來|后续|後續|下次|下周|明天|明日"
    rf"|明早)"
    rf"(?:要|该|需|需要|的|应|继续|再|得)?(?:{_NO_DIGIT}{{0,3}}(?:做|办|辦|处理|跟进"
    rf"|建议"
    rf"|建議|计划|計劃|行动|行動|工作|任务|任務|安排|重点|优先|事项|事項|事|步骤|步驟"
    rf"|待办"
    rf"|打算|继续|提醒|讨论){_NO_DIGIT}{{0,6}})?"
    rf"|(?:正在等|等待|等候|在等|等)(?:{_NO_DIGIT}{{0,10}})?"
    rf"|(?:需要?|要)(?:跟进|处理|确认|决定|回复|关注|解决){_NO_DIGIT}{{0,6}}"
    r"|跟进(?:中|项|事项)?|行动(?:项|事项)|开放(?:性)?问题|提醒事项|没定的.{0,6}"
)
_JAPANESE = (
    rf"{_NO_DIGIT}{{0,6}}残(?:り|って|タスク|課題|作業|件|務|項目|っ|作"
    rf"|し){_NO_DIGIT}{{0,10}}"
    rf"|{_NO_DIGIT}{{0,4}}未(?:完了|対応|解決|決|確認|着手|処理|定|回答|済|実施)"
    rf"{_NO_DIGIT}{{0,8}}"
    rf"|(?:次回?|つぎ|明日|あした|翌日|今後|これから|来週)(?:まで|以降|へ|に|の|は)?"
    rf"(?:{_NO_DIGIT}{{0,4}}(?:やる|する|こと|ステップ|アクション|作業|予定|課題|対応"
    rf"|タスク"
    rf"|宿題|申し送り|続き|確認|一歩|仕事|todo){_NO_DIGIT}{{0,6}})?"
    rf"|{_NO_DIGIT}{{0,6}}(?:やること|やるべきこと|やる事|todo|宿題|積み残し"
    rf"|持ち越し|懸案"
    rf"|申し送り|保留|要対応|要確認|要検討|要連絡|要フォロー|待ち|ブロッカー|課題"
    rf"|検討事項)"
    rf"{_NO_DIGIT}{{0,6}}"
)
_KOREAN = (
    rf"{_NO_DIGIT}{{0,6}}(?:남은|남아 ?있는) ?{_NO_DIGIT}{{0,10}}"
    rf"|{_NO_DIGIT}{{0,6}}(?:할 ?일|해야 ?할|할 ?것|할 ?거){_NO_DIGIT}{{0,8}}"
    rf"|(?:다음|내일|이후|향후|앞으로)(?:에|은|의)? ?(?:{_NO_DIGIT}{{0,6}}(?:단계"
    rf"|작업|할|일"
    rf"|계획|세션|과제|조치|스텝|목표|진행|이어){_NO_DIGIT}{{0,6}})?"
    rf"|{_NO_DIGIT}{{0,4}}미(?:완료|해결|결|정|처리|확인|응답|진행|완|종결)"
    rf"{_NO_DIGIT}{{0,8}}"
    rf"|{_NO_DIGIT}{{0,6}}(?:대기|보류|진행) ?(?:중|사항|항목|건"
    rf"|목록)?(?:인 ?.{{1,4}})?"
    rf"|(?:후속|열린|이월|막힌|못 ?한|못 ?끝낸) ?{_NO_DIGIT}{{0,8}}|블로커|숙제"
    rf"|{_NO_DIGIT}{{0,6}}(?:확인|답변|승인|결정|검토|회신) ?(?:필요|대기|요청)"
    rf"{_NO_DIGIT}{{0,4}}"
)
_HEADS = re.compile(
    f"{_ENGLISH}|{_GERMAN}|{_DUTCH}|{_FRENCH}|{_SPANISH}|{_PORTUGUESE}|{_ITALIAN}"
    f"|{_RUSSIAN}|{_POLISH}|{_TURKISH}|{_CHINESE}|{_JAPANESE}|{_KOREAN}"
)
_NOT = (
    r"(?<!not )(?<!yet )(?<!be )(?<!nicht )(?<!pas )(?<!encore )(?<!non )(?<!não )"
    r"(?<!no )(?<!niet )(?<!не )(?<!to )"
)
#: Words of a label for what is done, or for something else that is open.
_DENIED = re.compile(
    rf"{_NOT}\b(?:done|completed|closed|resolved|fixed|finished|solved|erledigt|gelöst"
    r"|geklärt|abgeschlossen|hecho|resuelt\w+|feitos?|resolvid\w+|concluíd\w+|réglée?s?"
    r"|résolue?s?|terminée?s?|fatt[oi]|risolt\w+|gedaan|afgerond|сделано|решено"
    r"|закрыто|zrobione|tamamlanan)\b|\b(?:open(?:ed|ing)?[- ](?:source|day|house|door"
    r"|hours|data|api)|next(?:\.js| to | door)|waiting (?:list|room)|warteliste"
    r"|liste d['’]attente|lista de espera|(?:not|nicht|no) (?:now|doing|jetzt|ahora)"
    r"|out of scope|tag der offenen)|(?<!尚)已(?!知)|(?<!未)完了|済み|解決済"
    r"|(?<!미)완료"
    r"|完成情况|解决方案|未来|오늘 ?한"
)
#: Parts of the heads above: a label without any of them is not matched at all.
OPEN_HEAD_STEMS = (
    *("open", "pending", "outstanding", "remain", "unres", "unfin", "unans", "unset"),
    *("undec", "incompl", "undone", "uncompl", "upcoming", "next", "block", "wait"),
    *("deferred", "postponed", "parked", "future", "follow", "missing", "left", "carr"),
    *("doing",),
    *("overdue", "todo", "to-do", "to do", "immediate", "tomorrow", "progress"),
    *("unclear", "unknown", "unsolv", "current t", "active t", "my t", "our t"),
    *("backlog", "loose", "remind", "action"),
    *("still", "not ", "to be ", "need", "hold"),
    *("wip", "flight", "question", "pick up", "contin", "resume", "forget", "remember"),
    *("to verify", "to check", "to fix", "to inv", "to disc", "to ask", "to dec"),
    *("to cl", "to fin", "to order"),
    *("to review", "for later", "for monday", "for the "),
    *("for tues", "for wed", "for thu", "for fri", "for whoever", "ongoing", "stuck"),
    *("offen", "noch ", "nächste", "als nächste", "was ", "vorgehen", "weiter", "zu "),
    *("ausst", "unerl", "ungekl", "unfert", "anst", "restlich", "verbleib", "liegen"),
    *("vertagt", "versch", "wiedervor", "rückfr", "rest", "merkz", "nachf", "wart"),
    *("frage", "für ", "morgen", "arbeit", "te ", "volgend", "vervolg", "actiep"),
    *("geblok", "wat ", "wacht", "afwacht", "nog ", "voor ", "blijft", "bezig"),
    *("ce qu", "à ", "attente", "suspens", "cours", "souffr", "prochaine", "suivante"),
    *("suite", "point", "sujet", "tâche", "chose", "trava", "pour ", "demain", "bloqu"),
    *("fait", "résolu", "réglé", "termin", "décid", "relance", "pas encore"),
    *("pendient", "falta", "queda", "por ", "próxim", "siguient", "sigue", "pregunta"),
    *("tema", "asunto", "cuesti", "punto", "tarea", "duda", "frente", "hilo", "cabo"),
    *("lo que", "sin ", "para ", "mañana", "espera", "curso", "proceso", "recordat"),
    *("pend", "rest", "fic", "a fazer", "não ", "a decidir", "a confirmar", "a tratar"),
    *("a rever", "a verif", "a defin", "questões", "pergunta", "dúvida", "aberto"),
    *("andamento", "aguard", "amanhã", "imped", "lembrete", "da ", "sospeso", "attesa"),
    *("corso", "prossim", "punti", "questioni", "domand", "temi", "attività", "compit"),
    *("manca", "resta", "rimane", "domani", "blocc", "blocchi", "non ", "promemoria"),
    *("остал", "не ", "нереш", "открыт", "незак", "незав", "невып", "недо", "висит"),
    *("висящ", "текущ", "ближ", "отлож", "оставш", "срочн", "следующ", "дальн"),
    *("дальше", "далее", "на завтра", "план", "задач", "дела", "список", "на "),
    *("завтра", "жд", "ожида", "надо", "нужно", "необх", "предсто", "делать", "к "),
    *("вопрос", "хвост", "долги", "блокер", "заблок", "в работе", "в процессе", "туду"),
    *("напомин", "do ", "następn", "kolejn", "dals", "otwart", "oczek", "czeka"),
    *("pozost", "zaleg", "zosta", "braku", "w toku", "jutro", "bloker", "na jutro"),
    *("przech", "pytan", "hang", "dangl", "up in", "first thing", "carried"),
    *("課題", "zablok", "nieza", "nieroz", "nieuk", "niezr", "yapıl", "bekle", "kalan"),
    *("sonraki", "sıradaki", "açık", "engel", "tamamlan", "eksik", "ertelen", "yarın"),
    *("待", "未", "遗留", "遺留", "剩", "还没", "沒", "没", "卡", "阻", "堵点", "进行"),
    *("進行", "下一", "下步", "接下", "后续", "後續", "下次", "下周", "明", "等", "需"),
    *("要", "跟进", "行动", "开放", "提醒", "悬", "残", "次", "つぎ", "あした", "翌日"),
    *("今後", "これから", "来週", "やる", "すること", "宿題", "積み", "持ち越", "懸案"),
    *("申し送", "保留", "ブロ", "検討", "남", "할", "해야", "다음", "내일", "이후"),
    *("향후", "앞으로", "미", "대기", "보류", "진행", "후속", "열린", "이월", "막힌"),
    *("못", "블로", "숙제", "확인", "답변", "승인", "결정", "검토", "회신"),
    *OPEN_WORD_STEMS,
)  # fmt: skip
_STEMS = Stems(OPEN_HEAD_STEMS)
#: So many words behind a comma are a remark: ``Offen, schon lange``.
_REMARK = 4


def heads_open(label: str) -> bool:
    """Return whether a normalised label names a list of open work."""
    if not _STEMS.are_in(label) or _DENIED.search(label):
        return False
    head, comma, rest = label.partition(", ")
    known = _HEADS.fullmatch(label) is not None or has_open_word(label)
    is_remark = bool(comma) and len(rest.split()) <= _REMARK
    return known or (is_remark and _HEADS.fullmatch(head) is not None)


def is_done_label(label: str) -> bool:
    """Return whether a normalised label is for finished work or no open work."""
    return _DENIED.search(label) is not None
