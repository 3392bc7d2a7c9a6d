"""Words of directives by people, and of reports about them.

All read lower-case sentences: orders, corrections and approvals, in many languages.
"""

from __future__ import annotations

import re
from itertools import chain

from memoryhub.formats.text.addressing import ADDRESSES
from memoryhub.formats.text.stems import Stems, family

#: Parts of the words of a directive.
_DIRECT = (
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
    "puedes", "não ", "no ", r"\bsin ", r"\bsem ", "daqui para",
    "désormais", "dorénavant", "jamais", "toujours", r"\bne ", "n'", "s'il te", "vas-y",
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
    "d'ora in poi", r"\bmai", "per favore", "vai pure", "approvat", "non ",
)  # fmt: skip

#: The part before a quote that says what a person did by it: approve, correct, forbid.
RULES_BY = re.compile(
    r"\b(?:complained|beschwert\w*|reclamou|se quejó|s['’]est plaint\w*"
    r"|si è lamentat[ao]"
    r"|пожаловал\w*|approved?|corrected|forbade|vetoed|insisted|demanded|instructed"
    r"|ordered"
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
    r"|ask|use|keep|avoid|prefer|every|each|may|should|instead|stop"
    r"|(?<!on )call|write|send|put"
    r"|nie|niemals|immer|nur|keine?[nr]?|nicht|jede[rns]?|sofort|bitte|ohne|erst|vor"
    r"|nunca|siempre|sempre|jamás|jamais|toujours|no|não|solo|sólo|só|somente|sin|sem"
    r"|antes|todo|toda|cada|firmo|mai|solo|non|senza|prima|ogni|ne|pas|seulement|avant"
    r"|никогда|всегда|только|не|нельзя|без|сначала|каждый|каждую|никаких|никакого"
    r"|nada|salvo|excepto|außer|sauf|except|unless|nothing|nooit|altijd|geen|niet|eerst"
    r"|alleen|zonder|elke|hand over|above|über|acima|por encima|wenn niemand|by default"
    r"|nunca|aucun|aucune|jede)\b|\b(?:dislikes|hates) being\b"
    r"|不写|不说|不发|不用|直接|要|不要|不得|不许|必须|一律|只|都要|要先|别|禁止|先问"
    r"|以后|不能|务必|每次|得先"
    r"|必ず|しない|禁止|だけ|こと[。.]?$|絶対|まず|反対|のみ|聞く|말 것|누르지|지 마"
    r"|안 됨|반드시|절대|항상|말 것|금지|마세요"
    r"|하지|먼저|만 "
)
#: A label under which all but tastes and facts are rules, norms or not.
RULES_LABEL = re.compile(
    r"rule|told|said|asked|never|always|don['’]?t|instruction|order|signal|correction"
    r"|directive|regra|indica|instruc|instruç|orden|corre[cç]|regla|norma|ansage|anweis"
    r"|regel|wünsch|vorgab|règle|consigne|правил|указан|просьб|пожелан|规矩|要求|叮嘱"
    r"|铁律"
    r"|规则|禁忌|指示|規則|規矩|ルール|注意|お願い|約束|규칙|지침|지시|당부|regol"
    r"|istruz"
    r"|zasad|życzeni|правила|kurallar|regler|pravidl|aanwijz|hacer|fazer"
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
    r"|reminded|wrote|answered|replied|demands?|rule|ordered|sagte?|sagt|will|möchte"
    r"|wünscht|bat|verlangt|dijo|pidió|quiere|escribió|mandó|disse|pediu|quer|mandou"
    r"|escreveu|combinou|a dit|veut|a demandé|сказал[аи]?|просил[аи]?|попросил[аи]?"
    r"|велел[аи]?|написал[аи]?|ha detto|vuole|ha chiesto)\b"
    r"|\b(?:powiedział|prosił|poprosił|napisał|chce|mówi|сказав|сказала|попросив|dedi"
    r"|söyledi"
    r"|sa|sagde|skrev|řekl|řekla|confirme|conferma|confirmó|confirmou|bestätigt)[ao]?\b"
    r"|说|要求|交代|嘱咐|强调|提出|吩咐|言った|言われ|頼まれ|指示|とのこと|말했|요청"
    r"|지시|당부|부탁"
)
#: Words for a rule that holds from a day on, in reported speech.
HENCEFORTH = family(
    "from |going forward|never |always |ab sofort|ab jetzt|ab heute|künftig|nie mehr"
    "|nie wieder"
    "|de ahora en|desde ahora|a partir de |daqui p|de agora em|nunca más|nunca mais"
    "|voortaan|vanaf nu|od teraz|od dziś|od dzisiaj|відтепер|bundan sonra|od teď"
    "|från och|fra nå av|fremover|framöver|từ nay|mulai sekarang|desde hoy|désormais"
    "|dorénavant|plus jamais|d'ora in|d’ora in|впредь|отныне|больше никогда"
    "|никогда больше|с этого дня|以后|从今|今后|今後|これからは|二度と|앞으로"
    "|이제부터|다시는",
    r"\bfrom (?:now|today|here|\w+day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december) on(?:wards?)?\b|\b(?:never|always) \w+"
    r"|\bgoing forward\b|\bab (?:sofort|jetzt|heute)\b|\bkünftig\b"
    r"|\bnie (?:mehr(?! als)|wieder)\b"
    r"|\b(?:de ahora en adelante|desde ahora|a partir de (?:ahora|hoy|hoje|agora)"
    r"|daqui (?:para|pra) (?:a )?frente|de agora em diante|nunca más|nunca mais)\b"
    r"|\b(?:voortaan|vanaf nu|od teraz|od dziś|od dzisiaj|відтепер|bundan sonra|od teď"
    r"|från och med (?:nu|idag)|fra nå av|fremover|framöver|từ nay|mulai sekarang)\b"
    r"|\bdesde hoy\b"
    r"|\b(?:désormais|dorénavant)\b|\bplus jamais\b|\bd['’]ora in (?:poi|avanti)\b"
    r"|\b(?:впредь|отныне|больше никогда|никогда больше|с этого дня)\b"
    r"|以后(?:都|不|要|别|请|只|先|凡)|从今(?:以后|往后|天起)|今后(?:都|不|要)"
    r"|今後は|これからは|二度と|앞으로(?:는)?|이제부터|다시는",
)
#: The agent is spoken to.
TO_YOU = re.compile(
    r"\b(?:you|du|ihr|tú|vos|usted|tu|vous|você|vocês|jij|je moet|ты|вы|ти|musisz)\b"
    r"|[你您]|너는|당신"
)
#: What has to be, which a person's words demand.
MUST = re.compile(
    r"\b(?:has to|have to|needs? to|tem que|têm que|tiene que|tienen que|hay que|doit"
    r"|doivent|il faut|deve|devono|bisogna|muss|müssen|moet|moeten|musi|muszą"
    r"|должн[аоы]?"
    r"|должен|надо|нужно)\b"
    r"|\bnothing (?:gets?|is|goes) \w+|\bbitte (?:nie|immer|nicht|kein\w*|nur|erst)\b"
    r"|[가-힣] ?(?:줘|주세요|달라)[.!]?$"
)
#: How an answer starts that lets an agent go on, or tells it what to do.
ORDERS = re.compile(
    r"(?:(?:ok|okay|yes|no|sure|fine|good|nice|and|then|also|well|but)[,.!]? ){0,2}"
    r"(?:just )?(?:leave|take|put|send|write|use|keep|make|look|check|ask|tell|call"
    r"|stop"
    r"|go|wait|show|remove|delete|drop|add|give|let|move|charge|print|raise|lower|hold"
    r"|get|buy|order|try|skip|start|turn|set|change|hide|rename|mark|pay|bring|cancel"
    r"|close|publish|book|round|cut|reply|answer|mail|email|save|archive|merge|revert"
    r"|ship|stick|stay|prefer|avoid|remember|mention|say|treat|read) \w"
    r"|(?:yes|yep|sure|ok|okay|go|fine|do it)[,.!] (?:but|and|do|go|send|delete|ship|up"
    r"|just|with|only|if|please)\b"
    r"|(?:ja|gut|okay|ok)[,.!] (?:mach|aber|schick|nimm|bestell|nur|bitte)"
    r"|(?:passt|genau|perfekt|einverstanden|freigegeben|perfetto|perfecto|perfeito"
    r"|parfait"
    r"|zgoda|dobrze|prima|akkoord)[,.!] \w"
    r"|(?:mach|schick|nimm|lass|schreib|stell|frag|warte|lösch|kauf|bestell|gib|sag)t? "
    r"|(?:sí|si|sim|oui|sì|vale|va|bueno)[,.!]? (?:pero|mas|mais|ma|puedes|pode|manda"
    r"|envía|envia|vas|fais|fai)\b|(?:dale|adelante|avança|podes avançar|vas-y|vai)\b"
    r"|(?:да|хорошо|ладно|ок)[,.!] |(?:по .{1,20} )?да, \w+(?:й|йте|и|ите|ь)\b"
    r"|(?:可以|行|好的?|同意)[，,。！]|(?:はい|いい)(?:、|よ)"
    r"|(?:응|네|그래|좋아)[,.] "
    r"|[\w ]{1,20} (?:is|ist|está|é|est|è) (?:ok(?:ay)?|fine|in ordnung)\b"
)
#: Words that make an order a norm, and not one errand.
STANDING = re.compile(
    r"\b(?:first|before|every|each|whenever|ever|zuerst|vorher|bevor|jedes|jeden"
    r"|primero"
    r"|antes|d['’]abord|avant|prima|eerst|voordat|сначала|перед|каждый|каждую)\b"
    r"|先|每|毎回|먼저|전에|매번"
)
#: A report that somebody asked, told or forbade; a norm has to follow.
ASKS = family(
    "prosił|kazał|zabronił|powiedział|zażądał|chce|попроси|заборонив|istem|isted"
    "|vill att|vill inte|vil at|vil ikke"
    "|asked |told |reminded|instructed|ordered|warned|wants |want |want"
    "|would like|expects|needs |insist|demand|forb|per |gesagt|gebeten|verlangt"
    "|verboten|angewiesen|möchte|wünscht|besteht darauf"
    "|will dass|will, dass|will sich|will kein|will künftig|will nicht mehr"
    "|sagt|bat mich|bat uns|said to"
    "|demandé|dit |rappelé|interdit|veut |voudrait|exige|pidió|dijo |ordenó"
    "|exigió|recordó|quiere|prohib|pediu|mandou|quer |disse |exigiu|proib"
    "|chiesto|detto|ordinato|vietato|vuole|wil dat|wil geen|wil niet"
    "|heeft|vroeg|vraagt|просил|велел"
    "|запретил|потребовал|хочет|просит|требует|сказал|要求|交代|嘱咐|叮嘱|吩咐|规定"
    "|不让|让我"
    "|纠正|说|言われ|頼まれ|指示|注意|依頼|求め|くれと|ないでと|ほしい|とのこと|라고"
    "|달라고|말라고|지시|당부",
    r"\b(?:asked|told|reminded|instructed|ordered|warned) (?!for |about |in |by |if )"
    r"(?:the )?[a-z]+ (?:once more |again |once again )?(?:to|not|never|always|that)\b"
    r"|\bsagte? nein\b|\bdijo que no,|\ba dit non\b|\bсказал[аи]? нет\b|\b(?:wants?"
    r"|would like|expects?|needs) (?:me|us|the"
    r" agent|everyone|all|no|[a-z]+ to)\b|\b(?:does not|doesn['’]t|did not|didn['’]t)"
    r" want\b|\b(?:insist(?:s|ed)|demand(?:s|ed)) (?:that|on)\b|\bforb(?:ade|ids)\b"
    r"|^per (?!day|week|hour|month|user|file|year|person|line|item|minute|page|default)"
    r"\w+,"
    r"|\b(?:hat|haben) (?:[\w]+ ){0,3}(?:gesagt|gebeten|verlangt|verboten|angewiesen)\b"
    r"|\b(?:möchte|will|wünscht|verlangt|besteht darauf)(?: sich)?,? dass\b"
    r"|\bwill (?:keine[nrs]?|künftig|nicht mehr)\b|, sagt(?:e)? \w|\bbat (?:mich|uns)\b"
    r"|\b(?:a|m['’]a|nous a) (?:\w+ )?(?:demandé|dit|rappelé|interdit) (?:de|d['’])"
    r"|\bveut qu(?:e|['’])|\bne veut (?:pas|plus)\b|\bvoudrait (?:\w+ ){0,3}qu(?:e"
    r"|['’])"
    r"|\bexige\b"
    r"|\b(?:me|nos|le) (?:pidió|dijo|ordenó|exigió|recordó) que\b|\bpidió (?:que|no)\b"
    r"|\bquiere que\b|\bno quiere\b|\bprohibió\b|\binsist\w+ en\b"
    r"|\b(?:pediu|mandou|quer|exige|exigiu|disse) (?:para|que|pra)\b|\bnão quer\b"
    r"|\bproibiu\b"
    r"|\bha (?:chiesto|detto|ordinato|vietato) (?:di|che)\b|\bvuole che\b|\bnon vuole\b"
    r"|\bwil (?:dat|geen|niet)\b|\b(?:heeft|vroeg|vraagt) (?:[\w]+ ){0,3}(?:gevraagd"
    r"|om)\b"
    r"|\b(?:попросил|просил|велел|запретил|потребовал)[аи]?\b|\bне хочет\b"
    r"|\b(?:хочет|просит|требует|сказал[аи]?),? чтобы\b"
    r"|\b(?:prosił|poprosił|kazał|zabronił|powiedział|zażądał)[ao]?\b|\bnie chce\b"
    r"|\bchce,? (?:żeby|aby)\b|\bпопросив|\bпопросила|\bзаборонив|\bistemiyor\b"
    r"|\bistedi\b|\bvill (?:att|inte)\b|\bvil (?:at|ikke)\b|\bnechce\b"
    r"|要求|交代|嘱咐|叮嘱|吩咐|规定|不让|让我(?:以后|别|不要|先)|纠正|说(?:以后|不要"
    r"|别|先)"
    r"|(?:よう(?:に)?と?|こと、?と)(?:言われ|頼まれ|指示|注意|依頼|求め)|よう言われ"
    r"|ないで(?:と|くれと)"
    r"|ほしい(?:と|との)|とのこと"
    r"|(?:라고|달라고|말라고) ?(?:했|함|요청|지시|부탁|당부|말)|지시(?:했|함)|당부",
)
#: Words that make what was asked a norm, not one errand.
LASTING = re.compile(
    r"\b(?:before|without|every|each|never|always|not|no|ever|anymore|more|only|first"
    r"|vor jed\w+|jedes|jede[rn]?|immer|nie|nicht|keine?[nrs]?|ohne|nur|künftig|erst"
    r"|avant|sans|ne|plus|jamais|toujours|désormais|antes|sin|sem|no|não|nunca|siempre"
    r"|sempre|cada|prima|senza|non|mai|ogni|voor(?:dat)?|zonder|nooit|altijd|geen|eerst"
    r"|niet|перед|без|не|никогда|всегда|сначала|только|кажд\w+)\b"
    r"|\b(?:nie|nigdy|zawsze|każd\w+|przed|bez|najpierw|ніколи|завжди|aldri\w?|alltid"
    r"|inte"
    r"|ikke|asla|önce|nikdy|vždy)\b|别|不|以后|ない|마|말"
)
#: Norms that stand before the verb of asking.
LASTING_CJK = re.compile(
    r"ない|以降|以后|不|前|每次|先|毎回|必ず|今後|먼저|전에|매번|반드시|항상|절대"
)
#: A correction: what follows its colon holds, however it is said.
CORRECTS = re.compile(
    r"\b(?:corrected|korrigiert(?:e)?|corrigi[óu]|corrigé|corretto|verbeterde"
    r"|поправил[аи]?)"
    r"\b|纠正|更正|訂正|정정"
)
#: A report that somebody approved something.
APPROVES = family(
    "zatwierdz|zaakcept|zgodził|схвали|onayladı|godkän|godkj|godken|schválil"
    "|approved|okayed|greenlit|go-ahead|gave |freigegeben|genehmigt|abgesegnet"
    "|validé|approuvé|feu vert|aprob|autoriz|visto bueno|luz verde|aprov|approv"
    "|autorizz|goedgekeurd|akkoord|одобрил|согласовал|разрешил|добро|同意了|批准|点头"
    "|说可以|说行|承認|許可|了承|승인|허락",
    r"(?:^|[,;] )(?:the )?[\w'’.-]{1,20} (?:has |just |also )?(?:approved|okayed"
    r"|greenlit)\b(?! it\b)"
    r"|\bapproved by (?!the (?:store|review)|apple|google)\w|\bgo-ahead from\b"
    r"|\bgave (?:\w+ )?(?:the |his |her |their )?(?:ok|okay|go-ahead|green light)\b"
    r"|\b(?:freigegeben|genehmigt|abgesegnet) (?:von|durch)\b|\bhat (?:[\w€.,-]+ ){0,6}"
    r"(?:freigegeben|genehmigt|abgesegnet)\b"
    r"|\b(?:validée?s?|approuvée?s?) par\b|\ba (?:validé|approuvé)\b|\bfeu vert (?:de"
    r"|d['’])"
    r"|\b(?:aprobad[oa]s?|autorizad[oa]s?) por\b|\b(?<!lo )(?<!la )(?:aprobó|autorizó"
    r"|ha aprobado)\b"
    r"|\bdio (?:el visto bueno|luz verde)\b"
    r"|\b(?:aprovad[oa]s?|autorizad[oa]s?) (?:por|pel[oa])\b|\b(?:aprovou|autorizou)\b"
    r"|\bapprovat[oa] da\w*\b|\bha (?:approvato|autorizzato)\b"
    r"|\bgoedgekeurd door\b|\bheeft (?:[\w€.,-]+ ){0,6}goedgekeurd\b|\bgaf akkoord\b"
    r"|\b(?:zatwierdził|zaakceptował)[ao]?\b|\bzgodził[ao]? się\b"
    r"|\bzatwierdzone przez\b"
    r"|\bсхвали(?:в|ла)\b|\bonayladı\b|\bgodkänd av\b|\bgodkjent av\b|\bgodkendt af\b"
    r"|\bschválil\w?\b|\b(?:одобрил|согласовал|разрешил)[аи]?\b|\bдал[аи]? добро\b"
    r"|(?:^|[，。；])[^，。；]{1,5}(?:同意了|批准了|批准|点头了|说可以|说行)"
    r"|(?:が|より|から)[^。]{0,20}(?:承認|許可|了承)(?:した|しました|を得|をもら"
    r"|いただ)"
    r"|(?:이|가) [^.]{0,20}(?:승인|허락)(?:함|했|하였)|승인받|허락받",
)
#: What an approval is not: asked for, missing, or given by a machine.
NOT_APPROVED = re.compile(
    r"\b(?:not|yet|once|until|if|when|waiting|pending|needs?|noch|nicht|wenn|sobald|pas"
    r"|encore|si|cuando|aún|todavía|ainda|quando|se|non|nog|niet|als|не|если|пока|store"
    r"|pull request|merge request)\b|[?？]|还没|等|未|まだ|待ち|아직|대기"
)
#: A pronoun or a phrase by which a person's taste binds.
WANTS = re.compile(
    r"\b(?:wants|prefers|insists|expects|dislikes being|hates being|möchte|will"
    r"|bevorzugt"
    r"|besteht auf|quiere|prefiere|no le gusta que|quer|prefere|não gosta que|veut"
    r"|préfère|n['’]aime pas qu\w*|vuole|preferisce|wil|wenst|хочет|предпочитает"
    r"|просит)\b|希望|要求|てほしい|원함|원한다|선호"
)
_OTHERS = (
    "has to|have to|need to|tem que|têm que|tiene que|hay que|doit|faut|deve |devono"
    "|bisogna|muss|müssen|moet|musi|muszą|должн|должен|надо|нужно|이제부터|reclam"
    "|beschw"
    "|complain|plaint|quejó|пожалов|passt|하지|말고|줘|"
    "leave |'s rule|’s rule|must|without|nobody|no one|first|before |every|korrig"
    "|correg"
    "|corrig|corrett|correct|поправил|更正|訂正|정정|voortaan|vanaf nu|nooit|altijd"
    "|niet meer|geen |finger weg|nada de|nicht mehr|desde hoy|veto|就行|不用|先|こと"
    "|od teraz|od dzi|nigdy|zawsze| nie |ніколи|завжди|відтепер|bundan sonra|asla|aldri"
    "|alltid|nikdy|vždy|jangan|selalu|từ nay|không bao giờ|luôn|od teď|framöver"
    '|fremover|[rule|[pref|[regl|[regr|[préf|[правил|[规|[規|[규칙|"|“|„|«|»|「|『'
)
#: A sentence without any of them reports no directive.
REPORTED_STEMS = Stems(
    (*HENCEFORTH.stems.words, *ASKS.stems.words, *APPROVES.stems.words)
)
#: Parts of these words: a line without any of them directs nothing.
DIRECTED_STEMS = Stems(
    (
        *(*_DIRECT, *ASKS.stems.words, *APPROVES.stems.words, *_OTHERS.split("|")),
        *chain.from_iterable(one.stems.words for one in ADDRESSES),
    )
)
