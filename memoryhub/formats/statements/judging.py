"""Filters that reject texts which only look like decisions.

Facts, settings, times, reasons, open questions and the outcomes that a generator
writes each run are none, wherever they stand.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.clauses import find_deciding, find_settling
from memoryhub.formats.text.dates import heading_time
from memoryhub.formats.text.labels import normalise_label, says_nothing
from memoryhub.formats.text.no_choice import is_no_choice
from memoryhub.formats.text.phrases import REASON_LABELS, UNDECIDED

#: A name and a short value: a setting, not a decision.
_FACT = re.compile(r"[^:：]{1,30}[:：][ \t]*(\S+(?:[ \t]+\S+){0,2})")
_URL = re.compile(r"[^:]{0,30}:?[ \t]*(?:https?://|www\.)\S+[ \t]*")
_VERDICT = re.compile(
    r"[^:]{1,40}:[ \t]*(?:yes|no|true|false|none|skip(?:ped)?|ok|pass(?:ed)?"
    r"|fail(?:ed)?)\b"
    r"(?:[ \t]*[.,;|]?[ \t]*(?:reason|score|confidence)\b.*)?",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\$\{|\{\{|\}\}|^[\[{<]|^[\"'][\w.]+[\"'],|^`[^`]+`$|^[\w.]+_[\w.]+$|^\w+\("
)
_BEFOREHAND = re.compile(
    r"(?:vorher|bisher|before|previously|formerly|antes|anteriormente|avant|раньше"
    r"|до этого"
    r"|prima|之前|以前|原来|これまで|이전)[ \t]*[:：]"
)
_RULES = ("rule", "regra", "regla", "regel", "règle", "правил", "规则", "規則", "규칙")
_RULE = re.compile(
    r"(?:never|always|do not|don['’]t|nunca|siempre|sempre|nie|immer|jamais|toujours"
    r"|никогда|всегда)\b|不要|必须|一律|禁止|必ず|절대|항상"
)
_NONE = re.compile(
    r"[(（]?(?:none|keine?|ninguna|nenhuma|aucune|nessuna|geen|нет|无|なし)"
    r"(?:\W*$|[ \t]*[.(（—–:,-]|[ \t]+(?:\w+[ \t]+)?(?:decis|entscheid|beschl|décis"
    r"|besluit|решен))|[(（]?(?:none|no decisions?)\b"
)
_CHOICE = re.compile(
    r"\b(?:not?|never|only|instead|both|stays?|no|nicht|kein\w*|nur|bleibt|não|sem|só"
    r"|fica"
    r"|sin|solo|pas|sans|не|без|только|вместо|nie|bez|tylko|zamiast|geen|niet|alleen"
    r"|senza|non)\b"
    r"|[不只选用无没]|しない|ない|않|만|안 |대신"
)
_LESSON = re.compile(
    r"(?:lesson|learning|learned|学び|教訓|lição|lección|leçon|lezione|lektion|lehre"
    r"|урок"
    r"|教训|经验|배운 것|배운 점|les|lekcja|wniosek)[^:：]{0,12}[:：]"
)
#: A mended fault, which is told in the same lists.
_FIX = re.compile(
    r"(?:bug ?)?fix[:：]"
    r"|(?:fixed|corrected|repaired|patched|corregid[oa]|arreglad[oa]|corrigid[oa]"
    r"|corrett[oa]|corrigée?s?|réparée?s?|исправ\w+|починил\w*|poprawion\w+"
    r"|naprawion\w+"
    r"|behoben|repariert|korrigiert|hersteld|opgelost)\b|(?:修复|修正了|修好)"
    r"|.{0,80}(?:behoben|repariert|수정(?:함|했음)?|고침|修正|修正した|直した"
    r"|修复)[.。]?\Z"
)
#: A question that the item itself puts off.
_ASKS = re.compile(r"[^?？]{2,80}[?？](?!.{0,4}(?:→|->))")
_SCOPE = re.compile(
    r"scope|non.?goals|umfang|alcance|escopo|périmètre|ambito|âmbito|zakres|объ[её]м"
    r"|范围"
    r"|範囲|범위|outcome|\bfixed\b|fixé|变更|queda"
)
QUESTION = ("?", "？")


def is_rule(label: str, text: str) -> bool:
    """Return whether an item under ``Decisions & rules`` is a rule."""
    low = label.lower()
    return any(rule in low for rule in _RULES) and bool(_RULE.match(text.lower()))


def is_filed(label: str, text: str) -> bool:
    """Return whether an item is a decision of the list that it is filed in.

    Among rules it is no rule; what is out of scope has to be excluded.
    """
    if is_rule(label, text) or not decides(text):
        return False
    if not _SCOPE.search(label.lower()):
        return True
    low = text.lower()
    return chooses(text) or bool(find_deciding(low) or find_settling(low))


def decides(text: str) -> bool:
    """Return whether an item under a label of decisions is one."""
    low = text.lower()
    return not (
        says_nothing(text)
        or text.endswith(QUESTION)
        or low.startswith("~~")
        or _NONE.match(low)
        or _BEFOREHAND.match(low)
        or _LESSON.match(low)
        or is_fix(low)
        or _ASKS.match(text)
        or UNDECIDED.search(low)
        or is_no_choice(low)
        or _is_reason(text)
        or _is_setting(text)
        or (heading_time(text) and len(text) < 40)
    )


def is_fix(low: str) -> bool:
    """Return whether a text in lower case reports a fixed bug."""
    return _FIX.match(low) is not None


def _is_setting(text: str) -> bool:
    """Return whether a text is a setting, an address, code or a program's verdict."""
    if _CODE.search(text) or _URL.fullmatch(text) or _VERDICT.fullmatch(text):
        return True
    fact = _FACT.fullmatch(text)
    if fact is None or not fact[1].isascii():
        return False
    return _CHOICE.search(text.lower()) is None


def _is_reason(text: str) -> bool:
    head = re.split("[:：]", text, maxsplit=1)
    return len(head) == 2 and normalise_label(head[0]) in REASON_LABELS


def chooses(text: str) -> bool:
    """Return whether a text has a word that excludes something."""
    return _CHOICE.search(text.lower()) is not None
