"""Labels of open work: one strong phrase among filler words.

``What is still hanging``, ``Lo que nos falta``, ``还悬着``: whatever stands beside the
phrase must be an article, a pronoun, a word for "still" or for "thing". Labels come
normalised, see `memoryhub.formats.text.labels`.
"""

from __future__ import annotations

import re

#: Phrases by a part of theirs; a label without any part is not searched.
_STRONG = {
    "hang": r"hanging|hangs|hangt",
    "dangl": r"dangling",
    "on deck": r"on deck",
    "plate": r"on (?:my|our|the) plate",
    "left off": r"(?:where )?(?:we|i) left off|left off",
    "there yet": r"not (?:quite )?there yet",
    "not finish": r"(?:could|did|have|was|were) not (?:been )?finish(?:ed)?",
    "not yet": r"not yet (?:\w+ed|done|sent|paid|begun|clear|here)",
    "are not": r"(?:are|is) not (?:yet )?(?:finished|done|closed|answered|settled)",
    "have to": r"(?:have|has) to do",
    "no answer": r"no (?:answer|reply|response)",
    "left when": r"left (?:when|until|till|after) (?:\w+ ){1,4}\w+",
    "carry": r"carry",
    "round of": r"round of tasks",
    "discussion": r"(?:in|under) discussion|en discussion",
    "diskussion": r"(?:in|zur) diskussion",
    "discusi": r"en discusión",
    "discuss": r"em discussão|in discussione",
    "обсужд": r"обсуждается|обсуждаем|на обсуждении",
    "te dejo": r"(?:te|os|le|les) dejo",
    "te deixo": r"te deixo|deixo (?:a|para) \w+",
    "encaminh": r"encaminhamentos",
    "adempim": r"adempimenti",
    "sospes": r"sospes[oi]|sospesi",
    "недел": r"на (?:эту |следующую )?неделю|на неделе",
    "выходн": r"на выходные",
    "tydzień": r"na (?:ten |następny )?tydzień",
    "semana": r"para (?:la|a|esta) semana|pra (?:a|essa) semana",
    "semaine": r"pour (?:la|cette) semaine",
    "settimana": r"per (?:la|questa) settimana",
    "woche": r"für (?:die|diese) woche",
    "elde": r"elde(?:ki)?",
    "bitme": r"bitme(?:di|yen(?:ler)?)",
    "fechamos": r"não (?:fechamos|decidimos|resolvemos|concluímos)",
    "cerramos": r"no (?:cerramos|decidimos|resolvimos)",
    "entschieden": r"nicht entschieden",
    "not get": r"(?:could|did) not get (?:to|round to|around to)",
    "need": r"needs? (?:someone|somebody|an owner|a human|a hand|help)",
    "who ": r"who does what|who owes what",
    "known": r"known (?:issues?|bugs?|problems?|errors?|defects?|gaps?)",
    "unsolved": r"unsolved",
    "unresolved": r"unresolved",
    "unanswered": r"unanswered",
    "unsettled": r"unsettled",
    "yet to": r"yet to (?:come|do|be done|happen)",
    "chase": r"to chase(?: up)?|chase up",
    "for the next": r"for the next (?:one|shift|person|run|agent|crew|team|watch)",
    "whoever": r"for whoever (?:\w+ ){1,4}\w+",
    "ball ": r"ball (?:is )?(?:with|in)",
    "homework": r"homework",
    "owed": r"owed",
    "in limbo": r"in limbo",
    "liegen": r"bleibt liegen|liegen gelassen",
    "argen": r"im argen",
    "häng": r"hängt|hängen",
    "bekannte": r"bekannte (?:fehler|probleme|bugs|mängel)",
    "nicht rund": r"nicht rund",
    "fehlt": r"fehlt|fehlen",
    "aus": r"steht aus|stehen aus|steht noch aus|auszustehen",
    "ungel": r"ungelöst\w*|ungelegte eier",
    "für den nächsten": r"für (?:den|die) nächste[nr]? \w+",
    "wiedervorlage": r"wiedervorlage",
    "müssen": r"müssen (?:wir )?(?:noch )?ran",
    "unklar": r"unklar\w*",
    "hausaufg": r"hausaufgaben",
    "colgad": r"colgad[oa]s?",
    "nos ": r"nos (?:faltan?|quedan?)",
    "conocid": r"(?:errores|problemas|fallos) conocidos",
    "por ": r"por (?:aclarar|esclarecer|cerrar|ver|resolver|tratar|hacer|fazer"
    r"|concretar)",
    "medias": r"(?:quedó |quedaron )?a medias",
    "para quien": r"para quien \w+",
    "para quem": r"para quem (?:\w+ ){0,3}\w+",
    "tiempo": r"no dio tiempo|no hubo tiempo",
    "deberes": r"deberes",
    "caminho": r"(?:ficou|ficaram) pelo caminho",
    "conhecid": r"(?:erros|problemas|falhas) conhecid[oa]s",
    "tempo": r"não deu tempo|non c['’]è stato tempo",
    "de casa": r"trabalhos? de casa",
    "em falta": r"em falta",
    "connu": r"(?:bugs?|problèmes?|défauts?|anomalies) connue?s?",
    "éclairc": r"à éclaircir",
    "ouvert": r"ouvert(?:e|s|es)?",
    "pas eu le": r"pas eu le temps",
    "pour ce": r"pour (?:celui|celle|ceux) qui \w+",
    "devoirs": r"devoirs",
    "apert": r"rimane apert[oa]|apert[oiae]",
    "noti": r"(?:problemi|bug|errori|difetti) noti",
    "metà": r"(?:lasciat[oi] )?a metà",
    "manca": r"(?:ci )?manca(?:no)?",
    "per chi": r"per chi (?:viene dopo|continua|apre|subentra)",
    "compiti": r"compiti",
    "bekende": r"bekende (?:fouten|problemen|bugs|gebreken)",
    "uit te zoeken": r"uit te zoeken",
    "volgende": r"voor de volgende \w+",
    "huiswerk": r"huiswerk",
    "виси": r"висит|висят|висящее",
    "зависл": r"зависло",
    "известн": r"известные (?:ошибки|проблемы|баги|недостатки)",
    "выясн": r"выяснить",
    "кто что": r"кто что делает",
    "недодел": r"недоделанн?ое|недоделки",
    "нереш": r"нереш[её]нное",
    "открыт": r"открыто",
    "wis": r"wisi|wiszące",
    "otwart": r"otwarte",
    "znane": r"znane (?:błędy|problemy|usterki)",
    "zdąży": r"nie zdążyliśmy|nie zdążyłem|nie zdążyłam",
    "domow": r"zadani[ae] domowe",
    "nastepn": r"dla następn\w+",
    "dla nast": r"dla następn\w+",
    "nieroz": r"nierozwiązane",
    "açık": r"açık",
    "bilinen": r"bilinen (?:hatalar|sorunlar)",
    "bakıl": r"bakılacak(?:lar)?",
    "yetiş": r"yetişmeyen(?:ler)?",
    "çözül": r"çözülmeyen(?:ler)?",
    "ödev": r"ödev(?:ler)?",
    "askıda": r"askıda(?: kalan(?:lar)?)?",
}
#: Words that may stand beside a phrase.
_WEAK_WORDS = """
a an the is are was were be this that these those it its us we i you me my our your of
for with by from on in at to up and or over still yet not now here today so far what
which who things thing stuff items item points point list tuesday monday wednesday
thursday friday saturday sunday week others someone other bits work some issues threads
loose questions problems threads asked round
der die das den dem des ein eine was wer wir uns ich mir es ist sind war noch immer
nicht so da auf bei von vom für bis geblieben bleibt sachen dinge
punkte themen fragen alles
montag dienstag mittwoch donnerstag freitag hier heute weiter
el la los las lo un una que qué se nos me es son está están aún todavía sigue quedó
quedaron cosas temas puntos cuestiones de del al en por para ha sin con hoy aquí
o os as um uma é são ainda ficou ficaram coisas tudo da do das dos em na no nos que hoje
le les un une ce qui que qu'il qu’il il est sont encore toujours reste restent choses
sujets points questions conséquences de du des en sur nous aujourd'hui laissé
il lo gli i cosa cose che quello quelli ancora è sono resta restano rimane rimangono da
di del in per punti temi questioni oggi
het de een wat wie er is zijn nog steeds niet zaken punten dingen dat ons bij van op in
что кто чего всё все ещё еще у нас за нами мы я это пока не в на из дела вопросы
пункты здесь сегодня задачи
co czego kto my nam nas jest są jeszcze nadal wciąż nie sprawy rzeczy
punkty pytania w na z
do
ne kim biz bizim hâlâ hala henüz olan kalan işler konular şeyler bugün
"""
_WEAK = frozenset(_WEAK_WORDS.split())
_PHRASES = re.compile(r"(?<!\w)(?:" + "|".join(_STRONG.values()) + r")(?!\w)")
_MOST_WORDS = 8
#: Scripts without blanks: a phrase within a short label.
_UNSPACED = {
    "没完": r".{0,4}没(?:有)?完(?:成)?的?.{0,4}",
    "讨论中": r"讨论中.{0,4}",
    "まだ": r"まだ.{1,10}(?:ない|いない).{0,8}",
    "検討中": r"検討中.{0,4}",
    "아직": r"아직 .{1,12}(?:것|일|건|거)(?:들)?",
    "논의": r"논의 ?중.{0,4}",
    "悬": r".{0,4}悬(?:着|而未决|在那).{0,4}",
    "着落": r".{0,4}没(?:有)?着落.{0,4}",
    "挂": r".{0,3}(?:挂|搁|吊)(?:着|起来|在那).{0,4}",
    "搁": r".{0,4}搁(?:着|置).{0,4}",
    "已知": r"已知(?:的)?(?:问题|缺陷|故障|bug)s?",
    "要查": r"要(?:查|问|办|跟)(?:的)?(?:事|东西)?",
    "没来得及": r".{0,4}没来得及.{0,6}",
    "卡着": r".{0,4}卡着.{0,4}",
    "给下": r"(?:留)?给下(?:一)?(?:班|个|位|棒).{0,4}",
    "欠": r".{0,3}欠(?:着|的).{0,4}",
    "没弄": r".{0,4}没(?:弄|搞|做)(?:完|好|定).{0,4}",
    "宙に": r".{0,4}宙に浮.{0,8}",
    "既知": r"既知の?(?:不具合|問題|課題|バグ)",
    "たいこと": r"(?:確認|相談|調べ|聞き|検討)(?:し)?たいこと",
    "手が回": r".{0,6}手が回らな.{0,6}",
    "次の": r"次の(?:担当|人|当番|係)(?:へ|に|者へ)?",
    "持ち帰": r"持ち帰り.{0,4}",
    "떠 있": r".{0,4}떠 있는 .{1,4}",
    "알려진": r"알려진 (?:문제|버그|오류)",
    "알아볼": r".{0,6}(?:알아볼|물어볼|확인할|정할|챙길) (?:것|일|사항)",
    "다음 사": r"다음 (?:사람|담당|근무)(?:자)?(?:에게)?",
    "못 ": r".{0,4}못 (?:한|끝낸|챙긴) .{1,4}",
    "걸려": r".{0,4}걸려 있는 .{1,4}",
}
_UNSPACED_LABEL = re.compile("|".join(_UNSPACED.values()))
OPEN_WORD_STEMS = (*_STRONG, *_UNSPACED)


def has_open_word(label: str) -> bool:
    """Return whether a normalised label is a strong phrase and nothing else."""
    if _UNSPACED_LABEL.fullmatch(label):
        return True
    rest, count = _PHRASES.subn(" ", label)
    words = rest.split()
    return count > 0 and len(words) <= _MOST_WORDS and _WEAK.issuperset(words)
