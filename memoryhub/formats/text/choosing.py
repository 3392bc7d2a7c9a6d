"""Phrases for choices, in addition to the verbs of deciding.

A family for each language, over lower-case sentences, as in `deciding`.
"""

from __future__ import annotations

from memoryhub.formats.text.stems import Family, family

_ENGLISH = family(
    "ended up|made the call|we're |we are |staying|sticking|keeping|dropping|switching"
    "|stopping|retiring|no more|signed off",
    r"\bended up (?:with|choosing|going|using|keeping)\b|\bmade the call (?:to|that)\b",
    r"\bwe(?: are|['’]re) (?:keeping (?!an eye|track)|dropping|sticking|staying (?:on"
    r"|with)"
    r"|switching|skipping|retiring|stopping)\b",
    r"^(?:staying (?:on|with)|sticking with|keeping the (?!lights|logs?)"
    r"|dropping (?:the"
    r"|support)|switching (?:to|back)|stopping the) \w+",
    r"^no more \w+",
)
_GERMAN = family(
    "raus|nicht in frage|nicht infrage|ins haus|durchgesetzt|steht fest|es bleibt"
    "|kommt weg|entscheiden uns",
    r"\b(?:fliegt|fliegen|ist damit|sind damit) raus\b|\bkommt (?:nicht (?:in ?frage"
    r"|infrage|ins haus)|weg)\b|\bhat sich durchgesetzt\b|\bsteht fest\b",
    r"\bes bleibt (?:dabei|bei)\b|\bwir entscheiden uns\b",
)
_FRENCH = family(
    "acté|entendu|réglé|d'accord|d’accord|tient à|on bascule|on revient|on opte|on mise"
    "|on choisit|on retient|on fixe|exit |plus de |nous choisissons",
    r"\bc['’]est (?:acté|entendu|tranché)\b|\b(?:s['’]est|sommes"
    r"|se sont) mis d['’]accord\b",
    r"\bon (?:s['’]en tient|bascule|revient|opte|mise sur|choisit|retient|fixe)\b",
    r"^(?:exit |plus de (?!détails|temps|\d)\w+ )",
)
_SPANISH = family(
    "se mantiene|se elimina|se queda|se fija|se pasa a|se deja de|se retira"
    "|se sustituye"
    "|quedó |queda |decantamos|apostamos|se opta",
    r"\bse (?:mantienen?|eliminan?|fijan?|pasan? a|dejan? de|retiran?|sustituyen?)\b",
    r"\bse quedan? (?:fuera|como|igual|con|así)\b|\bnos decantamos\b|\bapostamos por\b",
    r"\bqued(?:ó|a) (?:fijad|en que|acordad|decidid|descartad)",
)
_PORTUGUESE = family(
    "definimos|resolvemos|martelo|fechou|fechámos|mantém-se|passa a ser|passam a"
    "|deixamos de|fica para|ficam para|fica só|fica fora|fica assim|ficam como",
    r"\b(?:definimos|resolvemos|bate(?:mos|u) o martelo|fechou com|fechámos"
    r"|deixamos de)\b",
    r"\b(?:mantém-se|passa a ser|passam a|fica(?:m)? (?:para|só|fora|como|assim))\b",
)
_ITALIAN = family(
    "si resta|si rimane|si passa a|si rimanda|si rinuncia|si va con|si mantiene"
    "|la scelta"
    "|scegliamo|optiamo|stabiliamo|decidiamo|niente ",
    r"\bsi (?:resta|rimane|passa a|rimanda|rinuncia|va con|mantiene)\b",
    r"\bla scelta (?:è|cade)\b|\b(?:scegliamo|optiamo|stabiliamo|decidiamo)\b",
    r"^niente (?!di|da|altro|più)\w+",
)
_DUTCH = family(
    "we kozen|het eens|blijft |stappen af|gaat niet door|komt er niet|vervalt"
    "|we besluiten",
    r"\bwe (?:kozen|besluiten|stappen af)\b|\b(?:zijn|waren) het eens\b",
    r"\bblijft (?:bij|zoals|zo)\b|\bgaat niet door\b|\bkomt er niet\b|\bvervalt\b",
)
_RUSSIAN = family(
    "сошлись на|порешили|принято решение|уходим от|возвращаемся к|остаётся |остается "
    "|отказ от",
    r"\b(?:сошлись на|порешили|принято решение|уходим от|возвращаемся к)\b",
    r"\bоста(?:ё|е)тся (?:прежн|как |стар|без измен|в силе)",
)
_POLISH = family(
    "wybieramy|wracamy do|odpuszczamy|decydujemy|koniec z|wybór padł|zostaje ",
    r"\b(?:wybieramy|wracamy do|odpuszczamy|decydujemy|koniec z|wybór padł)\b",
)
_CHINESE = family(
    "定为|定在|定成|统一用|统一为|统一改|停用|维持原|维持现|照旧|就按|为准",
    r"(?<!规)(?<!固)(?<!稳)定(?:为|在|成)|统一(?:用|为|改)|停用|维持[原现]|照旧|就按"
    r"|以[^，。]{1,12}为准",
)
_JAPANESE = family(
    "決めた|一本化|でいく|こととする|ない方針|やめることに|で確定",
    r"決めた(?:。|$)|一本化|でいく(?:。|$)|こととする|ない方針|やめることに|で確定",
)
_KOREAN = family(
    "정했다|정했음|정함|로 간다|로 가자|통일|유지한다|그만둔다|미룬다|폐지|두지 않"
    "|받지 않",
    r"정(?:했다|했음|함)(?:[.]|$)|로 (?:간다|가자)|로 통일|유지한다|그만둔다|미룬다"
    r"|폐지",
    r"(?:두|받|쓰|팔)지 않(?:는다|음|기로)",
)
#: In the order of the families of `deciding`.
CHOOSING: tuple[Family, ...] = (
    _ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH, _RUSSIAN,
    _POLISH, _CHINESE, _JAPANESE, _KOREAN,
)  # fmt: skip
