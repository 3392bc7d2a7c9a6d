"""Families of constructions that mark open work, in languages of Western Europe.

A family is one way to say it, in any words for the work: not yet done, nobody took it,
we lack something, it is owed, half done, impossible until. Each comes with parts of
which every match holds one; see `memoryhub.formats.text.open_phrases`.
"""

from __future__ import annotations

from typing import TypeAlias

Phrases: TypeAlias = dict[str, str]


def family(parts: str, phrase: str) -> Phrases:
    """Return a phrase under each of the parts, which are divided by bars."""
    return dict.fromkeys(parts.split("|"), phrase)


_DONE_EN = (
    r"(?:renewed|signed|paid|tested|checked|confirmed|settled|agreed|approved|answered"
    r"|assigned|booked|ordered|delivered|shipped|merged|deployed|fixed|solved|resolved"
    r"|finished|closed|reviewed|verified|decided|found|repaired|replaced|returned"
    r"|written|filled|clear|known|final|complete)"
)
ENGLISH = (
    family(
        "short of",
        r"\b(?:we|i|they) (?:are |were )?(?:still )?short of\b|\bstill short of\b",
    ),
    family(
        " owe",
        r"\b(?:i|we|he|she|they|who) (?:still )?owes? (?:\w+ ){1,3}\w+",
    ),
    family(
        "pending",
        r"\b(?:is|are|still|remains?|stays?) pending\b|\bpending (?:from|with|approval"
        r"|confirmation|an? \w+)\b",
    ),
    family(
        "we can|\\bi can|nobody can|no one can|nothing can|they can|it can"
        "|we won|\\bi won|nobody won|no one won|nothing won",
        r"\b(?:until|before|without) .{2,60}\b(?:we|i|nobody|no one|nothing) (?:can"
        r"(?:['’]t|not| not)?|won['’]t)\b"
        r"|\b(?:we|i|they|it) can(?:['’]t|not| not) (?:\S+ ){1,8}(?:until|before"
        r"|without)\b",
    ),
    family(
        "nobody|no one|none of",
        r"\b(?:nobody|no one|none of \w+) (?:has|have|is|picked|claimed|took|takes"
        r"|volunteered|feels|owns|replied|reacted|can say)\b",
    ),
    family("still nothing|still no ", r"\bstill no(?:thing)?\b"),
    family("no sign|no trace", r"\bno (?:sign|trace) of (?:the|it|him|her|them|\w+)\b"),
    family(
        "is not |are not |never not |isn't |isn’t |aren't |aren’t |nevern't |nevern’t ",
        rf"\b(?:is|are|was never)(?: not|n['’]t) (?:\w+ ){{0,1}}{_DONE_EN}\b",
    ),
    family(
        "never ",
        rf"\bnever (?:got|was|were) (?:\w+ )?{_DONE_EN}\b|\bnever got an answer",
    ),
    family(
        "to be ",
        r"(?<!seem )(?<!seems )(?<!used )(?<!supposed )(?<!need )(?<!needs )(?<!has )"
        r"(?<!appears )(?<!known )(?<!turned out )(?<!had )(?<!have )(?<!said )"
        r"\bto be \w{2,12}(?:ed|ilt|ent|one|ade|ten|ght|aid|ut|und|awn|sen|ken|old)"
        r"(?: (?:by|before|with|together|again)\b| ?[(\[]|\W*\Z)",
    ),
    family("up in the air", r"\bup in the air\b"),
    family("halfway", r"\bhalfway (?:through|there|done)\b"),
    family(
        "in doubt|in question|open to",
        r"\b(?:is|are|remains?) (?:still )?in (?:doubt|question)\b",
    ),
    family(
        "come back",
        r"\b(?:has|have) to come back\b|\bcome back to (?:this|it|that) (?:later|next)",
    ),
)
_TASK_WORDS = (
    *("list", "measure", "collect", "prepare", "deliver", "repair", "replace", "clean"),
    *("supply", "provide", "propose", "choose", "pick", "schedule", "book", "arrange"),
    *("contact", "update", "move", "sort", "chase", "remind", "compare", "count"),
    *("order", "print", "fetch", "invite", "organise", "organize", "clarify", "tell"),
    *("talk", "speak", "come back", "follow up", "give", "hand", "build", "make"),
    *("set up", "finish", "approve", "translate"),
)
_TASKS = f"(?:{'|'.join(_TASK_WORDS)})"
ENGLISH_LOOSE = (
    family(
        "|".join(f" to {task}" for task in _TASK_WORDS),
        r"^(?!(?:how|where|when|what|who|which|things?|ways?|going|want|try|able|need"
        r"|used|easy|ready|nothing|forgot|went|had|agreed|decided|plan|came|able|time"
        r"|used|due|up|as|so|in|not|is|was|be|lines?|links?|back|next|according|thanks"
        rf"|prior|close|similar|related)\b)[a-z]{{2,}}(?: (?:and|or)"
        rf" [a-z]+)? to {_TASKS}"
        r"\b",
    ),
    family(
        "must |has to be|have to be",
        r"^must \w+|\b(?:must|has to|have to) be \w+(?:ed|n|t|ne)\b",
    ),
    family("ought to", r"\bought to\b"),
    family(
        " due ",
        r"\b(?:falls?|comes?|is|are) due (?:on|by|next|in|at|tomorrow|\w+day)\b",
    ),
    family(
        "runs out|run out|lapse|expire",
        r"\b(?:runs? out|lapses?|expires?) (?:on|in|at|by|next|tomorrow|\w+day)\b",
    ),
    family(
        " by ",
        r"\b(?:will|['’]ll) (?:\w+ ){1,9}by (?:the|\w+day|tomorrow|noon|end|next)\b",
    ),
    family(
        "tomorrow",
        r"^(?:whoever|who) .{3,40}\btomorrow\b|\b(?:goes|comes|gets|returns|starts"
        r"|calls|sends|brings|leaves|arrives) (?:\w+ ){0,3}tomorrow\b",
    ),
)
_NICHT = (
    r"(?:nicht|kein\w*|nichts|niemand|un(?:getestet|geprüft|bezahlt|klar|gelöst"
    r"|beantwortet|erledigt|fertig|besetzt|bestätigt)\w*)"
)
_FERTIG = (
    r"(?:verlängert|bezahlt|unterschrieben|bestellt|beantwortet|verschickt|abgeschickt"
    r"|gebucht|übersetzt|angekommen|eingetroffen|geliefert|abgeholt|freigegeben"
    r"|festgelegt|vergeben|besetzt|klar|geregelt|zugesagt|gefunden|erneuert"
    r"|aufgetaucht|getestet|geprüft|geklärt|bestätigt|erledigt|fertig|entschieden"
    r"|abgestimmt|abgenommen|beauftragt|repariert|ersetzt|gelöst|behoben|bekannt)"
)
GERMAN = (
    family(
        "bisher|bislang|weiterhin|nach wie vor|immer noch|noch immer",
        r"\b(?:bisher|bislang|weiterhin|nach wie vor|immer noch|noch immer)\b"
        rf"(?: \S+){{0,3}} {_NICHT}",
    ),
    family(
        "niemand|keiner",
        r"\b(?:niemand|keiner)\b.{0,30}\b(?:bisher|bislang|noch)\b"
        r"|\b(?:niemand|keiner) (?:weiß|kümmert|zuständig|übernimmt|will)\b"
        r"|\bbislang (?:niemand|keiner)\b",
    ),
    family("nicht ", rf"\bnicht (?:ge)?{_FERTIG}\b"),
    family(
        "unbez|ungetest|unbeantw|unerled|ungepr|unbesetzt|unfertig|ungelöst|unbest",
        r"\bun(?:bezahlt|getestet|beantwortet|erledigt|geprüft|besetzt|fertig|gelöst"
        r"|bestätigt)\b",
    ),
    family(
        "fehl",
        r"\b(?:uns|mir|hier) fehl(?:t|en)\b|\bfehl(?:t|en) (?:uns|mir|nur|weiter)\b"
        r"|^(?:\S+ ){1,5}fehl(?:t|en)\W*\Z",
    ),
    family("schuld", r"\b(?:ich schulde|wir schulden|schuldet (?:uns|mir))\b"),
    family("hälfte", r"\b(?:nur|erst) (?:zur|die) hälfte\b"),
    family(
        "ohne |bis |solange |bevor | ohne",
        r"\b(?:bis|solange|bevor|ohne)\b.{3,60}\b(?:können|kann|dürfen|darf) (?:wir|ich"
        r"|man|niemand)\b.{0,60}\b(?:nicht|kein\w*)\b"
        r"|\bohne\b.{3,50}\b(?:geht (?:es|das|hier)? ?nicht|kommen wir nicht)\b"
        r"|\b(?:dürfen|können) (?:wir|ich) (?:\w+ ){0,2}nicht ohne\b",
    ),
    family("steht aus|stehen aus", r"\bsteh(?:t|en) (?:noch )?aus\b"),
    family("in der schwebe", r"\bin der schwebe\b"),
    family("liegt noch|liegt bei", r"\bliegt (?:noch )?bei\b|\bliegt noch\b"),
)
_BALD = (
    r"(?:bis (?:zu[rm]? )?\w+|morgen|übermorgen|nächste\w* \w+|am (?:mon|diens|mitt|don"
    r"|frei|sams|sonn)\w+)"
)
GERMAN_LOOSE = (
    family("muss |müssen ", r"\b(?:muss|müssen) (?:\S+ ){0,6}\w+(?:t|en) werden\b"),
    family(
        "bis |morgen|nächste|am ",
        r"\b(?:bringt|liefert|schickt|meldet|melden|gibt|kommt|kommen|prüft|klärt|fragt"
        r"|besorgt|schreibt|kümmert|geht|holt|ruft|bestellt|stellt|legt|reicht|baut"
        r"|übernimmt|schaut|entscheidet)(?: (?!(?:ab|um|nie|kein\w*|jeden|nur) )\S+)"
        rf"{{0,4}} {_BALD}\b",
    ),
    family("wer ", r"^wer .{3,50}\b(?:morgen\b|: ?bitte\b)"),
    family("läuft ", r"\bläuft (?:am|im|bald|morgen) .{0,20}\b(?:ab|aus)\b"),
    family("müsste", r"\bmüssten? (?:wir|ich|man|noch|mal)\b"),
)
_HECHO = (
    r"(?:\w{1,14}(?:ad|id)[oa]s?|resuelt[oa]s?|clar[oa]s?|list[oa]s?|hech[oa]s?"
    r"|escrit[oa]s?|abiert[oa]s?)"
)
SPANISH = (
    family(
        "aún|todavía|sigue",
        r"\b(?:aún|todavía|siguen?) (?:no|sin)\b"
        r"|\b(?:no|nadie|nada|ningun[oa])\b.{0,40}\b(?:aún|todavía)\b",
    ),
    family(
        "no ha |no han |no se |no está|no queda|no quedó",
        rf"\bno (?:se )?(?:ha|han|está|están|queda|quedó) (?:sido )?{_HECHO}\b"
        r"(?! (?:previst|permit))",
    ),
    family(
        "debo|debemos|nos debe|me debe",
        r"\b(?:le|les|te) (?:debo|debemos)\b|\b(?:nos|me) debe\b",
    ),
    family("bloquead", r"\b(?:estamos|está|sigue|estoy|están) bloquead|^bloquead"),
    family(
        "mitad|medio",
        r"\b(?:va|vamos|está|están|quedó) (?:por|a) (?:la )?mitad\b|\ba medio \w+r\b",
    ),
    family(
        "hasta que|sin |mientras|no podemos|no puedo",
        r"\b(?:hasta que|mientras|sin)\b.{3,60}\bno (?:podemos|puedo|se puede|pueden)\b"
        r"|\bno (?:podemos|puedo)\b.{3,60}\b(?:hasta que|sin)\b",
    ),
    family("sin ", r"\b(?:está|están|queda|quedó|siguen?) sin \w+r(?:se)?\b"),
    family("duda", r"\b(?:queda|tengo|hay) (?:la|una) duda\b"),
)
SPANISH_LOOSE = (
    family(
        "caduca|vence|expira",
        r"\b(?:caducan?|vencen?|expiran?) (?:el|en|mañana|este)\b",
    ),
    family("quien", r"^quien .{3,40}\bmañana\b"),
    family("debe ", r"\bdebe (?:confirmar|enviar|responder|firmar|decidir|traer)\b"),
)
_FEITO = (
    r"(?:\w{1,14}(?:ad|id)[oa]s?|clar[oa]s?|pront[oa]s?|feit[oa]s?|escrit[oa]s?"
    r"|pag[oa]s?)"
)
PORTUGUESE = (
    family(
        "ainda|até agora|até hoje",
        r"\bainda (?:precisa|tem|está por|há|por|anda)\b"
        r"|\b(?:não|ninguém|nada|nenhum[a]?)\b.{0,40}\b(?:ainda|até agora|até hoje)\b",
    ),
    family("falta", r"\bfaltam?(?:-nos|-me)\b|\bfaltam? (?:confirm|respo|assin)\w*"),
    family(
        "não ",
        rf"\bnão (?:se )?(?:foi|foram|está|estão|ficou|é) (?:ainda )?{_FEITO}\b"
        r"(?! (?:previst|permit))",
    ),
    family(
        "por ", r"\b(?:está|estão|continuam?|seguem?|fic\w+|anda) por \w+(?:ar|er|ir)\b"
    ),
    family("bloquead", r"\b(?:estamos|está|estou|estão|continua) bloquead|^bloquead"),
    family("a meio|metade", r"\b(?:está|vai|ficou|anda) (?:a meio|pela metade)\b"),
    family(
        "enquanto|até que|sem |não podemos|não posso|não dá para",
        r"\b(?:enquanto|até que|sem)\b.{3,60}\bnão (?:podemos|posso|se pode|dá|avança)"
        r"\w*"
        r"|\bnão (?:podemos|posso|dá para)\b.{3,60}\b(?:enquanto|até|sem)\b",
    ),
    family(
        r"\bdevo |\bdevemos |\bdeve-",
        r"\bdev(?:o|emos) (?:\w+ ){0,2}\w+ (?:uma?|os?|as?)\b|\bdeve-(?:nos|me)\b",
    ),
)
PORTUGUESE_LOOSE = (
    family(
        "expira|vence|caduca",
        r"\b(?:expiram?|vencem?|caducam?) (?:dia|em|a|n[oa]|amanhã)\b",
    ),
    family("quem", r"^quem .{3,40}\bamanhã\b"),
    family("tenho |temos ", r"\b(?:tenho|temos) (?:de|que) \w+"),
)
_FAIT = (
    r"(?:\w{2,14}[éiu]e?s?|fait[es]*|écrit[es]*|pris[es]*|clair[es]*|prêt[es]*|sûrs?)"
)
FRENCH = (
    family(
        "toujours|encore|personne ne s",
        r"\b(?:toujours|encore) (?:aucune?|rien|personne|en attente|sans|pas de)\b"
        r"|\bpersonne ne?\b.{0,30}\b(?:encore|toujours)\b|\bpersonne ne s['’]est\b",
    ),
    family("manque", r"\b(?:il )?(?:nous|me|leur) manquent?\b"),
    family("doit encore|doivent encore", r"\bdoi(?:t|vent) encore\b"),
    family(
        " pas ",
        rf"\bn['’](?:est|ont|a|avons|ai|sont) (?:toujours |encore )?pas "
        rf"(?:encore |été )*{_FAIT}\b(?! (?:prévu|autoris|permis))",
    ),
    family("reste", r"\breste(?:nt)? (?:impay|im|in|non |sans |en |inconnu)\w*"),
    family("bloqué", r"\b(?:est|sommes|suis|reste|toujours) bloquée?s?\b|^bloquée?s? "),
    family("moitié", r"\b(?:à|qu['’]à) moitié\b"),
    family(
        "tant qu|avant qu|sans ",
        r"\b(?:tant qu['’e]|avant qu['’e]|sans)\b.{3,60}\b(?:on|je|nous) (?:ne |n['’])?"
        r"(?:peut|peux|pouvons|avance)\w* pas\b",
    ),
    family(
        "flou|sait pas|sait toujours pas|sait encore pas",
        r"\breste flou\b|\b(?:on ne|ne) sait (?:toujours |encore )?pas\b",
    ),
)
FRENCH_LOOSE = (
    family("expire|échéance", r"\bexpirent? (?:le|en|dans|demain)\b|\béchéance\b"),
    family(
        "celui qui|celle qui|ceux qui", r"^(?:celui|celle|ceux) qui .{3,40}\bdemain\b"
    ),
    family("devr", r"\bil faudrait\b|\b(?:on|nous|je) devr(?:ait|ions|ais) \w+"),
    family(
        "doit|doivent",
        r"\bon doit \w+|\bdoi(?:t|vent) être \w+(?:é|i|u|t|s)e?s?\b",
    ),
)
_FATTO = (
    r"(?:\w{1,14}(?:at|it|ut)[oaie]|decis[oaie]|chius[oaie]|pres[oaie]|chiar[oaie]"
    r"|pront[oaie]|risolt[oaie]|fatt[oaie]|scritt[oaie])"
)
ITALIAN = (
    family("va |vanno ", r"\bva(?:nno)? ancora \w+[aeio]\b"),
    family("manca", r"\b(?:ci|mi|ne) manca(?:no)?\b"),
    family(
        "non ",
        rf"\bnon (?:è|sono|è stat\w|sono stat\w|ha|hanno)"
        rf" (?:ancora )?(?:stat\w )?{_FATTO}\b"
        r"(?! (?:previst|permess))|\bnon è (?:ancora )?chiaro\b",
    ),
    family(
        "nessuno|niente|nulla",
        r"\b(?:nessuno|niente|nulla)\b.{0,40}\bancora\b|\bnessuno (?:ha|si è|sa)\b",
    ),
    family(
        "ancora", r"\bancora (?:nessun\w*|niente|nulla|senza)\b|\bnon si è ancora\b"
    ),
    family(
        "devo a |ci deve|mi deve|deve ancora|deveno ancora",
        r"\bdevo a \w+|\b(?:ci|mi) deve\b|\bdeve(?:no)? ancora\b",
    ),
    family(
        "finché|finche|senza |non possiamo|non posso",
        r"\b(?:finch[ée]|senza)\b.{3,60}\bnon (?:possiamo|posso|si può|si)\b"
        r"|\bnon (?:possiamo|posso)\b.{3,60}\b(?:finch[ée]|senza)\b",
    ),
    family("ferm|bloccat", r"\b(?:siamo|è|sono|sta) (?:ferm|bloccat)\w\b|^bloccat\w "),
    family("resta", r"\brestan?o? (?:da|senza|in sospeso)\b"),
)
ITALIAN_LOOSE = (
    family("scad", r"\bscad(?:e|ono) (?:il|l['’]|a|tra|domani)\b"),
    family("chi ", r"^chi .{3,40}\bdomani\b|^chi .{3,30}\bdeve\b"),
    family("\\bdeve |devono |dobbiamo ", r"\b(?:deve|devono|dobbiamo) \w+(?:re|rsi)\b"),
)
_GEDAAN = (
    r"(?:verlengd|betaald|getekend|besteld|beantwoord|verstuurd|geboekt|vertaald"
    r"|aangekomen|geleverd|goedgekeurd|vastgelegd|duidelijk|bekend|zeker|geregeld"
    r"|gevonden|getest|gecontroleerd|bevestigd|klaar|af|beslist|opgelost|gemaakt)"
)
DUTCH = (
    family(
        "nog ",
        r"\bnog (?:niets|niemand|nergens|een|altijd (?:niet|geen))\b.{0,40}"
        r"\b(?:laten|horen|schuldig|worden|gehoord|gezien|doen|nodig)\b|\bnog (?:niets"
        r"|niemand)\b",
    ),
    family("tekort|te kort", r"\bte ?kort\b"),
    family(
        "niemand|niets|geen ",
        r"\b(?:niemand|niets|geen)\b.{0,40}\b(?:tot nu toe|nog)\b"
        r"|\bniemand (?:heeft|weet)\b",
    ),
    family("niet ", rf"\bniet (?:\w+ )?{_GEDAAN}\b"),
    family("schuldig", r"\bschuldig\b"),
    family(
        "onbe|onget|onop",
        r"\bon(?:betaald|beantwoord|beslist|getest|opgelost|bekend)\b",
    ),
    family("geblok", r"\bgeblokkeerd (?:door|op|tot|omdat)\b"),
    family(
        "half", r"\b(?:pas |maar |nog )?half (?:klaar|af|gedaan|over)\b|\bhalverwege\b"
    ),
    family(
        "zolang|totdat|zonder ",
        r"\b(?:zolang|totdat|zonder)\b.{3,60}\bk(?:unnen|an) (?:we|ik|je)\b"
        r".{0,50}\b(?:niet|geen)\b",
    ),
    family("wachten|wacht ", r"^wacht(?:en)? op\b"),
)
DUTCH_LOOSE = (
    family("verloopt", r"\bverloopt (?:de|op|in|morgen|over)\b"),
    family("wie ", r"^wie .{3,40}\bmorgen\b|^wie morgen\b"),
    family("uitzoek|nagaan", r"\b(?:uitzoeken|nagaan)\b"),
    family("moet", r"\bmoet(?:en)? (?:\S+ ){0,5}(?:worden|\w+d worden)\b"),
)
FIRM_FAMILIES = (*ENGLISH, *GERMAN, *SPANISH, *PORTUGUESE, *FRENCH, *ITALIAN, *DUTCH)
LOOSE_FAMILIES = (
    *(*ENGLISH_LOOSE, *GERMAN_LOOSE, *SPANISH_LOOSE, *PORTUGUESE_LOOSE),
    *(*FRENCH_LOOSE, *ITALIAN_LOOSE, *DUTCH_LOOSE),
)
