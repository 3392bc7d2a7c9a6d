"""Phrases with words of a choice that decide nothing: others' choices, facts."""

from __future__ import annotations

import re

#: What outsiders chose, or what is said to be no affair of ours.
_OF_OTHERS = re.compile(
    r"does(?:n['’]t| not) (?:concern|affect) us|not our (?:business|call"
    r"|problem|affair)"
    r"|nothing to do with us|none of our|their (?:own )?(?:decision|call|choice)\b"
    r"|geht uns nichts an|betrifft uns nicht|deren entscheidung|\bgut zu wissen"
    r"|no (?:nos (?:afecta|incumbe)|es asunto nuestro)|não (?:nos diz respeito"
    r"|é connosco"
    r"|é conosco|é nosso)|ça ne nous (?:regarde|concerne)|non ci riguarda"
    r"|нас (?:это )?не касается|nas to nie dotyczy|bizi ilgilendirm"
    r"|[跟和与](?:我们|咱们)(?:没|无)关|不归(?:我们|咱们)管|彼らの判断|うちには関係"
    r"|우리(?:와|랑|하고)는? 상관"
    r"|\b(?:neighbou?rs?|maintainers?|upstream|competitors?|nachbarn?|nachbarin"
    r"|vecin[oa]s?"
    r"|vizinh[oa]s?|voisine?s?|vicin[oaie]|sąsiad\w*|komşu\w*) (?:\w+ ){0,2}(?:decid"
    r"|chose"
    r"|went with|ha[tn]? (?:sich )?\w* ?ent|decidi|a décidé|ha deciso|postanowi|karar)"
    r"|^(?:but |and |so )?they (?:decided|chose|opted|went with)\b"
    r"|\b(?:someone|somebody|jemand|alguien|alguém|quelqu['’]un|кто-то)\b (?:\w+"
    r" ){0,4}(?:decid|chose|picked|went with|реш|entsch)"
    r"|\b(?:his|her|their) own (?:matter|business|affair)|\bnot ours\b|pas la nôtre"
    r"|\bnicht unsere\b|no es nuestr|não é noss|не наше"
    r"|(?:人家|别人|对方|他们自己)的(?:事|决定)|^(?:他们|她们|对方)决定"
    r"|сосед\w* (?:\w+ )?решил|(?:隣|向かい)の.{1,12}決め|(?:隔壁|对门).{0,10}决定"
)
#: What somebody heard or wishes, and what a program or a supplier does.
_HEARD = re.compile(
    r"[たるい]そう(?:だ|です)(?:。|\Z)|らしい(?:。|\Z)|听说|据说"
    r"|\bговорят,|по слухам"
    r"|\b(?:apparently|reportedly|rumou?r\w*|allegedly|i hear|i heard|angeblich"
    r"|paraît[- ](?:il|que)|dicen que|al parecer|dizem que|pare che|lo dice il"
    r"|podobno)\b"
    r"|希望.{0,6}决定|\b(?:hopes?|wish(?:es)?) (?:\w+ ){1,3}(?:decide|agree)"
    r"|\b(?:linter|compiler|formatter|autocorrect|algorithm\w*|algoritmo|router|browser"
    r"|parser|scheduler|firmware) (?:has |have )?(?:decid|chose|picked|entsch|a décidé"
    r"|ha deciso|реш)"
    r"|\b(?:discontinued|lowered|raised|withdrawn|cancelled|changed) (?:\w+ ){0,4}(?:by"
    r"|at) the (?:exchange|supplier|vendor|manufacturer|provider|bank|council|ministry"
    r"|court|landlord)\b"
)
#: It says of what stands before it that it is no decision.
_DENIED = re.compile(
    r"\b(?:is|was|are|that)(?:n['’]t| not) (?:really )?(?:an? |our )?(?:actual )?"
    r"(?:decision|choice)\b|\bkeine (?:echte )?(?:entscheidung|wahl)\b"
    r"|\bpas (?:une|notre) (?:décision|choix)|\bno es (?:una |nuestra )?decisión"
    r"|\bnão é (?:uma |nossa )?decisão|\bnon è (?:una |nostra )?(?:decisione|scelta)"
    r"|\bне (?:решение|постановление|выбор)\b|\bto nie (?:jest )?decyzja"
    r"|不是(?:我们的?)?(?:决定|选择)|決定ではな|결정(?:은|이)? 아니"
)
#: Allowed, measured, under discussion, or a report of what was replaced.
_NO_DECISION = re.compile(
    r"\bmay (?:still |also )?(?:stay|keep|remain)\b"
    r"|(?:минут\w*|час\w*|ноч\w*|сантиметр\w*|godzin\w*|minut\w*) (?:вместо|zamiast) "
    r"|^(?:讨论|议论|議論|논의|discussion|débat|diskussion|discusión|обсуждение)[：:] ?"
    r"|(?:把|已|全部|都)[^，。]{0,20}(?:换成|换到)|换成[^，。]{1,12}，已换"
)
#: A remark that makes of a choice a fact, or of a line a placeholder.
_AS_A_FACT = re.compile(
    r"[(（](?:a |the |this is (?:a )?|just a )?(?:settings?|config(?:uration)?|default"
    r"|template|example|fact|as before|already so|war schon so|wie bisher|einstellung"
    r"|ajuste|configuração|réglage|impostazione|настройка|ustawienie|ayar|设定值|配置"
    r"|done|happened|correction|security (?:fix|patch)|typo|erledigt|hecho|feito|fait"
    r"|aconteceu|fact|纠错|更正|已完成|訂正"
    r"|已生效|这是配置|設定値?|既定値?|설정값?)[^()（）]{0,30}[)）][ .。]*\Z"
)
#: What was looked at and did not go further.
_NO_OUTCOME = re.compile(
    r"\bno (?:conclusion|result|outcome|opinion yet)\b|\bkein ergebnis|\bohne ergebnis"
    r"|\bsin (?:conclusión|resultado)|\bsem (?:conclusão|resultado)|\bsans conclusion"
    r"|\bnothing (?:is |was |has been )?(?:yet )?(?:chosen|fixed|settled|agreed|signed"
    r"|decided)|\bsleep on it|\btoo early\b|\b(?:has|have|needs?|remains?) to be"
    r" (?:picked|chosen|decided|agreed|settled)|\bwants to (?:see|hear|read) (?:a"
    r"|another|more|two|the other)|\bnoch zu früh|\bnichts (?:ist )?(?:entschieden"
    r"|fest|beschlossen)|\büberlegt (?:noch|es sich)|\brien (?:de|n['’]est)"
    r" (?:fixé|décidé|tranché|acté)|\bpas (?:encore )?(?:tranché|décidé|fixé)|trop tôt"
    r"|préfère attendre|\bà revoir\b|en discussion|\bnada (?:fijado|decidido"
    r"|cerrado|fechado|definido)|demasiado pronto|en discusión|em discussão|cedo demais"
    r"|vai pensar|lo (?:piensa|está pensando)|niente di (?:deciso|fissato)"
    r"|troppo presto"
    r"|пока (?:рано|думает)|рано ещ[её]|без срока|再想想|还在想|太早|考虑中|^暂无"
    r"|まだ早い|考え中|너무 이르|생각 중"
    r"|senza esito|без (?:решения|итога)|bez (?:wniosku|ustaleń)|sonuç yok"
    r"|没有?结论|没谈|还没写|(?:考虑|讨论)过|讨论了|結論なし|結論は?出な|결론 없"
    r"|maybe never|\b(?:poderíamos|podríamos|we could"
    r"|könnten wir"
    r"|on pourrait|potremmo|moglibyśmy)\b"
)
#: A line that makes fun, or that is a mere note in a log of decisions.
_JOKE = re.compile(
    r", ha[.!]?\Z|\b(?:joke|joking|kidding|lol|haha+|scherz|spaß|broma|chiste|blague"
    r"|piada"
    r"|scherzo|żart)\b|шутк|哈哈|玩笑|冗談|농담|ㅋㅋ"
)
_NOTE = re.compile(
    r"(?:note|nota|notiz|hinweis|fyi|remark|remarque|заметка|备注|メモ|메모"
    r"|id[eé]e|idee|ideia|idea|mention)\b[ \t]*[:：]"
)


def is_joke(low: str) -> bool:
    """Return whether a line in lower case makes fun of something."""
    return _JOKE.search(low) is not None


def is_denied(low: str) -> bool:
    """Return whether a line in lower case says that it is not about a decision."""
    return _DENIED.search(low) is not None


def is_no_choice(low: str) -> bool:
    """Return whether a text in lower case is outsiders' choice, a fact, or no end."""
    return bool(
        _NOTE.match(low)
        or _OF_OTHERS.search(low)
        or _AS_A_FACT.search(low)
        or _NO_OUTCOME.search(low)
        or _HEARD.search(low)
        or _NO_DECISION.search(low)
        or is_denied(low)
    )
