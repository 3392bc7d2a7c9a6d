"""Forms of a person's sentences, recognised by grammar instead of words.

An imperative stands first, before an article or a pronoun. Who settles something in
speech uses the present tense with a contrast, a limit or a plural of the speaker. All
read lower-case text that somebody is known to have said.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.alternatives import compile_alternatives

_LEAD = (
    r"^(?:(?:ok|okay|yes|no|and|then|also|well|but|so|just|please|ja|nein|und|bitte|sí"
    r"|si"
    r"|sim|oui|non|e|y|et|da|tak|да|нет|и|а|ну|too \w+|fine|good|great)[,.!]? ){0,3}"
)
_NO_VERB_EN = (
    r"(?:in|on|at|for|with|from|to|of|by|after|before|until|if|when|while|because|as"
    r"|like"
    r"|not|and|but|or|so|what|who|how|why|where|all|both|only|just|about|over|under|is"
    r"|are|was|were|has|have|had|do|does|did|will|would|can|could|should|might|may|must"
    r"|we|i|he|she|it|they|you|the|a|an|this|that|there|here|than|into|without|during"
    r"|since|though|although|unless|behind|near|half|such|then|once|still|yet|even|also"
    r"|really|maybe|perhaps|nearly|almost|got|gave|took|saw|said|told|went|came|made"
    r"|put"
    r"(?! the)|found|left|lost|thought|sold|bought|met|knew|\w+ed|\w+ing|\w+s)"
)
_OBJECT_EN = (
    r"(?:the|a|an|it|them|me|us|him|her|all|any|no|every|your|my|our|this|that|these"
    r"|those|both|nothing|nobody|one|two|only|first|what|out|up|off|down)"
)
#: An imperative that stands first.
IMPERATIVE = compile_alternatives(
    rf"{_LEAD}(?!{_NO_VERB_EN}\b)[a-z]{{2,12}} {_OBJECT_EN}\b"
    # German: a verb that stands first in a statement is an imperative.
    "|"
    + _LEAD
    + r"(?!(?:in|auf|mit|an|für|ist|sind|hat|haben|war|und|dass|wenn|aber|wie|was|wer"
    r"|da"
    r"|dann|hier|wir|ich|er|sie|es|du|ihr|nur|auch|noch|nicht|alle|bei|zu|von|vor|nach"
    r"|ohne|um|über|unter|durch|gegen|bis|seit|als|ob|weil|oder|denn|so|kann|wird|muss"
    r"|soll|darf|kommt|geht|gibt|steht|liegt|bleibt|braucht|kostet|fehlt|sonst|heute"
    r"|morgen|der|die|das|ein|eine|jede\w*|jetzt|aus|statt|während|wegen|dort|also"
    r"|erst|immer|nie|\w+en|\w+ung)\b)[a-zäöüß]{2,12} (?:das|die|den|ein|eine|einen|mir"
    r"|uns|ihn|ihm|alles|nichts|bitte)\b"
    # Romance: a form in a vowel before an article or a pronoun.
    + "|"
    + _LEAD
    + r"(?!(?:para|sobre|entre|contra|donde|cuando|que|este|esta|una?|esa|ese|de|e|a|la"
    r"|le|se|si|che|come|come|dove|anche|oggi|ogni|tra|fra|di|sempre|todo|toda|nada"
    r"|sale|falta|queda|está|esta|fica|era|hace|tiene|viene|puede|resta|reste|manque"
    r"|entre|comme|même|chaque|onde|hoje|agora|ainda|como|ahora|antes|casi|ayer|hasta"
    r"|aunque|porque|ela|ele|elle|quase|ya|cada|vale|pode|tem|c)\b)[a-zà-ÿ]{2,12}[aei]"
    r" (?:el|los|las|un|una|al|a (?:los|las|la)|os?|as|um|uma|il|lo|gli|les|des|du|mi"
    r"|me"
    r"|moi)\b"
    r"|\b(?:mand|envi|pregunt|avis|confirm|compr|respond|escrib|pag|us|dej|dec)(?:a|á"
    r"|e)"
    r"(?:me|lo|la|los|las|le|nos)\b|^no (?:me |le |lo |la )?[a-záéíóúñ]+(?:es|as)\b"
    # Slavic: the ending alone tells.
    + "|"
    + _LEAD
    + r"(?:\S+ ){0,2}\w{2,}(?:[ауяюы]й|ивай|ывай|айте|яйте|уйте|ите|ьте)\b(?<!ый)"
    + "|"
    + _LEAD
    + r"(?:nie )?\w{2,}(?:aj|uj|aj|ajcie|ujcie|yjcie|ijcie|śl|pisz)\b"
    # Korean, Japanese and Chinese tell at the end or by a particle.
    r"|(?:줘|주세요|해라|하세요|하자|말자|마라|마세요|말고|두자|보자)[.! ]*$"
    r"|(?:て|で|こと|ください|くれ|な|しろ|せよ|なさい|よう)[。！]?$"
    r"|^(?:就|都|先|只|别|不要|不许|要|得|给我|把|按|直接|统一|以后|必须|记得|赶紧"
    r"|马上)"
)
#: Universal statements of a person: what always holds, or never.
UNIVERSAL = compile_alternatives(
    r"^(?:nothing|nobody|no one|everybody|everyone|everything|all|every|each|any|no"
    r"|niemand|nichts|alle|jede[rs]?|keine?r?|kein|nadie|nada|todos?|todas?|ningún"
    r"|ninguna?|ninguém|nenhum\w?|personne|rien|tous|toutes?|chaque|aucune?|nessuno"
    r"|niente|tutti|ogni|iedereen|alles|geen|nikt|nic|każd\w+|wszyst\w+|żadn\w+|никто"
    r"|ничего|все|всё|кажд\w+|никак\w+) (?!good|bad|fine|the best|news|idea|problem)\w"
    r"|\b(\w{3,}) (?:is|heißt|es|é|è|est|это|to) \w*\1\b"
    r"|(?:没|不)[^，。]{1,12}(?:不|别)[^，。]{1,12}"
)
#: A first person plural of the present, a contrast, a limit, or a refusal.
SETTLES_IT = compile_alternatives(
    r"\bwe (?!have|had|need|want|see|know|think|hope|can|could|may|might|should|would"
    r"|were|was|did|got|are (?:late|closed|out|sorry|still|waiting)|must|will see|both"
    r"|always knew|\w+ed\b)\w+"
    r"|\b(?:is|are|it's|she's|he's|they're) not (?:for sale|happening|negotiable"
    r"|going|leaving|an option|up for|open to|allowed|on the table)\b"
    r"|\b(?:is|are|it's) (?:fine|enough|out|in|off|over|final)\b[,.;]"
    r"|\b\w+(?:,)? (?:and )?not (?:the|a|an|on|in|at|by|before|after|until|more|less)\b"
    r"|^[\w ]{2,30},? then[.!]?$|\bno (?:later|earlier|more|less) than\b"
    r"|\bwir (?!haben|sind|waren|müssen|können|wollen|sollten|warten|wissen|brauchen"
    r"|sehen|hatten)\w+|\bund zwar\b|\b(?:nehmen|machen|zahlen|lassen) wir\b"
    r"|, nicht |, aber nicht |, kein|\bund fertig\b|, fertig\b"
    r"|\b(?:lo|la|los|las|nos|se) \w+(?:amos|emos|imos)\b|\bno (?:lo |la |los |las )?"
    r"\w+(?:amos|emos|imos)\b|, pero no |, no (?:el|la|los|las|en|a|por|con|de)\b"
    r"|\bnão (?:vamos )?\w+(?:amos|emos|imos)\b|, mas não |, não (?:o|a|os|as|em|no"
    r"|na)\b"
    r"|\b(?:on|nous) (?!a|ai|est|ont|av|sait|peut|voit|doit|dirait|verra)\w+(?:e|ons|t"
    r"|d"
    r"|s)\b|, pas |, mais pas "
    r"|\b(?:lo|la|li|le|ci|non) \w+iamo\b|, non |\w+iamo (?:il|la|lo|i|le|gli|da|a)\b"
    r"|\bwe (?:doen|nemen|houden|gaan|laten)\b|, niet "
    r"|\b(?:мы )?(?!будем|имеем|думаем|знаем|видим|можем|хотим|ждём|ждем)\w{2,}(?:аем"
    r"|яем"
    r"|уем|имся|аемся|елим|оим|вим|сим|дем|дём|рём|рем)\b|, а не |, и вс[её]\b"
    r"|\b(?!mamy|wiemy|możemy|musimy|chcemy|czekamy|widzimy)\w{3,}(?:amy|emy|imy|ymy)\b"
    r"|, a nie |, nie "
    r"|^就|(?:算了|就这样|接着用|不卖|不做|不要了|不换|不改|不租|不买|不收|不用了)|定在"
    r"|只"
    r"|にする|にしよう|で(?:行|い)こう|のまま|ない(?:。|$|、)|ことに|やめよう"
    r"|(?:하자|가자|로 해|로 하지|안 해|안 받|안 판|안 쓴|말자|두자|그대로)"
)
#: The first person plural of the present: what we do.
OURS = compile_alternatives(
    r"^(?:\w+[,.!] )?we (?!have|had|need|want|see|know|think|hope|can|could|may|might"
    r"|should|would|were|was|did|got|are|must)\w+|^(?:\w+[,.!] )?wir (?!haben|sind"
    r"|waren"
    r"|müssen|können|wollen|sollten|warten|wissen|brauchen)\w+|^on (?!a|est|peut"
    r"|doit)\w+"
    r"|^(?:nous )?\w{3,}ons\b|^(?:no )?(?:lo |la |los |las |nos )?\w{3,}(?:amos|emos"
    r"|imos)"
    r"\b|^(?:non )?\w{3,}iamo\b|^(?:не )?\w{2,}(?:аем|яем|уем|ём|дем|лим|вим|сим)\b"
    r"|^(?:nie )?\w{3,}(?:amy|emy|imy|ymy)\b|^we (?:doen|nemen|houden|gaan|laten)\b"
    r"|^(?:就|不)|(?:하자|가자|말자|두자)[. ]?$|(?:にしよう|で行こう|でいこう)。?$"
)
#: What somebody says of the past, of a doubt or of a feeling settles nothing.
NO_WORD = compile_alternatives(
    r"\b(?:maybe|perhaps|probably|might|not sure|i think|i guess|i don['’]t know"
    r"|i doubt"
    r"|thanks|thank you|sorry|hello|hi|lol|haha|dead body|would be|could be|vielleicht"
    r"|weiß nicht|danke|glaube|quizás?|tal vez|no sé|gracias|talvez|não sei|obrigad[oa]"
    r"|peut-être|je ne sais|merci|forse|non so|grazie|misschien|weet niet|bedankt|może"
    r"|nie wiem|dziękuję|может|не знаю|спасибо|возможно|наверное|if|was|were|had|war"
    r"|hatte|estaba|était|era|был[аои]?)\b"
    r"|也许|可能|不知道|谢谢|大概|哈哈|かも|たぶん|ありがと|わから|아마|모르|고마"
)
_NAME = r"[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁ][\w'’.-]{1,20}"
#: The end of a line of narration that leads to a quote: a name and a colon.
LEADS_TO_QUOTE = re.compile(
    rf"(?:^|[.!?…] |[—–-] |^\d\d?:\d\d ){_NAME}(?! (?:of|for|in|on|with|from|to|at|by"
    rf"|und"
    r"|and|von|für|mit|de|del|da|do|di|du|des|en|para|с|для|в|на|z|w|van|voor)\b)"
    r"[^.!?:;]{0,70}:$"
    r"|(?:[\u4e00-\u9fff]{1,4}(?:馆长|老师|经理|老板|主任|师傅|姐|哥|总|叔|姨|工|书记"
    r"|院长|所长"
    r"|校长|掌柜|爷|嫂|妈|爸)|老[\u4e00-\u9fff]|小[\u4e00-\u9fff])[^。：:]{0,16}[：:]$"
    r"|(?:さん|様|님|씨)[^。:：]{0,16}(?:[：:、]|は|が)?$"
)
