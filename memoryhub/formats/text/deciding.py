"""Words with which prose states a decision, a family for each language.

All read lower-case sentences. A family is searched only where the sentence holds one
of its stems, as most sentences hold none. Verbs stand with the endings that tell what
was done: a decision is in the past, or in the first person of the present.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.choosing import CHOOSING
from memoryhub.formats.text.stems import Family, family

_WHO = r"(?:we|i|they|both|everyone|all|you|he|she|it|[a-zà-ÿ'’.-]{2,14})"
_THEN = (
    r"(?: (?:have|had|has|finally|also|then|now|both|jointly|all|already|just"
    r"|will|therefore|so)){0,3}"
)
#: What one does or does not do by choice; knowing, having and failing are none.
_DOES = (
    r"(?!know|have|see|need|want|understand|think|care|get|expect|remember|find|hear"
    r"|believe|mind|seem|agree|really|even|yet|be |to |only|think|mean|like|trust)\w+"
)
_FAIT = (
    r"(?:fai|ven|utilise|prend|met|livre|accepte|envoie|garde|touche|change|écri|publie"
    r"|propose|imprime|commande|rembourse|affiche|gère|achète|paie|répond"
    r"|ajoute)\w{0,4}"
)
_MACHT = (
    r"(?:hosten|machen|nehmen|verkaufen|nutzen|benutzen|verwenden|liefern|bauen|bieten"
    r"|drucken|schicken|verschicken|akzeptieren|unterstützen|reparieren|ändern|kaufen"
    r"|zahlen|löschen|veröffentlichen|tauschen|berechnen|geben|setzen|stellen|öffnen"
    r"|arbeiten|bestellen|speichern|verlängern|erstatten|beantworten|führen|fahren)"
)
#: Errands that people agree on, which settle nothing.
_ERRAND = (
    r"(?! (?:to )?(?:check|look|ask|call|meet|talk|speak|wait|think|try|see|discuss"
    r"|investigate|review|revisit|find out|come back|sleep|let )\b)"
)
_ENGLISH = family(
    "decided|agreed|going with|go with|gone with|went with|settled|settling| chose "
    "|chose "
    "|chosen|opted|decision is|decision was|final |resolved to| it is|stick|stay|picked"
    "|landed on|vetoed|we no longer|we do not|we don't|we don’t|we won't|we won’t"
    "|we will |we are |we go |we keep |we drop |we skip |we convert|we retire|we cut "
    "|we leave out|we give up|we postpone|we move|we switch|we ship |we went |we'"
    "|pushed|rescheduled|moved to |moved until|moved till|moved it |moved th"
    "|approved plan|final call|rejected|dropped|scrapped|shelved|abandoned|discarded"
    "|postponed|deferred|ruled out|ditched|declined|off the table|out of scope|in favo"
    "|says no to|said no to|says yes to|said yes to|said to |^kept the |retired"
    "|moved it|pushed back|go ahead with|i opt",
    rf"\b{_WHO}{_THEN} (?:decided|agreed|opted|chose|settled (?:on|for)|went with"
    rf"|landed on|resolved to|picked(?! (?:up|apart|at|out of)))\b{_ERRAND}",
    r"^(?:so |then |ok,? |okay,? |now |finally |and |in the end,? |after all,? )?"
    r"(?:decided|agreed|settled|chose|chosen|opted|went with|resolved to"
    rf"|picked(?= .{{1,80}}(?:over|because|instead|as it)\b))\b{_ERRAND}",
    r"\b(?:says|said) (?:yes to|no to|to (?:hold|keep|use|drop|skip|leave|take))\b",
    r"(?<!to )\bstays? (?:in|out|put|unchanged|the same|free|as (?:it|they)|until)"
    r"\b(?! (?:line|place of|the queue|the office|bed|touch|\d))",
    r"\b(?:we|i)(?:'re| are|'m| am|'ll| will|'ll be| will be)? "
    r"(?:going|go|gone|went) (?:ahead )?with\b",
    r"^(?:ok,? |so |let's |then |and )?(?:(?:going|go|gone) (?:ahead )?with"
    r"|(?:stick|stay|sticking|staying) (?:with|to|on))\b",
    r"\b(?:we|i)(?:'ll| will| are going to|'re going to)? (?:go live|stick (?:with|to)"
    r"|stay (?:with|on|at|in)|ship (?:with|on)|drop|switch (?:back )?to|convert|retire"
    r"|keep (?!\w+ing\b|an eye|in mind|track|you|getting)|cut over|skip|leave out"
    r"|give up on|postpone|move it)\b",
    rf"\bwe (?:no longer|do not|don['’]t) {_DOES}\b",
    r"\bwe (?:won['’]t|will not) (?!know|have|see|need|be able|get|find|hear|learn"
    r"|make it)"
    r"\w+",
    r"\bwe(?: are|'re) not (?!getting|seeing|hearing|missing|losing|having|making"
    r"|receiving|finding|using (?:it )?yet)\w+ing\b",
    r"\((?:as )?(?:decided|agreed|settled)\b|\bvetoed\b|\bdecision (?:is|was) (?:to"
    r"|that)"
    r"\b|\bfinal (?:call|decision|answer|word|verdict)\b[^?]{0,30}[:,]",
    r"\b(?:is|are|was|were|now|been|it's|got) (?:decided|agreed|settled) (?:that|to|on"
    r"|against)\b",
    r"^(?!.{0,20}\b(?:as|what|whatever|how|where|way|so|if|since|because|that|when|like"
    r"|but|and|or|maybe|think|know) it is)[\w' .,$€%-]{2,24} it is(?:$|[,.;:!—–-]"
    r"| then\b)",
    r"^(?:rejected|scrapped|shelved|abandoned|discarded|ruled out|ditched|deferred"
    r"|postponed|declined|turned down)\b(?! (?:the )?(?:request|payment|login|call|mail"
    r"|token|card|connection)s?\b)",
    r"^(?:we )?(?:dropped|gave up(?: on)?) (?:the (?:idea|plan|thought|notion|feature"
    r"|requirement)|support)\b",
    r"\b(?:dropped|removed|replaced|retired|abandoned|scrapped) (?:\S+ ){1,5}"
    r"in favou?r of\b",
    r"\bwe (?:switched|moved|went) from .{1,60} to\b|\b(?:was|were) given up\b",
    r"\b(?:is|are|was|were|stays) (?:off the table|out of (?:scope|the question)"
    r"|ruled out|scrapped|shelved|not going to happen|not happening)\b",
    r"\bwe (?:\w+ )?(?:moved|postponed|pushed|deferred|rescheduled)(?: it| this| that"
    r"| the [\w -]{1,30})?(?: back)? (?:to|until|till)\b",
    r"\b(?:is|are|was|were) (?:\w+ )?(?:postponed|pushed back|deferred|put off) (?:to"
    r"|until"
    r"|till)\b",
    r"^kept the (?!file|backup|log|copy)\w+",
)
_GERMAN = family(
    "entschied|beschloss|beschließ|vereinbart|festgelegt|abgelehnt|wir |einigten"
    "|geeinigt|abgemacht|sagt nein|sagt ja|sagte nein|sagte ja|nimmt |einig|bleibt"
    "|bleiben"
    "|verzichte|verworfen|gestrichen|verschoben|entfällt"
    "|vertagt|gewählt|das bleibt|fiel auf|statt |stattdessen|abgesagt|klar:",
    r"\b(?:haben|hat|habe|wurde|wurden|ist|sind) (?:[\wäöüß.,\"'€ -]{0,80} )?"
    r"(?:entschieden|beschlossen|vereinbart|festgelegt|abgelehnt|geeinigt|verworfen"
    r"|gewählt)\b",
    r"\b(?:entschied(?:en)?(?: uns| sich| mich)|entschied|beschloss(?:en)?"
    r"|einigten (?:uns|sich)|die wahl fiel auf|verzichten wir|sag(?:t|te) (?:ja|nein)"
    r"|nimmt (?:das|den|die) (?!zug|bus|bahn|auto|fähre|rad|u-bahn)|waren (?:uns"
    r"|sich) (?:\w+ )?einig)\b",
    r"\bbleib(?:t|en) (?!offen|unklar|leer|hängen|stehen|stecken|liegen|aus)(?:\w+ )?"
    r"(?:beim?|so|wie|vorerst|weiterhin|bis|kostenlos|erhalten|im)\b"
    r"|\bbleib(?:t|en)[.!]?$",
    r"^(?:also |dann |heute |nun )?(?:entschieden|beschlossen|vereinbart|festgelegt"
    r"|abgemacht|verworfen|verzichten)\b",
    r"\b(?:abgelehnt|beschlossen|vereinbart|entschieden|festgelegt|verworfen)(?:$"
    r"|[:.(])",
    r"\bwir (?:bleiben|nehmen|behalten|verzichten|streichen|verschieben|setzen (?:auf"
    r"|auch)"
    r"|gehen mit|steigen (?:um|auf)|stellen (?:auf|um)|belassen|lassen es|hören auf mit"
    r"|geben .{1,40} auf|schmeißen)\b",
    rf"\bwir {_MACHT} (?:[\wäöüß.,-]+ ){{0,5}}(?:nicht|keine[nrms]?|nur noch"
    r"|weiter(?:hin)?)\b",
    r"\b(?:statt|anstatt) (?:[\wäöüß.,-]+ ){1,4}(?:nehmen|nutzen|machen|verwenden|bauen"
    r"|setzen) wir\b",
    r"\b(?:wird|werden) (?:[\wäöüß.,-]+ ){0,8}(?:gestrichen|vertagt|verworfen|abgesagt"
    r"|abgeschafft)\b|\b(?:wird|werden|haben|wurden?) (?:[\wäöüß.,-]+ ){0,8}(?:auf"
    r"|um) (?:[\wäöüß.,-]+ ){1,5}verschoben\b|\bentf(?:ällt"
    r"|allen)(?:$|[ ,.;])",
)
_FRENCH = family(
    "décid|convenu|avons choisi|a choisi|retenu|opté|tranch|on garde|on part|on reste"
    "|on abandonne|on passe|on laisse|on arrête|on ne |on n'|on supprime|on reporte"
    "|on annule|on prend|on renonce|nous |abandonn|renonc|report|écarté|arrêté le choix"
    "|c'est oui|a dit |on va |reste",
    r"\b(?:avons|a|ont|est|été|ai|avait|avaient) (?:\w+ )?(?:décidé|convenu|choisi"
    r"|retenu|opté|tranché|renoncé|arrêté le choix|écarté)\b",
    r"^(?:donc |alors |enfin |finalement,? )?(?:décidé|convenu|choisi|retenu|tranché"
    r"|abandonné|reporté|écarté|renoncé)\b",
    r"\b(?:fini par trancher|décidons|optons|convenons)\b",
    r"\b(?:on|nous) (?:gard(?:e|ons)|reste|restons|part(?:ons)? sur|abandonn(?:e|ons)"
    r"|pass(?:e|ons) (?:à|au|aux|sur)|laiss(?:e|ons) tomber|arrêt(?:e|ons)|supprim(?:e"
    r"|ons)"
    r"|report(?:e|ons)|annul(?:e|ons)|renon(?:ce|çons)|conserv(?:e|ons)|mainten(?:ons)"
    r"|maintient|prend|prenons|remplac(?:e|ons))\b",
    rf"\b(?:on|nous) (?:ne |n['’]){_FAIT} (?:plus|pas|jamais)\b",
    r"\b(?:est|sont|sera|seront) (?:abandonnée?s?|reportée?s? (?:à|au|en)|écartée?s?"
    r"|supprimée?s? dès)\b",
    r"\ba dit (?:oui|non)\b|\ba tranché\b|\bon va (?:garder|rester|passer|utiliser"
    r"|prendre)\b",
    r"\breste(?:nt)? (?:comme|en place|jusqu|tel|inchang|à \d)",
)
_SPANISH = family(
    "decidi|acord|elegimos|elegí |eligió|ha elegido|hemos elegido|optamos|optó|quedamos"
    "|combinamos|vetó|aprobó|nos quedamos|seguimos con|mantenemos|descart|pospon"
    "|pospuso|aplaza|aplazó|se cancela|no usamos|vamos con|no vamos a|escogi|pasamos a"
    "|dejamos de|renuncia|ya no |pasamos de |vamos a |lo que sigue|en vez de"
    "|en lugar de|rechaz",
    r"\b(?:decidimos|acordamos|elegimos|escogimos|optamos por|quedamos en|combinamos"
    r"|nos quedamos con|seguimos con|mantenemos|descartamos|posponemos|aplazamos"
    r"|renunciamos a|vamos con|cancelamos|dejamos de)\b(?!,? si )",
    r"\bse (?:decidió|acordó|ha decidido|ha acordado|descarta|descartó|cancela|aplaza"
    r"|aplazó|pospone|pospuso|optó|opta)\b",
    r"\b(?:hemos|han|ha|he|foi|fue) (?:\w+ )?(?:decidido|acordado|elegido|escogido"
    r"|optado"
    r"|descartado|aplazado|rechazado)\b",
    r"\b(?:decidió|vetó|eligió|escogió|optó por|descartó)\b",
    r"^(?:al final,? |entonces,? |hoy )?(?:decidido|acordado|descartado|aplazado"
    r"|elegido)\b",
    r"\b(?:ya )?no (?:usamos|aceptamos|ofrecemos|vendemos|hacemos|ponemos|vamos a)\b"
    r"|\bya no (?:se )?(?:usa|vende|acepta|ofrece|hace)n?\b",
    r"\bpasamos de .{1,60} a\b|\bvamos a (?:usar|mantener|dejar|seguir|quedarnos"
    r"|cambiar)\b",
    r"\b(?:usamos|contratar?|hacemos|ponemos|cambiar|comprar|pasamos"
    r"|usar) (?:\S+ ){1,7}"
    r"(?:en vez de|en lugar de)",
)
_PORTUGUESE = family(
    "decidi|escolhemos|escolheu|optamos|optou|combinamos|ficou |fechamos|vetou|adotamos"
    "|ficamos com|mantemos|passamos de|vamos |adiamos|adiad|descart|cancelamos"
    "|não vamos|não usamos"
    "|desistimos|rejeit|acordámos|acordamos|recus|foi adi",
    r"\b(?:decidimos|decidi|escolhemos|optamos por|optei por|combinamos|combinámos"
    r"|fechamos|adotamos|adotámos|ficamos com|mantemos|adiamos|descartamos|cancelamos"
    r"|desistimos d[aeo]|acordámos|acordamos)\b(?!,? se )",
    r"\b(?:decidiu|vetou|escolheu|optou por|descartou)\b",
    r"\bficou (?:decidido|combinado|definido|acertado|acordado|resolvido)",
    r"\b(?:foi|foram|está|fica|temos|tinha) (?:decidid|combinad|acordad|adiad|descartad"
    r"|definid)[oa]s?\b",
    r"^(?:no fim,? |então,? |hoje )?(?:decidido|combinado|acordado|descartado"
    r"|adiado)\b",
    r"\bpassamos de .{1,60} para\b|\bvamos (?:ficar|manter|usar|seguir|fechar"
    r"|trocar) (?:com|por|o|a)\b",
    r"\bnão (?:vamos (?!conseguir|saber|ter|poder)|usamos|aceitamos|oferecemos|vendemos"
    r"|fazemos)",
)
_ITALIAN = family(
    "abbiamo|deciso|scelto|optato|concordato|restiamo|teniamo|rimaniamo|passiamo a"
    "|rinunciamo|rinunciato|scart|rimanda|rinvia|non usiamo|ha scelto|annulliamo",
    r"\b(?:abbiamo|hanno|ha|ho|è stato|è stata|si è) (?:\w+ )?(?:deciso|scelto|scelta"
    r"|concordato|optato|stabilito|scartato|rinunciato|rimandato|rinviato)\b",
    r"^(?:alla fine,? |quindi,? |oggi )?(?:deciso|scelto|concordato|stabilito|scartato"
    r"|rimandato|rinviato)\b",
    r"\b(?:restiamo (?:con|su|a)|teniamo (?!d['’]occhio|presente|conto)"
    r"|rimaniamo (?:con|su"
    r"|a)|passiamo a|rinunciamo|scartiamo|rimandiamo|rinviamo|annulliamo"
    r"|andiamo con)\b",
    r"\bnon (?:usiamo|accettiamo|offriamo|vendiamo|facciamo)(?: più)?\b",
)
_DUTCH = family(
    "besloten|besluit|afgesproken|gekozen|we blijven|we houden|we kiezen|we gaan "
    "|we stappen|we nemen|we stoppen|we laten|we schrappen|uitgesteld|afgewezen|we doen"
    "|verplaatst|beslist|we gebruiken|koos |kozen ",
    r"\b(?:hebben|heeft|heb|is|werd|zijn) (?:[\w.,'-]+ ){0,8}(?:besloten|afgesproken"
    r"|gekozen|beslist|afgewezen|overeengekomen)\b",
    r"^(?:dus |toen |nu )?(?:besloten|afgesproken|gekozen|beslist|uitgesteld"
    r"|afgewezen)\b",
    r"\b(?:besloot|besloten|koos voor|kozen voor)\b",
    r"\bwe (?:blijven (?:bij|op|met)|houden (?!er rekening|in de gaten)|kiezen"
    r"|gaan (?:voor"
    r"|met|verder met|over op)|stappen over|nemen|stoppen met|laten .{1,30} vallen"
    r"|schrappen|gebruiken (?:geen|niet|alleen))\b",
    r"\b(?:is|wordt|zijn|worden) (?:[\w.,'-]+ ){0,5}(?:uitgesteld|geschrapt|verplaatst"
    r" naar)\b",
)
_RUSSIAN = family(
    "решил|решено|решение:|договорил|постанов|остановились на|выбрал|отказал|отказыва"
    "|перенес"
    "|отложил|остаёмся|остаемся|оставляем|переходим на|не будем|берём|берем|отменил"
    "|одобрили план|отклонил|больше не |утвердил",
    # The word means a solution too, which tells what was done.
    r"^решение(?=: (?!(?:\S+ ){0,3}\w+(?:ил|ал|ял|ел|ла|ли|ло|лось)\b))",
    r"\bрешили\b(?! (?:проблем|задач))|\bрешил[аи]?,? (?:что|не|оставить|брать|делать"
    r"|перейти|взять|закрыть|отказаться|использовать)\b",
    r"\bдоговорил\w+\b|\bпостановил|\bостановились на\b|\bрешено\b|\bвыбрал[аи]?\b",
    r"\b(?:отказались|отказался|отказалась) от\b|\bотказываемся\b",
    r"\bперенесли (?:[\w«»\"-]+ ){0,4}(?:на|до) (?:\d|понедельник|вторник|сред|четверг"
    r"|пятниц|суббот|воскресень|янв|фев|март|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек"
    r"|весн"
    r"|лет[оа]|осен|зим|конец|начало|следующ|потом)|\b(?:отложили|отменили|отклонили"
    r"|утвердили)\b|\bот [\w ]{2,40} отказ(?:ались|ался|алась|ываемся)\b",
    r"\b(?:остаёмся|остаемся|оставляем|переходим на|не будем|берём|берем|переносим"
    r"|отказываемся)\b(?! (?:ждать|на связи))",
    r"\bбольше не (?:продаём|продаем|используем|делаем|поддерживаем|берём|берем"
    r"|принимаем)\b",
)
_CHINESE = family(
    "决定|定下来|定了|敲定|商定|拍板|选定|否决|決定|选了|选择了|商量好|说好|说定|不再"
    "|改用"
    "|採用|采用|沿用|保留|放弃|弃用|推迟到|延期到|改到|改为|改成|取消|不做|先不|就用"
    "|达成"
    "|选用|最终选",
    r"决定(?!权|因素|性)|定下来|定了|敲定|商定|拍板|选定|否决|商量好|说好了|说定"
    r"|达成(?:一致|共识)",
    r"(?:最后|最终|还是|我们|老板|用户|他|她|们)(?:选了|选择了?|选用|采用|改用|保留"
    r"|沿用"
    r"|放弃|取消)",
    r"(?:^|[，,：:；;])(?:不再(?!出现|重复|有|报|发生|次|是)|改用|採用|采用|沿用|就用"
    r"|放弃"
    r"|弃用|先不做|先不上|不做)",
    r"(?:^|[，,：:；;])[^，,。]{1,14}(?:不再(?:卖|支持|用|使用|提供|做|接|收|发|维护)"
    r"|(?:推迟|延期|改)到|保留原|暂不|取消，)",
)
_JAPANESE = family(
    "ことにした|ことにする|ことになった|ことになり|ことに決|に決め|に決ま|方針|決定"
    "|にした|にする"
    "|見送|採用|却下|延期|中止|統一する|据え置|を選|変更した|変更する|判断で|ことで合意"
    "|合意"
    "|廃止|わないことに|でいくこと",
    r"(?<!確認する)(?<!連絡する)(?<!検討する)(?<!相談する)(?<!様子を見る)(?<!待つ)"
    r"ことに(?:した|しました|する|なった|なりました|決)|に決(?:めた|まった|めました"
    r"|まりました)",
    r"決定(?:した|しました|する|です|。|$)|で合意|判断で",
    r"(?:を|は)(?:採用|却下|見送|廃止|中止|延期)(?:する|し|り|る|と|に)|見送(?:り|る"
    r"|った)"
    r"|据え置(?:き|く)",
    r"(?:は|を)(?!.{0,40}(?:参考|気|よう|大事|大切|楽しみ"
    r"|頼り)にする)[^。、]{1,30}にする(?:。|$)",
    r"(?:だけ|のみ|案|方式)に(?:する|した|統一)|に統一(?:する|した)|を選(?:んだ|択した"
    r"|びました)",
)
_KOREAN = family(
    "기로 |기로.|결정|하기로|확정|선택했|선택함|채택|포기|취소하|연기하|합의|보류하"
    "|안 쓰"
    "|않기로|쓰지 않|기로함|기로했|고르기로",
    # What two agree to do next is an errand: to check, to call, to talk again.
    r"(?<!확인하|검토하|논의하|연락하|전화하|통화하|의논하|상의하|협의하|생각하"
    r"|고민하)(?<!알아보|물어보|기다리"
    r"|야기하|얘기하)(?<!만나)기로(?: ?(?:했|함|결정|합의|정)|[.,]|$)|(?:으로"
    r"|로) (?:결정|확정|합의)",
    r"(?:을|를|안을|안) ?(?:선택|채택|포기|기각)(?:했|함|하기로|한다|하고)",
    r"결정(?:했|함|됨|하였|됐)|합의(?:했|함|하였)|더 이상 .{1,20}지 않(?:는다|기로|음)",
)
_POLISH = family(
    "zdecydowa|postanowi|ustali|ustalono|uzgodni|wybrali|wybrał|zostajemy|rezygnuj"
    "|zrezygnowa|odrzuc|przechodzimy|przełoży|przesun|odłoży|nie będziemy|umówili"
    "|stanęło na|bierzemy|stawiamy na|zostaje ",
    r"\b(?:zdecydowaliśmy|zdecydowałam|zdecydowałem|zdecydował[ai]?|zdecydowano"
    r"|postanowi(?:liśmy|li|ł|ła|ono)|ustaliliśmy|ustalono|uzgodni(?:liśmy|ono|ł|ła)"
    r"|wybraliśmy|wybrał[ai]?|umówiliśmy się|stanęło na)\b",
    r"\b(?:zostajemy przy|rezygnujemy z|zrezygnowa(?:liśmy|no) z|odrzuci(?:liśmy|ono)"
    r"|przechodzimy na|stawiamy na|nie będziemy|bierzemy)\b",
    r"\b(?:przełożyliśmy|przesunęliśmy|odłożyliśmy|przełożono|odłożono)\b",
    r"\bzostaje (?:bez zmian|jak|po staremu|do)\b",
)
_UKRAINIAN_CZECH = family(
    "вирішили|вирішив|домовились|домовилися|обрали|відмовил|залишаємо|лишаємо|rozhodl"
    "|dohodli|vybrali jsme|zůstáváme|odloženo|nebudeme",
    r"\b(?:вирішили|вирішив|вирішила|домовились|домовилися|обрали|залишаємо|лишаємо)\b"
    r"|\bвідмовил\w+ від\b",
    r"\b(?:rozhodli jsme|rozhodl[ai]? se|dohodli jsme|vybrali jsme|zůstáváme u|odloženo"
    r" na|nebudeme)\b",
)
_NORDIC = family(
    "bestämde|beslutade|beslut|kom överens|vi valde|vi behåller|vi byter|besluttede"
    "|besluttet|bestemte|ble enige|blev enige|vi valgte|vi beholder|vi dropper|skjuter"
    "|utsatt|udskudt",
    r"\b(?:bestämde|beslutade|beslutat|besluttede|besluttet|bestemte)\b|\bkom överens\b"
    r"|\bble(?:v)? enige om\b|\bvi (?:valde|behåller|byter till|valgte|beholder|dropper"
    r"|skjuter upp)\b|\b(?:utsatt|udskudt) til\b",
)
_TURKISH_AND_MORE = family(
    "karar ver|karar al|kararlaştır|seçtik|vazgeçtik|anlaştık|ertelendi|quyết định|chốt"
    "|thống nhất|memutuskan|diputuskan|sepakat",
    r"\bkarar (?:verdik|verildi|aldık|verdi)\b|\bkararlaştır|\b(?:seçtik|vazgeçtik"
    r"|anlaştık|ertelendi)\b",
    r"\b(?:quyết định|đã chốt|chốt|thống nhất)\b(?! chưa)|\b(?:memutuskan|diputuskan"
    r"|sepakat)\b",
)
#: A family for each language, and those of other constructions, in this order.
DECIDING: tuple[Family, ...] = (
    _ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH, _RUSSIAN,
    _CHINESE, _JAPANESE, _KOREAN, _POLISH, _UKRAINIAN_CZECH, _NORDIC, _TURKISH_AND_MORE,
    *CHOOSING,
)  # fmt: skip
#: How a person's answer starts that chooses: ``stay on the old one``.
CHOICE_OF_A_PERSON = re.compile(
    r"(?:(?:ok|okay|yes|no|fine|then|well)[,.]? )?(?:stay|keep|stick|take"
    r"|go(?! with your)) "
    r"(?:on|with|to|the|it|both|all)\b|[\w' .,$€%-]{2,24} it is(?:$|[.;!]| then\b)"
    r"|(?:esto |eso )?(?:lo|la|los|las) \w+[aei]mos\b"
    r"|(?:bleib|nimm|behalte?|nehmt|behaltet|lass) (?:bei|beim|das|die|den|es)\b"
    r"|(?:garde|prends|reste|gardons|prenons) |(?:quédate|coge|toma|usa) (?:con|el|la)"
    r"|(?:fica|pega|usa) (?:com|o|a) |(?:tieni|prendi|usa) |(?:оставь|бери|берите) "
)
