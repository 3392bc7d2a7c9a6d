"""Instructions to the reader without a named speaker.

Imperatives with a word that makes them hold for good, polite orders, orders to stop,
corrections, what the person prefers, and approvals behind a label. All read lower-case
sentences.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.stems import Family, family

#: English verbs in their first form, as orders have them.
_EN = (
    r"(?:ask|check|use|write|send|put|keep|avoid|prefer|call|tell|show|mention|include"
    r"|add|remove|skip|leave|log|record|note|save|store|commit|push|merge|run|test|say"
    r"|review|confirm|verify|wait|stop|start|answer|reply|respond|treat|format|name|tag"
    r"|link|quote|cite|round|convert|translate|summari[sz]e|post|publish|share|draft"
    r"|create|open|close|read|look|make|do|give|get|let|take|bring|set|turn|report|copy"
    r"|update|cc|address|greet|assume|count|mark|sign|pay|charge|order|buy|book|remind"
    r"|notify|warn|escalate|archive|delete|email|mail|text|message|ping|phone|ring"
    r"|touch"
    r"|edit|change|rename|move|reply|attach|list|print|spell|sort|back up|double-check"
    r"|cancel|promise|guess|invent|explain|describe|speak|talk|apologi[sz]e|rewrite"
    r"|install|upgrade|restart|deploy|force-push|squash|rebase|accept|offer"
    r"|discuss|schedule|interrupt|disturb|wake|bother|contact|refer|address)"
)
_PERSON_EN = r"(?:the )?(?:user|owner|human|boss|client)"
_ENGLISH = family(
    "from now on|going forward|in future|in the future|as of today|please|stop |never |"
    "always |don't |don’t |do not |no, |nope, |prefers|approved:|approved —|approved -|"
    "approval:|user wants|user likes|user dislikes|user hates|user asked|user said"
    "|wants "
    "|not like that|next time",
    rf"\b(?:from now on|going forward|in (?:the )?future|as of today|next time)[,:]? "
    rf"(?:please |always |never |do not |don['’]t |only |first |just )*{_EN} \w",
    r"\b(?:from now on|going forward)[,:]? (?:please )?(?:always|never|do not|don['’]t)"
    r" (?!(?:again|before|been|the|an?)\b)\w{2,} \w",
    rf"^(?:please |always |never |do not |don['’]t "
    rf"|only ){{0,2}}{_EN} [^?]*\b(?:from now"
    r" on|going forward|in future|next time)[.! ]*$",
    rf"^please,? (?:always |never |do not |don['’]t |only |first |just )*{_EN} \w",
    r"^(?:and )?stop \w{3,}ing\b(?! (?:the )?(?:service|server|container|process)\b)",
    rf"^(?:never|always|do not|don['’]t)(?: ever)? {_EN} \w",
    rf"^(?:no|nope|not like that)[,:;.!] (?:please |rather |just )?{_EN} \w",
    rf"^{_PERSON_EN} (?:prefers|(?:dis)?likes (?:to|being|when|it|short|long|\w+ \w+)"
    r"|hates|insists|wants (?:to be|me|us|no|every|all|only|short|the \w+ (?:in|as"
    r"|before)))\b(?! (?:to know|it fixed))",
    r"\bprefers \w+ing\b|\bprefers (?:\S+ ){1,5}(?:over|to|instead|rather|without"
    r"|before"
    r"|not)\b",
    r"^approv(?:ed|al)(?: by [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_VERB_DE = (
    r"(?:schreib|schick|frag|nimm|nutz|benutz|verwend|mach|lass|gib|sag|zeig|lösch"
    r"|änder"
    r"|stell|setz|ruf|wart|prüf|melde?|nenn|runde?|antwort|fass|halt|bestell|buch|trag"
    r"|leg|sprich|poste?|teil|erwähn|informier|warn|verschick|versprich)(?:e|t|en Sie)?"
)
_GERMAN = family(
    "künftig|ab sofort|ab jetzt|in zukunft|bitte |hör auf|hört auf|lass das|nein, |nie "
    "|"
    "niemals|immer |nutzer |benutzer |chef |chefin |anwender |auftraggeber |kundin |"
    "freigegeben|freigabe|genehmigt|bevorzugt|das nächste mal|nächstes mal|unterlass",
    r"^(?:künftig|ab sofort|ab jetzt|in zukunft|(?:das )?nächstes? mal)[,:]? "
    r"(?!.*\b(?:wir|werden|wird|ich|sie|haben|sind|gilt|müssen|bekommt|gibt|läuft)\b)"
    r"(?:\S+ ){1,14}\w{3,}(?:en|ern|eln)[.!]?$"
    rf"|\b(?:künftig|ab sofort|ab jetzt|in zukunft)[,:]? (?:bitte )?{_VERB_DE}\b"
    rf"|^{_VERB_DE} (?:\S+ ){{0,6}}(?:künftig|ab sofort|ab jetzt|in zukunft|nie|niemals"
    r"|immer|nicht mehr|vorher|zuerst|nur noch)\b",
    r"^bitte (?!um|beachten)(?:\S+ ){1,14}\w{3,}(?:en|ern|eln)[.!]?$"
    rf"|^bitte (?:immer |nie |nur |keine? ){{0,2}}(?:{_VERB_DE}\b|\S+ (?:immer|nie"
    r"|nur))",
    rf"^(?:hör(?:t)? auf|lass(?:t)? das|unterlass)\b|^nein[,:;.] {_VERB_DE}\b",
    r"^(?:nie|niemals|immer) (?:\S+ ){1,10}\w{3,}(?:en|ern|eln)[.!]?$",
    r"^(?:der |die )?(?:nutzer(?:in)?|benutzer(?:in)?|chef(?:in)?|anwender(?:in)?"
    r"|auftraggeber(?:in)?) (?:möchte|will|bevorzugt|mag|wünscht)(?: sich)? (?!wissen)"
    r"(?=.*\b(?:kein\w*|ohne|nur|immer|nie|kurze?\w*|lieber|statt|nicht|jede\w*|zuerst"
    r"|vorher)\b)",
    r"^(?:freigegeben|genehmigt|freigabe)(?: (?:durch|von) [\wäöü ]{2,20})?"
    r"(?::| [—–-]) ?\S",
)
_VERB_FR = (
    r"(?:demande|écri[st]|envoie|utilise|mets|prends|garde|laisse|dis|montre|efface"
    r"|supprime|change|appelle|attends|vérifie|réponds|arrête|parle|fais|touche|ajoute"
    r"|donne|poste|publie|préviens|oublie|propose|promets|réserve|commande)(?:z|s)?"
)
_FRENCH = family(
    "désormais|dorénavant|à partir de maintenant|à l'avenir|à l’avenir|merci de"
    "|merci d'"
    "|s'il te pla|s'il vous pla|arrête|arrêtez|jamais|toujours|non, |utilisat|préfère"
    "|patron|approuvé|validé|autorisé|feu vert|la prochaine fois",
    r"^(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir|la prochaine fois)"
    rf"[, ]+(?:ne (?:pas|plus|jamais) |toujours |n['’]|ne )?(?:{_VERB_FR}\b"
    r"|\w{2,}(?:er|ir|re)\b(?! (?:est|sera)))",
    r"^merci d(?:e |['’])(?!avance|avoir)(?:ne (?:pas|plus|jamais) |toujours |bien )?"
    r"\w{2,}(?:er|ir|re)\b|\bs['’]il (?:te|vous) pla[iî]t\b",
    r"^arrêtez? (?:de |d['’])\w|^(?:ne |n['’])\w+ (?:jamais|plus) (?!été|eu)",
    rf"^(?:ne (?:jamais|pas|plus)|toujours) \w{{2,}}(?:er|ir|re)\b"
    rf"|^non[,:;.] {_VERB_FR}"
    r"\b",
    r"^(?:l['’]utilisat(?:eur|rice)|le patron|la patronne|le client"
    r"|la cliente) (?:préfère"
    r"|n['’]aime pas|déteste|veut (?:que|des|toujours|pas))",
    r"^(?:approuvé|validé|autorisé|feu vert)e?s?(?: par [\w ]{2,20})? ?(?::"
    r"| [—–-]) ?\S",
)
_VERB_ES = (
    r"(?:pregunta|escribe|envía|manda|usa|pon|toma|guarda|deja|di|muestra|borra|quita"
    r"|cambia|llama|espera|revisa|responde|contesta|habla|haz|toca|añade|agrega|avisa"
    r"|da|publica|confirma|consulta|anota|incluye|evita|respeta|redondea)"
)
_SPANISH = family(
    "a partir de ahora|de ahora en|desde ahora|en adelante|por favor|deja de|dejá de|"
    "nunca |siempre |no, |usuari|jefe|jefa|prefiere|aprobad|autorizad|visto bueno|"
    "la próxima vez|jamás",
    rf"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante"
    rf"|la próxima vez)"
    rf"[, ]+(?:siempre |nunca |no )?(?:{_VERB_ES}\b(?! (?:el|la) \w+ (?:se|es))"
    r"|\w+(?:me|nos|lo|la)\b(?<=[aeáéí](?:me|lo|la)))",
    r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante)[, ]+"
    r"(?:nada de|ning[uú]n[ao]?) \w+",
    rf"^por favor,? (?:siempre |nunca |no )*(?:{_VERB_ES}\b|\w+(?:es|as)\b|\w+ siempre)"
    r"|^dej(?:a|á|e|en) de \w+(?:ar|er|ir)\b",
    r"^(?:nunca|jamás|no) (?:(?:me|nos|le|les|lo|la|se) )?(?!lo\b|las\b|los\b)"
    r"\w{2,}(?:as|es|áis|éis)\b(?! (?:sabe|puede|tiene|es|está|hay)\b)",
    rf"^siempre {_VERB_ES}\b|^no[,:;.] (?:por favor,? )?{_VERB_ES}\b",
    r"^(?:el |la )?(?:usuari[oa]|jef[ea]|client[ea]|dueñ[oa]) (?:prefiere|odia"
    r"|no quiere"
    r"|no le gusta|quiere que)\b",
    r"^(?:aprobad|autorizad)[oa]s?(?: por [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_VERB_PT = (
    r"(?:pergunt|escrev|envi|mand|us|põe|pon|tom|guard|deix|mostr|apag|tir|mud|lig"
    r"|esper"
    r"|revis|respond|fal|faz|faç|mex|adicion|acrescent|avis|dê|dá|public|post|confirm"
    r"|consult|anot|inclu|evit|respeit|arredond|coloc|trat|cham|sej)(?:a|e|i|ia|ie)?"
)
_PORTUGUESE = family(
    "a partir de agora|de agora em|daqui para|daqui pra|daqui em|por favor|para de"
    "|pare de"
    "|nunca |sempre |não, |usuári|utilizador|chefe|prefere|aprovad|autorizad|não mex"
    "|da próxima vez|na próxima|jamais",
    rf"\b(?:a partir de agora|de agora em diante|daqui (?:para|pra) (?:a )?frente|daqui"
    rf" em diante|da próxima vez)[, ]+(?:sempre |nunca |não )?{_VERB_PT}\b",
    r"\b(?:a partir de agora|de agora em diante|daqui (?:para|pra) (?:a )?frente)[, ]+"
    r"(?:nada de|nenhuma?) \w+",
    rf"^por favor,? (?:sempre |nunca |não )*(?:{_VERB_PT}\b|\w+ sempre)"
    r"|^par[ea] de \w+(?:ar|er|ir)\b",
    rf"^(?:nunca|jamais|sempre) (?:me |nos )?{_VERB_PT}\b|^não (?:me )?(?:mex[ae]s?"
    r"|envi[ea]s?|mand[ea]s?|us[ea]s?|escrev[ae]s?|apagu?[ea]s?)\b|^não[,:;.] "
    rf"(?:por favor,? )?{_VERB_PT}\b|^[\wà-ü]{{2,15}}: não \w{{2,}}[ae]s?\b",
    r"^(?:o |a )?(?:usuári[oa]|utilizador[a]?|chefe|client[ea]|don[oa]) (?:prefere"
    r"|odeia"
    r"|não quer|não gosta|quer que)\b",
    r"^(?:aprovad|autorizad)[oa]s?(?: por [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_VERB_IT = (
    r"(?:chiedi|scrivi|invia|manda|usa|metti|prendi|tieni|lascia|di['’]|mostra|cancella"
    r"|togli|cambia|chiama|aspetta|controlla|rispondi|parla|fai|tocca|aggiungi|avvisa"
    r"|pubblica|conferma|evita|arrotonda|segna)"
)
_ITALIAN = family(
    "d'ora in|d’ora in|da ora in|per favore|per cortesia|smetti|basta |mai |sempre "
    "|no, "
    "|utente|capo |preferisce|approvat|autorizzat|la prossima volta|non ",
    rf"\b(?:d['’]ora|da ora) in (?:poi|avanti)[, ]+(?:sempre |non )?(?:{_VERB_IT}\b"
    r"|\w{2,}(?:are|ere|ire)\b)|\bla prossima volta[, ]+(?:non )?" + _VERB_IT + r"\b",
    r"\b(?:d['’]ora|da ora) in (?:poi|avanti)[, ]+(?:niente|nessun[ao]?) \w+",
    rf"^per (?:favore|cortesia),? (?:sempre |non )?(?:{_VERB_IT}\b|\w+ sempre"
    r"|\w+(?:are|ere|ire)\b)|^smett(?:i|ila|etela) (?:di )?\w+",
    rf"^non \w{{2,}}(?:are|ere|ire)(?:\w{{2}})? (?:mai|più)?\b|^no[,:;.] {_VERB_IT}\b"
    rf"|^{_VERB_IT} sempre\b",
    r"^(?:l['’]utente|il capo|la capa|il cliente|la cliente) (?:preferisce|odia"
    r"|non vuole"
    r"|vuole che)\b",
    r"^(?:approvat|autorizzat)[oa](?: da [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_VERB_NL = (
    r"(?:vraag|schrijf|stuur|gebruik|zet|neem|houd|laat|zeg|toon|wis|haal|verander|bel"
    r"|wacht|controleer|antwoord|doe|raak|voeg|geef|plaats|meld|noem|mail|vermeld|rond)"
)
_DUTCH = family(
    "voortaan|vanaf nu|graag |alsjeblieft|alstublieft|stop met|hou op|nooit|altijd"
    "|nee, "
    "|gebruiker |klant |baas |akkoord:|goedgekeurd:|volgende keer|geeft de voorkeur",
    rf"^(?:voortaan|vanaf nu|volgende keer)[, ]+(?:{_VERB_NL}\b"
    r"|(?!.*\b(?:we|wordt|worden|gaat|is|zijn|krijgt)\b)(?:\S+ ){1,12}\w{2,}en\b)",
    r"^(?:graag|alsjeblieft) (?!gedaan)(?=.*\b(?:altijd|nooit|geen|alleen|eerst|niet"
    r"|\w{3,}en[.!]?$))",
    r"^(?:stop met|hou op met) \w+",
    rf"^{_VERB_NL} (?:\S+ ){{0,4}}(?:nooit|altijd|niet meer|geen)\b|^(?:nooit|altijd)"
    rf" (?:\S+ ){{1,8}}\w{{2,}}en[.!]?$|^nee[,:;.] {_VERB_NL}\b",
    r"^(?:de )?(?:gebruiker|klant|baas|eigenaar) (?:wil (?:geen|korte?|alleen|altijd"
    r"|dat)|geeft de voorkeur|houdt niet van|heeft liever)\b",
    r"^(?:akkoord|goedgekeurd|toegestaan)(?: door [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_POLISH = family(
    "od teraz|od dziś|odtąd|proszę|przestań|nigdy |zawsze |nie, |użytkowni|szef |woli "
    "|zatwierdzon|zgoda:|zgoda na|następnym razem|nie pisz|nie wysył",
    r"\b(?:od teraz|od dziś|odtąd|następnym razem)[, ]+(?:zawsze |nie |nigdy nie )?"
    r"(?:\w+(?:aj|uj|ij|yj|ń|śl|sz)(?:cie)?|pisz|pytaj|rób|bierz|mów|używaj|\w+ć)\b",
    r"^proszę (?:zawsze |nie |nigdy nie )?\w{3,}ć\b|^przestań(?:cie)? \w+ć\b",
    r"^(?:nigdy nie|zawsze|nie) (?:\w+(?:aj|uj|ij|yj|śl)(?:cie)?|pisz|rób|bierz|mów)\b"
    r"|^nie[,:;.] (?:użyj|weź|zrób|napisz|daj|wyślij|zostaw|pisz|pytaj|użyjcie)\b",
    r"^(?:użytkowni(?:k|czka)|szef(?:owa)?|klient(?:ka)?) (?:woli|nie lubi|nie chce"
    r"|chce"
    r" żeby|chce, żeby|nie znosi)\b",
    r"^(?:zatwierdzon[aeoy]|zgoda)(?: przez [\w ]{2,20})?(?::| [—–-]) ?\S",
)
_RUSSIAN = family(
    "отныне|впредь|с этого дня|теперь |пожалуйста|хватит|перестань|никогда|всегда "
    "|нет, "
    "|пользовател|заказчик|начальник|предпочитает|одобрено|согласовано|разрешено|в "
    "следующий раз|больше не |прекрати|не надо ",
    r"\b(?:отныне|впредь|с этого дня|в следующий раз|теперь)[, ]+(?:всегда |никогда не"
    r" |не )?(?:\w+(?:ай|яй|уй|ей|ивай|ывай|айте|йте)|пиши(?:те)?|спроси|ставь|бери"
    r"|делай"
    r"|держи|говори|шли)\b",
    r"^пожалуйста,? (?:всегда |не |никогда не )?\w+(?:й|йте|и|ите|ь|ьте)\b"
    r"|^(?:хватит|прекрати(?:те)?|перестань(?:те)?) \w+ть\b",
    r"^никогда не \w+(?:й|йте|и|ите|ь|ьте|ть)\b|^всегда \w+(?:ай|яй|уй|йте|и|ите|ь)\b"
    r"|^нет[,:;.] (?:лучше )?(?:\w+(?:ай|яй|уй|айте|уйте)|возьми|сделай|пиши|оставь)\b"
    r"|^больше не \w+(?:й|йте|и|ите|ь|ьте)\b",
    r"^(?:пользовател(?:ь|ьница)|заказчи(?:к|ца)|начальни(?:к|ца)|хозя(?:ин|йка))"
    r" (?:предпочитает|не любит|не хочет|хочет, чтобы|просит не)\b",
    r"^(?:одобрено|согласовано|разрешено)(?: \w{2,15})?(?::| [—–-]) ?\S",
)
_CHINESE = family(
    "以后|今后|从现在起|从今|请|别再|不要|不许|不得|不准|务必|绝对|不对|用户|老板|批准"
    "|同意"
    "|下次|禁止|记住|一律",
    r"(?:以后|今后|从现在起|从今往后|从今天起|下次)(?!再(?:看|说|议|谈|想))[^。]{0,24}"
    r"(?:不要|别(?!人|的)|请|先问|先给|先跟|必须|都要|不许|不得|不准|一定要|务必|禁止"
    r"|千万"
    r"|记得|照这|给我|问我|告诉我)",
    r"^(?:[^，。：:]{1,10})?(?:绝对|千万|务必|一定)(?:不要|别|不能|不许|要)|^别再"
    r"|^(?:请|麻烦)(?!假|客|教)[^。]{0,6}(?:不要|别|一律|务必|都|以后|总是|始终)"
    r"|^[^，。]{1,10}请(?:一律|不要|务必|都|别)",
    r"^(?:不对|不是|错了|不行)[，,。]\s*(?:请)?(?:用|改|写|换|要|按)",
    r"^(?:用户|老板|主人|客户)[^，。]{0,4}(?:喜欢|偏好|更喜欢|希望|不喜欢|讨厌|想要)"
    r"(?=.*(?:不要|别|不|简短|简洁|一律|都|先|每次|而不是|直接))",
    r"^(?:批准|同意|准许)[：:]\s?\S|(?:没有|未经)我?的?(?:同意|允许|批准).{0,4}(?:不许"
    r"|不得"
    r"|不准|不能|别|不要)",
)
_JAPANESE = family(
    "今後|これから|次回から|ください|してくれ|しないで|やめて|絶対|必ず|違う|いや、"
    "|ユーザー"
    "|利用者|オーナー|好む|承認|許可|常に|いつも|書いて|使って|聞いて|送って|ないで",
    r"(?:今後|これから|次回から)は?[^。]{0,40}(?:ください|くれ|しないで|ないで"
    r"|こと(?:。|$)"
    r"|て(?:ね)?(?:。|$))",
    r"(?:絶対|必ず|常に|いつも|毎回|勝手に)[^。]{0,40}(?:ないで|するな|ください|くれ"
    r"|こと"
    r"(?:。|$)|て(?:。|$)|やめて)|(?:の?は|を)やめて(?:ください|ほしい|くれ|。|$)",
    r"^(?:違う|いや|そうじゃな[^、。]{0,3})[、。,][^。]{1,30}(?:使って|して|にして"
    r"|書いて"
    r"|ください|で)(?:。|$)",
    r"^(?:ユーザー|利用者|オーナー|社長|上司)[^。]{0,6}(?:は|が)[^。]{1,40}(?:好む"
    r"|を希望"
    r"|が好き|嫌う|を嫌がる|を望む|てほしい)",
    r"^(?:承認|許可)(?:済み)?[：:]\s?\S",
)
_KOREAN = family(
    "앞으로|이제부터|다음부터|마세요|마라|하지 마|마.|마!|그만|절대|항상|꼭|아니,|아니."
    "|사용자"
    "|주인|선호|승인|허락|해줘|줘|주세요|해 줘|써.|물어",
    r"(?:앞으로|이제부터|다음부터)는? ?[^.]{0,40}(?:마(?:라|세요)?|줘|주세요|것|봐|해라"
    r"|하세요"
    r"|하자|말고|금지)(?:[.! ]|$)",
    r"(?:절대|항상|꼭|반드시|늘)[^.]{0,40}(?:마(?:라|세요)?|줘|주세요|것|해라|하세요"
    r"|봐)"
    r"(?:[.!]|$)|(?:거|것|짓)(?:은|는|을)? ?그만(?:해|하|둬)",
    r"^(?:아니|아뇨|틀렸어)[,.] ?[^.]{1,30}(?:써|해|줘|하세요|쓰세요|로|바꿔)(?:[.!]"
    r"|$)",
    r"^(?:사용자|주인|사장|오너|클라이언트)(?:님)?[은는이가] [^.]{1,40}(?:선호|좋아"
    r"|싫어|원한"
    r"|원함|원해)",
    r"^(?:승인|허락|허가)(?:됨|함)?[：:] ?\S",
)
ADDRESSES: tuple[Family, ...] = (
    _ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH, _POLISH,
    _RUSSIAN, _CHINESE, _JAPANESE, _KOREAN,
)  # fmt: skip
#: A lesson, a cause or a condition before the order: general advice, or a report.
ADVICE = re.compile(
    r"^(?:lesson|learned|learning|tip|note to self|gotcha|lektion|merke|leçon|lección"
    r"|lição|lezione|les|wniosek|урок|教训|经验|学び|教訓|배운)\b"
)
