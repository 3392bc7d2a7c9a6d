"""Constructions that settle something without a verb of deciding, by language.

One thing over another, one thing instead of another, what moves from here to there,
what is put off, what is done no longer, and what is out. All read lower-case sentences
as the families of `deciding` do.
"""

from __future__ import annotations

from memoryhub.formats.text.settling_english import ENGLISH
from memoryhub.formats.text.stems import Family, family

_GERMAN = family(
    "vom tisch|wahl |lieber |statt |stattdessen|anstelle|nicht mehr|umgestiegen|umstieg"
    "|gewechselt|wechseln|zurückgestellt|eingestellt|abgeschafft|gekippt|aufgeschoben"
    "|nur noch|ist raus|sind raus|fällt weg|fallen weg|es wird"
    "|wird nicht|werden nicht|einigung|wird künftig|zuschlag|grünes licht|hinfällig"
    "|geht an"
    "|ziehen um|zieht um|umziehen|übernehmen wir|machen wir|nehmen wir|lassen wir"
    "|gestorben",
    r"\b(?:ist|sind|damit) vom tisch\b|\b(?:die )?(?:wahl|entscheidung) (?:fiel|fällt"
    r"|ist"
    r" gefallen|geht)(?: (?:auf|für|an|zugunsten))?\b|^lieber \S.{1,60} als \S",
    r"^(?!.*\b(?:war|waren|wurde|wurden|hat|hatte|fehler|zeigt|liefert|kam|kommt|steht"
    r"|lag|stand|soll|sollte|könnte|vielleicht|versehentlich|falsch|kostet|will"
    r"|möchte)\b)"
    r"[^.;?]{2,80} (?:statt|anstelle(?: von)?|anstatt) (?!\d)",
    r"\b(?:wird|werden) (?:[\wäöüß.,-]+ ){0,4}(?:nicht mehr|nur noch|ab jetzt"
    r"|ab sofort|künftig|stattdessen|nicht (?:neu|weiter|mehr))"
    r" (?!angezeigt|gefunden|geladen|erkannt|benötigt|gebraucht|angenommen, dass)"
    r"(?:[\wäöüß.-]+ ){0,4}\w+(?:t|en)\b",
    r"\b(?:umgestiegen|umstieg|gewechselt|wechseln) (?:wir )?(?:von .{1,40} )?(?:auf|zu"
    r"|nach)\b",
    r"\b(?:ist|sind|wird|werden|wurde|wurden|bleibt|bleiben) (?:[\wäöüß.,-]+ ){0,6}"
    r"(?:zurückgestellt|eingestellt|abgeschafft|gekippt|aufgeschoben|vertagt)\b",
    r"^(?:umgestiegen|gewechselt|zurückgestellt|abgeschafft|gekippt|aufgeschoben"
    r"|vertagt|gestrichen|abgewählt|verzichtet)\b",
    r"\bfäll(?:t|en) (?:damit |ab \w+ |künftig )?weg\b|\b(?:ist|sind) (?:damit |jetzt"
    r" )?raus\b|\b(?:bekommt|kriegt|erhält) den zuschlag\b",
    r"\b(?:übernehmen|machen|nehmen|lassen|behalten|streichen) wir (?!noch|morgen"
    r"|später)",
    r"\b(?:wir )?(?:ziehen|zieht) (?:von .{1,40} )?(?:nach|zu) \S+ um\b",
    r"^[\w .äöüß-]{2,40}: (?:gestrichen|verworfen|vertagt|verschoben|abgelehnt|raus"
    r"|bleibt|kommt weg|erst (?:nach|im|ab)|machen wir nicht|nein)\b",
)
_FRENCH = family(
    "écarté|repouss|report|au lieu de|plutôt que|ne sera|ne seront|acté|actée"
    "|passent de"
    "|passe de|passons de|^migré|c'est |c’est |on ne |on n'|bascul|remplacé|fini "
    "|terminé"
    "|on prendra|on utilisera|feu vert|choix |retenue|validé|arrêt de|fin de|exclu"
    "|d'accord|d’accord|on fera|on va ",
    r"\b(?:écartée?s?|exclue?s?|actée?s?|tranchée?s?|abandonnée?s?|retenue?s?)"
    r" ?(?=[:,.—–(]|$)",
    r"\b(?:est|sont|sera|seront|a été|ont été) (?:donc |finalement |de nouveau )?"
    r"(?:repoussée?s?|reportée?s?|décalée?s?|gelée?s?|suspendue?s?|maintenue?s?"
    r"|conservée?s?|remplacée?s? par|limitée?s? à|plafonnée?s? à)\b",
    r"^(?:repoussé|décalé|gelé|suspendu|maintenu|conservé|exclu|basculé|migré|passé de)"
    r"e?s?\b",
    r"^(?!.*\b(?:était|étaient|erreur|avait|affiche|affichait|devrait|pourrait"
    r"|peut-être)\b)[^.;?]{2,80} (?:au lieu d(?:e|u|es)|plutôt qu(?:e|['’]))",
    r"\b(?:au lieu d|plutôt qu).{2,50}, (?:on|nous) \w+",
    r"\bne ser(?:a|ont) (?:pas|plus) (?!prêt|là|disponible|livré)\w+",
    r"\bpass(?:e|ent|ons) (?:tous |toutes )?de .{1,50} (?:à|vers|au|aux|chez) ",
    r"\b(?:on|nous) (?:ne |n['’])(?!a\b|ai|est|ont|av|sait|peut|voit|comprend|trouve"
    r"|sommes|étions)(?!\w+(?:ait|ions)\b)\w+ (?:plus|pas|jamais)\b"
    r"(?! (?:encore|eu|pu|su|reçu|trouvé|compris|vu|fini))",
    r"\bc['’]est .{2,50} qu(?:e |['’])(?:on|nous) (?:\w+ra|\w+rons|garde|prend"
    r"|utilise)\b",
    r"\bon (?:prendra|utilisera|gardera|restera|fera|passera|vendra|fermera|ouvrira)\b",
    r"\b(?:le )?choix (?:est |s['’]est )?(?:fait|porté|arrêté|tombé)\b",
    r"\bd['’]accord (?:avec|sur|pour)\b.{0,40}[:,]",
    r"^(?:fini|terminé|fin|arrêt) (?:le|la|les|l['’]|d[eu]s?|d['’])\b",
)
_SPANISH = family(
    "aplazad|pospuest|en lugar de|en vez de|ya no |pasamos |definitivo|cerrado|no se va"
    "|no será|no serán|mejor |descartad|se pasa|no vamos|usaremos|tendremos"
    "|haremos"
    "|seguiremos|de acuerdo con|acuerdo |dejamos |cambiamos |se acabó|nada de"
    "|visto bueno"
    "|irán |irá |luz verde|fuera |la elección|elegid|quitamos|retiramos|cerraremos"
    "|abriremos|empezaremos|optad|sustitui|reemplaz",
    r"\b(?:queda|quedan|quedó|quedaron|está|están|va|será) (?:\w+ )?(?:aplazad|pospuest"
    r"|descartad|fijad|cerrad|aprobad|cancelad|retirad|elegid)[oa]s?\b",
    r"\bya no (?!hay|funciona|está|es|sirve|queda|aparece|falla|me|tengo|tenemos|puede"
    r"|sé|sabemos|existe|da\b|hace falta)(?:se |lo |la |los |las )?\w+",
    r"\bpas(?:amos|an|ará?n?|aremos) (?:[\w ]{1,40} )?de .{1,50} a ",
    r"\b(?:en lugar|en vez) de [^,.;]{2,50}, \w+(?:emos|amos|imos)\b",
    r"^(?!.*\b(?:era|estaba|error|salía|sale|mostraba|fue|había|debería|podría"
    r"|quizás?|tal vez|devuelve|llegó)\b)[^.;?]{2,80} (?:en lugar|en vez) de ",
    r"\bno (?:se va a|se van a|será|serán) (?!posible|fácil)\w+"
    r"|\b(?:usaremos|seguiremos con|cerraremos|abriremos|empezaremos|haremos|tendremos"
    r" (?:solo|un))\b",
    r"^mejor \S.{1,40} que \S|^definitivo:|^(?:definitivo|cerrado)\b|\bestá (?:cerrado"
    r"|decidido|hablado)\b",
    r"^(?:se acabó|se acabaron|nada de|fuera) (?!lo |errores|momento)\w+",
    r"^(?:de acuerdo con|acuerdo con) [^,:]{2,30}[:,]|\b(?:dejamos|cambiamos"
    r"|sustituimos|reemplazamos|quitamos|retiramos) [^.;?]{2,60} (?:por|fuera|para"
    r" (?:después|más))\b|\bla elección (?:es|fue|cae)\b",
    r"^[\w .áéíóúñ-]{2,40}: (?:descartad|aplazad|cancelad|fuera|aprobad|rechazad)",
)
_PORTUGUESE = family(
    "optámos|optamos|adiad|em vez de|ao invés|em lugar|não será|não serão|migramos"
    "|migrámos|trocamos|trocámos|passamos|passámos|já não |descartad|substitu|usaremos"
    "|vamos usar|faremos|mudamos|mudámos|decidiu-se|de acordo com|chega de|nada de"
    "|cortado"
    "|fora |cancelad|vai ser|vão ser|fechado|acabou|recusad|rejeitad|seguimos com",
    r"\boptámos\b|\b(?:migr|troc|substitu|mud|pass)(?:amos|ámos|ímos|imos|aremos)"
    r" (?:[^.;?]{1,60} )?(?:para|por|pelo|pela|pelos|pelas)\b",
    r"\b(?:fic[ao]u?|ficam|ficaram|está|foi|foram) (?:\w+ )?(?:adiad|descartad|cortad"
    r"|rejeitad)[oa]s?\b",
    r"^[^.;:?]{2,40} (?<!foi )(?<!ser )(?:descartad|adiad|cortad|rejeitad)[oa]s?"
    r"(?=[,.:;]|$)",
    r"\b(?:em vez|ao invés|em lugar) d(?:e|a|o|os|as) [^,.;]{2,50}, (?:vamos|\w+emos"
    r"|\w+amos)\b",
    r"^(?!.*\b(?:era|estava|erro|saía|mostrava|foi|tinha|deveria|poderia|talvez)\b)"
    r"[^.;?]{2,80} (?:em vez|ao invés|em lugar) d",
    r"\bnão ser(?:á|ão) (?!possível|fácil)\w+|\bjá não (?!há|é|está|funciona|dá|tem"
    r"|preciso|existe|aparece|sei)(?:se )?\w+",
    r"\b(?:usaremos|faremos|fecharemos|manteremos|seguimos com)\b|^(?:chega de|nada de"
    r"|acabou (?:o|a|com)) \w+|\bvamos (?:passar|mudar|fechar|parar|deixar|abrir"
    r"|cortar|só)\b",
)
_ITALIAN = family(
    "andiamo |d'accordo|d’accordo|rimandat|rinviat|supportiamo|passano|passiamo"
    "|niente più"
    "|basta |invece d|al posto d|anziché|piuttosto|non verrà|non verranno|non si "
    "|useremo"
    "|scartat|non \\w|più |faremo|chiuderemo|terremo|optato|escluso|esclusa|bocciat"
    "|sostitui|spostat|si farà|la scelta|via libera",
    r"\bandiamo (?:con|su|per)\b|\bd['’]accordo (?:con|che|su) [^:,]{2,30}[:,]",
    r"\b(?:è|sono|viene|vengono|sarà) (?:\w+ )?(?:rimandat|rinviat|scartat|esclus"
    r"|bocciat|spostat|sostituit|annullat|abbandonat|confermat)[oaie] ?"
    r"(?=a |al|all|da|[,.:]|per|fino|$)",
    r"\bnon (?!è|sono|c|ho|ha|hanno|si sa|so\b|funziona|sappiamo|abbiamo|possiamo|vedo"
    r"|ci)(?:si )?\w+ più\b|^(?:niente più|basta) (?!così)\w+",
    r"\bpass(?:iamo|ano|a) da .{1,50} a ",
    r"\b(?:invece d|al posto d|anziché).{2,50}, (?:\w+emo|\w+iamo)\b",
    r"^(?!.*\b(?:era|erano|errore|mostrava|aveva|dovrebbe|potrebbe|forse|usciva)\b)"
    r"[^.;?]{2,80} (?:invece d|al posto d|anziché|piuttosto che)",
    r"\bnon (?:verrà|verranno|sarà|saranno) (?!possibile|facile|pront)\w+"
    r"|\b(?:useremo|faremo|chiuderemo|terremo|resteremo|passeremo)\b",
    r"^[^.;:?]{2,40}[ :]+(?:scartat|esclus|rimandat|rinviat|bocciat)[oaie](?=[,.:;]|$)",
)
_DUTCH = family(
    "valt af|vallen af|afgesproken|verhuiz|in plaats van|liever|wordt niet|worden niet"
    "|overgestapt|overstap|geen |blijft|blijven|stoppen|voortaan|niet meer|keuze"
    "|akkoord"
    "|schrappen|geschrapt|komt te vervallen|vastgelegd|gaan we|houden we|nemen we"
    "|doen we|gebruiken we|van tafel|we sturen|besloten",
    r"\b(?:valt|vallen|is|zijn) af(?=[,.:;]|$)|\bvan tafel\b|\bafgesproken[:,]"
    r"|\bde keuze (?:is|valt|viel)\b",
    r"\bverhui(?:zen|st) (?:van .{1,50} )?naar\b|\bovergestapt (?:van|naar|op)\b"
    r"|\bstappen over\b",
    r"\bin plaats van [^,.;]{2,60} (?:\w+en|\w+t) we\b|^(?!.*\b(?:was|waren|fout|stond"
    r"|gaf|kreeg|zou|misschien)\b)[^.;?]{2,80} in plaats van |^liever \S.{1,40} dan \S",
    r"\bword(?:t|en) (?:\w+ ){0,3}niet (?:meer )?(?!gevonden|geladen|herkend|getoond)"
    r"\w+",
    r"^(?:de|het|onze|alle) [\w -]{2,40} blij(?:ft|ven)(?=[.,;:]|$)|\bblij(?:ft|ven)"
    r" (?:zo|staan|gelijk|hetzelfde|ongewijzigd|bij|tot)\b",
    r"\bwe (?!hebben|zien|weten|kunnen|krijgen|vinden)\w+ (?:\S+ ){0,5}(?:geen"
    r" (?:\S+ ){1,3}meer|niet meer)\b|\b(?:gaan|houden|nemen|doen|gebruiken|schrappen)"
    r" we (?!nog|even|morgen)",
    r"\b(?:is|zijn|werd|wordt|worden) (?:[\w.,'-]+ ){0,5}(?:geschrapt|vastgelegd"
    r"|afgeblazen|verzet|verschoven)\b",
)
_RUSSIAN = family(
    "откладыва|прекраща|перееха|переезж|перешли|переходим|вместо|больше не|исключ|итог"
    "|снимаем|убираем|закрываем|отложен|перенесен|перенесён|утвержден|утверждён"
    "|согласован"
    "|отменя|отменен|отменён|не берём|не нужен|лучше |а не |заменяем|меняем|выбор"
    "|сошлись"
    "|ставим|держим|возьмём|возьмем|сделаем|будем |отпада|отпал|переносим|вводим"
    "|фиксир",
    r"\b(?:откладываем|прекращаем|переходим|снимаем с|убираем|отменяем|исключаем"
    r"|исключили|фиксируем|вводим|заменяем|заменили|отказываемся|переносим|сокращаем"
    r"|ограничиваем)\b",
    r"\b(?:переезжа(?:ем|ют|ет)|переехали|перешли|переш[её]л|переводим) (?:\S+ ){0,3}"
    r"(?:с|со|из|от) .{1,40} (?:на|в|к) ",
    r"\bвместо [^,.;]{2,50}? (?:бер[её]м|ставим|делаем|используем|будем|возьм[её]м"
    r"|пишем|покупаем|держим)\b",
    r"^(?!.*\b(?:был|была|было|ошибка|показывал\w*|пришл\w*|выдавал\w*|надо|нужно"
    r"|может|можно|возможно)\b)[^.;?]{2,80} вместо ",
    r"\b(?:отложен|перенес[её]н|утвержд[её]н|согласован|отмен[её]н|исключ[её]н"
    r"|отклон[её]н|снят|закрыт)[аоы]?(?: (?:до|на|с)\b|(?=[,.:;(]|$))"
    r"|\bотпада(?:ет|ют)(?=[,.:;]|$)",
    r"\bбольше не (?!работает|падает|нужн|болит|видн|появля|вис|повтор|могу|можем"
    r"|хочу|буду ждать)\w+(?:ем|им|ём|ют|ят|ть|ится|ается)\b",
    r"\b(?:будем|сделаем|возьм[её]м) (?!ждать|смотреть|посмотр|думать|разбираться)"
    r"(?:\S+ ){0,6}(?:только|а не|без|вместо|с \d)",
)
_POLISH = family(
    "odpada|odpadł|przesuni|przełożon|przenosimy|przechodzimy|zamiast|użyjemy"
    "|nie będzie"
    "|będziemy|zrobimy|zostaje|zostają|koniec|rezygn|odwołan|odłożon|skreśl|zatwierdz"
    "|wolimy|już nie |nie wysył|zmieniamy|kończymy|uzgodnion|ustalon|wybran"
    "|zgodziliśmy",
    r"\bodpad(?:a|ają|ł|ła|ło)(?=[,.:;]|$)|\b(?:przesunięt|przełożon|odwołan|odłożon"
    r"|skreślon|zatwierdzon|uzgodnion|ustalon|wybran|odrzucon)[aeyo](?= (?:na|do|po|z)"
    r"\b|[,.:;]|$)",
    r"\b(?:przenosimy|przechodzimy|zmieniamy) (?:[^.;?]{1,50} )?(?:z|ze) .{1,40} (?:do"
    r"|na) ",
    r"\bzamiast [^,.;]{2,50}? (?:użyjemy|bierzemy|robimy|zrobimy|będzie|damy|kupimy)\b"
    r"|^(?!.*\b(?:był|była|było|błąd|pokazywał\w*|może|trzeba)\b)[^.;?]{2,80} zamiast ",
    r"\b(?:użyjemy|będziemy (?:używać|trzymać|robić|brać)|kończymy z|zostaj(?:e|ą) przy"
    r"|wolimy .{2,40} niż|zgodziliśmy się)\b",
    r"\bjuż nie (?!działa|ma|jest|pamiętam|wiem|trzeba)\w+(?:my|ą|e)\b",
)
_CHINESE = family(
    "就用|排除|取消|迁到|迁移到|换成|换到|改成|改用|而不是|不变|不再|保留|搁置|延后"
    "|推后"
    "|推迟|延期|暂停|不考虑|不采用|不上|砍掉|去掉|定价|选|统一|一致同意|谈妥|敲定|说定"
    "|优先"
    "|不重写|不做|不买|不卖|不收|代替|取代|转为|转到|只用|只做|只卖|只收|先不|暂不|停止"
    "|终止",
    r"(?:^|[，,：:；; ])[^，,。]{0,14}(?:就用|改用|只用|统一用|换成|换到|砍掉|去掉|代替"
    r"|取代)"
    r"(?!了?错)",
    r"^(?:排除|取消|搁置|放弃|弃用|停用|保留|选用?|选择|采用|停止|终止|推迟|延后|暂停)"
    r"(?!项|题|时|中|按钮)",
    r"从[^，。]{1,24}(?:迁|换|改|转|切换?|搬)(?:移|为)?(?:到|成|用|为)",
    r"(?:保留|维持|保持)?(?:不变|原样)(?:[，。,.]|$)|取消(?:[，。,.]|$)",
    r"[^，。]{1,20}而不是[^，。]{1,20}|(?:推迟|延后|推后|延期|搁置)(?:到|至)",
    r"(?:^|[，,：:；;])[^，,。]{0,12}不(?:重写|做|买|卖|收|考虑|采用|升级|迁移|外包"
    r"|涨价|降价)(?!了吗)(?=[，,。；;]|$)",
    r"(?:终止|停止)(?:支持|使用|维护|销售|合作)|(?:一致同意|谈妥|说好)",
)
_JAPANESE = family(
    "合意|延期|終了する|終了し|終了と|移行|廃止|ではなく|でなく|代わりに|採用|統一"
    "|しない"
    "|作らず|使わず|せず|やめ|見送|据え置|維持|のまま|変更|切り替|乗り換え|一択|確定"
    "|除外"
    "|却下|継続|限定|凍結|先送り|保留と|撤退|中止|に絞|で行く|で進め|優先|固定|対象外",
    r"合意[：:、。]|合意$|(?:延期|廃止|終了|中止|見送り|凍結|先送り|撤退|却下|除外"
    r"|対象外"
    r"|継続|据え置き|確定|採用|一択)(?:。|$|、|とする|とした|にする|にした|で合意"
    r"|を決)",
    r"(?:は|を)[^。]{0,20}(?:終了|廃止|停止|中止)(?:する|した|します)",
    r"から[^。]{1,24}(?:へ|に)(?:移行|変更|切り替え|乗り換え|移す|移し)",
    r"[^。]{1,24}(?:ではなく|でなく|の代わりに|をやめて?、?)[^。]{1,30}(?:を使|にする"
    r"|に"
    r"した|を採|で|に統一|を選|とする|とした)",
    r"(?:作らず|使わず|せず|買わず|待たず|変えず|出さず)、?[^。]{1,30}(?:対応|使う"
    r"|行く|いく|済ませ|とする)",
    r"に統一(?:する|した|し|。|$)|(?:に|で)(?:固定|限定|一本化|確定)(?:する|した|。|$)"
    r"|に絞(?:る|った)|で(?:行く|進める|進めることに)",
    r"(?:は|を)(?:作|使|買|出|受け|入れ|置|売)(?:らない|わない|さない|けない|れない"
    r"|かな"
    r"い)(?:。|、|$)",
)
_KOREAN = family(
    "제외|합의|연기|중단|유지|더 이상|대신|기로|폐지|변경|전환|옮기|이전|통일|채택|보류"
    "|고정|확정|그대로|않는다|안 한다|하지 않|종료|미루|포기|바꾼다|바꿨|쓴다|뺀다"
    "|빼기로"
    "|교체|낙점|말고",
    r"(?:제외|연기|중단|폐지|채택|종료|낙점|포기|합의)(?:[.,:]|$|하기로|함|됨|한다)"
    r"|확정(?:[.]|$|하기로|함|됨|한다)",
    r"더 이상 [^.]{1,40}지 않(?:는다|기로|음|을)"
    r"|[^.]{1,30} 대신(?:에)? [^.]{1,30}(?:쓴다"
    r"|한다|사용|쓰기|간다|하기로|산다|둔다|로)",
    r"에서 [^.]{1,30}(?:으로|로) (?:옮기|이전|전환|변경|바꾸|교체|갈아)",
    r"(?:그대로|계속) (?:유지|둔다|쓴다|간다)|유지(?:[.]|$|하기로|한다|함)|(?:는|은|만"
    r"|를|을) [^.]{0,16}(?:안 한다|하지 않는다|안 쓴다|안 받는다|뺀다)",
    r"말고 [^.]{1,30}(?:로|으로|쓴다|한다|하자)(?:[. ]|$)",
)
#: In the order of the families of `deciding`.
SETTLING: tuple[Family, ...] = (
    ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH, _RUSSIAN,
    _POLISH, _CHINESE, _JAPANESE, _KOREAN,
)  # fmt: skip
