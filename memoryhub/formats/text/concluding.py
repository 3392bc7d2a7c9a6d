"""Sentences that settle something by their form, without any verb of deciding.

A conclusion behind ``so``, a ban (``no X, because``), what holds from a day on, one
thing and not another, a person who accepts or refuses. Lower-case sentences, read as
the families of `deciding`; each form is a family of its own, searched only where one
of its stems stands.
"""

from __future__ import annotations

from memoryhub.formats.text.stems import Family, family

#: Words of faults, findings and of what has been: no conclusion.
_FOUND = (
    r"(?!.*\b(?:was|were|been|had|did|cause|error|errors|bug|bugs|problem|fault"
    r"|reason|issue|failed|fails|broke|broken|wrong|means|meant|maybe|probably|might"
    r"|could|would|should|seems?|looks?|likely)\b)"
)
#: Nouns of which there may be none without anybody's choice.
_NEWS = (
    r"(?:errors?|news|issues?|problems?|changes?|answers?|repl(?:y|ies)|responses?"
    r"|alerts?|warnings?|data|entr(?:y|ies)|messages?|mails?|decisions?|blockers?|need"
    r"|idea|sign|signs|luck|rush|results?|output|differences?|effect|impact|trace"
    r"|evidence|conflicts?|conclusion|crash(?:es)?|failures?|complaints?|more|one|new"
    r"|other|further|longer|pending|open|actions?|tasks?|questions?|time|doubt"
    r"|activity|movement|drift|leaks?|incidents?|regressions?|access|signal|power"
    r"|matter|way|hurry|worries|show|rain|wind|sleep|commits?|builds?|visits?"
    r"|calls?|orders?|requests?|updates?|feedback|consensus|agreement|reaction"
    r"|surprises?|outages?|loss|losses|damage|hits?|matches|gaps?|duplicates?|fix"
    r"|traffic|events?|packets?|values?|sound|noise|input|logs?|backlog)"
)
_SO = family(
    r"^so |^so: |^therefore |^hence ",
    rf"^(?:so|therefore|hence):? {_FOUND}(?!far|that|it|i |he |she |they|this|there"
    r"|what|why|how|who|long|much|many|called|on |as )(?:no [\w-]+ [^.;?]{2,60}"
    r"|[\w'’ .%-]{2,50} (?:becomes?|goes|go|stays?|moves?|waits?|gets?|is|are|starts?)"
    r" [^.?]{2,120})\.?$",
)
_BAN = family(
    r"^no ",
    rf"^no (?!(?:[\w-]+ ){{0,3}}{_NEWS}\b)[\w-]+(?: [\w-]+){{0,4}}(?:(?:,|;|:| \()"
    r" ?(?:the|it|they|we|he|she|that|too|only|just|not|no|nobody|this|those|as|since"
    r"|because|would|is|our|clerks?|\w+s )\b"
    r"| (?:until|before \w|below \d|above \d|this (?:year|season|summer|winter)|in"
    r" (?:this|the) (?:project|repo|game|release|version)|without a)\b)",
)
#: A day or a version, but none of the words that `directing.HENCEFORTH` reads.
_DAY = r"(?!now|here|then|today)(?:the )?(?:next |coming )?(?:[\w.-]+ ){1,3}"
_FROM_ON = family(
    "^from | on,| on.| on;|onward",
    rf"^(?=[^.;?]{{6,120}}\bfrom {_DAY}on(?:wards?)?(?:$|[.,;:)])){_FOUND}.",
    rf"^(?!.*\b(?:never|always)\b)from {_DAY}on(?:wards?)?,?"
    rf" (?!call|hold|demand|top|time){_FOUND}\w+",
)
#: A thing in few words, no sentence.
_FEW = r"[\w.'’/+%-]{1,20}(?: [\w.'’/+%-]{1,20}){0,3}"
_TITLE = (
    r"(?!(?:\w+ )?(?:cause|reason|problem|bug|issue|error|note|lesson|result|symptom"
    r"|finding|status|tip|grund|ursache|causa|причина|fix|check|observation|found|was"
    r"|today|yesterday|warning|fact|learned)\b)[\w .'’/-]{2,30}"
)
_NOT = r"(?:not|nicht|keine?|não|pas|non|niet|geen|не|а не|nie)"
_THIS_NOT_THAT = family(
    ", not |, nicht |, kein|, não |, pas |, non |, niet |, geen |, не |, а не |, nie ",
    rf"^{_TITLE}: (?!it['’]?s |is |was |the |a |an ){_FEW}, {_NOT} {_FEW}(?:$|[.;(—–])",
)
_DOING = (
    r"(?:removing|dropping|skipping|leaving|parking|disabling|reverting|replacing"
    r"|treating|counting|capping|postponing|ignoring|excluding|reusing|limiting"
    r"|raising|lowering|turning (?:on|off)|adding|putting|switching|splitting|merging"
    r"|marking|using|going|cutting|locking|bumping|rolling)"
)
_NOW_DOING = family(
    "^removing |^dropping |^skipping |^leaving |^parking |^disabling |^reverting "
    "|^replacing |^treating |^counting |^capping |^postponing |^ignoring |^excluding "
    "|^reusing |^limiting |^raising |^lowering |^turning |^adding |^putting "
    "|^switching |^using |^cutting |^locking |^bumping |^rolling |i'm |i’m |i am |we're"
    " |we’re |we are ",
    rf"^(?:so )?(?:(?:i|we)(?:['’]m|['’]re| am| are) )?{_DOING} [^.?]{{2,100}}"
    r"(?:, (?:as|since|the|it|they|not|no|which|i|we)\b|;| because\b| since\b"
    r"| so that\b| until\b| instead\b| rather than\b| for now\b| out of the\b)",
    rf"\b(?:i|we)(?:['’]m|['’]re| am| are) {_DOING} [^.?]{{2,100}}"
    r"(?: from [^.?]{2,30} on\b| until\b| instead\b| rather than\b| for now\b"
    r"| because\b| out of the\b)",
)
_DID_INSTEAD = family(
    " instead of | rather than ",
    r"^(?:(?:i|we) )?(?:took|set|put|chose|kept|made|built|bought|wrote|used|moved"
    r"|left|recentered|centered|stored|pinned|limited|fixed|picked) (?!up\b|back\b|over"
    r"\b)(?!.*\b(?:wrong|error|returned|by accident|mistake|accidentally|confused"
    r"|showed)\b)[^.;?]{2,80} (?:instead of|rather than) (?!\d+ (?:s|ms|min|h)\b)",
)
_NO_PERSON = (
    r"(?!(?:it|that|this|which|what|there|nobody|server|service|system|api|script|job"
    r"|gateway|browser|parser|client|test|tests|linter|bank|router|database)\b)"
)
_BY_A_PERSON = family(
    " ruled out| turned down| vetoe| struck | shelved| scrapped| dropped it"
    "| dropped that| dropped the idea| as it is| as is| as they are| accepts "
    "| accepted | won't have it| won’t have it| says no| said no|aceptó|acepta|aceitou"
    "|autorizó|autorizou| a validé |accettato|accettiamo|согласил",
    rf"(?:^|[,;] |\band |\bbut ){_NO_PERSON}[a-zà-ÿ'’-]{{2,14}}(?: \w+ly| then)?"
    r" (?:ruled out|turned down|vetoe[sd]|struck|scrapped|shelved|dropped (?:it|that"
    r"|the idea|the plan)|won['’]t have it|(?:says|said) no(?=$|[.,;]| to\b)"
    r"|left [\w ]{2,30} as (?:it"
    r" is|is|they are)|accept(?:s|ed) (?:the|a|our|their|his|her) (?:offer|price"
    r"|terms|quote|plan|proposal|date|deal|risk|delay|trade-?off|bid))\b",
    r"(?:^|[,;] )[a-zà-ÿ]{2,14} acept(?:ó|aron) (?!que\b)\w+|\baceptamos (?!que\b)\w+",
    r"(?:^|[,;] |\bo |\ba )[a-zà-ÿ]{2,14} (?:aceitou|autorizou) (?!que\b)\w+",
    r"(?:^|[,;] |\bla |\bel )[a-zà-ÿ]{2,14} autorizó (?!que\b)\w+",
    r"\b[a-zà-ÿ]{2,14} a validé (?:le|la|les|l['’]|notre|nos)\b",
    r"\b(?:ha accettato|accettiamo) (?:il|la|lo|l['’]|i|le)\b",
    r"\b[а-я]{2,14} согласил(?:ся|ась|ись) (?:на|с)\b(?! (?:тем|этим), что)",
)
_ANYTHING = family(
    "^anything |^everything |^whatever |^all ",
    r"^(?!.*\btell me\b)(?:anything|everything|whatever|all [\w ]{2,20}?)"
    r" (?=[^.?]{0,60}\b(?:older"
    r"|above|below|over|under|isn['’]t|not|without|before|after|larger|bigger|longer"
    r"|smaller)\b)[^.?]{3,80} (?:moves|goes|go|gets?|stays?|waits?|becomes?"
    r"|is (?:deleted|dropped|moved|removed|rejected|cut|archived)) ",
)
_OUT_FOR_GOOD = family(
    "off the menu|forbidden| banned| is history|replaces |deliberate|on purpose|stands",
    r"\b(?:is|are) (?:off the menu|forbidden|banned|history)\b(?! of\b)",
    r"^[\w '’\"“”-]{1,30} replaces [\w '’\"“”-]{1,40}(?:$|[.,;(])",
    r", (?:deliberately|on purpose)(?:$|[.,;(])|, which is on purpose\b",
    r"^(?!.{0,60}\b(?:as it|where (?:it|this|that)|how|what|who|it) stands)"
    r"[\w ,.'’-]{2,60} stands(?:$|[.;,])(?! (?:for|at|in|on|out|up)\b)",
)
_CHINESE = family(
    "起|拍板|只做|只留|统统|一律不|就叫|先这样|留给|不对外|暂时不|说了算",
    r"(?:[月日号天周年]|[周星期][一二三四五六日天])起，?[^。？]{0,12}(?:停|改|不再|换|统一"
    r"|按|走|只|用|收|涨|降)",
    r"[^。？，]{1,12}(?:拍板|说了算)|(?:只[做留][^，。？]{1,16}[，,](?:其他|别|不|其余))"
    r"|(?:先|就)这样(?:跑|做|定|办)|就叫《?\w|留给[^，。？]{1,16}，不",
)
_JAPANESE_SO = family(
    "を採用|で行く|で行こ|でいきま|にしよう|は入れな|なしで|のままで",
    r"(?:案|社|方|版)を採用|で(?:行く|行こう|いきましょう|いきます)(?:。|$|、)"
    r"|にしよう(?:。|$|、)|(?:なし|のまま)で(?:。|$)",
)
#: Families of forms, read behind those of `settling`.
CONCLUDING: tuple[Family, ...] = (
    _SO, _BAN, _FROM_ON, _THIS_NOT_THAT, _NOW_DOING, _DID_INSTEAD, _BY_A_PERSON,
    _ANYTHING, _OUT_FOR_GOOD, _CHINESE, _JAPANESE_SO,
)  # fmt: skip
