"""Words that make a person's sentence a directive: a norm, a ban, a permission.

They are looked for in each sentence of a person, so their stems are complete: a
sentence without any of those of a family matches none of its alternatives.
"""

from __future__ import annotations

from memoryhub.formats.text.stems import Family, family

_ENGLISH = family(
    "now on|today on|here on|day on|ary on|march on|april on|may on|june on|july on"
    "|august on|ber on|never|always|don't|don’t|dont|do not|must|stop |no more|anymore"
    "|any more|next time|in future|in the future|going forward|approved|go ahead"
    "|make sure|remember to|leave |ask |go with|you may|you can|you should|you have to"
    "|you had|show me|not allowed|without |only after|only if|only when|nobody |no one "
    r"|\bno ",
    r"\bfrom (?:now|today|here|\w+day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december) on(?:wards?)?\b",
    r"(?<!\bi )\b(?:never|always)\b(?! (?:mind|wanted|had|been|was|were|did|got|seen"
    r"|saw|worked|happened|knew|did))",
    r"(?<!\bi )(?<!\bwe )(?<!\bthey )\bdo(?:n['’]?t| not)\b|\bmust(?: not|n't)?\b",
    r"\bstop \w+ing\b|\bno more\b",
    r"\b(?:any ?more|next time|in future|in the future|going forward)\b",
    r"^(?:ok,? |yes,? |please |and )?(?:approved|go ahead|stop \w|make sure"
    r"|remember to|leave \w|ask \w+ (?:first|before)|go with)\b",
    r"\bapproved\b|\bgo ahead\b|\bgo with (?:your|the)\b|\bask (?:me )?first\b",
    r"\byou (?:may|can|must|should|have to|had)\b|\bshow me\b|^no [a-z]+(?:ing\b|s\b)",
    r"\bnot allowed\b|\bwithout (?:asking|my)\b|\bwithout (?:me|my|a)\b",
    r"\b(?:nobody|no one) \w+s .{0,60}\b(?:again|ever|without|before|unless)\b",
    r"\bonly (?:after|if|when) |^no (?:more |\w+s\b|\w+ing\b|(?:\w+ ){1,3}(?:until"
    r"|before|after|without|on|at|over|for)\b)",
)
_GERMAN = family(
    r"ab sofort|ab jetzt|ab heute|ab morgen|\bnie|\bimmer|künftig|kunftig|mach|bestell"
    r"|schick|freigegeben|\bkein|nicht mehr|und schreib|lass das|lasst das|nur noch"
    "|nur nach|nur mit|erst nach|finger weg",
    r"\bab (?:sofort|jetzt|heute|morgen)\b|\b(?:nie|niemals"
    r"|immer)\b(?! (?:mehr als|noch|wieder|mal))|\bk[üu]nftig\b",
    r"\b(?:ja|ok|gut),? (?:mach|macht|bestell|schick)|\bfreigegeben\b",
    r"\bkeine?n? [a-zäöü]+ (?:mehr|ohne|unter|über)\b|\bnicht mehr\b",
    r"\bund schreib\b|\blass(?:t)? das\b|\bnur (?:noch|nach|mit)\b",
    r"\bfinger weg\b|\b(?:nur noch|erst nach)\b",
)
_ROMANCE = family(
    "de ahora|desde ahora|de hoy|a partir de|daqui p|de agora|nunca|siempre|sempre"
    r"|jamás|dale|adelante|aprobado|aprovad|autorizado|\bpode|\bpuede|\bpodé|\bno "
    "|não |avisa |nadie|ninguém|nada de|ni un|sem me perguntar|sem perguntar|désormais"
    r"|dorénavant|jamais|toujours|\bne |n'|n’|il te pla|vas-y|à partir de|ora in poi"
    r"|ora in avanti|\bmai|per favore|vai pure|approvat|\bnon ",
    r"\b(?:de ahora|desde ahora|de hoy|a partir de (?:ahora|hoy|hoje|agora|amanhã"
    r"|mañana)|daqui (?:para|pra) (?:a )?frente|de agora)\b",
    r"\b(?:nunca|siempre|sempre|jamás)\b",
    r"\b(?:dale|adelante|aprobado|aprovado|aprovada|autorizado)\b",
    r"\b(?:pode|podes|puedes|podés) \w+r\b|\bno (?:(?:me|nos|lo|la|los|las|le"
    r"|se) )?[a-záéíóúñ]+[ae]s\b",
    r"\bno vuelvas\b|\bnão (?:me )?(?:\w+e|\w+a|\w+er|\w+ar) mais\b|\bnão \w+e[ms]?\b",
    r"\bavisa (?:después|antes)\b|\bnão vamos\b|\bnadie\b|\bninguém\b|\bnão \w+r\b",
    r"\b(?:désormais|dorénavant|jamais|toujours)\b|\bne \w+ (?:plus|pas|jamais)\b",
    r"\bn['’]\w+ (?:plus|pas|jamais)\b|\bs['’]il te pla[iî]t\b|\bvas-y\b",
    r"\bà partir de\b|\bsem (?:me )?perguntar\b|\b(?:nada de|ni un|nadie)\b",
    r"\bd['’]ora in (?:poi|avanti)\b|\b(?:mai|sempre)\b|\bper favore\b|\bvai pure\b",
    r"\bapprovat[oa]\b|\bnon \w+(?:re|are|ere|ire)\b",
)
_OTHERS = family(
    "никогда|всегда|впредь|отныне|нельзя|обязательно|больше не|пожалуйста"
    r"|с этого дня|с сегодняшнего|одобр|сделай|\bне |давай|od teraz|od dziś"
    r"|od dzisiaj|nigdy|zawsze|\bnie |відтепер|ніколи|завжди|bundan sonra|\basla"
    "|her zaman|aldri|alltid|od teď|nikdy|vždy|từ nay|không bao giờ|luôn|jangan|selalu"
    r"|mulai sekarang|nooit|altijd|voortaan|vanaf nu|niet meer|\bgeen ",
    r"\b(?:никогда|всегда|впредь|отныне|нельзя|обязательно)\b|\bбольше не\b",
    r"\bне надо\b|\bпожалуйста\b|\bс этого дня\b|\bс сегодняшнего\b|\bодобря?\w+",
    r"\bсделай\b|\bне \w+(?:й|йте|ь|ьте)\b|\bдавай\b|^(?:[—–-] )?не \w+(?:ть|ти)\b",
    r"\b(?:od (?:teraz|dziś|dzisiaj)|nigdy|zawsze|відтепер|ніколи|завжди|bundan sonra"
    r"|asla|her zaman|aldrig|alltid|aldri|alltid|od teď|nikdy|vždy|từ nay"
    r"|không bao giờ|luôn|jangan|selalu|mulai sekarang)\b",
    r"\bnie \w+(?:aj|uj|ij|yj|ajcie|ujcie|rób|pisz|śl)\b",
    r"\b(?:nooit|altijd|voortaan|vanaf nu|niet meer)\b|\bgeen \w+ (?:meer|na|voor"
    r"|zonder)\b",
)
_UNSPACED = family(
    "以后|从今|今后|不要|不准|不许|不得|禁止|别|永远|必须|一律|务必|千万|记得|批准|同意"
    "|可以|行|好|发吧|去做吧|先问|不用问|就行|今後|これから|必ず|絶対|決して|しないで"
    "|しないこと|てくれ|でくれ|てください|でください|てほしい|でほしい|するな|やめて"
    "|てよい|てもよい|でよい|でもよい|ていい|てもいい|でいい|でもいい|進めて|常に"
    "|すること|ないこと|せること|今後も|앞으로|절대|항상|반드시|하지 마|하지마|말아"
    "|말 것|꼭|줘|주세요|도 돼|도돼|승인|진행해|금지|도 된|도된|도 좋|도좋|이제부터",
    r"以后(?!再[看说议谈想])|从今|今后(?:都|不)|不要|不准|不许|不得|禁止|别再"
    r"|别(?=[\u4e00-\u9fff])|永远|必须",
    r"一律|务必|千万|记得|批准|同意|^(?:可以|行|好)[，,。]?|发吧|去做吧|先问",
    r"今後|これから(?:は|も)|必ず|絶対|決して|しない(?:で|こと)|(?:て|で)(?:くれ"
    r"|ください|ほしい)",
    r"するな|やめて|(?:て|で)(?:も)?(?:よい|いい)|進めて|常に",
    r"앞으로|절대|항상|반드시|하지 ?마|말아|말 것|꼭|(?:해|어|아) ?(?:줘|주세요"
    r"|도 돼)|승인",
    r"진행해|금지|(?:보내|해)도 ?(?:돼|된다|좋)|이제부터|今後も|はやめて",
    r"(?:する|ない|せる)こと。?$|てよい|不用问|就行$",
)
#: Words of a quote or of a person's rule that make it a directive.
DIRECTING: tuple[Family, ...] = (_ENGLISH, _GERMAN, _ROMANCE, _OTHERS, _UNSPACED)
