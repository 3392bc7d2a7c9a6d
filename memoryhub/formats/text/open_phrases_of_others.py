"""Phrases of open work in Romance and Slavic languages, in Dutch and Turkish.

See `memoryhub.formats.text.open_phrase_words`.
"""

from __future__ import annotations

from memoryhub.formats.text.open_families import family

FRENCH = {
    "il faut": r"^il faut (?!toujours|jamais|savoir)\w+(?:er|ir|re)\b",
    "relanc": r"^relancer \w|\bà relancer\b|\bje (?:le |la )?relance\b",
    "quelqu": r"\bquelqu['’]un (?:doit|devrait|pourrait)\b",
    "nouvelles": r"\bsans nouvelles\b",
    "devr": r"\bdevr(?:a|ont|ait|aient) (?:être |encore )?\w+",
    "atten": r"\bj['’]attends\b|\battend (?:la|le|une?|sa|son|que|toujours)\b"
    r"|\ben attente d|\bon attend\b",
    **family(
        "pas | pas",
        r"\b(?:toujours|encore) pas\b|\bpas encore\b"
        r"|\bpas (?:encore )?de (?:réponse|nouvelles|retour)\b"
        r"|\b(?:n['’]|ne )(?:\w+ )?(?:a|ont|est|sont|avons|ai) (?:toujours |encore )?"
        r"pas (?:encore )?(?:répondu|rappelé|confirmé|envoyé|payé|décidé|tranché|fait"
        r"|reçu|livré|arrivée?s?|prêts?|signé|terminé|fini|rendu)\b"
        r"|\bne sait pas\b",
    ),
    "reste": r"^(?:il )?reste (?:à|la|le|les|une?|l['’]|encore|\w+ \w+ à)"
    r"|\bil reste\b|\breste(?:nt)? (?:ouverte?s?|à \w+er|en suspens)\b",
    "manque": r"\bil manque\b|\bmanquent?\W*\Z",
    "suspens": r"\ben suspens\b",
    "doit ": r"\bdoit (?:encore |me |nous |toujours |y )?(?:rappeler|répondre|envoyer"
    r"|passer|confirmer|venir|trancher|décider|signer|apporter|revenir)\b",
    **family(
        "tranchera|décidera|rappellera|repassera|confirmera|enverra",
        r"\b(?:tranchera|décidera|rappellera|repassera|confirmera|enverra)\b",
    ),
    "réfléch": r"\b(?:veut|va) (?:y )?réfléchir\b|\bréfléchit\b",
    "personne": r"\bpersonne ne sait\b",
    "oublier": r"\bne pas oublier\b",
    "moitié": r"\bà moitié\b",
    "promis": r"\ba promis\b",
    "à faire": r"\b\w+ à faire\b",
}
FRENCH_LOOSE = {
    "faut": r"\bil faut\b",
    "faud": r"\bil faud(?:ra|rait)\b",
    "demain": r"^demain\b|\bdemain\W*\Z|\bà \w+er demain\b",
    "je dois": r"\bje dois\b",
    "devons": r"\bnous devons\b",
    "lundi": r"\b(?:rappeler|voir|faire|passer|relancer) (?:\w+ ){0,3}lundi\b",
}
SPANISH = {
    "hay que": r"^(?:aún |todavía )?hay que (?!decir|saber)\w+r\w*\b",
    **family(
        "queda |quedan ",
        r"^quedan? \w+r\b",
    ),
    **family(
        "insistir|reclamar|perseguir",
        r"^(?:insistir|reclamar|perseguir) (?:a|con|en)\b",
    ),
    "claro": r"\bno (?:está|queda|es) claro\b",
    "alguien": r"\balguien (?:tiene que|debe|debería)\b",
    "esper": r"\besperando (?:a|la|el|que|respuesta|su)\b"
    r"|\bespero (?:que|a que|la|su|respuesta)\b|\ba la espera de\b"
    r"|\besperamos (?:la|el|a|que|respuesta)\b",
    "aún": r"\baún (?:no|sin|falta|por)\b",
    "todavía": r"\btodavía (?:no|sin|falta|por)\b|\bno \w+ todavía\b"
    r"|\bse sabe todavía\b",
    "sin ": r"\bsin (?:respuesta|contestar|noticias|confirmar|resolver|hacer|terminar"
    r"|enviar|probar|decidir|asignar|firmar|pagar)\b",
    **family(
        "no ha|no he",
        r"\bno (?:ha|han|hemos|he) (?:\w+ )?(?:contestado|respondido|confirmado"
        r"|mandado|enviado|llegado|decidido|llamado|podido|firmado|pagado|terminado)\b",
    ),
    "falta": r"\bfaltan? (?:que|por|el|la|los|las|un|una|\w+r|\d+|tres|dos)\b",
    "queda": r"\bquedan? (?:por|pendientes?|(?:\w+ ){1,3}por \w+r)\b",
    "pendiente": r"^(?:queda |sigue |está )?pendiente\b|\b(?:está|sigue|queda|siguen"
    r"|quedan) pendientes?\b|\bpendiente de\b",
    "sigue ": r"\bsigue (?:sin|roto|rota|abiert[oa]|parad[oa])\b",
    "mañana": r"\bel resto mañana\b",
    "nadie": r"\bnadie (?:sabe|ha|quiere)\b",
    "se sabe": r"\bno se sabe\b",
    "pens": r"\bquiere pens[aá]r\w*\b|\blo está pensando\b",
    "olvid": r"\bno olvidar\b",
    "medias": r"\ba medias\b",
    "quedó": r"\bquedó en (?:\w+r|que)\b|\bquedó (?:por|sin|pendiente)\b",
}
SPANISH_LOOSE = {
    "hay que": r"\bhay que \w+r\w*\b",
    "que ": r"\b(?:tengo|tenemos|tiene|tienen) que \w+r\w*\b",
    "mañana": r"^mañana (?!\w+[óé]\b)|\bmañana\W*\Z",
    "el lunes ": r"\bel lunes (?:\w+ ){0,3}(?:llamar|hay|toca|viene)\b",
    "debe": r"\bdebemos \w+r\b|\bdebería(?:mos)? \w+r\b",
}
PORTUGUESE = {
    "precisa": r"^precisa(?:mos)?(?: de)? \w+r\b",
    "cobrar": r"^cobrar (?:d|a |o )",
    "alguém": r"\balguém (?:tem (?:que|de)|precisa|deve)\b",
    "claro": r"\bnão (?:está|ficou|é) claro\b",
    **family(
        "espera|espero ",
        r"\bà espera (?:d\w+|que)\b|\bespero (?:a|o|que|resposta)\b",
    ),
    "aguard": r"\baguard(?:o|a|am|ando|amos)\b",
    "ainda": r"\bainda (?:não|sem|falta\w*|por|nada|espero)\b",
    "sem ": r"\bsem (?:resposta|retorno|notícias|confirmação|resolver|assinar)\b",
    "não ": r"\bnão (?:respondeu|responderam|confirmou|enviou|mandou|chegou|ligou"
    r"|atendeu"
    r"|apareceu|foi (?:testado|enviado|pago|decidido|feito))\b|\bnão se sabe\b",
    "falta": r"\bfaltam? (?:a|o|as|os|um|uma|que|\w+r|\d+|só|dois|três)\b",
    **dict.fromkeys(
        ("fica ", "ficou ", "ficaram "),
        r"\bfic(?:a|ou|aram) (?:para|pra|por|de|pendente|em aberto) \w+"
        r"|\bfic(?:a|ou) (?:em aberto|pendente)\b",
    ),
    "pendente": r"^pendente\b|\b(?:está|continua|segue|ficou) pendente\b",
    "ninguém": r"\bninguém (?:sabe|tem|quer|respondeu)\b",
    "pens": r"\b(?:vai|quer) pensar\b",
    "esquecer": r"\bnão esquecer\b",
    **family(
        "metade|a meio",
        r"\bsó metade\b|\ba meio\b",
    ),
    "prometeu": r"\bprometeu\b",
    "rest": r"\brestam? \w+r\b",
}
#: An infinitive and an article at the start: a task of a Romance language.
_INFINITIVE = (
    r"^(?!hier\b|ayer\b|after\b|over\b|under\b|per\b|\w+ier\b)\w{2,}(?:ar|er|ir|are|ere"
    r"|ire) (?:o|os|el|la|los|las|un|una|um|uma|le|les|des|du|il|lo|gli|al|aux?|à"
    r"|l['’])"
)
_ARTICLES = "o os el la los las um uma un una le les des du al au à"
ROMANCE_LOOSE = {f"r {article} ": _INFINITIVE for article in _ARTICLES.split()}
PORTUGUESE_LOOSE = {
    **family("ar as|ir as", r"^\w{3,}(?:ar|ir) as\b"),
    "r amanhã": r"^\w{3,}(?:ar|er|ir) amanhã\b",
    "precis": r"\b(?:preciso|precisamos|precisa)(?: de)? \w+r\b|\bé preciso\b",
    **family(
        "tem que |tem de |temos que |temos de |tenho que |tenho de ",
        r"\b(?:tem|temos|tenho) (?:que|de) \w+r\b",
    ),
    "enho de": r"\btenho de \w+r\b",
    "amanhã": r"^amanhã\b|\bamanhã\W*\Z",
    "depois": r"^depois (?:vê|ver|testar|falar|confirmar)\b",
}
ITALIAN = {
    "bisogna": r"^bisogna (?:ancora )?\w+re\b",
    "sollecit": r"^sollecitare \w",
    "qualcuno": r"\bqualcuno (?:deve|dovrebbe)\b",
    "chiaro": r"\bnon (?:è|è ancora) chiaro\b",
    "attesa": r"\bin attesa d\w+\b",
    "aspett": r"\baspett(?:o|iamo|a)\b",
    "ancora": r"\bancora (?:non|nessun\w*|da|in attesa|apert\w)\b"
    r"|\bnon (?:\w+ ){1,3}ancora\b"
    r"|\bnon si sa ancora\b",
    "risposto": r"\bnon (?:ha|hanno) risposto\b",
    "risposta": r"\bnessuna risposta\b|\bsenza risposta\b",
    "manca": r"\bmanca(?:no)? (?:ancora |il |la |i |le |lo |un |una |l['’]|solo |\d)",
    "resta": r"\brestan?o? da\b|\bresta apert[oa]\b",
    "\\bdeve ": r"\bdeve (?:ancora |mi |)(?:confermare|rispondere|mandare|firmare"
    r"|decidere)\b",
    "nessuno": r"\bnessuno (?:sa|ha)\b",
    "da ": r"\bda (?:decidere|verificare|confermare|chiarire|finire|definire"
    r"|rivedere)\b",
    "metà": r"\ba metà\b",
    "pensarci": r"\bpensarci\b",
}
ITALIAN_LOOSE = {
    "bisogna": r"\bbisogna \w+re\b",
    "devo ": r"\bdevo \w+re\b",
    "da ": r"\bda \w{3,}(?:are|ere|ire)\b",
    "dobbiamo": r"\bdobbiamo \w+re\b",
    "domani": r"^domani\b|\bdomani\W*\Z",
}
RUSSIAN = {
    "надо": r"^(?:ещ[её] )?надо (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "нужно": r"^(?:ещ[её] )?нужно (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "осталось": r"\bосталось (?:\w+ ){0,2}\w+(?:ть|ти)\b",
    "напомнить": r"^напомнить \w",
    "непонят": r"^непонятно\b|\bнепонятно,",
    "кто-": r"\bкто-(?:то|нибудь) долж(?:ен|на)\b",
    "жд": r"\b(?:жд[её]м|жду|подождать)\b",
    "ожида": r"\b(?:ожидаем|ожидается|в ожидании)\b",
    "нет": r"\b(?:ответа|реакции|решения|подписи|сч[её]та)(?: \w+){0,3} нет\b"
    r"|\bнет (?:пока )?(?:ответа|решения|подписи)\b|\b(?:пока|ещ[её]) нет\b",
    **family(
        "не |неясно|непонятно",
        r"\b(?:ещ[её]|пока|так и|до сих пор) не(?:т|ясно|понятно)?\b|\bне (?:ответил"
        r"|перезвонил|прислал|успел|решил|подтвердил|подписал|оплатил|дошли руки)\w*\b"
        r"|\bне хватает\b|\bне (?:подписан|оплачен|готов|провер|решен|решён)\w*\b",
    ),
    "неясно": r"\b(?:неясно|непонятно)\b",
    "открыт": r"\bвопрос\b.{0,40}\bоткрыт\b",
    "обещал": r"\bобещал\w*\b",
    "дума": r"\b(?:думает|подумает)\b",
    "висит": r"\b(?:вс[её] ещ[её] |пока )висит\b",
    "никто": r"\bникто не\b",
    "под вопросом": r"\bпод вопросом\b",
    "наполовину": r"\bнаполовину\b",
    "не забыть": r"\bне забыть\b",
}
RUSSIAN_LOOSE = {
    "надо": r"\bнадо (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "нужно": r"\bнужно (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "ю": r"\b(?:позвоню|проверю|доделаю|уточню|сделаю|отправлю)\b",
    "шу": r"\b(?:напишу|спрошу)\b",
    **dict.fromkeys(
        ("пришл", "перезвонит", "ответит", "посмотрит", "подумает", "решит", "привез"),
        r"\b(?:пришл[её]т|перезвонит|ответит|посмотрит|подумает|решит|привез[её]т)\b",
    ),
    "предстоит": r"\bпредстоит \w+ть\b",
    "завтра": r"^завтра\b|\bзавтра\W*\Z|\bзавтра \w+ть\b",
    "ть": r"^(?!есть\b|опять\b|часть\b|пять\b|сеть\b|суть\b)\w{3,}(?:ать|ить|еть|ять"
    r"|оть|уть|ыть|йти|зти|сти)(?:ся)?\b",
    "йти": r"^(?:найти|зайти|пройти|дойти|подойти|выйти)\b",
    **family(
        "должен|должна|должны",
        r"\bдолж(?:ен|на|ны) \w+ть\b",
    ),
}
POLISH = {
    "trzeba": r"^(?:jeszcze )?trzeba \w+(?:ć|c)\b",
    "zostało": r"\bzostało (?:\w+ ){0,2}\w+ć\b",
    **family(
        "dopyt|dopiln|przypom",
        r"^(?:dopytać|dopilnować|przypomnieć) \w",
    ),
    "leży": r"\b(?:dalej|nadal|wciąż) leży\b",
    "ktoś": r"\bktoś (?:musi|powinien)\b",
    "czeka": r"\b(?:czeka(?:m|my)?|czekają) na\b",
    "oczek": r"\boczekuj\w+ na\b",
    "odpis": r"\bnie odpis\w+\b",
    "wiadomo": r"\bnie wiadomo\b",
    "jeszcze": r"\bjeszcze nie\b|\bnie \w+ jeszcze\b",
    "nie ": r"\bnie (?:odpisał|odpowiedział|oddzwonił|potwierdził|przysłał|zdążył)\w*\b"
    r"|\bnie wiadomo\b",
    "brak": r"\bbrak(?:uje)? (?:\w+)\b",
}
POLISH_LOOSE = {
    "trzeba": r"\btrzeba \w+ć\b",
    "jutro": r"^jutro\b|\bjutro\W*\Z",
    r"\bma ": r"\bma \w+(?:ć|ść)\b",
    "ć": r"^\w{3,}(?:ać|ić|yć|eć|ąć|ść|źć)\b|[—–-] \w{3,}(?:ać|ić|yć|eć|ąć|ść|źć)\W*\Z",
    **family(
        "muszę|musimy",
        r"\b(?:muszę|musimy)\b",
    ),
}
TURKISH = {
    "bekl": r"\bbekliyor\w*\b|\bbekleniyor\b|\bbekleniyor\b",
    "henüz": r"\bhenüz\b",
    "hâlâ": r"\bhâlâ\b",
    "cevap": r"\bcevap (?:yok|gelmedi|vermedi)\b",
    "hala": r"\bhala (?:yok|bekl)\w*\b",
    "belli değil": r"\bbelli değil\b",
}
TURKISH_LOOSE = {
    "yarın": r"^yarın\b",
    "lazım": r"\b(?:etmek|yapmak|almak|aramak|\w+m[ae]k) lazım\b",
    **dict.fromkeys(("acağım", "acağız", "acak"), r"\b\w+(?:acağım|acağız|acak)\W*\Z"),
    **dict.fromkeys(("eceğim", "eceğiz", "ecek"), r"\b\w+(?:eceğim|eceğiz|ecek)\W*\Z"),
    "gerek": r"\b\w+m[ae](?:k|m|mız)? gerek\w*\b",
}
DUTCH = {
    "moet": r"\bmoet(?:en)? (?:\S+ ){1,8}worden\b",
    "ontbre": r"\bontbre(?:ekt|ken) nog\b",
    r"\bnog ": r"\bnog (?:\S+ ){0,2}(?:bellen|mailen|vragen|regelen|checken|bestellen"
    r"|sturen|nabellen|navragen|controleren)\b",
    "wacht": r"\bwacht(?:en)? (?:nog )?op\b|\bin afwachting\b",
    **family(
        "nog | nog",
        r"\bnog (?:niet|geen|te \w+en|uit te \w+|steeds (?:niet|geen)"
        r"|onduidelijk)\b"
        r"|\b(?:moet|moeten|rest|ontbreekt) (?:\w+ ){0,3}nog\b",
    ),
    "niet ": r"\bniet (?:gereageerd|geantwoord|gebeld|getest|af|klaar)\b",
    "onduidelijk": r"\bonduidelijk\b",
}
DUTCH_LOOSE = {
    "morgen": r"^morgen (?:\w+ ){0,2}(?:ik|we|bel|nog)\b",
    "moet": r"\b(?:ik|we|iemand) moet(?:en)?\b",
}
