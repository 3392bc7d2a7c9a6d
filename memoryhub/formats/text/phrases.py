"""Phrases with which prose states decisions and directives, in nine languages.

All are parts of lower-case text. A text is searched for the stems first: most lines
hold none and are read no further.
"""

from __future__ import annotations

import re

_WHO = r"(?:we|i|they|both|everyone|all|you|he|she|team|owner|user|[a-z]{2,14})"
_THEN = (
    r"(?: (?:have|had|has|finally|also|then|now|both|jointly|all|already|just"
    r"|will)){0,3}"
)

DECIDED_STEMS = (
    "decided", "agreed", "going with", "go with", "went with", "settled", " chose ",
    "opted", "decision", " it is", "stick with", "stay with", "stays ", "we ship",
    "go live", "we convert", "we keep", "we drop", "we switch", "vetoed",
    "approved plan",
    "entschied", "beschloss", "vereinbart", "festgelegt", "abgelehnt", "wir bleiben",
    "wir nehmen", "das bleibt", "abgemacht", "einigten", "geeinigt",
    "decidi", "acord", "elegimos", "escolhemos", "optamos", "quedamos en", "combinamos",
    "ficou ", "fechamos", "vetou", "vetó", "aprobó",
    "décid", "convenu", "avons choisi", "a choisi", "retenu", "opté",
    "решил", "договорил", "постанов", "остановились на", "выбрали", "решено",
    "决定", "定下来", "定了", "敲定", "商定", "拍板", "选定", "否决", "決定", "敲定",
    "ことにした", "ことになった", "ことに決", "に決め", "に決まっ", "方針",
    "기로 ", "결정", "하기로", "확정",
    "abbiamo deciso", "abbiamo scelto", "si è deciso", "optato", "concordato",
)  # fmt: skip

#: A clause that states a decision; what follows a colon behind it is its text.
DECIDED = re.compile(
    rf"\b{_WHO}{_THEN} (?:decided|agreed|opted|chose|settled on|went with)\b"
    r"|^(?:so |then |ok,? |okay,? |now |finally |and )?(?:decided|agreed|settled"
    r"|chose)\b"
    r"|\b(?:we|i)(?:'re| are|'m| am| will be)? (?:going|go|went) with\b"
    r"|^(?:ok,? |so |let's )?(?:going|go|gone|stick|stay|sticking|staying) with\b"
    r"|\b(?:we|i)(?:'ll| will)? (?:go live|stick with|stay with|ship with|drop"
    r"|switch to"
    r"|convert|keep)\b"
    r"|\((?:as )?(?:decided|agreed|settled)\b|\bvetoed\b|\bdecision (?:is|was) to\b"
    r"|\b(?:is|are|was|were|now|been|it's) (?:decided|agreed|settled) (?:that|to|on)\b"
    r"|^[\w' -]{2,24} it is\b"
    r"|\b(?:haben|hat|habe|wurde) (?:[\wäöüß.,\"' -]{0,80} )?"
    r"(?:entschieden|beschlossen|vereinbart|festgelegt|abgelehnt|geeinigt)\b"
    r"|\bwir (?:bleiben bei|nehmen)\b|\b(?:entschied|beschloss|einigten sich)\b"
    r"|\b(?:abgelehnt|beschlossen|vereinbart|entschieden|festgelegt)(?:$|[:.(])"
    r"|\b(?:decidimos|acordamos|elegimos|escolhemos|optamos por|quedamos en"
    r"|combinamos|fechamos)\b|\bse (?:decidió|acordó|ha decidido|ha acordado)\b"
    r"|\b(?:hemos|han|ha|foi|fue) (?:decidido|acordado)\b"
    r"|\b(?:decidiu|decidió|vetou|vetó)\b|\bficou (?:decidido|combinado|definido"
    r"|acertado)"
    r"|\b(?:avons|a|ont|est|été) (?:décidé|convenu|choisi|retenu|opté)\b"
    r"|\bрешили\b|\bрешил[аи]?,? (?:что|не)\b|\bдоговорил\w+\b|\bпостановил"
    r"|\bостановились на\b|\bрешено\b|\bвыбрали\b"
    r"|决定|定下来|定了|敲定|商定|拍板|选定|否决|決定(?:した|する|しました|です)?"
    r"|ことに(?:した|しました|なった|なりました|決)|に決(?:めた|まった|めました"
    r"|まりました)"
    r"|기로 (?:했|함|결정|합의|정)|(?:으로|로) (?:결정|확정)"
    r"|\b(?:abbiamo|hanno|ha|è stato|si è) (?:deciso|scelto|concordato|optato)\b"
)
#: The words that deciding has, and that make a sentence no decision.
NOT_DECIDED = re.compile(
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
)
#: A sentence that says of the one before it that it is decided.
SETTLES = re.compile(
    r"(?:(?:so |and |then )?(?:that|this|it|all|the question|that question|matter)?"
    r"(?: is|'s| was)? ?(?:now )?(?:settled|decided|agreed|final|a deal)"
    r"|that stays|stays that way|done deal|deal|decision (?:made|taken|final)"
    r"|(?:das |so )?(?:bleibt so|bleibt es|ist entschieden|steht fest)|das bleibt so"
    r"|(?:ist )?(?:abgemacht|beschlossen|entschieden)|dabei bleibt es"
    r"|(?:queda |está |quedó )?(?:decidido|acordado|resuelto)|así queda|trato hecho"
    r"|(?:fica |está |ficou )?(?:decidido|combinado|fechado)|fica assim"
    r"|(?:c['’]est )?(?:décidé|convenu|acté)|решено|договорились|на том и порешили"
    r"|就这么定了?|定了|就这样定了?|说定了|決まり|決定|これで決まり|そうする"
    r"|결정(?:됨|했다|완료)?|확정|(?:è )?deciso|affare fatto)[.!。！ ]*"
)
#: Items under labels of decisions that are still open, or that there are none.
UNDECIDED = re.compile(
    r"\b(?:waiting (?:for|on)|to be (?:decided|confirmed)|tbd|undecided"
    r"|not (?:yet )?decided"
    r"|pending|still open|no (?:new |major |big |formal )?decisions?)\b"
    r"|\b(?:noch (?:nicht|offen)|wartet auf|keine (?:neuen )?entscheidung)"
    r"|\b(?:aguardando|pendente|pendiente de|por decidir|a decidir|en attente|à décider"
    r"|(?:sin|sem|aucune|ninguna|nenhuma|nessuna) decis|aucune décision|in attesa)"
    r"|ждём|ждем|ожидает|пока не|待定|未定|待确认|等待|等.{1,10}(?:决定|确认)"
    r"|没有.{0,6}决"
    r"|無し|検討中|未決|보류|미정|대기|없음"
)

DIRECTED_STEMS = (
    "from now on", "never", "always", "approved", "go ahead", "stop ", "don't",
    "do not",
    "don’t", "must not", "please", "no more", "next time", "any more", "anymore",
    " only",
    "from january", "instead of", "without asking", "ask me", "show me", "make sure",
    "you may", "you can ", "go with your", "remember", "don t ", "make it",
    "ab sofort", "ab jetzt", "ab heute", "nie", "immer", "bitte", "keine", "freigabe",
    "mach", "künftig", "nur ",
    "de ahora en adelante", "a partir de", "desde ahora", "nunca", "siempre", "sempre",
    "jamás", "no me ", "por favor", "dale", "adelante", "aprob", "aprov", "pode ",
    "puedes", "não ", "no ", "sin ", "sem ", "daqui para",
    "désormais", "dorénavant", "jamais", "toujours", "ne ", "n'", "s'il te", "vas-y",
    "d'accord", "plus de",
    "никогда", "всегда", "больше не", "впредь", "отныне", "не надо", "пожалуйста",
    "можно",
    "одобр", "давай", "нельзя", "только", "сделай", " не ",
    "以后", "从今", "今后", "不要", "别", "永远", "必须", "一律", "不许", "不得",
    "禁止", "批准",
    "同意", "可以", "发吧", "务必", "记住", "請", "请", "千万",
    "今後", "これから", "必ず", "絶対", "決して", "しないで", "してくれ",
    "してください", "するな",
    "禁止", "てよい", "進めて", "やめて", "いつも", "常に",
    "앞으로", "절대", "항상", "반드시", "하지 마", "하지마", "말아", "말고", "꼭",
    "해줘", "승인",
    "돼", "진행해", "금지", "빼줘",
    "d'ora in poi", "mai", "per favore", "vai pure", "approvat", "non ",
)  # fmt: skip

#: Words of a quote or of a person's rule that make it a directive.
DIRECTS = re.compile(
    r"\bfrom (?:now|today|here|\w+day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december) on(?:wards?)?\b|\b(?:never|always)\b"
    r"|\bdo(?:n['’]?t| not)\b|\bmust(?: not|n't)?\b|\bstop \w+ing\b|\bno more\b"
    r"|\b(?:any ?more|next time|in future|in the future|going forward)\b"
    r"|^(?:ok,? |yes,? |please |and )?(?:please|approved|go ahead|stop|only|use|keep"
    r"|ask|put"
    r"|leave|make sure|remember to|go with|look|check|write|show|send)\b"
    r"|\bapproved\b|\bgo ahead\b|\bplease\b|\bgo with (?:your|the)\b"
    r"|\bask (?:me )?first\b"
    r"|\byou (?:may|can|must|should|have to|had)\b|\bshow me\b|^no [a-z]+(?:ing\b|s\b)"
    r"|\bnot allowed\b|\bwithout (?:asking|my)\b"
    r"|\bab (?:sofort|jetzt|heute|morgen)\b|\b(?:nie|niemals"
    r"|immer)\b(?! mehr als geplant)"
    r"|\bbitte\b|\bk[üu]nftig\b|\b(?:ja|ok|gut),? (?:mach|macht|bestell|schick)"
    r"|\bfreigegeben\b|\bkeine?n? [a-zäöü]+ (?:mehr|ohne|unter|über)\b|\bnicht mehr\b"
    r"|\bund schreib\b|\blass(?:t)? das\b|\bnur (?:noch|nach|mit)\b"
    r"|\b(?:de ahora|desde ahora|de hoy|a partir de (?:ahora|hoy|hoje|agora|amanhã"
    r"|mañana)"
    r"|daqui (?:para|pra) (?:a )?frente|de agora)\b|\b(?:nunca|siempre|sempre|jamás)\b"
    r"|\bpor favor\b|\b(?:dale|adelante|aprobado|aprovado|aprovada|autorizado)\b"
    r"|\b(?:pode|podes|puedes|podés) \w+r\b|\bno (?:me )?[a-záéíóúñ]+[ae]s\b"
    r"|\bno vuelvas\b|\bnão (?:me )?(?:\w+e|\w+a|\w+er|\w+ar) mais\b|\bnão \w+e[ms]?\b"
    r"|\bavisa (?:después|antes)\b|\bnão vamos\b|\bnadie\b|\bninguém\b"
    r"|\b(?:désormais|dorénavant|jamais|toujours)\b|\bne \w+ (?:plus|pas|jamais)\b"
    r"|\bn['’]\w+ (?:plus|pas|jamais)\b|\bs['’]il te pla[iî]t\b|\bvas-y\b"
    r"|\bà partir de\b"
    r"|\b(?:никогда|всегда|впредь|отныне|нельзя|обязательно)\b|\bбольше не\b"
    r"|\bне надо\b"
    r"|\bпожалуйста\b|\bс этого дня\b|\bс сегодняшнего\b|\bодобря?\w+|\bсделай\b"
    r"|\bне \w+(?:й|йте|ь|ьте)\b|\bдавай\b"
    r"|以后|从今|今后(?:都|不)|不要|不准|不许|不得|禁止|别再|别(?=[\u4e00-\u9fff])"
    r"|永远|必须"
    r"|一律|务必|千万|记得|批准|同意|^(?:可以|行|好)[，,。]?|发吧|去做吧|先问"
    r"|今後|これから(?:は|も)|必ず|絶対|決して|しない(?:で|こと)|(?:て|で)(?:くれ"
    r"|ください|ほしい)"
    r"|するな|やめて|(?:て|で)(?:も)?(?:よい|いい)|進めて|常に"
    r"|앞으로|절대|항상|반드시|하지 ?마|말아|말 것|꼭|(?:해|어|아) ?(?:줘|주세요"
    r"|도 돼)|승인"
    r"|진행해|금지|(?:보내|해)도 ?(?:돼|된다|좋)"
    r"|\bd['’]ora in (?:poi|avanti)\b|\b(?:mai|sempre)\b|\bper favore\b|\bvai pure\b"
    r"|\bapprovat[oa]\b|\bnon \w+(?:re|are|ere|ire)\b"
)
#: The part before a quote that says what a person did by it: approve, correct, forbid.
RULES_BY = re.compile(
    r"\b(?:approved?|corrected|forbade|vetoed|insisted|demanded|instructed|ordered"
    r"|asked (?:me |us )?to|told (?:me|us) (?:to|not)|rule|wants?|said no|freigabe"
    r"|genehmigt|korrigiert\w*|verbot\w*|ansage|angeordnet|aprob[óo]|corrigi[óu]|vetou"
    r"|vetó|prohibi\w*|proibiu|autoriz\w+|aprov\w+|visto bueno|approuvé|interdit"
    r"|corrigé"
    r"|одобри\w+|запретил\w*|поправил\w*|разрешил\w*|потребовал\w*|approvat\w+"
    r"|corrett\w+)\b"
    r"|批准|纠正|同意|要求|禁止|规定|注意|指示|許可|승인|지시|허락|당부"
)
#: Words of a rule in a section of rules, among facts and tastes.
NORM = re.compile(
    r"\b(?:never|always|only|must|not|no|don['’]?t|nobody|without|before|first|please"
    r"|ask|use|keep|avoid|prefer|every|each|may|should|instead|stop|call|write|send|put"
    r"|nie|niemals|immer|nur|keine?[nr]?|nicht|jede[rns]?|sofort|bitte|ohne|erst|vor"
    r"|nunca|siempre|sempre|jamás|jamais|toujours|no|não|solo|sólo|só|somente|sin|sem"
    r"|antes|todo|toda|cada|firmo|mai|solo|non|senza|prima|ogni|ne|pas|seulement|avant"
    r"|никогда|всегда|только|не|нельзя|без|сначала|каждый|каждую)\b"
    r"|不要|不得|不许|必须|一律|只|都要|要先|别|禁止|先问|以后|不能|务必|每次|得先"
    r"|必ず|しない|禁止|だけ|こと$|絶対|まず|反対|반드시|절대|항상|말 것|금지|마세요"
    r"|하지|먼저|만 "
)
#: Tastes and facts in such sections, which tell nobody what to do.
NO_NORM = re.compile(
    r"^(?:(?:she|he|they) )?(?:likes?|loves?|dislikes?|hates?|enjoys?|is|are|has|lives?"
    r"|reads?|gosta|adora|le gusta|prefiere el|mag|liebt|любит|喜欢|讨厌|好き|좋아)\b"
    r"|喜欢|没关系|でもよい|不重要"
)
#: A person speaks: what comes before a reported directive.
SPEAKS = re.compile(
    r"\b(?:said|says|told|tells|asked|asks|wants|wanted|insists?|instructed|requested"
    r"|reminded|wrote|answered|replied|demands?|rule|orders?|sagte?|sagt|will|möchte"
    r"|wünscht|bat|verlangt|dijo|pidió|quiere|escribió|mandó|disse|pediu|quer|mandou"
    r"|escreveu|combinou|a dit|veut|a demandé|сказал[аи]?|просил[аи]?|попросил[аи]?"
    r"|велел[аи]?|написал[аи]?|ha detto|vuole|ha chiesto)\b"
    r"|说|要求|交代|嘱咐|强调|提出|吩咐|言った|言われ|頼まれ|指示|とのこと|말했|요청"
    r"|지시|당부|부탁"
)
#: Words for a rule that holds from a day on, in reported speech.
HENCEFORTH = re.compile(
    r"\bfrom (?:now|today|here|\w+day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december) on(?:wards?)?\b|\b(?:never|always) \w+"
    r"|\bab (?:sofort|jetzt|heute)\b|\bkünftig\b|\bnie (?:mehr|wieder)\b"
    r"|\b(?:de ahora en adelante|desde ahora|a partir de (?:ahora|hoy|hoje|agora)"
    r"|daqui (?:para|pra) (?:a )?frente|de agora em diante|nunca más|nunca mais)\b"
    r"|\b(?:désormais|dorénavant)\b|\bplus jamais\b|\bd['’]ora in (?:poi|avanti)\b"
    r"|\b(?:впредь|отныне|больше никогда|никогда больше|с этого дня)\b"
    r"|以后(?:都|不|要|别|请|只|先|凡)|从今(?:以后|往后|天起)|今后(?:都|不|要)"
    r"|今後は|これからは|二度と|앞으로(?:는)?|다시는"
)
#: Words that lead to a reason inside a sentence; the reason is what follows.
BECAUSE = re.compile(
    r"[ ,;(](?:because|since it|since the|otherwise|weil|denn|da sonst|porque|ya que"
    r"|pois"
    r"|parce qu(?:e |['’])|car |потому что|так как|поскольку|иначе|perché|poiché)\b"
    r"|(?:因为|因為|由于|，不然|，否则)"
)
#: Labels of a reason, before its text.
_REASON_LABELS = (
    "why", "reason", "reasons", "rationale", "reasoning", "because", "warum", "grund",
    "begründung", "motivo", "razón", "razon", "por qué", "por quê", "porque",
    "justificativa",
    "raison", "pourquoi", "motif", "почему", "причина", "обоснование", "原因", "理由",
    "为什么",
    "缘由", "이유", "사유", "perché", "motivazione",
)  # fmt: skip
REASON_LABELS = frozenset(_REASON_LABELS)


def holds(stems: tuple[str, ...], text: str) -> bool:
    """Return whether a lower-case text holds one of the stems."""
    return any(stem in text for stem in stems)
