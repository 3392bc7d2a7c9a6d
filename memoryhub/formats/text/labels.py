"""Headings and labels of lists of decisions, of open items or of directives.

A label counts as a whole, in ten languages; a word inside a title does not. Labels of
decisions and directives are also known by their head noun: `label_heads`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from memoryhub.formats.text.label_choices import CHOICE_STEMS, heads_choices
from memoryhub.formats.text.label_heads import (
    HEAD_STEMS,
    heads_decisions,
    heads_directives,
)
from memoryhub.formats.text.open_label_words import has_open_word
from memoryhub.formats.text.open_labels import (
    OPEN_HEAD_STEMS,
    heads_open,
    is_done_label,
)
from memoryhub.formats.text.stems import Stems

Kind = Literal["", "decision", "open", "directive"]

#: A longer text is a sentence, not a label; with its marks it may have twice as much.
_LONGEST = 60
_LONGEST_MARKED = 2 * _LONGEST

_MARKS = str.maketrans("", "", "*_`")
#: A name of a machine's field: ``next_step``.
_UNDERSCORE = re.compile(r"(?<=[^\W_])_(?=[^\W_])")
#: Characters other than letters, digits and joints between two labels: emoji.
_ORNAMENT = re.compile(r"[^\w\s&/'+,()\[\].:\-、—–]+")
_ENUMERATOR = re.compile(
    r"[\s\-.]*(?:(?:\d{1,3}|[ivx]{1,4}|[a-h]|[一二三四五六七八九十]{1,3})[.)、](?!\d)"
    r"|\d{1,3}(?:\.\d{1,3})+[.)、]?(?!\d)|\[[ x]?\])?[\s\-.]*"
)
_CLOSING = (")", "]")
_TAIL = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*\Z")
_JOINT = re.compile(r"\s*[/&+,、]\s*|\s+(?:and|or|y|e|und|et|и|및)\s+|[与和及]")

#: Characters at the end of a label that are not part of it.
_END = " :.-—–"
_DASH_TAIL = re.compile(r"\s+[—–]\s.*\Z")
_CHINESE_TAIL = re.compile(r"(?:记录|汇总|清单|列表|总结|一览|紀錄|記錄)\Z")
_PREPOSITION = re.compile(
    r"\s+(?:for|from|after|before|on|in|about|during|by|re|regarding|this|of|to|with|"
    r"para|für|pour|для|по|per)\s"
)
#: Labels of one word that may go on with a preposition: "decisions for the API".
_WITH_A_TAIL = {
    *("decisions", "todo", "todos", "followups", "follow-ups", "pendências"),
    *("pendientes", "decisões", "decisiones", "entscheidungen", "décisions"),
    *("решения", "decisioni"),
}

_DECISION_WORDS = """
decision|decisions|decided|key decision|key decisions|key decisions made
main decisions|major decisions|important decisions|critical decisions
decision made|decisions made|decisions taken|decisions reached|decision log
decisions log|decision record|decision records|decisions recorded|decisions so far
decisions today|today's decisions|decisions this session|session decisions
final decision|final decisions|new decisions|active decisions|current decisions
confirmed decisions|decisions confirmed|locked decisions|decisions locked
approved decisions|team decisions|user decisions|product decisions
design decision|design decisions|key design decisions|architecture decision
architecture decisions|architectural decisions|key architecture decisions
technical decisions|key technical decisions|implementation decisions
strategic decisions|strategy decisions|policy decisions|what we decided
what was decided|agreed|agreements|agreements made|resolutions
决策|决定|决议|关键决策|关键决定|重要决策|重要决定|主要决策|核心决策|最终决策|最终决定
决策记录|决策日志|决定事项|决策事项|技术决策|设计决策|架构决策|产品决策|今日决策|今日决定
已决策|已决定|已确认决策|用户决策|用户决定|老板决策|達成共識|达成共识
決策|決定|決議|關鍵決策|重要決策|重要決定|決策記錄
decisão|decisões|decisões tomadas|decisões importantes|principais decisões
decisões principais|decisões-chave|decisões chave|decisões técnicas|decisões do dia
decisões de hoje|decisões de arquitetura|decisões de design|decidido|o que decidimos
decisión|decisiones|decisiones tomadas|decisiones clave|decisiones importantes
decisiones técnicas|decisiones principales|principales decisiones|decisiones del día
decisiones de hoy|decisiones de arquitectura|decisiones de diseño|lo que decidimos
entscheidung|entscheidungen|wichtige entscheidungen|getroffene entscheidungen
zentrale entscheidungen|technische entscheidungen|architekturentscheidungen
beschluss|beschlüsse|entschieden
décision|décisions|décisions prises|décisions clés|décisions importantes
décisions techniques|décisions du jour|décisions d'architecture|décidé
решения|принятые решения|ключевые решения|важные решения|основные решения
технические решения|архитектурные решения|решения дня|принято решение
что решили|решили|договорились|договорённости|договоренности
決定事項|意思決定|重要な決定|主な決定|主な決定事項|決まったこと|技術的決定|設計判断
결정|결정사항|결정 사항|주요 결정|주요 결정사항|주요 결정 사항|핵심 결정
의사결정|설계 결정|기술 결정
decisione|decisioni|decisioni prese|decisioni chiave|decisioni importanti
decisioni tecniche|decisioni principali|decisioni di oggi
"""

_OPEN_WORDS = """
next|next step|next steps|next up|next action|next actions|next tasks|next task
next priorities|next session|next session plan|immediate next steps
recommended next steps|suggested next steps|proposed next steps|what's next
what next|whats next|todo|todos|to do|to-do|to dos|to-dos|to do list|to-do list
todo list|todo items|pending|pending item|pending items|pending task|pending tasks
pending action|pending actions|pending work|pending decisions|pending questions
pending issues|pending review|still pending|still open|still to do|still todo
open|open item|open items|open task|open tasks|open todos|open questions
open question|open issues|open threads|open loops|open points|open action items
unresolved|unresolved questions|unresolved issues|unfinished|unfinished work
action item|action items|action points|actions needed|action needed
action required|actions required|required actions|follow up|follow-up|follow ups
follow-ups|followup|followups|follow-up items|follow up items|follow-up tasks
follow-up actions|needs follow-up|needs follow up|needs attention|needs action
remaining|remaining work|remaining task|remaining tasks|remaining items
remaining steps|remaining todo|remaining todos|remaining actions
outstanding|outstanding items|outstanding tasks|outstanding work|outstanding issues
left to do|what's left|whats left|still left|to be done|tbd|not done|not yet done
not done yet|for tomorrow|tomorrow|tomorrow's plan|tomorrow's tasks|plan for tomorrow
for next session|for the next session|for next time|for morning session
for afternoon session|for evening session|for later|tasks for tomorrow
active items|carried forward|carry forward|carry over|carryover|carried over
waiting|waiting on|waiting for|awaiting|upcoming|upcoming tasks|upcoming work
future work|reminders|tasks pending|tasks remaining|still needed|still missing
action|to confirm|unverified|incomplete|queued|asks|where to pick up|pick up here
continue from here|continue here|klären|sin cerrar|cosas sin cerrar|for saturday
for sunday|pending clean-up
open blockers|next milestones|next focus|priorities for tomorrow
下一步|下一步计划|下一步行动|下一步工作|下一步任务|下步计划|下步工作|接下来|后续|后续步骤
后续计划|后续工作|后续事项|后续任务|后续行动|后续待办|后续跟进|待办|待办事项|待办任务
待办清单|待办列表|今日待办|明日待办|待处理|待处理事项|待处理任务|待跟进|待跟进事项|待完成
待完成事项|待完成任务|待解决|待解决问题|待确认|待确认事项|待定|待做|待续|待推进|待执行|未完成
未完成事项|未完成任务|未解决|未解决问题|遗留问题|遗留事项|遗留任务|明日计划|明天计划|明日任务
明天待办|明日提醒|明天提醒|提醒事项|行动项|行动计划|跟进|跟进事项|需要跟进|需跟进|剩余工作|剩余任务|未决问题|未决事项
待辦|待辦事項|後續|後續步驟|後續事項|待處理|待處理事項|待跟進|待確認|待解決|下一步計劃|明日計劃
pendência|pendências|pendente|pendentes|próximos passos|próximo passo|próximas ações
próximas etapas|a fazer|por fazer|tarefas pendentes|itens pendentes|ações pendentes
em aberto|em espera|aguardando|para amanhã|para a próxima sessão|o que falta|falta fazer
pendiente|pendientes|próximos pasos|próximo paso|siguientes pasos|siguiente paso
por hacer|tareas pendientes|acciones pendientes|asuntos pendientes|para mañana
próximas acciones|lo que falta|en espera
nächste schritte|nächster schritt|offen|offene punkte|offene aufgaben|offene fragen
offene todos|offene themen|noch offen|noch zu tun|zu erledigen|ausstehend|als nächstes
für morgen|zu tun
prochaines étapes|prochaine étape|étapes suivantes|à faire|reste à faire|en attente
tâches en attente|tâches restantes|points ouverts|questions ouvertes|actions à mener
prochaines actions|pour demain|à suivre
осталось|что осталось|осталось сделать|следующие шаги|следующий шаг|дальнейшие шаги
дальше|что дальше|к выполнению|нужно сделать|надо сделать|сделать|в ожидании|ожидает
открытые вопросы|открытые задачи|незавершённое|незавершенное|не сделано|на завтра
план на завтра|задачи на завтра|ожидает решения|висит
次のステップ|次のアクション|次にやること|次回|次回やること|今後の予定|今後の課題|今後の対応
残タスク|残課題|残作業|未完了|未対応|未解決|保留|保留中|やること|やることリスト|明日の予定
明日やること|対応待ち|要対応|フォローアップ
다음 단계|다음 작업|다음 할 일|할 일|할일|할 일 목록|남은 작업|남은 일|남은 할 일
미완료|미해결|대기|대기 중|대기중|보류|후속 조치|후속 작업
내일 할 일|향후 계획|앞으로 할 일|진행 예정
bleibt liegen|bleiben liegen|liegen geblieben|still hanging|things still hanging|hanging
loose|open ends|owing|to chase|chase|chase list|nag list|snags|punch list|parking lot
unanswered|to buy|shopping list|for the next shift|for the morning shift|over to you
left over|left hanging|still hanging|half-finished|half done|started, not finished
for the day shift|for the night shift|note for tomorrow|notes for tomorrow|in the queue
unsolved|snag list|unclear|before friday|by monday|by friday|when back|whoever is next
baustellen|hausaufgaben|restliste|klärungsbedarf|nachzügler|nicht vergessen|liegt noch
steht noch an|steht an|merken|zu übergeben|für die nächste schicht|für den nächsten
nachfragen|dranbleiben|abzuklären|abklären|noch im raum|im raum|schwebend|hängt noch
flecos|cabos sueltos|arrastramos|lo que arrastramos|cosas sueltas|no olvidar|por ver
para la próxima|quedó pendiente|lo que quedó|en el tintero|para el turno siguiente
pontas soltas|sobrou para amanhã|sobrou|ver depois|falta ver|por tratar|na fila|travado
não esquecer|a não esquecer|para o próximo turno|ficou para trás
en plan|à caler|pas fini|pas fait|à trancher|ne pas oublier|à transmettre|restant
pour la prochaine équipe|pour la relève|bloquant|non réglé|laissé en plan
rimasto|da chiudere|sospesi|in ballo|aperti|aperto|rimasti|da ricordare|non dimenticare
blijft over|hangt nog|ligt nog|losse eindjes|niet vergeten|openstaand|te regelen
zaległości|wisi|otwarte|do dopytania|niedokończone|niezrobione|na potem|zostaje
nie zapomnieć|dla następnej zmiany|do przekazania|co zostało|zostaje na później
открыто|не доделали|на потом|зависло|спросить|напомнить|тянется|не закрыто|за нами
в следующий раз|следующей смене|передать смене|не забыть|недоделано
что висит|нужно|надо|вопросы
unutma|kalanlar|eksik kalan|sıradaki|sonraki vardiyaya
没弄完的|悬着的|欠着的|下回|改天|要问的|要办的|尾巴|收尾|挂着|别忘了|要做的|交班|待老板定
気がかり|続き|あとで|やり残し|次の人へ|引き継ぎ|聞くこと|残件|忘れずに|要確認事項
밀린 일|못다 한 일|물어볼 것|확인할 것|챙길 것|넘길 일|걸려 있는 것|남은 것|잊지 말 것
prossimi passi|prossimo passo|prossimi step|prossime azioni|da fare|in sospeso
pendenti|attività in sospeso|azioni da fare|punti aperti|questioni aperte|in attesa
per domani|cose da fare
"""

#: Words that may share a label with decisions.
_REASONS = frozenset({"rationale", "reasoning", "reasons", "why", "理由", "原因"})

#: Labels above lists that mean something else before a colon in a line.
_ONLY_ABOVE_A_LIST_WORDS = """
upcoming|tomorrow|reminders|loose|chase|unclear|merken|нужно|надо|вопросы|aperto
sobrou|otwarte|открыто|続き|あとで|下回|改天|收尾|restant|steht an|im raum|wisi
nachfragen
outcome|outcomes|scope|fixed|bitte|please|por favor|cambiamos|mudamos|cambiamo|on change
alcance|umfang|périmètre|escopo|âmbito|ambito|范围|範囲|범위|zakres|объём|变更|proszę
next week|next meeting|demain|mañana|amanhã|domani|morgen
jutro|yarın|завтра|明天|明日|下周|내일|来週|дальше|сделать|висит|次回|bezig|wip
in progress|in arbeit|in corso|en cours|en curso|em andamento|进行中|進行中|진행 중
decided|agreed|entschieden|договорились|решили
"""

_NOTHING_WORDS = """
none|n/a|na|n.a|nil|nothing|null|no|empty|tbd|tba|to be filled|to be added
to be determined|none yet|nothing yet|none today|none pending|nothing pending
no pending items|no decisions|no decisions yet|no open items|not yet|no todos
none this session|none at this time|none so far|none noted|none recorded|none open
fill in|placeholder|your text here
无|無|暂无|暫無|没有|沒有|空|待补充|待填写|暂时没有|なし|特になし|未定|없음
해당 없음|없다
нет|пока нет|ничего|отсутствуют|nenhum|nenhuma|nenhuma pendência|sem pendências|nada
ninguno|ninguna|sin pendientes|keine|keiner|nichts|aucun|aucune|rien|nessuno|nessuna
niente
"""


def normalise_label(text: str) -> str:
    """Return a bare label: no emoji, number, mark, colon or bracketed tail.

    Empty for a text too long for a label.
    """
    return _normalised_label(text) if len(text) <= _LONGEST_MARKED else ""


@lru_cache(maxsize=4096)
def _normalised_label(text: str) -> str:
    label = _UNDERSCORE.sub(" ", text) if "_" in text else text
    label = unicodedata.normalize("NFKC", label).translate(_MARKS)
    label = _ORNAMENT.sub(" ", label).strip().casefold().rstrip(_END)
    label = _TAIL.sub("", label) if label.endswith(_CLOSING) else label
    label = label[_end_of_enumerator(label) :].rstrip(_END)
    return " ".join(label.split()) if len(label) <= _LONGEST else ""


def _end_of_enumerator(label: str) -> int:
    found = _ENUMERATOR.match(label)
    return found.end() if found else 0


def _normalised(words: str) -> frozenset[str]:
    return frozenset(map(normalise_label, _listed(words)))


def _listed(words: str) -> list[str]:
    return [word for line in words.split("\n") for word in line.split("|") if word]


_DECISION = _normalised(_DECISION_WORDS)
_OPEN = _normalised(_OPEN_WORDS)
_ONLY_ABOVE_A_LIST = _normalised(_ONLY_ABOVE_A_LIST_WORDS)
_NOTHING = frozenset(_listed(_NOTHING_WORDS))
#: Starts of labels: five letters, a whole shorter one, or a letter that is not ASCII.
_STARTS = frozenset(
    label[:5] if label[0].isascii() else label[0] for label in _OPEN | _DECISION
)
#: Parts of the nouns of labels of all kinds.
_HEADS = Stems((*HEAD_STEMS, *OPEN_HEAD_STEMS, *CHOICE_STEMS))
_LEADING = " \t#*_`-0123456789.)([]"
_NO_LETTERS = re.compile(r"\A[\W\d_]+")
_AFTER_NUMBER = (".", ")", "、")


def kind_of_label(text: str) -> Kind:
    """Return the kind of list under a label; empty for most labels."""
    return _kinds(text)[0] if _may_be_label(text) else ""


def _may_be_label(text: str) -> bool:
    """Cheaply reject texts that start like no known label."""
    if len(text) > _LONGEST_MARKED:
        return False
    bare = text.lstrip(_LEADING)
    if not bare[:1].isalpha() or bare[1:2] in _AFTER_NUMBER:
        bare = _NO_LETTERS.sub("", bare[1:], count=1)
    if not bare[:1].isascii():
        return bare[:1] in _STARTS or _HEADS.are_in(text.lower())
    start = bare[:5].casefold()
    return (
        start in _STARTS
        or start[:4] in _STARTS
        or start[:3] in _STARTS
        or _HEADS.are_in(text.lower())
    )


@lru_cache(maxsize=4096)
def _kinds(text: str) -> tuple[Kind, Kind]:
    """Return the kinds of a label above a list and of one before a text."""
    label = normalise_label(text)
    kind = _kind(label)
    return kind, "" if label in _ONLY_ABOVE_A_LIST else kind


def _kind(label: str) -> Kind:
    before_dash = _TAIL.sub("", _DASH_TAIL.sub("", label))
    for bare in (label, before_dash, _CHINESE_TAIL.sub("", label)):
        if bare in _OPEN:
            return "open"
        if bare in _DECISION:
            return "decision"
    parts = [part for part in _JOINT.split(label) if part]
    named = _kind_of_parts(parts) or _kind_of_head(label)
    return named or _kind_of_noun(label, before_dash)


def _kind_of_head(label: str) -> Kind:
    """Return the kind of the label before "for": ``next steps for the importer``."""
    head = _PREPOSITION.split(label, maxsplit=1)[0]
    if head == label or (head not in _WITH_A_TAIL and " " not in head):
        return ""
    if head in _OPEN:
        return "open"
    return "decision" if head in _DECISION else ""


def _kind_of_noun(whole: str, label: str) -> Kind:
    if heads_decisions(label) or heads_choices(label):
        return "decision"
    if heads_open(whole) or heads_open(label):
        return "open"
    return "directive" if heads_directives(label) else ""


def _kind_of_parts(parts: list[str]) -> Kind:
    if len(parts) < 2:
        return ""
    if _OPEN.issuperset(parts) or any(map(has_open_word, parts)):
        return "open"
    decides = parts[0] in _DECISION and (_DECISION | _REASONS).issuperset(parts)
    return "decision" if decides else ""


def is_decision_label(text: str) -> bool:
    """Return whether a heading or label is one for decisions."""
    return kind_of_label(text) == "decision"


def is_open_label(text: str) -> bool:
    """Return whether a heading or label is one for open items."""
    return kind_of_label(text) == "open"


def heads_done(text: str) -> bool:
    """Return whether a heading is for finished or abandoned work."""
    return is_done_label(normalise_label(text))


def kind_of_inline_label(label: str) -> Kind:
    """Return the kind of a label that has its text behind it in the same line."""
    return _kinds(label)[1] if _may_be_label(label) else ""


def says_nothing(text: str) -> bool:
    """Return whether an item is empty, a rule, or a word for "none"."""
    if len(text) > _LONGEST:
        return False
    bare = text.strip(" \t\r\n*_`()（）[].。…!！-–—·•:：\"'~").casefold()
    return not bare or bare in _NOTHING
