"""Names of agents in the files that list who works in a workspace.

``IDENTITY.md`` names its agent in a field, ``SOUL.md`` in a sentence (``I'm Humus``),
``USER.md`` in what the person calls it (``Mi asistente se llama Macetas``), a file of
rules or memory in sentences, fields and titles (``Ich: Torfkopf``, ``# Pim's
memory``). In a log the agent stands in front matter or in a line at its head.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from memoryhub.formats.base import Lines
from memoryhub.formats.text import frontmatter

#: A name: a word, and up to two more that begin with a capital.
NAME = r"[\"'“«「`*_]{0,3}([^\W\d_][\w'’-]{0,30}(?: [A-ZÀ-Þ][\w'’-]{0,30}){0,2})"
_MARK = r"[\"'”»」`*_]{0,3}"
_LINE = r"(?:\A|\n)[ \t>]{0,8}(?:[-*+•][ \t]+)?[*_]{0,2}"
_ROLE = (
    r"(?i:agent(?:e|in)?|assistente?|assistant|asistente|asistan|assistentin|bot|robot"
    r"|robô|asystent|агент|ассистент|помощник|бот)"
)
_ROLE_CJK = r"(?:エージェント|アシスタント|助手|智能体|秘书|에이전트|비서|조수)"

#: ``me (Cockle)``, ``yo (Tilo)``, ``我（小满）``: who writes.
ME_IN_BRACKETS = re.compile(
    r"(?:(?i:\b(?:me|myself|yo|eu|ich|moi|io|ik|jag|я))\b|我|私|僕|わたし|나|저)"
    r"[ ]?[(（]" + NAME + _MARK + r"[)）,，]"
)
#: ``- Ich: Torfkopf``, ``Я: Домовой``.
ME_AS_FIELD = re.compile(
    _LINE + r"(?:Me|Myself|Yo|Eu|Ich|Moi|Io|Ik|Jag|Ja|Ben|Я|我|私|僕|나|저)"
    r"[*_]{0,2}[ ]?[:：][ \t*_]{0,4}"
    + NAME
    + _MARK
    + r"[ \t]*(?=[,，;(（.。·|—–\n]|\Z)"
)
#: ``Я — Домовой``, ``Eu – Tico``.
ME_WITH_A_DASH = re.compile(
    r"(?:\A|[\n.!。] ?)[ \t>*_-]{0,8}(?:Я|Ich|Me|Yo|Eu|Moi|Io)[ ][—–-][ ]" + NAME
)
#: ``Ben Kervan.`` in a line of Turkish: Ben is a name elsewhere.
ME_IN_TURKISH = re.compile(
    r"(?:\A|[\n.!] ?)[ \t>*_-]{0,8}(?:Ben|Benim adım|Adım)[ ]"
    + NAME
    + r"(?=[.,](?=[^\n]{0,200}[ığşİĞŞ]))"
)
#: ``セキレイ（エージェント）``, ``Pim (the assistant)``, ``Pim, assistant to Wren``.
WITH_A_ROLE = re.compile(
    r"(?:\A|[\n.!。、,，] ?|[#*>—–-] )[ \t]{0,4}"
    + NAME
    + _MARK
    + rf"(?:[ ]?[(（](?i:the |your |ai |my |il |el |o |l['’])?(?:{_ROLE}|{_ROLE_CJK})"
    + rf"[)）,，]|, (?:the |your )?{_ROLE} (?:of|for|to|de|da|do|von|für|para|pour)\b)"
)
#: A title of whose memory a file is; a folder's name stands there without these words.
OWN_MEMORY = re.compile(
    r"\A\s{0,20}#[ \t]+(?:MEMORY(?:\.md)?[ ]?[—–:·|-]+[ ]?)?(?:"
    + NAME
    + r"(?:['’]s (?:long[- ]term )?(?:memory|memories|notebook)"
    r"|[ ]?的(?:长期|長期)?(?:记忆|記憶|记事|笔记)|の(?:長期)?(?:記憶|メモリ|メモ)"
    r"|의 (?:장기 )?(?:기억|메모리|메모)))"
)
_OF = (
    r"(?:memory of|gedächtnis von|memoria de|memória d[eoa]|mémoire de|memoria di"
    r"|geheugen van)"
)
MEMORY_OF = re.compile(
    rf"\A\s{{0,20}}#[ \t]+(?:MEMORY(?:\.md)?[ ]?[—–:·|-]+[ ]?)?"
    rf"(?i:(?:long[- ]term |langzeit)?{_OF}) {NAME}[ \t]*(?=\n|\Z|[—–(,·])"
)
#: ``# What Bramble must not forget``.
NOT_TO_FORGET = re.compile(
    r"\A\s{0,20}#[ \t]+[^\n]{0,60}?(?i:\b(?:what|was|lo que|o que|ce que|cosa))[ ]"
    + NAME
    + r"[ ](?:must not forget|must never forget|(?:has|needs) to remember|remembers"
    r"|nicht vergessen darf|wissen muss|no debe olvidar|não pode esquecer"
    r"|ne doit pas oublier|non deve dimenticare)"
)
#: ``# MEMORY.md — Tico``, if the next line is about a program: ``Robô de operações``.
TITLE_OF_A_BOT = re.compile(
    r"\A\s{0,20}#[ \t]+MEMORY(?:\.md)?[ ]?[—–:·|-]+[ ]?"
    + NAME
    + r"[ \t]*\n\s{0,4}[*_>]{0,2}(?:[^\W\d_]{1,12} ){0,3}"
    + rf"(?:{_ROLE}\b|{_ROLE_CJK})"
)
#: What a person asks of its agent, by a pet name: ``对小禾的要求``.
WISHES_FOR = re.compile(
    r"(?:\A|\n)#{1,4}[ ][^\n]{0,12}?对[ ]?([小阿][\u4e00-\u9fff]{1,2})的"
    r"(?:要求|期望|期待|规矩|叮嘱)"
)
#: Sentences of a file of memory about the agent that keeps it, the clearest first.
OF_ITS_KEEPER = (
    *(ME_AS_FIELD, ME_WITH_A_DASH, ME_IN_TURKISH, ME_IN_BRACKETS),
    *(OWN_MEMORY, MEMORY_OF, NOT_TO_FORGET, TITLE_OF_A_BOT, WITH_A_ROLE),
)
#: Words in the place of a name that are none.
_COMMON = """
long memory memories langzeit projekt project projeto proyecto projet progetto team
workspace trabajo trabalho assistant agent notes largo longo длинная проект 项目 長期
长期 团队 工作区 系统 プロジェクト チーム 長期記憶 프로젝트 팀 小孩 小说 小组 小结
小程序 main human person user owner 我 你 他 她 私 僕 나 저 codex claude session
"""
NO_NAMES = frozenset(_COMMON.split())


#: Files of rules and of guidance that an agent may write about itself.
_RULES = (
    *("rules.md", "regeln.md", "reglas.md", "regras.md", "règles.md", "regles.md"),
    *("regole.md", "zasady.md", "kurallar.md", "правила.md", "规则.md", "規則.md"),
    *("ルール.md", "규칙.md"),
)
#: Files that name the agent of their folder, the first that does decides.
NAMED_IN = (
    *("identity.md", "soul.md", "user.md", "claude.md", "gemini.md", "agents.md"),
    *("memory.md", *_RULES, "readme.md"),
)

_HEAD = 8_000
_LOG_HEAD = 1_000
#: A field, whose value may stand on the next line.
_FIELD = (
    r"(?:\A|\n)[ \t>]{0,8}(?:[-*+•][ \t]+)?[*_]{0,2}(?:%s)[*_]{0,2}[ \t]{0,2}[:：]"
    r"[ \t*_]{0,6}"
    r"(?:\r?\n[ \t]{0,8}(?![-+•>#|]|\*[ \t]|[^\n]{0,40}[:：])[*_`]{0,3})?([^\n]{0,200})"
)
_NAMES = "Name|名字|名称|姓名|名前|Nome|Nombre|Nom|Naam|Namn|Imię|Имя|이름"
_IDENTITY = re.compile(_FIELD % _NAMES)
#: A row of a table of fields, which is not the head of one of people.
_ROW = re.compile(
    rf"(?:\A|\n)[ \t]{{0,4}}\|[ \t*_`]{{0,6}}(?:{_NAMES})[ \t*_`:：]{{0,6}}"
    r"\|[ \t]{0,6}([^|\n]{1,80})\|(?![^\n]*\n[ \t]*\|?[ \t]*:?-)"
)
#: ``name: Pip`` in front matter.
_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:(?!---)[^\n]*\n){0,30}?name:([^\n]{0,200})")
_ASSISTANT = re.compile(
    _FIELD
    % (
        r"(?:(?:my|the|your) )?(?:assistant|agent|bot)(?:['’]s)?(?: name)?"
        r"|(?:nome d[oa] |nombre del? |nom de l['’])?(?:assistente|asistente|agente"
        r"|assistant|agent)|name des (?:assistenten|agenten)|assistent|asystent"
        r"|(?:имя )?(?:ассистента?|агента?|помощника?)|помощница"
        r"|助手(?:名|名字|名称)?|智能体|アシスタント(?:名)?|エージェント(?:名)?"
        r"|(?:조수|비서|에이전트)(?: 이름)?|나를 부르는 이름"
        r"|(?:assistentin|asystentka|asistan(?:ın (?:adı|ismi))?|yardımcı|asistent)"
    ),
    re.IGNORECASE,
)
#: What a person says of its agent.
_CALLED = re.compile(
    r"(?i:(?:assistant|agent|bot)(?: is)? (?:called|named)"
    r"|(?:assistant|agent)['’]s name is"
    r"|calls me|(?:asistente|agente) se llama|me llama|(?:assistente|agente) se chama"
    r"|me chama de|(?:assistant|agent) s['’]appelle|m['’]appelle"
    r"|(?:assistent(?:in)?|agent) heißt|nennt mich|assistente si chiama|mi chiama"
    r"|(?:агента|ассистента|помощника|меня) зов[уеё]т|asystent nazywa się"
    r"|助手叫|叫我|助手名为)[ \t]{0,2}" + NAME
)
#: What an agent says of itself.
_SELF = re.compile(
    r"(?:\A|[\n.!。] ?)[ \t>#*_-]{0,8}(?:I['’]?m|I am|My name is|Ich bin|Ich heiße"
    r"|Me llamo|Soy|Mi nombre es|Eu sou [ao]|Sou [ao]|Meu nome é|Chamo-me|Je suis"
    r"|Je m['’]appelle|Mi chiamo|Sono|Меня зовут|Nazywam się|Jestem|我是|我叫|私は"
    r"|내 이름은|나는|저는)"
    r"[ \t]{0,2}" + NAME
)
#: What an agent says of its name, wherever in a line.
_MY_NAME = re.compile(
    r"(?<![\"“«「])(?i:\b(?:my name is|mein name ist|mi nombre es|meu nome é"
    r"|mon nom est|il mio nome è|mijn naam is|moje imię to|меня зовут|benim adım)"
    r"|(?:わたし|私|僕|自分)の名前は|我的名字(?:是|叫)|我叫|(?:내|제) 이름은)[ \t]{0,2}"
    + NAME
)
#: What a person tells its agent to be.
_YOU = re.compile(
    r"(?:\A|[\n.!。] ?)[ \t>#*_-]{0,8}(?:You are|Your name is|You['’]re called|Du bist"
    r"|Du heißt|Eres|Te llamas|Você é [ao]|Você se chama|Tu es|Tu t['’]appelles|Sei|"
    r"Ti chiami|Ты|Тебя зовут|Jesteś|Nazywasz się|你是|你叫|あなたは|너는|당신은)"
    r"[ \t]{1,2}" + NAME
)
#: A log of somebody, by its title.
_OWN_TITLE = re.compile(
    r"\A\s{0,20}#[ \t]+([A-ZÀ-Þ][\w-]{1,30})['’]s (?:daily )?"
    r"(?:log|diary|journal|notes)"
)
_OF_A_LOG = re.compile(
    r"(?:\A|\n)[ \t>]{0,8}(?:[-*+•][ \t]+)?[*_]{0,2}(?:Agent|Agente|Агент|エージェント"
    r"|에이전트|智能体|代理)[*_]{0,2}[ \t]{0,2}[:：][ \t*_]{0,6}" + NAME
)
_KEYS = ("agent", "agent_name", "agent_id", "agente", "агент", "assistant")
_PLACEHOLDERS = ("(", "_(", "{", "<", "[", "*(", "TBD", "TODO")
_TAIL = re.compile(r"(?<![ \t])[ \t]*(?:[(（\[].*|[,，;；。|·—–].*|- .*)\Z", re.DOTALL)
#: Words that end a name in scripts without blanks.
_PARTICLE = re.compile(r"(?<=.)(?:です|だ|입니다|이다|예요|이에요)\Z")
#: What follows "I am" and is no name.
_NO_NAME_WORDS = """
a an the not your here just an one un une una um uma ein eine der die das el la le dein
tu seu il lo assistant agent 你 您 一个 一名
"""
#: What somebody is told to be, as a trade: "You are Senior Engineer".
_TRADE = re.compile(
    r"\b(?:assistant|agent|engineer|developer|expert|senior|reviewer|architect|coder"
    r"|writer|programmer|analyst|manager|tester|ai|llm|model)\b",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
#: A name in small letters: ``**pager-otter**``, ``**pim**, the helper``.
_MARKED = re.compile(
    r"[*`](?:[^\W\d_]\w{0,20}(?:-\w{1,20}){1,3}[*`]{1,3}"
    r"|\w{2,20}[*`]{1,3}, (?:the|an?)\b)"
)
_README = "readme.md"


#: A sentence names somebody by a capital; a field may not.
_FIELDS = (_MATTER, _IDENTITY, _ROW, _ASSISTANT)
_OF_RULES = (_ASSISTANT, _SELF, _MY_NAME, *OF_ITS_KEEPER)
_PATTERNS: dict[str, tuple[re.Pattern[str], ...]] = {
    **dict.fromkeys(_RULES, _OF_RULES),
    "identity.md": (_MATTER, _IDENTITY, _ROW, _ASSISTANT, _SELF, _YOU),
    "soul.md": (_MATTER, _IDENTITY, _ROW, _SELF, _YOU, _ASSISTANT),
    "user.md": (_ASSISTANT, _CALLED, ME_IN_BRACKETS, WISHES_FOR),
    "claude.md": (_ASSISTANT, _YOU),
    "gemini.md": (_ASSISTANT, _YOU),
    "agents.md": (_ASSISTANT, _YOU, *OF_ITS_KEEPER),
    "memory.md": (_ASSISTANT, _CALLED, _SELF, _MY_NAME, *OF_ITS_KEEPER),
    "readme.md": (ME_IN_BRACKETS, _MY_NAME),
}


def named_agent(path: PurePosixPath, text: str) -> tuple[str, Lines] | None:
    """Return the agent that a file names as that of its folder, and where."""
    name = path.name.casefold()
    head = text[:_HEAD]
    if name == _README and not _TRADE.search(head):
        return None
    for pattern in _PATTERNS.get(name, ()):
        for found in pattern.finditer(head):
            agent = _clean(found[1])
            if agent and (pattern in _FIELDS or _is_named(agent, found)):
                line = head.count("\n", 0, found.start(1)) + 1
                return agent, Lines(line, line)
    return None


def _is_named(agent: str, found: re.Match[str]) -> bool:
    """Return whether a sentence's word is a name: no trade, a capital or a mark."""
    if agent.casefold() in NO_NAMES or _TRADE.search(agent):
        return False
    return not agent[0].islower() or bool(_MARKED.search(found[0] + _after(found)))


def _after(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + 12]


def agent_of_log(text: str) -> str:
    """Return the agent that the head of a log names as its author."""
    if text.startswith("---"):
        matter = frontmatter.split(text)
        for key in _KEYS:
            if name := _clean(matter.get(key)):
                return name
    head = text[:_LOG_HEAD]
    for pattern in (_OF_A_LOG, _OWN_TITLE):
        found = pattern.search(head)
        if found and (name := _clean(found[1])):
            return name
    return ""


def _clean(value: str) -> str:
    """Return a name without marks and remarks; empty for a placeholder."""
    bare = value.strip()
    if bare.lstrip("*").startswith(_PLACEHOLDERS):
        return ""
    bare = _PARTICLE.sub("", _TAIL.sub("", bare)).strip(" \t\r*_\"'`“”«»「」.")
    if bare.casefold() in _NO_NAMES or len(bare) > 60:
        return ""
    return bare
