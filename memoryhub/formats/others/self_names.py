"""Sentences, fields and titles in which a file of rules or memory names its agent.

``Ich: Torfkopf``, ``me (Cockle)``, ``Я — Домовой``, ``# Pim's memory``. Each pattern
has the name in its first group.
"""

from __future__ import annotations

import re

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
