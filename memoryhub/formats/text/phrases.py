"""Phrases with which prose doubts, settles and gives reasons, in many languages.

All are parts of lower-case text. A text is searched for the stems first: most lines
hold none and are read no further.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryhub.formats.text.alternatives import compile_alternatives
from memoryhub.formats.text.stems import Stems


class _Confirming(NamedTuple):
    """Words that confirm the sentence before, and patterns allowed around them."""

    words: str
    before: str = ""
    behind: str = ""

    @property
    def pattern(self) -> str:
        return f"{self.before}(?:{self.words}){self.behind}"


#: The words that deciding has, and that make a sentence no decision.
NOT_DECIDED = compile_alternatives(
    r"\b(?:not|never|n't|nothing|nobody|no one|yet to|to be|still|before|until we|if"
    r"|once"
    r"|whether|unless|would|should|could|might|may have|must be|needs? to|has to"
    r"|have to"
    r"|will be|when) (?:\w+ ){0,2}(?:decided?|agreed?|chosen?|settled?)"
    r"|\bdecided (?:to (?:wait|ask|postpone|defer|think|look|check|try|investigate)"
    r"|nothing|later)|\bagreed? (?:in principle|with (?:me|this|that|the ))"
    r"|\bagreed\.?$"
    r"|(?:noch )?nicht (?:entschieden|vereinbart|beschlossen)|\bnoch offen\b"
    r"|\bdecidi(?:u|ó|r) (?:esperar|aguardar|pensar|nada)|\b(?:ainda|todavía|aún) n"
    r"|\bn[ãa]o (?:foi )?decid|\bno (?:se )?(?:ha |hemos )?decid|\bpas encore\b"
    r"|\bне (?:решили|договорились|решено|выбрали)|\bрешили? (?:подождать|проблем"
    r"|задач)"
    r"|решил[аи]? (?:проблем|задач|вопрос)|еще не|ещё не"
    r"|还没|尚未|未决定|没有决定|没决定|不决定|未定|待定|等.{0,12}决定|再决定"
    r"|由.{0,8}决定"
    r"|決定していない|まだ|未決定|아직|결정되지|결정하지|결정해야|미정|決定待ち"
    r"|non (?:abbiamo|ha|è) (?:ancora )?deciso|\bnon ancora\b"
    r"|\b(?:dog|cat|gato|perro|hund|katze|chat|chien|кот|cane|gatto)\b|[猫狗犬]"
    r"|(?:판단|검토|논의|상의|생각)하기로|\bwaiting\b|\bpending\b|\bask(?:ed"
    r"|ing)? (?:whether|if)"
    # A doubt or a condition before the clause, and what others did for themselves.
    r"|\b(?:if|whether|should|could|might|maybe|perhaps|probably|possibly|considering"
    r"|leaning|unless|in case|how|why|what if|can) (?:\w+ ){0,2}(?:we|i)\b"
    r"|\bif (?:\w+ ){1,3}(?:agrees?|decides?|chooses?|picks)\b"
    r"|^(?:if|when|whenever|wenn|falls|quand|cuando|quando|als|если|когда|si (?!è|sono"
    r"|decid)"
    r"|se (?!dec|ac|de[sc]|canc|apl|posp|opt))\b|^(?:如果|要是|もし|만약)"
    r"|\b(?:ob|wenn|falls|sobald|bevor|vielleicht|eventuell|vermutlich|überlegen) "
    r"(?:\w+ ){0,3}(?:wir|ich)\b"
    r"|\b(?:peut-être|si|quand|faut-il|tal vez|quizás?|talvez|forse|misschien)"
    r" (?:\w+ ){0,2}(?:on|nous|we)\b|\b(?:может быть|возможно|если) "
    r"|\b(?:ought|wants? to|waiting for \w+) (?:to )?(?:decide|agree|choose)"
    r"|\bnog niet\b|\bmoet\w* nog\b"
    r"|^.{0,20}\b(?:my|his|her|their) (?:\w+ )?(?:sister|brother|mother|father|wife"
    r"|husband|son"
    r"|daughter|neighbou?r|friend|cousin|uncle|aunt)\b|\b(?:schwester|bruder"
    r"|nachbar(?:in)?"
    r"|s[oœ]eur|frère|hermanos?|hermana|irmão|irmã|sorella|fratello|zus|broer)\b"
    r"|(?:сестр|брат|сосед)\w* |(?:妹妹|弟弟|姐姐|哥哥|儿子|女儿|邻居)"
    r"|\b(?:article|blog|podcast|novel|movie|film|book|article|artikel)\b"
    r"|\bjeszcze nie|\bczy (?:\w+ ){0,3}(?:zdecyd|wybr)|\bще не|\bještě ne|\bhenüz"
    r"|\binte än"
    r"|\bikke enn?dnu|\bbelum|\bchưa\b"
    r"|\bdécidé (?:d['’]attendre|de demander|de vérifier|d['’]y réfléchir)"
    r"|\bdecidimos (?:esperar|preguntar|pensar|ver|aguardar|perguntar)\b"
    r"|\bdeciso di (?:aspettare|chiedere|pensarci|vedere)\b"
    r"|\bрешил\w* (?:подождать|спросить|проверить|подумать|посмотреть)"
    r"|决定(?:先)?(?:问|等|看看|观察|试试|再)"
    # No, in each language, before the deciding verb.
    r"|\b(?:did|do|does|has|have|had|could|was|is)(?: not|n['’]t) (?:\w+ )?(?:decide"
    r"|agree"
    r"|choose|settle|pick|opt)|\bn['’](?:a|ont|avons|est|ai) (?:pas|rien|jamais"
    r"|toujours)"
    r"|\b(?:nicht|nichts|nie) (?:\w+ )?(?:entschieden|beschlossen|vereinbart|festgelegt"
    r"|gewählt|geeinigt)|\bno (?:se )?(?:eligi|escogi|optó|acord|hemos |han |ha )"
    r"|\bnão (?:se )?(?:escolh|optou|combin|ficou)|\bnon (?:si )?(?:ha|abbiamo|hanno"
    r"|è) "
    r"|\bniet (?:besloten|gekozen|afgesproken)|\bgeen besluit"
    r"|\bnie (?:zdecydow|wybra|ustal|uzgodn|postanow)|\bне (?:решил|выбрал|определил"
    r"|утверд)"
    r"|没有?(?:选|定)|(?:決め|選ば|決まら)(?:な|ず)|(?:결정|선택|정)하지 (?:못|않)"
    r"|\bчто .{0,60}(?:перенесли|отменили|отложили)|\bpersonally\b"
    r"|\bback in (?:19|20)\d\d\b|\b(?:old|previous|former) \w+ had\b"
    r"|どちらにするか|か(?:どうか)?(?:は)?(?:まだ|未)|決められ(?:ない|ず)|決めていない"
    r"|정하지 못|정해지지|고민"
)
_SETTLED = (
    _Confirming("settled|decided|agreed|final|a deal", before=(
        r"(?:so |and |then )?(?:that|this|it|all|the question|that question|matter)?"
        r"(?: is|'s| was)? ?(?:now )?"
    )),
    _Confirming(
        "that stays|stays that way|done deal|deal|decision made|decision taken"
        "|decision final|das bleibt so|dabei bleibt es|así queda|trato hecho|fica assim"
        "|решено|договорились|на том и порешили|так и сделали|on fait comme ça"
        "|así lo hacemos|fazemos assim|faremo così|zo doen we het|affare fatto"
        "|定了|说定了|決まり|決定|これで決まり|そうする|そうした|그렇게 함"
        "|그렇게 하기로|그렇게 했다|그렇게 하자|확정"
    ),
    _Confirming("bleibt so|bleibt es|ist entschieden|steht fest", "(?:das |so )?"),
    _Confirming("abgemacht|beschlossen|entschieden", "(?:ist )?"),
    _Confirming("decidido|acordado|resuelto", "(?:queda |está |quedó )?"),
    _Confirming("decidido|combinado|fechado", "(?:fica |está |ficou )?"),
    _Confirming("décidé|convenu|acté", "(?:c['’]est )?"),
    _Confirming("deciso", "(?:è )?"),
    _Confirming("就这么定|就这么办|就这样定", behind="了?"),
    _Confirming("so machen wir", behind="(?:s|'s| es)?"),
    _Confirming("결정", behind="(?:됨|했다|완료)?"),
)  # fmt: skip
#: Parts of these words: a sentence without any of them confirms nothing.
SETTLED_STEMS = Stems(word for one in _SETTLED for word in one.words.split("|"))
#: A sentence that says of the one before it that it is decided.
SETTLES = re.compile(rf"(?:{'|'.join(one.pattern for one in _SETTLED)})[.!。！ ]*")
#: Items under labels of decisions that are still open, or that there are none.
UNDECIDED = re.compile(
    r"\b(?:waiting (?:for|on)|to be (?:decided|confirmed)|tbd|undecided"
    r"|not (?:yet )?decided"
    r"|pending|still open|no (?:new |major |big |formal )?decisions?)\b"
    r"|^_?(?:pendiente|pendente|offen|open)_?[:：]|^(?:proposal|proposed|considering"
    r"|leaning|idea|vorschlag|überlegung|propuesta"
    r"|proposta|proposition|voorstel|предложение|идея|提案|提议|建议|検討"
    r"|제안)\b[^,]{0,40}"
    r"(?::|：| to| towards)|^(?:considering|leaning|提案|提议|检讨|検討)"
    r"|\bunder (?:discussion"
    r"|review)\b|\b(?:noch (?:nicht|offen)|wartet auf|keine (?:neuen )?entscheidung)"
    r"|\b(?:aguardando|pendente|pendiente de|por decidir|a decidir|en attente|à décider"
    r"|(?:sin|sem|aucune|ninguna|nenhuma|nessuna) decis|aucune décision|in attesa)"
    r"|\b(?:da (?:decidere|definire|provare|vedere|valutare|verificare)|à (?:décider"
    r"|définir"
    r"|voir|tester|valider)|por (?:decidir|definir|ver)|a definir|zu (?:entscheiden"
    r"|klären"
    r"|prüfen)|te (?:beslissen|bepalen)|do (?:ustalenia|decyzji|sprawdzenia))\b"
    r"|^(?:à (?:trancher|décider)|zu (?:klären|entscheiden)|por decidir|yok"
    r"|待.{1,6}确认)"
    r"[.。]?\Z|\bto be (?:built|done|written|ordered|checked|tested)\b"
    r"|решить позже|要検討|待商量|待讨论|再议|추후|논의 중"
    r"|ждём|ждем|ожидает|пока не|待定|未定|待确认|等待|等.{1,10}(?:决定|确认)"
    r"|没有.{0,6}决"
    r"|無し|検討中|未決|보류|미정|대기|없음"
)

#: What the writer means to do himself.
OF_MINE = re.compile(
    r"\b(?:i|i'll|i'm|ich|je|j['’]|yo|eu|io|ik|я)\b|我|私|나는|\b(?:my|mein|mon|mi) "
)
#: Words that lead to a reason inside a sentence; the reason is what follows.
BECAUSE = re.compile(
    r"[ ,;(](?:because(?: of)?|since it|since the|otherwise|weil|denn|da sonst|porque"
    r"|ya que|pois|puesto que|já que|uma vez que|parce qu(?:e |['’])|car |puisqu(?:e "
    r"|['’])|потому что|так как|поскольку|иначе|perché|poiché|omdat|aangezien|ponieważ"
    r"|bo|gdyż|тому що|бо|protože|eftersom|fordi|çünkü|karena"
    r"|из-за)\b|(?:因为|因為|由于|，不然|，否则)|(?<=,) want ",
    re.IGNORECASE,
)
#: A whole sentence that is the cause of the one before it.
IS_CAUSE = re.compile(
    r"^(?:why|reason|because|grund|raison|motivo|razón|причина|原因|理由|이유)(?::"
    r"| [—–-]|：)"
    r"|^(?:because|weil|parce qu|porque|perché|omdat|потому что|因为|因為|由于"
    r"|왜냐하면)\b"
    r"|(?:から|ため|なので|ので)。?$|なので、|기? ?때문(?:이다|임|에)?\.?$",
    re.IGNORECASE,
)
#: Labels of a reason, before its text.
_REASON_LABELS = (
    "why", "reason", "reasons", "rationale", "reasoning", "because", "warum", "grund",
    "begründung", "motivo", "razón", "razon", "por qué", "por quê", "porque",
    "justificativa",
    "raison", "pourquoi", "motif", "почему", "причина", "обоснование", "原因", "理由",
    "为什么",
    "缘由", "이유", "사유", "perché", "motivazione", "reden", "waarom", "begrundung",
    "powód", "dlaczego", "uzasadnienie", "чому", "neden", "důvod", "skäl", "hvorfor",
)  # fmt: skip
REASON_LABELS = frozenset(_REASON_LABELS)
