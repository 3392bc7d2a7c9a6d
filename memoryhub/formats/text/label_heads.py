"""Labels known by their head noun: ``Decisions made today``, ``House rules (by Ana)``.

The noun may have adjectives before it and a tail behind it, or a neighbour:
``Key decisions / learnings``. A word that makes it another thing denies it: an *open*
decision is none. Labels come normalised, see `memoryhub.formats.text.labels`.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.stems import Stems

_WORD = r"[\w'’\-.]+"
#: A few words before or behind the noun.
_BEFORE = rf"(?:{_WORD} ){{0,3}}"
_BEHIND = rf"(?: {_WORD}){{0,3}}"
#: What may stand beside decisions in one label.
_NEIGHBOURS = (
    r"learnings|rules?|rationale|reasoning|conclusions?|agreements?|policies|notes"
    r"|regras|acordos|reglas|acuerdos|conclusiones|conclusões|regeln|überlegungen"
    r"|règles|выводы|договор[её]нности|结论|规则|原因|結論|学び|学んだこと|規則"
    r"|결론|규칙|regole|considerations|directions?|constraints"
)
_JOINT = (
    r"(?:\s*[/&+,・、]\s*|\s+(?:and|und|y|e|et|и|및|と)\s+|[与和及]|(?<=[^\x00-\x7f]) )"
)
_NEIGHBOUR = rf"(?:{_JOINT}(?:{_NEIGHBOURS}))?"

_DECISIONS = re.compile(
    rf"(?:{_BEFORE}decisions?(?: (?:made|taken|reached|confirmed|locked|recorded|record"
    rf"|log|summary|list|so far|outcome|today|this week|of the (?:day|week|session)"
    rf"|(?:made|taken|reached) (?:today|so far|this \w+|in .{{1,30}}|on .{{1,20}})"
    rf"|(?:from|for|about|on|in|by|with|since|during) .{{1,40}}))?"
    rf"|(?:the )?(?:things?|what|points?|stuff) (?:that )?(?:we|was|were|is|got)"
    rf"(?: have| had| all)? ?(?:decided|settled|agreed(?: on)?|chosen|chose)"
    rf"|(?:already |finally )?(?:settled|agreed|decided)(?: (?:on|with) .{{1,30}})?"
    rf"|(?:{_WORD} ){{0,2}}decis(?:ão|ões|ión|iones|ione|ioni)(?:[- ]chave|[- ]clave)?"
    rf"{_BEHIND}"
    rf"|acu?[eo]rd(?:o|os){_BEHIND}|(?:{_WORD} ){{0,2}}décisions?{_BEHIND}"
    rf"|o que (?:decidimos|combinamos|ficou (?:decidido|combinado|definido))"
    rf"|lo que (?:decidimos|acordamos|se (?:decidió|acordó))|lo (?:acordado|decidido)"
    rf"|ce qu(?:e nous avons|[’']on a|i a été) (?:décidé|convenu)"
    rf"|cosa abbiamo deciso|(?:quello )?che abbiamo deciso"
    rf"|(?:{_WORD} ){{0,2}}\w{{0,24}}(?:entscheidung(?:en)?|beschl[uü]sse?|beschluss)"
    rf"(?: (?:von|vom|zu|zum|zur|für|aus|heute|des|der|im|in|bis) ?.{{0,30}})?"
    rf"|was (?:wir|ich) (?:\w+ )?(?:entschieden|festgelegt|beschlossen|vereinbart"
    rf"|festgezurrt|geklärt|abgemacht|ausgemacht|geregelt|ändern)(?: haben| habe)?"
    rf"|(?:what )?we(?:['’]re| are| will)? chang(?:e|ing)|changes (?:we make|agreed)"
    rf"|(?:things?|points?|matters) (?:settled|agreed|fixed|decided)|settled (?:things"
    rf"|points|matters)|what (?:i|we|\w+) (?:chose|picked|kept|dropped|settled on|went"
    rf" with|left out)(?: and why)?|decisions? (?:you|we|i|that|which|to|not) .{{1,40}}"
    rf"|(?:deliberately |left )(?:left )?out|won['’]?t do|not doing|bewusst nicht"
    rf"|weggelassen|was wir (?:lassen|nicht machen)|ficou de fora|quedó fuera"
    rf"|quedan fuera"
    rf"|lasciato fuori|laissé de côté|écartés?|bewust niet|pominięte|не делаем"
    rf"|不做的?|やらないこと|하지 않기로 한 것"
    rf"|(?:das )?ändern wir|on change|ce qu(?:['’]on|e nous) changeo?n?s?|cambiamos"
    rf"|(?:lo que )?vamos a cambiar|mudamos|o que muda(?:mos)?|cambiamo|zmieniamy"
    rf"|(?:что )?меняем|变更|改めること|바꿀 것|what stands|what holds"
    rf"|was (?:jetzt )?gilt"
    rf"|ce qui (?:est fixé|tient)|lo que queda(?: fijo)?|cosa vale|co obowiązuje|fixed"
    rf"|fixé|fijado|festgesetzt|(?:key |main |final )?outcomes?|scope|périmètre|alcance"
    rf"|umfang|escopo|âmbito|ambito|zakres|объ[её]м|范围|範囲|범위|(?:entschieden"
    rf"|festgelegt|beschlossen|vereinbart)(?: wurde)?"
    rf"|(?:{_WORD} ){{0,2}}решения(?: {_WORD}){{0,3}}"
    rf"|(?:что|о ч[её]м) (?:мы )?(?:ещ[её] )?(?:решили|договорились)"
    rf"|(?:{_WORD} ){{0,1}}(?:решили|договорились)(?: {_WORD}){{0,2}}"
    rf"|\w{{0,6}}(?:决策|决定|决议|決策|決議)(?:要点|事项|内容|结果|点)?"
    rf"|\w{{0,6}}決定(?:事項|内容|点)?|決ま(?:った|り)(?:こと|ごと)?"
    rf"|(?:{_WORD} ){{0,1}}\w{{0,4}}결정(?: ?(?:사항|내용))?(?: {_WORD})?"
    rf"|合意(?:事項)?|합의(?: ?사항)?"
    rf"|(?:{_WORD} ){{0,2}}(?:choices|calls)(?: made)?(?: (?:today|this week|so far))?"
    rf"|(?:ground )?rules (?:that )?(?:we|i) (?:wrote down|agreed(?: on)?|set|made"
    rf"|fixed)"
    rf"(?: .{{1,40}})?|out of scope|non[- ]goals|not in scope"
    rf"|(?:{_WORD} ){{0,1}}choix{_BEHIND}|hors (?:périmètre|sujet)"
    rf"|fuera de alcance|fora (?:do|de) (?:escopo|âmbito)|fuori (?:ambito|scope)"
    rf"|(?:nicht im umfang|außer reichweite|festlegungen?|was feststeht)"
    rf"|(?:{_WORD} ){{0,2}}(?:besluit(?:en)?|afspraken|keuzes){_BEHIND}"
    rf"|wat (?:we|er) (?:\w+ )?(?:besloten|afgesproken)(?: hebben| is)?|buiten scope"
    rf"|(?:{_WORD} )?(?:elecciones|escolhas|scelte){_BEHIND}"
    rf"|(?:{_WORD} )?(?:decyzj[aei]|ustalenia|kararlar?|beslut(?:ninger|ningar)?"
    rf"|rozhodnutí)(?: {_WORD})?"
    rf"|(?:vereinbart|ustalenie|ustalone)(?: {_WORD}){{0,4}}"
    rf"|co postanowiono(?: {_WORD})"
    rf"{{0,3}}|история решений|historia decyzji|histor(?:ial|y|ique) (?:de |of |des )?"
    rf"d[eé]cisions?|historial de decisiones"
    rf"|(?:settled|locked in|agreed)(?: (?:with|by|today|this week"
    rf"|so far)){{0,2}}(?: {_WORD}){{0,2}}"
    rf"|(?:abgemacht|ausgemacht|festgehalten|geklärt|festgezurrt)(?: {_WORD}){{0,2}}"
    rf"|(?:absprachen?|vereinbarung(?:en)?|abmachung(?:en)?){_BEHIND}"
    rf"|(?:ce qui est )?(?:acté|tranché|convenu)(?: {_WORD}){{0,3}}"
    rf"|arbitrages?{_BEHIND}"
    rf"|relevé de décisions|accords?{_BEHIND}|en résumé on a décidé"
    rf"|acordado(?: {_WORD}){{0,3}}|resoluciones|combinados?(?: {_WORD}){{0,3}}"
    rf"|definições"
    rf"|(?:o que )?ficou (?:assim|fechado)|accordi{_BEHIND}"
    rf"|concordato(?: {_WORD}){{0,2}}"
    rf"|stabilito(?: {_WORD}){{0,2}}|deciso(?: {_WORD}){{0,2}}|punti fermi"
    rf"|(?:{_WORD} )?(?:decyzje|decyzja|ustalenia|postanowienia){_BEHIND}"
    rf"|(?:ustalono|uzgodniono|zdecydowano|co (?:ustaliliśmy"
    rf"|postanowiliśmy))(?: {_WORD})?"
    rf"|рішення(?: {_WORD}){{0,2}}|домовленості|принято(?: {_WORD})?"
    rf"|решено(?: {_WORD})?"
    rf"|(?:정한|정해진|결정된|합의된) (?:것|일|내용)(?:들)?|확정(?: ?사항)?"
    rf"|(?:もう|既に)?決まって(?:い)?る(?:こと|事|件)|方針"
    rf"|(?:已经?|早就)?(?:定下来?|定好|定死|说死|敲定|拍板|商定|谈妥|定)了?的.{{0,4}}"
    rf"|(?:讨论|商量)(?:的)?结果|.{{0,4}}中的选择"
    rf"|(?:.{{1,24}} — )?(?:cose|rzeczy|sprawy) (?:stabilite|decise|fissate|chiuse"
    rf"|zamknięte|ustalone|postanowione)|zamknięte sprawy"
    rf"|herausgekommen ist|was (?:[\w.]+ ){{1,5}}(?:festgezurrt|beschlossen|entschieden"
    rf"|vereinbart|festgelegt) (?:wurde|worden ist)"
    rf"|(?:things?|what) (?:i|we) (?:chose|decided|picked|settled)(?: .{{1,60}})?"
    rf"|(?:qué|que) (?:decidimos|acordamos)|cosas (?:decididas|acordadas|resueltas)"
    rf"|(?:o que )?ficou (?:decidido|combinado|definido|acertado)(?: .{{1,20}})?"
    rf"|karar (?:verilenler|verdiklerimiz)|kesinleşenler|alınan kararlar"
    rf"|реш[её]нное|решённые вопросы|choses (?:décidées|actées)"
    rf"|決めたこと|決まった事|取り決め|確定(?:事項)?|约定|已定(?:事项)?|定下来的事?"
    rf"|(?:принятое|итоговое) решение|定案|共识|结论与决定"
    rf"){_NEIGHBOUR}"
)
#: The noun in the plural, wherever it is in a short heading, or a participle behind
#: what was settled: ``Things settled``, ``What I chose and why``. The group is what is
#: before it, with one word behind it.
_OF_DECISIONS = re.compile(
    rf"((?:(?:{_WORD},? ){{0,4}}"
    rf"(?:decisions|choices|decisiones|acuerdos|decisões|acordos|\w{{0,24}}entscheidungen"
    rf"|beschlüsse|décisions|decisioni|scelte|besluiten|afspraken|decyzje|ustalenia"
    rf"|postanowienia|решения|kararlar)"
    rf"|(?:settled|agreed|decided|entschieden|beschlossen|vereinbart|convenu|deciso"
    rf"|besloten|afgesproken|ustalono|решено|решили)(?!(?: {_WORD}){{5}})"
    rf"(?= (?!to|that|on|not|against|for|dass|que|che|dat|że|что)\w)"
    rf"|(?:things?|matters|points?|topics?|what|was|wat|cosa|co|ce qu[ei’']+|l?o que"
    rf"|что),? (?:{_WORD},? ){{0,3}}(?:settled|agreed|decided|ruled(?: out)?|chosen"
    rf"|chose|entschieden|beschlossen|festgelegt|vereinbart|décidé|convenu|deciso"
    rf"|besloten|afgesproken|ustalono|ustalone|решено|решили|договорились))"
    rf"(?:,? {_WORD})?)(?:,? {_WORD}){{0,5}}"
)
#: A list of several kinds: ``Decisions and lessons learned``.
_OTHER_KINDS = re.compile(r"\b(?:lessons|questions|to-?dos?|actions?|risks|issues)\b")
_NO_DECISIONS = re.compile(
    r"\b(?:open|pending|undecided|no|not|awaiting|needs?|needed|next|upcoming|required"
    r"|require|requires|future|unresolved|waiting|blocked|outstanding|make|making|user"
    r" to|to be|joke|how|why|when|past|if|possible|for a|your|rejected|postponed"
    r"|deferred|for me|house|ground rules$|offene[nr]?|ausstehende|anstehende"
    r"|n[oä]chste|noch|nicht|keine|keinen"
    r"|pendentes?|pendientes?|abertas?|abiertas?|por tomar|a tomar|próximas?|sem|sin"
    r"|sans|aucune|en attente|à prendre|открытые|ожидающие|нерешённые|нет|без|не"
    r"|da prendere|in sospeso|nessuna)\b|[待未没沒无無不]|需要|等待|保留|미결|보류|대기"
)
_DIRECTIVES = re.compile(
    rf"(?:bitte|bitten|s['’]il te plaît|por favor|please|пожалуйста|proszę|お願い|부탁"
    rf"|(?:how|what|the way) {_WORD} (?:wants?|likes?|expects?)(?: {_WORD}){{0,3}}"
    rf"|(?:house|ground|standing|golden|hard|user|user[’']s|owner|owner[’']s"
    rf"|working|his"
    rf"|her|their|my|human|communication|the human[’']s|firm|permanent|explicit) "
    rf"(?:rules?|preferences?|instructions?|feedback|corrections?|orders?|directives?"
    rf"|wishes|requests)(?: {_WORD}){{0,3}}"
    rf"|(?:rules?|preferences?|corrections?|directives?|feedback|boundaries|red lines"
    rf"|standing orders|dos and don[’']?ts|do[’']?s and don[’']?ts)"
    rf"(?: (?:so far|from|by|of|from the) ?.{{0,20}})?"
    rf"|(?:things|what|stuff) (?:that )?(?:\w+ ){{1,2}}(?:has |have )?(?:told|asked"
    rf"|said)"
    rf"(?: (?:to )?(?:me|us))?(?: {_WORD}){{0,3}}|preference signals?"
    rf"|indicaciones(?: de(?:l| la)? {_WORD})?|indicações(?: d[aeo]s? {_WORD})?"
    rf"|órdenes(?: de {_WORD})?|como (?:ela|ele|eles) (?:gosta|quer) .{{1,20}}"
    rf"|cómo (?:le gusta|quiere) .{{1,20}}|wie (?:\w+ ){{1,2}}(?:arbeiten|es) .{{1,20}}"
    rf"|was (?:\w+ ){{1,2}}(?:gesagt|verlangt|will)(?: hat)?|was man nicht tun soll"
    rf"|comment (?:il|elle|\w+) (?:aime|veut) .{{1,20}}|à ne (?:pas|plus) faire"
    rf"|indicazioni(?: di {_WORD})?|come (?:vuole|preferisce) .{{1,20}}|da non fare"
    rf"|(?:{_WORD} )?(?:zasady|życzenia|polecenia|wskazówki)(?: {_WORD}){{0,2}}"
    rf"|(?:how|the way) {_WORD} (?:wants?|likes?|works?|prefers?)(?: {_WORD}){{0,3}}"
    rf"|was (?:(?:{_WORD}|\([^()]{{1,40}}\)) ){{1,7}}gesagt hat(?:,? \w+)?|запреты"
    rf"|verbote"
    rf"|(?:the )?rules of the {_WORD}|{_WORD}的话|{_WORD}の言葉|prohibiciones"
    rf"|proibições"
    rf"|interdictions|divieti|zakazy|verboden|금지(?: ?사항)?|禁止(?:事項)?"
    rf"|(?:working|team) agreements?|standing (?:instructions|requests)"
    rf"|(?:feedback|requests|corrections) from {_WORD}|{_WORD}(?:['’]s) (?:rules|wishes"
    rf"|requests|instructions|preferences|corrections)|do and don[’']?t"
    rf"|(?:huis)?regels(?: van {_WORD})?|voorkeuren(?: van {_WORD})?|wensen van {_WORD}"
    rf"|aanwijzingen(?: van {_WORD})?|niet doen|чего не делать|просьбы(?: {_WORD})?"
    rf"|(?:how|the way) (?:i|we|she|he|they) (?:like|want|wants|likes|work|works)"
    rf"(?: .{{1,20}})?|never|always|do not|don[’']ts?"
    rf"|regras(?: d[aeo]s? {_WORD})?|prefer[eê]ncias(?: d[aeo]s? {_WORD})?"
    rf"|reglas(?: de(?:l| la)? {_WORD})?|normas(?: de(?:l| la)? {_WORD})?"
    rf"|como (?:eu )?(?:quero|gosto) .{{1,20}}|cómo (?:quiero|me gusta) .{{1,20}}"
    rf"|lo que no hay que hacer|o que não fazer|instrucciones|instruções|correções"
    rf"|correcciones|(?:haus|grund|spiel)?regeln(?: von .{{1,20}})?|vorlieben|vorgaben"
    rf"|ansagen?(?: von .{{1,20}})?|anweisungen(?: von .{{1,20}})?"
    rf"|wünsche(?: von .{{1,20}})?"
    rf"|règles(?: (?:de|du) .{{1,20}})?|préférences(?: de .{{1,20}})?|consignes"
    rf"|правила(?: {_WORD})?|предпочтения|указания(?: {_WORD})?|пожелания(?: {_WORD})?"
    rf"|(?:{_WORD} )?(?:\w{{0,6}})?(?:规矩|要求|偏好|规则|铁律|禁忌|指示|叮嘱|規則"
    rf"|規矩)"
    rf"|(?:\w{{0,6}})?(?:ルール|好み|注意|指示|お願い|約束事)"
    rf"|(?:{_WORD} )?(?:규칙|선호(?: ?사항)?|지침|지시(?: ?사항)?|당부)"
    rf"|regole(?: {_WORD}){{0,2}}|preferenze(?: {_WORD}){{0,2}}|istruzioni)"
)
_NO_DIRECTIVES = re.compile(
    r"\b(?:business|firewall|lint|eslint|css|build|routing|alert|validation|mapping"
    r"|access|security|detection|parsing|parser|scoring|pricing|grammar|cursor|system"
    r"|technical|functional|negócio|negocio|requirements?)\b|系统|技术|功能|环境|业务"
    r"|配置"
)
#: Parts of the nouns above: a label without any of them is not matched at all.
_STEMS = Stems((
    "deci", "déci", "chose", "ruled", "décid", "settled", "agreed", "acord", "acuerd",
    "entsch", "beschl",
    "festgelegt", "vereinbart", "реше", "реши", "договор", "决", "決", "결정", "合意",
    "합의", "combin", "convenu", "ficou", "choi", "calls", "rules", "scope", "goals",
    "périm", "alcance", "escopo", "âmbito", "ambito", "umfang", "reichweite", "festleg",
    "feststeht", "beslui", "beslo", "afspra", "keuze", "eleccion", "escolha", "scelte",
    "decyz", "ustalen", "karar", "beslut", "rozhod", "定案", "共识", "afgespr",
    "hors s", "locked", "abgemacht", "ausgemacht", "festgeh", "geklärt", "festgez",
    "absprach", "abmach", "acté", "tranch", "arbitrage", "relevé", "accord", "resoluc",
    "definiç", "concordat", "stabilit", "deciso", "punti fermi", "postanow",
    "ustalono", "uzgodn", "zdecyd", "рішення", "домовл", "принято", "정한", "정해진",
    "합의", "확정",
    "chose", "picked", "kept", "dropped", "left out", "won't do", "won’t do", "doing",
    "bewusst", "weggel", "fora", "fuera", "fuori", "côté", "écart", "bewust", "pomini",
    "не делаем", "不做", "やらない", "하지 않기로", "left out", "outcome", "chang",
    "ändern", "cambia", "muda", "zmienia", "меняем", "变更", "改め",
    "바꿀", "fixed", "fixé", "fijado", "holds", "stands", "gilt", "tient", "queda",
    "obowiąz", "zakres", "объ", "范围", "範囲", "범위", "festgesetzt", "abgemacht",
    "方針", "结果", "选择", "敲定", "拍板", "商定", "谈妥", "死的", "定好", "定的",
    "herausgek", "zamkn", "resuelt", "kesinle", "alınan",
    "geregelt", "決め", "決ま", "取り決", "確定", "约定", "已定", "定下来", "en résumé",
))  # fmt: skip
_DIRECTIVE_STEMS = Stems((
    "rule", "prefer", "préfér", "instruction", "correction", "feedback", "order",
    "directive", "wish", "request", "boundar", "red lines", "don't", "don’t", "dont",
    "way ", "how ", "what ", "bitte", "plaît", "por favor", "please", "пожалуйста",
    "proszę", "부탁", "never", "always", "do not", "regra", "regla", "norma", "como ",
    "cómo ", "no hay", "não faz", "instruc", "instruç", "corre", "regel", "vorlieb",
    "vorgab", "ansage", "anweis", "wünsch", "règle", "consigne", "правил", "предпоч",
    "указан", "пожелан", "规矩", "要求", "偏好", "规则", "铁律", "禁忌", "指示", "叮嘱",
    "規則", "規矩", "ルール", "好み", "注意", "お願い", "約束", "규칙", "선호", "지침",
    "지시", "당부", "regol", "istruz", "told", "said", "asked", "signal", "indicac",
    "indicaz", "órdenes", "gosta", "gusta", "wie ", "was ", "comment", "à ne ", "come ",
    "da non", "regels", "voorkeur", "wensen", "aanwijz", "niet doen", "чего не",
    "просьб", "zasady", "życzeni", "poleceni", "wskazówk", "agreement", "запрет",
    "verbot", "的话", "の言葉", "prohib", "proib", "interdict", "diviet", "zakaz",
    "verboden", "금지", "禁止", "wants", "likes",
))  # fmt: skip


#: A text without any of them is no label of decisions or directives.
HEAD_STEMS = (*_STEMS.words, *_DIRECTIVE_STEMS.words)


def heads_decisions(label: str) -> bool:
    """Return whether the head noun of a normalised label is a decision."""
    if not _STEMS.are_in(label):
        return False
    if _DECISIONS.fullmatch(label) and not _NO_DECISIONS.search(label):
        return True
    found = _OF_DECISIONS.fullmatch(label)
    if not found or _NO_DECISIONS.search(found[1]):
        return False
    return _OTHER_KINDS.search(label) is None


def heads_directives(label: str) -> bool:
    """Return whether the head noun of a normalised label is a rule of a person."""
    return (
        _DIRECTIVES.fullmatch(label) is not None
        and _NO_DIRECTIVES.search(label) is None
    )
