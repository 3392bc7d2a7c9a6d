"""Phrases of open work by language, each with a part that every match holds.

`memoryhub.formats.text.open_phrases` searches texts for them: all are parts of
lower-case text. Those called loose plan or oblige.
"""

from __future__ import annotations

from memoryhub.formats.text import (
    open_families,
    open_families_of_others,
)
from memoryhub.formats.text import (
    open_phrases_of_others as others,
)
from memoryhub.formats.text.open_families import Phrases, family

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
#: What one waits for, and what was not done.
_AWAITED = (
    "answer|reply|response|word|news|confirmation|decision|feedback|reaction|quote"
)
_NOT_DONE = (
    "started|renewed|signed|ordered|tested|paid|finished|looked at|calibrated|answered"
    "|confirmed|scheduled|assigned|decided|translated|reviewed|verified|implemented"
    "|measured|checked|proven|settled|booked"
)
_NOT_PARTS = "|".join(f"not {one}" for one in _NOT_DONE.split("|"))
_ENGLISH = {
    **family(
        "need to |needs to ",
        r"^(?:we |i |you )?(?:still |also )?needs? to (?!be (?:said|noted)\b)\w+",
    ),
    "to be ": r"\bto be (?:built|written|done|ordered|fixed|checked|bought|booked"
    r"|tested|added|signed|paid|migrated|repaired|replaced|removed|moved|sent)\b"
    r"(?! (?:a|by the))|\bto be (?:decided|confirmed|determined|discussed|continued"
    r"|clarified|agreed)\b|\bto be \w+(?:ed|nt|ne) (?:tomorrow|later|on|after|by|next"
    r"|when|once)\b",
    "nothing": r"\bstill nothing\b|\bnothing (?:back|in writing|on paper|heard|yet)\b",
    "ought": r"\bought to be\b",
    "next:": r"^next: \w",
    **family(
        "chase |nudge |ping |nag ",
        r"^(?:chase|nudge|ping|nag) (?!the bug)\w",
    ),
    "owe": r"\b(?:owes?|owed) (?:us|me|him|her|them|an answer)\b",
    "overdue": r"\boverdue\b",
    "due": r"\b(?:is|are|falls?|comes?) due\b",
    "up for": r"\bup for (?:renewal|review|decision)\b",
    **family(
        "hasn|has not turned|has not shown|has not come|has not gone|has not arrived",
        r"\bhas(?:n['’]t| not) (?:turned|shown|come|gone|been|arrived) ",
    ),
    **family(
        "wait for|wait on|wait until|wait to hear|waits for|waits on|waits until"
        "|waits to hear|waiting for|waiting on|waiting until|waiting to hear",
        r"(?<!not )(?<!n't )\b(?:waiting|waits?) (?:for|on|until|to hear)\b"
        r"(?! nothing)|\bwait for (?:me|him|her|them)\b",
    ),
    "await": r"\bawait(?:s|ing)\b",
    **family(
        "is blocked|are blocked|still blocked|^blocked|blocked on",
        r"\b(?:is|are|still) blocked\b(?! (?:by|until))|^blocked\b|\bblocked on\b",
    ),
    **family(
        "on hold|held up",
        r"\bon hold\b|\bheld up (?:by|until)\b",
    ),
    **family(
        "|".join(f"no {one}" for one in _AWAITED.split("|")),
        rf"\bno (?:{_AWAITED})"
        r"(?: (?:yet|so far|from|on|about|by|for|until|at)\b|\W*\Z)",
    ),
    "heard": r"(?:n['’]t|not)(?: yet)? heard\b|\bnothing heard\b",
    **dict.fromkeys(
        ("n't ", "n’t "),
        r"\b(?:has|have)(?: still)?n['’]t (?:yet |even |still |been ){0,2}"
        rf"{_BE_DONE}{_DONE_PARTS}\b(?! any)|\bdidn['’]t (?:answer|reply|respond"
        rf"|call back"
        r"|confirm|get (?:to|back|around|an answer)|finish|manage)\b"
        rf"|\b(?:is|are)n['’]t (?:yet |fully |been )?{_BE_DONE}(?:\w{{3,20}}ed"
        rf"|done|sent"
        r"|ready|finished|paid|set up|there yet)\b",
    ),
    **family(
        "has not |have not |has still not |have still not |did not |not sure "
        f"|(not done)| yet|not been |{_NOT_PARTS}",
        r"\b(?:has|have)(?: still)? not (?:yet |been ){0,2}"
        rf"{_BE_DONE}{_DONE_PARTS}\b(?! any)"
        r"|\b(?:did not (?:answer|reply|respond|call back|confirm|get (?:to|back)"
        r"|finish|manage))\b"
        r"|\bnot sure (?:yet|if|whether|who|what|how|which|where)\b"
        rf"|\bnot (?:been )?(?:{_NOT_DONE})\b"
        r"|\(not done\)|\bnot (?:\w+ ){0,3}yet\b",
    ),
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
    **family(
        "is missing|are missing|still missing", r"\b(?:is|are) (?:still )?missing\b"
    ),
    **dict.fromkeys(("tbd", "tbc"), r"\btb[dc]\b"),
    "undecided": r"\bundecided\b",
    **dict.fromkeys(
        (
            "untested",
            "untranslated",
            "unfinished",
            "unanswered",
            "unresolved",
            "unsolved",
            "unpaid",
            "unsigned",
            "unreviewed",
            "unchecked",
            "unverified",
            "unconfirmed",
        ),
        r"\bun(?:tested|translated|finished|answered|resolved|solved|paid|signed"
        r"|reviewed|checked|verified|confirmed)\b",
    ),
    "nobody": r"\bnobody (?:knows|has|answered|wants|signed|looked|holds|owns)\b",
    "no one": r"\bno one (?:knows|has|answered|wants|signed|looked)\b",
    "some": r"\b(?:someone|somebody) (?:should|has to|needs to|must|ought to|else)\b",
    "forget": r"\bdon['’]?t forget\b|\bmust not forget\b",
    "remind": r"\bremind (?:me|her|him|them|us|\w+) (?:to|about|on|of|tomorrow)\b",
    "follow": r"\bfollow up (?:with|on|next|by|in)\b|\bfollow-up (?:needed|with)\b",
    "remain": r"\bremains? (?:open|unclear|unresolved|to be|to \w+)\b",
    **family(
        "want to |wants to |want another|wants another|want one|wants one",
        r"\bwants? (?:to (?:think|decide|sleep|see|check|talk|ask|wait|look)"
        r"|another|one more)\b",
    ),
    "think": r"\bthinking (?:about it|it over)\b|\bthink about it\b|\bthink it over\b",
    "promised": r"\bpromised (?:to|it|us|me)\b",
    "ran out of time": r"\bran out of time\b",
    "get to": r"\bnot get to\b",
    "no idea": r"\bno idea (?:yet|who|why|what|where|how|if|whether)\b",
    "know": r"\b(?:i|we) (?:still )?(?:don['’]t|do not) know (?:yet|if|whether|who|what"
    r"|when|where|how|why|which)\b",
    **family(
        "to be seen|we'll see|we’ll see", r"\bremains to be seen\b|\bwe['’]ll see\b"
    ),
    **family(
        "could not |couldn't |couldn’t ",
        r"\bcould(?:n['’]t| not) (?:reach|find|get|finish|test|verify|reproduce|book"
        r"|check)\b",
    ),
    **dict.fromkeys(
        ("can't ", "can’t ", "cannot "),
        r"\bcan(?:['’]t|not) (?:reach|find|reproduce|be tested|continue|start)\b",
    ),
    **family(
        "picks up|nobody answers|no one answers",
        r"\b(?:nobody|no one) (?:picks up|answers)\b",
    ),
    **family(
        "not my |not our ",
        r"\bnot (?:my|our) (?:call|decision)\b",
    ),
    "sleep": r"\bsleep(?:s|ing)? on it\b",
    "court": r"\bin \w+['’]s court\b",
    **dict.fromkeys(
        ("is with ", "is now with "),
        r"\bis (?:now )?with (?:legal|\w+ for (?:review|approval|signature))\b",
    ),
    "parked": r"\bparked\b(?! (?:the|in|at|on|outside))",
    **family(
        "need |needs ",
        r"\bneeds? (?:an? )?(?:okay|ok|answer|decision|review|signature|approval"
        r"|testing|fixing|checking|confirmation|another|more|a second)\b"
        r"|^needs? (?:an? |some |to be )?\w",
    ),
    "rest ": r"\b(?:the )?rest (?:tomorrow|later|next|is (?:un|not|still)\w*)\b",
}
#: A plain order with a time, as one writes it down for later.
_ORDERED = (
    "book|order|call|ask|send|mail|email|e-mail|buy|chase|remind|check|find|fix|clean"
    "|write|print|bring|return|pay|renew|schedule|confirm|read|dig out|pick up|fetch"
    "|ring|invite|tell|finish|review|test|update|collect"
)
_ORDER = (
    rf"^(?:then |also |and )?(?:{_ORDERED}) (?:\S+ ){{1,9}}"
    r"(?:\w+day|tomorrow|next week|tonight|by|before|first thing)\b"
)
#: What is to be done about it, behind an arrow.
_ACTION = (
    r"(?:→|->|=>) (?:\S+ ){0,3}(?:ask|call|mail|order|check|fix|send|write|book|look"
    r"|try"
    r"|tell|buy|find|ping|chase|fragen|anrufen|bestellen|prüfen|klären|anfragen"
    r"|schreiben"
    r"|besorgen|preguntar|llamar|pedir|revisar|comprar|avisar|perguntar|ligar|confirmar"
    r"|verificar|demander|appeler|relancer|commander|vérifier|chiedere|chiamare"
    r"|ordinare"
    r"|verificare|спросить|позвонить|заказать|проверить|написать|купить|zapytać|zamówić"
    r"|zadzwonić|sprawdzić|sormak|aramak|vragen|bellen|bestellen|nakijken)\b"
)
_ACTIONS = dict.fromkeys(("→", "->", "=>"), _ACTION)
#: A state in brackets or behind a dash.
_STATES_OF = (
    r"open|pending|to-?do|to do|tbd|tbc|not done|waiting|blocked|wip|offen|pendiente"
    r"|pendente|por hacer|por fazer|a fazer|à faire|à confirmer|por confirmar"
    r"|a confirmar|en attente|da fare|da confermare|in sospeso|te doen|открыто"
    r"|не сделано|жд[её]м|do zrobienia|yapılacak|bekliyor|待定|待确认|未定|未完|要確認"
    r"|미정|대기|보류"
)
_STATE = rf"(?:still |noch )?(?:{_STATES_OF})"
_STATE_PARTS = (
    part
    for state in _STATES_OF.replace("to-?do", "todo|to-do")
    .replace("жд[её]м", "ждем|ждём")
    .split("|")
    for part in (
        *(f"{state}{end}" for end in ")）]"),
        *(f"{start} {state}" for start in ("-", "–", "—", "still", "noch")),
    )
)
_STATES = dict.fromkeys(_STATE_PARTS, rf"[(（\[]{_STATE}[)）\]]|[-–—] {_STATE}[.! ]*\Z")
_ORDER_STARTS = (
    f"^{lead}{one} "
    for lead in ("", "then ", "also ", "and ")
    for one in _ORDERED.split("|")
)
_ORDERS = dict.fromkeys(_ORDER_STARTS, _ORDER)
_TO_VERBS = (
    "send|bring|check|call|ask|write|draft|order|look|decide|confirm|get"
    "|find|pay|return|sign|reply|test|review|fix|report"
)
_WHO_TO = rf"^[a-z]+(?: and [a-z]+)? to (?:{_TO_VERBS})\b"
_WILL_VERBS = (
    "look|check|ask|send|bring|call|write|chase|decide|come back|finish|continue|try"
    "|draft|think|confirm|fix|order|let|get back|follow|retry|test|weigh|pick|do"
)
_ENGLISH_LOOSE = {
    **family(
        "need to|need a|need more|need some|need the|needs to",
        r"^(?:i |we |you )?(?:still |also )?need (?:to|an?|more|some|the)\b"
        r"|\b(?:i|we|she|he|they) (?:still |also |will )?needs? to\b",
    ),
    "have to ": r"\b(?:i|we|she|he|they|you) (?:still |also )?have to \w+",
    "has to ": r"\b\w+ (?:still |also )?has to \w+",
    **family(
        "\\bi must|we must|he must|still must", r"\b(?:i|we|he|she) (?:still )?must\b"
    ),
    **family(
        "\\bi should |we should |he should ", r"\b(?:i|we|he|she) should (?!have)\w+"
    ),
    "tomorrow": r"^(?:\w+ )?tomorrow\b(?!['’]s)|\btomorrow\W*\Z|\btomorrow (?:i|we|he"
    r"|she|they|morning|evening|at)\b",
    **dict.fromkeys(
        (f"will {verb}" for verb in _WILL_VERBS.split("|")),
        rf"\bwill (?:{_WILL_VERBS})\b",
    ),
    **family("'ll |’ll ", rf"['’]ll (?:{_WILL_VERBS})\b"),
    "expected ": r"\bexpected (?:on|by)\b",
    "day": rf"\b(?:will|['’]ll|wants to|going to|has to|needs to|is to|plans to)"
    rf" (?:\w+ ){{1,9}}(?:on|by|next) "
    rf"(?:{_DAYS})\b|\bexpected (?:on|by)\b|\bcoming (?:on )?\w+day\b",
    **family(
        "next week|next month|next time",
        r"\b(?:will|['’]ll|going to) (?:\w+ ){1,9}next (?:week|month|time)\b"
        r"|^next (?:week|time)\b",
    ),
    "remember": r"^remember to\b",
    "asked": r"\basked (?:her|him|them|\w+) (?:whether|if|which|what|who|when|how)\b"
    r"(?!.*\b(?:said|says|answered|replied|yes|no|fine|told)\b)",
    "until": r"\buntil (?:then|we|he|she|they|it|the \w+|\w+) (?:is|are|has|have"
    r"|answers?"
    r"|decides?|comes?|signs?|says?|gets?|knows?)\b",
    **dict.fromkeys((f" to {verb}" for verb in _TO_VERBS.split("|")), _WHO_TO),
    "deadline": r"\bdeadline\b.{0,40}\b(?:is|on|by)\b",
    "due ": r"\bdue (?:on|by|next|in|\w+day)\b",
    "expire": r"\bexpires? (?:on|at|in|next)\b",
    "postponed": r"\bpostponed (?:to|until|till)\b",
    "→": r"→ ?\w+ (?:to|will) \w+.{1,60}\bby \w+",
}
_GERMAN = {
    **family(
        "nachhaken|nachfassen|anmahnen|dranbleiben",
        r"\b(?:nachhaken|nachfassen|anmahnen|dranbleiben)\W*\Z",
    ),
    "als näch": r"^als nächste[sr]?:? \S",
    "muss": r"\bmuss (?:\S+ ){1,8}(?:werden|umziehen|rein|raus|weg|hin|her|ran)\W*\Z",
    "müsste": r"\bmüssten? (?:\S+ ){0,6}\w+en\b",
    "sich": r"\bmeld(?:et|en) sich (?:\S+ ){0,2}(?:bis|am|nächste|spätestens|wenn)\b",
    "bis": r"\b\w+t (?:\S+ ){0,3}bis (?:zum |zur )?(?:morgen|montag|dienstag|mittwoch"
    r"|donnerstag|freitag|samstag|sonntag|nächste\w* \w+|ende \w+)\b",
    "keiner weiß": r"\bkeiner weiß\b",
    **family(
        "zu klären|zu prüfen|zu entscheiden",
        r"\bzu (?:klären|prüfen|entscheiden)(?: ist| bleibt|:)",
    ),
    "wart": r"\bwarte[nt]?\b(?: \w+){0,2} (?:auf|bis)\b|\bauf \w+ warten\b",
    **family(
        "noch | noch",
        r"\bnoch (?:nicht|kein\w*|immer (?:nicht|kein\w*|kaputt|offen)|offen|kaputt"
        r"|zu \w+en|ausstehend\w*|unklar|ungeklärt|auf der liste)\b"
        r"(?! (?:lange|wieder|einmal))"
        r"|\b(?:muss|müssen|soll|sollen|sollte|fehl(?:t|en)|steh(?:t|en)) (?:\w+ ){0,4}"
        r"noch\b|\b(?:muss|müssen) noch\b"
        r"|\b(?:wird|werden|kommt|kommen|brauch\w*|bräuchten?) (?:\w+ ){0,3}noch\b"
        r"|\bnoch (?:\w+ ){0,3}(?:werden|machen|klären|prüfen|fehl(?:t|en)"
        r"|entscheiden)\b",
    ),
    "antwort": r"\bantwort (?:ist )?(?:offen|fehlt|steht aus)\b"
    r"|\bnicht (?:ge|be)antwortet\b",
    **dict.fromkeys(
        (" aus", "ausstehend"), r"\bsteh(?:t|en) (?:noch )?aus\b|\bausstehend\b"
    ),
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
    "drüber": r"\bschläft drüber\b|\bdrüber (?:schlafen|nachdenken)\b",
    "weiß ": r"\bweiß (?:ich|niemand|keiner|man) (?:noch )?nicht\b|\bweiß (?:niemand"
    r"|keiner)\b",
    "wissen": r"\bwissen wir (?:noch )?nicht\b",
    "keine ahnung": r"\bkeine ahnung\b",
    "vergessen": r"\bnicht vergessen\b",
    "hängt": r"\bhängt (?:noch )?(?:an|bei)\b",
}
#: The last word of a short German note of something to do.
_TO_DO_VERBS = (
    r"nachfragen|nachhaken|nachreichen|abwarten|dranbleiben|klären|anfragen"
    r"|anrufen|besorgen|bestellen|suchen|prüfen|abholen|eintragen|schicken"
    r"|senden|schreiben|fragen|kaufen|holen|testen|aufräumen|nachsehen"
    r"|ansehen|buchen|erinnern|reservieren|zahlen|reparieren|putzen"
    r"|streichen|ausbessern|einholen|machen|vorbereiten|drucken|ändern"
    r"|anpassen|aktualisieren"
)
_TO_DO = (
    r"^(?!.*\b(?:kann|können|konnten?|darf|dürfen|wollten?|wurden?|haben|lassen|zu)\b)"
    rf"(?:\S+ ){{1,7}}(?:{_TO_DO_VERBS})(?: \([^()]{{1,40}}\))?\W*\Z"
)
_GERMAN_LOOSE = {
    **dict.fromkeys(_TO_DO_VERBS.split("|"), _TO_DO),
    "morgen": r"^morgen\b(?! (?:kein|früh war))|\bmorgen\W*\Z",
    "muss": r"\b(?:ich|wir|er|sie|jemand|man) muss\b|\bmuss (?:\w+ ){0,3}(?:werden|bis"
    r"|am|morgen)\b",
    "müssen": r"\bwir müssen\b|\bmüssen wir\b",
    "sollte": r"\b(?:wir|ich|man|jemand) sollten? \w+",
    "bis ": r"\bbis (?:\w+tag|morgen|ende|zum) (?:\w+ ){0,3}(?:brauchen|muss|müssen"
    r"|soll)",
    "sobald": r"\bsobald\b.{1,60}\b(?:wird|werden|kann|kommt)\b",
    "montag": r"\bam montag (?:\w+ ){0,4}\w{3,}en\W*\Z",
    "nächste": r"^nächste (?:woche|mal)\b",
}
FIRM: tuple[Phrases, ...] = (
    *(_STATES, _ACTIONS, _ENGLISH, _GERMAN, others.DUTCH),
    *(others.FRENCH, others.SPANISH, others.PORTUGUESE, others.ITALIAN),
    *(others.RUSSIAN, others.POLISH, others.TURKISH),
    *open_families.FIRM_FAMILIES,
    *open_families_of_others.FIRM_FAMILIES,
)
LOOSE: tuple[Phrases, ...] = (
    *(_ENGLISH_LOOSE, _GERMAN_LOOSE, others.DUTCH_LOOSE, _ORDERS),
    *(others.FRENCH_LOOSE, others.SPANISH_LOOSE, others.ROMANCE_LOOSE),
    *(others.PORTUGUESE_LOOSE, others.ITALIAN_LOOSE, others.RUSSIAN_LOOSE),
    *(others.POLISH_LOOSE, others.TURKISH_LOOSE),
    *open_families.LOOSE_FAMILIES,
    *open_families_of_others.LOOSE_FAMILIES,
)
