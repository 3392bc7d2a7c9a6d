"""Phrases of open work by language, each with a part that every match holds.

`memoryhub.formats.text.open_phrases` searches texts for them: all are parts of
lower-case text. Those called loose plan or oblige.
"""

from __future__ import annotations

_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|later|noon"
    r"|next \w+|the (?:\d+|weekend|end|next)\w*|monday|then"
)
_DONE_PARTS = (
    r"(?:\w{2,20}ed|sent|come|got|gotten|done|written|begun|paid|made|put|found|been"
    r"|had"
    r"|given|taken|seen|said|told|bought|brought|set up|built|run)"
)
_BE_DONE = (
    r"(?!(?:needed|supported|allowed|used|required|included|affected|recommended"
    r"|related"
    r"|installed|involved|interested|supposed|based|planned)\b)"
)
_ENGLISH = {
    "wait": r"(?<!not )(?<!n't )\b(?:waiting|waits?) (?:for|on|until|to hear)\b"
    r"(?! nothing)|\bwait for (?:me|him|her|them)\b",
    "await": r"\bawait(?:s|ing)\b",
    "block": r"\b(?:is|are|still) blocked\b(?! (?:by|until))|^blocked\b|\bblocked on\b",
    "hold": r"\bon hold\b|\bheld up (?:by|until)\b",
    "no ": r"\bno (?:answer|reply|response|word|news|confirmation|decision|feedback"
    r"|reaction|quote)(?: (?:yet|so far|from|on|about|by|for|until|at)\b|\W*\Z)",
    "heard": r"(?:n['’]t|not)(?: yet)? heard\b|\bnothing heard\b",
    "t ": r"\b(?:has|have)(?: still)?n['’]t (?:yet |even |still |been ){0,2}"
    rf"{_BE_DONE}{_DONE_PARTS}\b(?! any)|\bdidn['’]t (?:answer|reply|respond|call back"
    r"|confirm|get (?:to|back|around|an answer)|finish|manage)\b"
    rf"|\b(?:is|are)n['’]t (?:yet |fully |been )?{_BE_DONE}(?:\w{{3,20}}ed|done|sent"
    r"|ready|finished|paid|set up|there yet)\b",
    "not ": r"\b(?:has|have)(?: still)? not (?:yet |been ){0,2}"
    rf"{_BE_DONE}{_DONE_PARTS}\b(?! any)|\b(?:did not (?:answer|reply|respond|call back"
    r"|confirm|get (?:to|back)|finish|manage))\b|\bnot sure (?:yet|if|whether|who|what"
    r"|how|which|where)\b|\bnot (?:been )?(?:started|renewed|signed|ordered|tested|paid"
    r"|finished|looked at|calibrated|answered|confirmed|scheduled|assigned|decided"
    r"|translated"
    r"|reviewed|verified|implemented|measured|checked|proven|settled|booked)\b"
    r"|\(not done\)|\bnot (?:\w+ ){0,3}yet\b",
    "yet": r"\byet to (?:be|\w+)\b|\b(?:nothing|none|nobody|no one|never|no|n['’]t)\b"
    r".{0,60}\byet\b",
    "still": r"\bstill (?:isn['’]t|not|no|doesn['’]t|can['’]t|fails?|failing|crash\w*"
    r"|leak\w*|flaky|looking for|wrong|undecided|unsure|unknown|have to|has to|must"
    r"|should|needs?|open|pending|missing|broken|unclear|unresolved|silent|owes?"
    r"|outstanding|due|stuck|on (?:my|the|his|her) list|to (?:do|be|come"
    r"|\w{3,12})|(?!(?:runs|works|holds|stands|lives|makes|applies|has|is|uses|fits)\b)"
    r"\w{3,12}s|(?:has|uses|shows?|says|points to|reads?|runs?|in|on) the (?:old|wrong"
    r"|previous|former))\b",
    "uncle": r"\bunclear(?: (?:whether|if|who|what|how|when|where|why|which)\b|\W*\Z)",
    "half": r"\b(?:only |just |about )?half[- ](?:done|finished|written|ready|migrated"
    r"|translated|through)\b|\bhalfway (?:through|done)\b",
    "left": r"\bleft (?:to|for (?:tomorrow|later|monday|next|the next)) \w+"
    r"|\bleft (?:undone|unfinished|open)\b",
    "missing": r"\b(?:is|are) (?:still )?missing\b",
    "to be ": r"\bto be (?:decided|confirmed|determined|discussed|continued|clarified"
    r"|agreed)\b|\bto be \w+(?:ed|nt|ne) (?:tomorrow|later|on|after|by|next|when"
    r"|once)\b",
    "tb": r"\btb[dc]\b",
    "undecided": r"\bundecided\b",
    "un": r"\bun(?:tested|translated|finished|answered|resolved|solved|paid|signed"
    r"|reviewed|checked|verified|confirmed)\b",
    "nobody": r"\bnobody (?:knows|has|answered|wants|signed|looked)\b",
    "no one": r"\bno one (?:knows|has|answered|wants|signed|looked)\b",
    "some": r"\b(?:someone|somebody) (?:should|has to|needs to|must|ought to|else)\b",
    "forget": r"\bdon['’]?t forget\b|\bmust not forget\b",
    "remind": r"\bremind (?:me|her|him|them|us|\w+) (?:to|about|on|of|tomorrow)\b",
    "follow": r"\bfollow up (?:with|on|next|by|in)\b|\bfollow-up (?:needed|with)\b",
    "remain": r"\bremains? (?:open|unclear|unresolved|to be|to \w+)\b",
    "wants": r"\bwants? (?:to (?:think|decide|sleep|see|check|talk|ask|wait|look)"
    r"|another|one more)\b",
    "think": r"\bthinking (?:about it|it over)\b|\bthink about it\b|\bthink it over\b",
    "promised": r"\bpromised (?:to|it|us|me)\b",
    "ran out of time": r"\bran out of time\b",
    "get to": r"\bnot get to\b",
    "court": r"\bin \w+['’]s court\b",
    "with ": r"\bis (?:now )?with (?:legal|\w+ for (?:review|approval|signature))\b",
    "parked": r"\bparked\b(?! (?:the|in|at|on|outside))",
    "needs": r"\bneeds? (?:an? )?(?:okay|ok|answer|decision|review|signature|approval"
    r"|testing|fixing|checking|confirmation|another|more|a second)\b"
    r"|^needs? (?:an? |some |to be )?\w",
    "rest ": r"\b(?:the )?rest (?:tomorrow|later|next|is (?:un|not|still)\w*)\b",
}
#: A plain order with a time, as one writes it down for later.
_ORDER = (
    r"^(?:then |also |and )?(?:book|order|call|ask|send|mail|e-?mail|buy|chase|remind"
    r"|check"
    r"|find|fix|clean|write|print|bring|return|pay|renew|schedule|confirm|read|dig out"
    r"|pick up|fetch|ring|invite|tell|finish|review|test|update|collect) (?:\S+ ){1,9}"
    r"(?:\w+day|tomorrow|next week|tonight|by|before|first thing)\b"
)
_ORDER_TIMES = ("day", "tomorrow", "next week", "tonight", " by ", "before", "first th")
_ORDERS = dict.fromkeys(_ORDER_TIMES, _ORDER)
_ENGLISH_LOOSE = {
    "need": r"^(?:i |we |you )?(?:still |also )?need (?:to|an?|more|some|the)\b"
    r"|\b(?:i|we|she|he|they) (?:still |also |will )?needs? to\b",
    "e to ": r"\b(?:i|we|she|he|they|you) (?:still |also )?have to \w+",
    "s to ": r"\b\w+ (?:still |also )?has to \w+",
    "must": r"\b(?:i|we|he|she) (?:still )?must\b",
    "should": r"\b(?:i|we|he|she) should (?!have)\w+",
    "tomorrow": r"^(?:\w+ )?tomorrow\b(?!['’]s)|\btomorrow\W*\Z|\btomorrow (?:i|we|he"
    r"|she|they|morning|evening|at)\b",
    "will ": r"\bwill (?:look|check|ask|send|bring|call|write|chase|decide|come back"
    r"|finish|continue|try|draft|think|confirm|fix|order|let|get back|follow|retry"
    r"|test|weigh|pick|do)\b",
    "ll ": r"['’]ll (?:look|check|ask|send|bring|call|write|chase|decide|come back"
    r"|finish|continue|try|draft|think|confirm|fix|order|let|get back|follow|retry"
    r"|test|weigh|pick|do)\b",
    "day": rf"\b(?:will|['’]ll|to|wants to|going to) (?:\w+ ){{1,9}}(?:on|by|next) "
    rf"(?:{_DAYS})\b|\bexpected (?:on|by)\b|\bcoming (?:on )?\w+day\b",
    "next": r"\b(?:will|['’]ll|going to) (?:\w+ ){1,9}next (?:week|month|time)\b"
    r"|^next (?:week|time)\b",
    "remember": r"^remember to\b",
    "asked": r"\basked (?:her|him|them|\w+) (?:whether|if|which|what|who|when|how)\b"
    r"(?!.*\b(?:said|says|answered|replied|yes|no|fine|told)\b)",
    "deadline": r"\bdeadline\b.{0,40}\b(?:is|on|by)\b",
    "due ": r"\bdue (?:on|by|next|in)\b",
    "expire": r"\bexpires? (?:on|at|in|next)\b",
    "postponed": r"\bpostponed (?:to|until|till)\b",
    "→": r"→ ?\w+ (?:to|will) \w+.{1,60}\bby \w+",
}
_GERMAN = {
    "wart": r"\bwarte[nt]?\b(?: \w+){0,2} (?:auf|bis)\b|\bauf \w+ warten\b",
    "noch ": r"\bnoch (?:nicht|kein\w*|immer (?:nicht|kein\w*|kaputt|offen)|offen"
    r"|kaputt"
    r"|zu \w+en|ausstehend\w*|unklar|ungeklärt|auf der liste)\b(?! (?:lange|wieder"
    r"|einmal))|\b(?:muss|müssen|soll|sollen|sollte|fehl(?:t|en)|steh(?:t|en)) (?:\w+ )"
    r"{0,4}noch\b|\b(?:muss|müssen) noch\b|\bnoch (?:\w+ ){0,3}(?:werden|machen|klären"
    r"|prüfen|fehl(?:t|en)|entscheiden)\b",
    "antwort": r"\bantwort (?:ist )?(?:offen|fehlt|steht aus)\b"
    r"|\bnicht (?:ge|be)antwortet\b",
    "aus": r"\bsteh(?:t|en) (?:noch )?aus\b|\bausstehend\b",
    "fehl": r"\b(?:freigabe|unterschrift|antwort|zusage|bestätigung"
    r"|rückmeldung) fehlt\b"
    r"|\bfehlt noch\b|\bes fehl(?:t|en)\b",
    "offen": r"^offen (?:ist|bleibt|sind)\b|\b(?:bleibt|bleiben"
    r"|ist) (?:weiter )?offen\b",
    "nicht ": r"\bnicht (?:getestet|geprüft|geklärt|bestätigt|erledigt|gemeldet|fertig"
    r"|gekommen|dazu gekommen|geschafft|erreichbar|entschieden)\b",
    "unklar": r"\bunklar\b",
    "ungeklärt": r"\bungeklärt\b",
    "halb": r"\b(?:erst|nur) halb\b|\bhalb fertig\b",
    "frühestens": r"\bfrühestens\b",
    "meldet sich": r"\bmeldet sich\b",
    "überleg": r"\b(?:will|möchte) (?:es sich |sich das )?(?:noch )?überlegen\b",
    "niemand": r"\bniemand (?:weiß|hat)\b",
    "wiedervorlage": r"\bwiedervorlage\b",
    "erinnern": r"\b(?:daran |an \w+ )?erinnern\W*\Z",
    "versproch": r"\bversprochen\b",
    "hängt": r"\bhängt (?:noch )?(?:an|bei)\b",
}
_GERMAN_LOOSE = {
    "morgen": r"^morgen\b(?! (?:kein|früh war))|\bmorgen\W*\Z",
    "muss": r"\b(?:ich|wir|er|sie|jemand|man) muss\b|\bmuss (?:\w+ ){0,3}(?:werden|bis"
    r"|am|morgen)\b",
    "müssen": r"\bwir müssen\b|\bmüssen wir\b",
    "sollte": r"\b(?:wir|ich|man|jemand) sollten? \w+",
    "bis ": r"\bbis (?:\w+tag|morgen|ende|zum) (?:\w+ ){0,3}(?:brauchen|muss|müssen"
    r"|soll)",
    "sobald": r"\bsobald\b.{1,60}\b(?:wird|werden|kann|kommt)\b",
    "montag": r"\bam montag (?:\w+ ){0,4}\w+en\b",
    "nächste": r"^nächste (?:woche|mal)\b",
}
_DUTCH = {
    "wacht": r"\bwacht(?:en)? (?:nog )?op\b|\bin afwachting\b",
    "nog ": r"\bnog (?:niet|geen|te \w+en|uit te \w+|steeds (?:niet|geen)"
    r"|onduidelijk)\b"
    r"|\b(?:moet|moeten|rest|ontbreekt) (?:\w+ ){0,3}nog\b",
    "niet ": r"\bniet (?:gereageerd|geantwoord|gebeld|getest|af|klaar)\b",
    "onduidelijk": r"\bonduidelijk\b",
}
_DUTCH_LOOSE = {
    "morgen": r"^morgen (?:\w+ ){0,2}(?:ik|we|bel|nog)\b",
    "moet": r"\b(?:ik|we|iemand) moet(?:en)?\b",
}
_FRENCH = {
    "atten": r"\bj['’]attends\b|\battend (?:la|le|une?|sa|son|que|toujours)\b"
    r"|\ben attente d|\bon attend\b",
    "pas ": r"\b(?:toujours|encore) pas\b|\bpas encore\b"
    r"|\bpas (?:encore )?de (?:réponse"
    r"|nouvelles|retour)\b|\b(?:n['’]|ne )(?:\w+ )?(?:a|ont|est|sont|avons"
    r"|ai) (?:toujours "
    r"|encore )?pas (?:encore )?(?:répondu|rappelé|confirmé|envoyé|payé|décidé|tranché"
    r"|fait|reçu|livré|arrivée?s?|prêts?|signé|terminé|fini|rendu)\b"
    r"|\bne sait pas\b",
    "reste": r"^(?:il )?reste (?:à|la|le|les|une?|l['’]|encore|\w+ \w+ à)"
    r"|\bil reste\b|\breste(?:nt)? (?:ouverte?s?|à \w+er|en suspens)\b",
    "manque": r"\bil manque\b|\bmanquent?\W*\Z",
    "suspens": r"\ben suspens\b",
    "doit ": r"\bdoit (?:encore |me |nous |toujours |y )?(?:rappeler|répondre|envoyer"
    r"|passer|confirmer|venir|trancher|décider|signer|apporter|revenir)\b",
    "era ": r"\b(?:tranchera|décidera|rappellera|repassera|confirmera|enverra)\b",
    "réfléch": r"\b(?:veut|va) (?:y )?réfléchir\b|\bréfléchit\b",
    "personne": r"\bpersonne ne sait\b",
    "oublier": r"\bne pas oublier\b",
    "moitié": r"\bà moitié\b",
    "promis": r"\ba promis\b",
    "à faire": r"\b\w+ à faire\b",
    "relanc": r"\bà relancer\b|\bje (?:le |la )?relance\b",
}
_FRENCH_LOOSE = {
    "faut": r"\bil faut\b",
    "faud": r"\bil faud(?:ra|rait)\b",
    "demain": r"^demain\b|\bdemain\W*\Z|\bà \w+er demain\b",
    "dois ": r"\bje dois\b",
    "devons": r"\bnous devons\b",
    "lundi": r"\b(?:rappeler|voir|faire|passer|relancer) (?:\w+ ){0,3}lundi\b",
}
_SPANISH = {
    "esper": r"\besperando (?:a|la|el|que|respuesta|su)\b"
    r"|\bespero (?:que|a que|la|su|respuesta)\b|\ba la espera de\b"
    r"|\besperamos (?:la|el|a|que|respuesta)\b",
    "aún": r"\baún (?:no|sin|falta|por)\b",
    "todavía": r"\btodavía (?:no|sin|falta|por)\b|\bno \w+ todavía\b"
    r"|\bse sabe todavía\b",
    "sin ": r"\bsin (?:respuesta|contestar|noticias|confirmar|resolver|hacer|terminar"
    r"|enviar|probar|decidir|asignar|firmar|pagar)\b",
    "no ha": r"\bno (?:ha|han|hemos|he) (?:\w+ )?(?:contestado|respondido|confirmado"
    r"|mandado|enviado|llegado|decidido|llamado|podido|firmado|pagado|terminado)\b",
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
_SPANISH_LOOSE = {
    "hay que": r"\bhay que \w+r\w*\b",
    "que ": r"\b(?:tengo|tenemos|tiene|tienen) que \w+r\w*\b",
    "mañana": r"^mañana (?!\w+[óé]\b)|\bmañana\W*\Z",
    "lunes": r"\bel lunes (?:\w+ ){0,3}(?:llamar|hay|toca|viene)\b",
    "debe": r"\bdebemos \w+r\b|\bdebería(?:mos)? \w+r\b",
}
_PORTUGUESE = {
    "espera": r"\bà espera (?:d\w+|que)\b|\bespero (?:a|o|que|resposta)\b",
    "aguard": r"\baguard(?:o|a|am|ando|amos)\b",
    "ainda": r"\bainda (?:não|sem|falta\w*|por|nada|espero)\b",
    "sem ": r"\bsem (?:resposta|retorno|notícias|confirmação|resolver|assinar)\b",
    "não ": r"\bnão (?:respondeu|responderam|confirmou|enviou|mandou|chegou|ligou"
    r"|atendeu"
    r"|apareceu|foi (?:testado|enviado|pago|decidido|feito))\b|\bnão se sabe\b",
    "falta": r"\bfaltam? (?:a|o|as|os|um|uma|que|\w+r|\d+|só|dois|três)\b",
    "fic": r"\bfic(?:a|ou|aram) (?:para|pra|por|de|pendente|em aberto) \w+"
    r"|\bfic(?:a|ou) (?:em aberto|pendente)\b",
    "pendente": r"^pendente\b|\b(?:está|continua|segue|ficou) pendente\b",
    "ninguém": r"\bninguém (?:sabe|tem|quer|respondeu)\b",
    "pens": r"\b(?:vai|quer) pensar\b",
    "esquecer": r"\bnão esquecer\b",
    "metade": r"\bsó metade\b|\ba meio\b",
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
_ROMANCE_LOOSE = {f"r {article} ": _INFINITIVE for article in _ARTICLES.split()}
_PORTUGUESE_LOOSE = {
    "r as ": r"^\w{3,}(?:ar|ir) as\b",
    "r amanhã": r"^\w{3,}(?:ar|er|ir) amanhã\b",
    "precis": r"\b(?:preciso|precisamos|precisa)(?: de)? \w+r\b|\bé preciso\b",
    "que ": r"\b(?:tem|temos|tenho) (?:que|de) \w+r\b",
    "enho de": r"\btenho de \w+r\b",
    "amanhã": r"^amanhã\b|\bamanhã\W*\Z",
    "depois": r"^depois (?:vê|ver|testar|falar|confirmar)\b",
}
_ITALIAN = {
    "attesa": r"\bin attesa d\w+\b",
    "aspett": r"\baspett(?:o|iamo|a)\b",
    "ancora": r"\bancora (?:non|nessun\w*|da|in attesa|apert\w)\b"
    r"|\bnon (?:\w+ ){1,3}ancora\b"
    r"|\bnon si sa ancora\b",
    "risposto": r"\bnon (?:ha|hanno) risposto\b",
    "risposta": r"\bnessuna risposta\b|\bsenza risposta\b",
    "manca": r"\bmancano? (?:ancora |il |la |i |le |lo |un |una |l['’]|solo |\d)",
    "resta": r"\brestan?o? da\b|\bresta apert[oa]\b",
    "deve": r"\bdeve (?:ancora |mi |)(?:confermare|rispondere|mandare|firmare"
    r"|decidere)\b",
    "nessuno": r"\bnessuno (?:sa|ha)\b",
    "da ": r"\bda (?:decidere|verificare|confermare|chiarire|finire|definire"
    r"|rivedere)\b",
    "metà": r"\ba metà\b",
    "pensarci": r"\bpensarci\b",
}
_ITALIAN_LOOSE = {
    "bisogna": r"\bbisogna \w+re\b",
    "devo": r"\bdevo \w+re\b",
    "dobbiamo": r"\bdobbiamo \w+re\b",
    "domani": r"^domani\b|\bdomani\W*\Z",
}
_RUSSIAN = {
    "жд": r"\b(?:жд[её]м|жду|подождать)\b",
    "ожида": r"\b(?:ожидаем|ожидается|в ожидании)\b",
    "нет": r"\b(?:ответа|реакции|решения|подписи|сч[её]та)(?: \w+){0,3} нет\b"
    r"|\bнет (?:пока )?(?:ответа|решения|подписи)\b|\b(?:пока|ещ[её]) нет\b",
    "не ": r"\b(?:ещ[её]|пока|так и|до сих пор) не(?:т|ясно|понятно)?\b|\bне (?:ответил"
    r"|перезвонил|прислал|успел|решил|подтвердил|подписал|оплатил|дошли руки)\w*\b"
    r"|\bне хватает\b|\bне (?:подписан|оплачен|готов|провер|решен|решён)\w*\b",
    "неясно": r"\b(?:неясно|непонятно)\b",
    "осталось": r"\bосталось \w+ть\b",
    "открыт": r"\bвопрос\b.{0,40}\bоткрыт\b",
    "обещал": r"\bобещал\w*\b",
    "дума": r"\b(?:думает|подумает)\b",
    "висит": r"\b(?:вс[её] ещ[её] |пока )висит\b",
    "никто": r"\bникто не\b",
    "под вопросом": r"\bпод вопросом\b",
    "наполовину": r"\bнаполовину\b",
    "не забыть": r"\bне забыть\b",
}
_RUSSIAN_LOOSE = {
    "надо": r"\bнадо (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "нужно": r"\bнужно (?:\w+ ){0,2}\w+ть(?:ся)?\b",
    "предстоит": r"\bпредстоит \w+ть\b",
    "завтра": r"^завтра\b|\bзавтра\W*\Z|\bзавтра \w+ть\b",
    "ть": r"^(?!есть\b|опять\b|часть\b|пять\b|сеть\b|суть\b)\w{3,}(?:ать|ить|еть|ять"
    r"|оть|уть|ыть|йти|зти|сти)(?:ся)?\b",
    "йти": r"^(?:найти|зайти|пройти|дойти|подойти|выйти)\b",
    "должен": r"\bдолж(?:ен|на|ны) \w+ть\b",
}
_POLISH = {
    "czeka": r"\b(?:czeka(?:m|my)?|czekają) na\b",
    "oczek": r"\boczekuj\w+ na\b",
    "jeszcze": r"\bjeszcze nie\b|\bnie \w+ jeszcze\b",
    "nie ": r"\bnie (?:odpisał|odpowiedział|oddzwonił|potwierdził|przysłał|zdążył)\w*\b"
    r"|\bnie wiadomo\b",
    "brak": r"\bbrak(?:uje)? (?:\w+)\b",
}
_POLISH_LOOSE = {
    "trzeba": r"\btrzeba \w+ć\b",
    "jutro": r"^jutro\b|\bjutro\W*\Z",
    "muszę": r"\b(?:muszę|musimy)\b",
}
_TURKISH = {
    "bekl": r"\bbekliyor\w*\b|\bbekleniyor\b|\bbekleniyor\b",
    "henüz": r"\bhenüz\b",
    "hâlâ": r"\bhâlâ\b",
    "hala": r"\bhala (?:yok|bekl)\w*\b",
    "belli değil": r"\bbelli değil\b",
}
_TURKISH_LOOSE = {
    "yarın": r"^yarın\b",
    "lazım": r"\b(?:etmek|yapmak|almak|aramak|\w+m[ae]k) lazım\b",
    "gerek": r"\b\w+m[ae](?:k|m|mız)? gerek\w*\b",
}
Phrases = dict[str, str]
FIRM: tuple[Phrases, ...] = (
    *(_ENGLISH, _GERMAN, _DUTCH, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _RUSSIAN),
    *(_POLISH, _TURKISH),
)
LOOSE: tuple[Phrases, ...] = (
    *(_ENGLISH_LOOSE, _GERMAN_LOOSE, _DUTCH_LOOSE, _FRENCH_LOOSE, _SPANISH_LOOSE),
    *(
        _ORDERS,
        _ROMANCE_LOOSE,
        _PORTUGUESE_LOOSE,
        _ITALIAN_LOOSE,
        _RUSSIAN_LOOSE,
        _POLISH_LOOSE,
        _TURKISH_LOOSE,
    ),
)
