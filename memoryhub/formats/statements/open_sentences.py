"""Sentences that say of some work that it waits, is not done, or has to be done.

In a text that lists its open work, a sentence about the same things repeats it. Words
are of thirteen languages; what stands in quotes is somebody's speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import Listed
from memoryhub.formats.text.labels import kind_of_label, normalise_label
from memoryhub.formats.text.phrases import REASON_LABELS
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    bare_line,
    quotes_of,
    sentences_of,
    without_marks,
)
from memoryhub.formats.text.stems import Stems

_STEMS = Stems((
    *("wait", "yet", "answer", "repl", "respon"),
    *("still ", "todo", "to be ", "need", "not "),
    *("forget", "remind", "follow up", "not started", "not done", "nobody", "no one"),
    *("someone", "somebody", "remains", "left to", "no word", "unanswered", "tomorrow"),
    *("wart", "noch", "antwort", "steht aus"),
    *("offen", "muss", "müssen", "fehl", "nicht g"),
    *("nicht b", "nicht e", "frühestens"),
    *("esper", "aguard", "aún", "todavía", "ainda", "respuesta", "resposta", "contest"),
    *("hay que", "falta", "queda", "pendient", "pendent", "mañana", "amanhã", "fic"),
    *("attend", "répon", "rappel", "encore", "toujours pas", "il faut", "il reste"),
    *("reste ", "doit ", "tranchera", "décidera", "demain", "attesa", "aspett"),
    *("ancora", "risposta", "bisogna", "resta", "manca", "wacht", "nog ", "czek"),
    *("oczek", "jeszcze", "trzeba", "bekli", "henüz", "жд", "ожида", "ответ", "ещё не"),
    *("еще не", "пока не", "надо ", "нужно ", "осталось", "предстоит", "не успел"),
    *("等", "还没", "還沒", "尚未", "仍未", "没有?回", "还要", "还差", "还剩", "还需"),
    *("需要", "明天", "下次", "下周", "回头", "没动", "没定", "待", "还没", "未"),
    *("待ち", "まだ", "返事", "残って", "依頼中", "問い合わせ中", "検討中", "確認中"),
    *("考え中", "必要がある", "持ち越し", "아직"),
    *("기다", "대기", "해야", "답변", "답장"),
))  # fmt: skip
_OPEN = re.compile(
    # English
    r"\b(?:still )?(?<!not )(?<!n't )(?:waiting|waits?) (?:for|on|until)\b(?! nothing)"
    r"|\bwait for me\b"
    r"|\b(?:got|had|heard|but|and|,|so far:?|still|:)? ?no (?:answer|reply|response"
    r"|word)"
    r"\b(?! (?:needed|required|necessary))"
    r"|\b(?:has|have)(?: still)?(?: not|n['’]t)(?: yet| even)? (?:\w+ed|sent|come|got"
    r"|done|written|begun)\b|\bnot (?:\w+ ){0,3}yet\b|\byet to (?:be|\w+)\b"
    r"|\bnot started\b|\(not done\)|\bunanswered\b"
    r"|\bnobody (?:knows|has (?:looked|checked|answered|asked|tried))\b"
    r"|\b(?:someone|somebody) (?:should|has to|needs to|must|ought to|else has to)\b"
    r"|\bstill (?:needs?|has to|have to|open|pending|missing|broken|to (?:do|be|come)"
    r"|unclear|unresolved|silent|owes?|(?:has|uses|shows?|says|points to|reads?|runs?"
    r"|in"
    r"|on) the (?:old|wrong|previous|former))\b|^needs? (?:an? |some |more |another )\w"
    r"|\b(?:i|we) (?:still )?(?:need|have) to\b|\bneeds? (?:an? )?(?:okay|ok|answer"
    r"|decision|review|signature|approval) (?:from|by)\b"
    r"|\bto be (?:sent|done|decided|confirmed|checked|continued|discussed|reviewed"
    r"|fixed|ordered) (?:tomorrow|later|on|after|by|next|when|once)\b"
    r"|\bdon['’]?t forget to\b|\bremind (?:me|her|him|them|us)\b|\bfollow up (?:with"
    r"|on)\b"
    r"|\bremains? to (?:be )?\w+|\bleft to do\b|\b(?:the )?rest (?:tomorrow|later)\b"
    r"|→ ?\w+ (?:to|will) \w+.{1,60}\bby (?:mon|tues|wednes|thurs|fri|satur"
    r"|sun|tomorrow|next|the end)"
    # German
    r"|\bwarte[nt]?\b(?: \w+)? auf\b|\bnoch (?:nicht|kein\w*|immer nicht|offen"
    r"|zu (?:tun"
    r"|klären|erledigen|prüfen|machen)|kaputt|ausstehend\w*)\b(?! lange| wieder)"
    r"|\b(?:antwort|entscheidung|freigabe|bestätigung) (?:ist )?(?:noch )?(?:offen"
    r"|fehlt|aus(?:stehend)?|steht aus)\b|\bsteht (?:noch )?aus\b|^offen (?:ist|bleibt"
    r"|sind)\b|\b(?:muss|müssen|soll|sollte) (?:\w+ )?(?:noch|morgen)\b"
    r"|\bfehl(?:t|en) noch\b|\bnoch fehlt\b|\bnicht (?:getestet|geprüft|geklärt"
    r"|bestätigt|erledigt|beantwortet)\b"
    r"|\bfrühestens\b.{1,40}\b(?:anschauen|prüfen|klären|machen|angehen)\b"
    # Dutch
    r"|\bwacht(?:en)? (?:nog )?op\b|\bnog (?:niet|geen|te doen)\b|\bmoet(?:en)? nog\b"
    # French
    r"|\bj['’]attends\b|\battend (?:la|le|une?|sa|son|que)\b|\ben attente d"
    r"|\b(?:n['’]|ne )(?:\w+ )?(?:a|ont|est|avons|ai) (?:toujours "
    r"|encore )?pas (?:encore )?"
    r"(?:répondu|rappelé|confirmé|envoyé|payé|décidé|tranché|fait|reçu|livré)\b"
    r"|\b(?:toujours|encore) pas\b|\bpas encore\b|\bpas (?:encore )?de (?:réponse"
    r"|nouvelles|retour)\b|\bil (?:faut|faudra|faudrait|reste)(?: encore)?\b"
    r"|^reste (?:à|la|le|les|une?|l['’])|\bdoit (?:encore |me |nous "
    r"|toujours )?(?:rappeler"
    r"|répondre|envoyer|passer|confirmer|venir|trancher|décider)\b"
    r"|\b(?:tranchera|décidera|rappellera)\b"
    # Spanish
    r"|\b(?:aún|todavía) (?:no|sin|falta)\b|\bsin (?:respuesta|contestar)\b|\bno (?:ha"
    r"|han)"
    r" (?:contestado|respondido|confirmado|mandado|enviado|llegado|decidido)\b"
    r"|\bhay que\b|\bfaltan? (?:que|por|el|la|los|las|un|una|\w+r)\b|\bquedan? (?:por"
    r"|pendiente)\b|\besperando (?:a|la|el|que|respuesta)\b|\ba la espera de\b"
    r"|^(?:queda |sigue )?pendiente\b|\bel resto mañana\b|\bsigue sin \w+"
    # Portuguese
    r"|\bainda (?:não|sem|falta)\b|\bsem (?:resposta|retorno)\b|\bnão (?:respondeu"
    r"|confirmou|enviou|mandou)\b|\bfaltam? (?:a|o|as|os|um|uma|que|\w+r)\b"
    r"|\b(?:aguardando|à espera (?:d\w+|que)|fic(?:a|ou) para (?:amanhã|depois|segunda"
    r"|terça|quarta|quinta|sexta))\b"
    # Italian
    r"|\bnon (?:ha|hanno|è) ancora\b|\bancora (?:non|nessun\w*|da)\b"
    r"|\bnessuna risposta\b"
    r"|\bin attesa d\w+|\baspett(?:o|iamo)\b|\bbisogna\b|\bresta(?:no)? da\b"
    r"|\bmancano? (?:ancora |il |la |i |le |lo |l['’])"
    # Polish, Turkish
    r"|\b(?:czeka(?:m|my)?|czekają) na\b|\boczekuj\w+ na\b|\bjeszcze nie\b|\btrzeba\b"
    r"|\bbekliyor\w*\b|\bhenüz\b"
    # Russian
    r"|\b(?:жд[её]м|жду|ожидаем|ожидается)\b|\bответа (?:пока |ещ[её] )?нет\b"
    r"|\bнет (?:пока )?ответа\b|\b(?:ещ[её]|пока) не(?:т)?\b|\bне (?:ответил|перезвонил"
    r"|прислал|успел|решил|подтвердил)\w*\b|\b(?:надо|нужно|предстоит) (?:\w+ )?\w+ть\b"
    r"|\b(?:надо|нужно) (?:ещ[её] )?\w+ть(?:ся)?\b|\bосталось \w+ть\b"
    # Chinese
    r"|(?:还|還|尚|仍)(?:没|沒|未)(?!什么|问题)|没有?(?:回复|回覆|答复|回音|动静)"
    r"|没[动定]"
    r"|等.{1,12}(?:回复|回覆|确认|答复|签字|审批|决定|通知|再说|再定|回来|看|到)"
    r"|(?:还|還)(?:要|需|差|剩|得)|需要(?:再)?(?:确认|联系|跟进|处理|补|问|等)"
    r"|(?:明天|下次|下周|周[一二三四五六日天]|回头)(?:再|要|继续|得|还)"
    r"|请.{1,8}(?:下次|当面|尽快|确认)|待.{0,8}(?:确认|处理|回复|审批|答复)"
    # Japanese
    r"|(?:返事|返信|回答|確認|承認|連絡|判子|結果)待ち|を待って|返事(?:は|が)?(?:まだ"
    r"|来て"
    r"いない|来ない|なし)|まだ.{1,14}(?:ない|いない|なし|ません|中)|残って(?:いる|る)"
    r"|(?:依頼|問い合わせ|検討|確認|考え|調整|交渉)中|必要がある|しなければ|持ち越し"
    r"|未(?:定|着手|対応|確認|完了|返信)"
    # Korean
    r"|아직|기다리는|기다림|기다려|대기 ?중|해야 ?(?:함|한다|할|됨|해)|답(?:변"
    r"|장)[이은]? ?없|확인 ?필요|미정"
)
#: It says of open work that there is none any more, or speaks of another time.
_CLOSED = re.compile(
    r"\b(?:no longer|not any ?more|nothing (?:left|to)|was (?:still )?waiting|had to"
    r"|needed to|waited|were waiting|nicht mehr|nichts mehr|ya no|já não|non più"
    r"|больше не|(?<!not )(?<!be )(?<!get )done|finally|endlich|por fin|finalmente"
    r"|enfin|наконец)\b|终于|やっと|드디어|✅|✔"
)
_NO_PROSE = ("#", "|", "<", ">", "```", "~~~", "---", "![", "{", '"')
#: Words of a report that something was done.
_REPORT = re.compile(
    r"\b(?:\w{3,20}ed|sent|done|found|went|came|got|told|bought|put|made|erledigt"
    r"|fertig"
    r"|gemacht|geklärt|behoben|ge\w{3,12}t|hecho|hecha|list[oa]|envi(?:ado|é|ó)"
    r"|feit[oa]"
    r"|resolvid[oa]|chegou|llegó|fait|réglé|envoyé|reçu|fatto|risolto|arrivato|gedaan"
    r"|сделал\w*|готово|отправ\w+|приш\w+|закры\w+|привезли|zrobione|tamamlandı)\b"
    r"|已|完成|搞定|解决|完了|済み|対応した|届いた|완료|했다|도착|[✅✔☑]"
)
_NOT_REPORTED = re.compile(
    r"\b(?:not|n['’]t|no|never|yet|nicht|kein\w*|noch|ni|aún|não|ainda|pas|non|niet|не"
    r"|nie"
    r"|still|need\w*|unfinished|half|waiting)\b|[未没沒]|まだ|半|아직|미"
)
_BULLETS = ("- ", "* ", "+ ", "• ", "– ", "1. ", "1) ")
_LONG, _SHORT = 120, 32
_COLON = re.compile("[:：]")
_REASONS = REASON_LABELS | {"how to apply"}
_CLAUSE_END = re.compile(r"[,，;；:：(（] ?|\s[-–—→]\s")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
#: Letters that tell a word: of scripts with long endings one less.
_STEM, _STEM_OF_OTHERS = 5, 4


def open_sentences(
    lines: Sequence[str], stated: Iterable[str], skipped: frozenset[int]
) -> Iterator[Listed]:
    """Yield the sentences of open work that no item in `stated` is about."""
    known = [words_of(text) for text in stated]
    for number, line in enumerate(lines, 1):
        if number in skipped or len(line) > LONGEST_LINE or not _may_be_open(line):
            continue
        bare = without_marks(bare_line(line))
        words = words_of(bare)
        heads = number < len(lines) and lines[number].lstrip().startswith(_BULLETS)
        if not _is_label(bare, heads) and not any(
            _is_about(words, item) for item in known
        ):
            is_item = line.lstrip().startswith(_BULLETS)
            for text in _open_in(bare, whole=is_item):
                yield Listed(text, "", Lines(number, number))


def _is_label(bare: str, heads_a_list: bool) -> bool:
    """Return whether a line is a label above a list, or has one of a reason."""
    head = _COLON.split(bare, maxsplit=1)[0]
    return (
        bare.endswith((":", "："))
        or (heads_a_list and kind_of_label(bare) != "")
        or normalise_label(head) in _REASONS
    )


def _may_be_open(line: str) -> bool:
    return _STEMS.are_in(line.lower()) and not line.lstrip().startswith(_NO_PROSE)


def _open_in(bare: str, *, whole: bool) -> list[str]:
    """Return the sentences of a line that say so; a list item is given as a whole.

    A short one comes with the sentence before it, or else behind it.
    """
    sentences = sentences_of(bare)
    found: list[str] = []
    for place, sentence in enumerate(sentences):
        said = _said_open(sentence)
        if not said:
            continue
        if whole and len(bare) <= 2 * _LONG:
            return [bare]
        if said == sentence and _width(said) < _SHORT:
            if found and found[-1].endswith(sentences[place - 1]):
                found.pop()
            said = " ".join(sentences[max(place - 1, 0) : max(place + 1, 2)])
        found.append(said)
    return found


def _width(text: str) -> int:
    """Return the length of a text; a letter of an unspaced script counts as three."""
    return len(text) + 2 * len(_UNSPACED.findall(text))


def _said_open(sentence: str) -> str:
    """Return a sentence that states open work; of a long one the clause that does."""
    low = sentence.lower()
    found = _OPEN.search(low)
    if not found or _CLOSED.search(low) or len(low) != len(sentence):
        return ""
    for quote in quotes_of(sentence):
        if len(quote.before) < found.start() < len(sentence) - len(quote.behind):
            return ""
    if len(sentence) <= _LONG:
        return sentence
    starts = [cut.end() for cut in _CLAUSE_END.finditer(sentence, 0, found.start())]
    clause = sentence[starts[-1] if starts else 0 :]
    return clause if len(clause) <= 2 * _LONG else ""


def done_lines(lines: Sequence[str]) -> list[tuple[int, frozenset[str]]]:
    """Return the words of the sentences that report what was done, with their lines."""
    return [
        (number, words_of(sentence))
        for number, line in enumerate(lines, 1)
        if len(line) <= LONGEST_LINE and _REPORT.search(line.lower())
        for sentence in sentences_of(line)
        if _REPORT.search(low := sentence.lower()) and not _NOT_REPORTED.search(low)
    ]


def is_told_done(
    text: str, line: int, reports: Iterable[tuple[int, frozenset[str]]]
) -> bool:
    """Return whether a report below a line has all words of an item, if several."""
    words = words_of(text)
    return len(words) > 1 and any(n > line and words <= told for n, told in reports)


def words_of(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words, and pairs of unspaced characters."""
    words = set[str]()
    for word in _WORD.findall(text.lower()):
        if not word.isascii() and _UNSPACED.search(word):
            words.update(word[i : i + 2] for i in range(len(word) - 1))
        elif len(word) > 3 or word[0].isdigit():
            words.add(word[: _STEM if word.isascii() else _STEM_OF_OTHERS])
    return frozenset(words)


def _is_about(words: frozenset[str], item: frozenset[str]) -> bool:
    """Return whether a line holds a good part of an item's words."""
    return len(words & item) >= max(1, (len(item) + 1) // 3)
