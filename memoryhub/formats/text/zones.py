"""Time zones that files state for a workspace: ``Timezone: Europe/Lisbon``.

A zone is an IANA name, an offset from UTC, a city that names one zone, or a word that
means one zone in practice. Ambiguous words, such as ``IST`` and ``CST``, are none.
"""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

#: A label of a time zone and what is behind it, in a line, a list item or a table.
_STATED = re.compile(
    r"(?:\A|\n)[ \t>|]{0,8}(?:[-*+•][ \t]+)?[*_`]{0,3}"
    r"(?:time[ _-]?zone|tz|zeitzone|fuso(?: hor[aá]rio| orario)?|zona (?:hor|or)aria"
    r"|huso horario|fuseau(?: horaire)?|часовой пояс|时区|時區"
    r"|タイムゾーン|時間帯|標準時|시간대|타임존|strefa czasowa|tijdzone|tidszon)"
    r"(?:[ \t]+[^\n:：|=]{1,40}?)?[*_`]{0,3}[ \t]*(?:[:：|=]|\bis |\best |\bist |\bes )"
    r"[ \t*_`]{0,6}([^\n|]{1,100})",
    re.IGNORECASE,
)
#: A label of the place where somebody lives or works.
_PLACE = re.compile(
    r"(?:\A|\n)[ \t>|]{0,8}(?:[-*+•][ \t]+)?[*_`]{0,3}"
    r"(?:location|city|based in|lives in|home|place|where|localização|cidade|mora em"
    r"|ubicación|ciudad|vive en|lieu|ville|ort|stadt|wohnort|standort|luogo|città|sede"
    r"|город|место|живёт|miasto|lokalizacja|mieszka|地点|所在地|位置|城市|居住地|場所"
    r"|위치"
    r"|거주지|도시|지역)"
    r"[*_`]{0,3}[ \t]*[:：|=][ \t*_`]{0,6}([^\n|]{1,100})",
    re.IGNORECASE,
)
#: The time of a place, anywhere in a text: ``horário de Brasília``, ``Berliner Zeit``.
_TIME_OF = re.compile(
    r"(?:\b(?i:horário d[eao]|hora(?:rio)? de(?: la)?|hor[ao] d['’]|heure d[e'’]|ora di"
    r"|orario di|czas(?:u)? (?:w )?|ortszeit|uhrzeit in) ?)([A-ZÀ-ÞŁŚŻ]\w{1,19}"
    r"(?: [A-ZÀ-Þ]\w{1,19})?)"
    r"|\b([A-Z][a-z]{2,14}(?: [A-Z][a-z]{2,14})?) (?:local )?time\b"
    r"|\b([A-Z]\w{2,14})er (?:Zeit|Ortszeit)\b"
    r"|\b(?i:по )(москов|самар|екатеринбург|новосибир)\w*(?: времени)?\b"
    r"|(北京|东京|上海|台北|香港|東京|日本|한국|서울) ?(?:时间|時間|시간)"
)
_RUSSIAN = {
    "москов": "Europe/Moscow",
    "самар": "Europe/Samara",
    "екатеринбург": "Asia/Yekaterinburg",
    "новосибир": "Asia/Novosibirsk",
}
#: A sentence about the times of one file.
_ALL_TIMES = re.compile(
    r"\b(?i:(?:all |the )?times (?:here |below )?(?:are |is )?(?:in |given in )?)"
    r"([A-Z][\w/+\-:]{2,40})"
)
_IANA = re.compile(r"[A-Z][A-Za-z_]{2,20}(?:/[A-Za-z0-9_+\-]{2,30}){1,2}")
_OFFSET = re.compile(
    r"(?:UTC|GMT)[ ]?([+\-−])[ ]?(\d{1,2})(?::?([0-5]\d))?(?!\d)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_](?:[\w.'’ -]{0,30}[^\W\d_])?")
_UTC = re.compile(r"\b(?:UTC|GMT|Zulu)\b")
_BETWEEN = re.compile(r"[\s.,-]+")
_ABBREVIATION = 4
_HEAD = 1_500
#: A name of a zone that nothing introduces counts so far into a log.
_TOP = 400
_LARGEST = 65_536

#: Names of cities in other languages, and words that mean one zone in practice.
_OTHER_NAMES = """
Europe/Amsterdam utrecht|rotterdam|nederland|netherlands
Europe/Vienna österreich|austria|wien|viena|vienne|вена|维也纳
Europe/Lisbon porto|coimbra|braga|lisboa|lissabon|lisbonne|лиссабон|里斯本
Europe/Moscow moskau|moscú|moscou|mosca|москва|莫斯科|msk|московское время
Europe/Rome milano|milan|torino|turin|napoli|bologna|firenze|genova|italia|italy
Europe/Rome italien|roma|rom|рим
Europe/Prague praha|prag|praga
Europe/Warsaw kraków|krakow|gdańsk|wrocław|poznań|łódź|polska|poland|polen|warszawa
Europe/Warsaw warschau|varsovia|varsóvia|варшава
Europe/Athens athen|atenas|athènes
Europe/Brussels brüssel|bruselas|bruxelles|bruxelas
Europe/Copenhagen københavn|kopenhagen
Europe/Zurich zürich
Europe/Berlin deutschland|germany|bremen|stuttgart|dresden|münchen|munich|hamburg|köln
Europe/Berlin frankfurt|leipzig|mez|mesz|берлин|柏林
Europe/Paris france|lyon|marseille|lille|nantes|toulouse|bordeaux|rennes|париж|巴黎
Europe/Madrid bilbao|zaragoza|españa|barcelona|valencia|sevilla|мадрид|马德里
Europe/London londres|londra|лондон|伦敦|倫敦|edinburgh|uk time
Europe/Kiev киев|київ|kyiv
Asia/Shanghai beijing|peking|pekín|北京|北京时间|上海|深圳|广州|杭州|成都|中国
Asia/Taipei 台北|臺北|台湾
Asia/Hong_Kong 香港|hkt
Asia/Tokyo japan|kyoto|京都|名古屋|tokio|tóquio|東京|东京|日本時間|日本|jst|大阪|osaka
Asia/Tokyo токио
Asia/Seoul 부산|대구|인천|korea|seúl|seul|서울|한국|한국 시간|대한민국|kst|首尔
Asia/Singapore singapur|新加坡|sgt
Asia/Kolkata mumbai|delhi|new delhi|bangalore|bengaluru|india
Asia/Jakarta wib
Asia/Yekaterinburg екатеринбург
Asia/Novosibirsk новосибирск
America/Sao_Paulo são paulo|rio de janeiro|brasília|brasilia|brt|horário de brasília
America/Fortaleza ceará
America/Mexico_City cdmx|ciudad de méxico|mexico city
America/Argentina/Buenos_Aires buenos aires|argentina
America/New_York nyc|new york|eastern|eastern time|us eastern|et|est|edt|boston
America/Chicago central time|us central|austin|dallas
America/Denver mountain time|us mountain|mt|mdt
America/Los_Angeles pacific|pacific time|us pacific|pt|pst|pdt|san francisco|seattle
Australia/Sydney aest|aedt|melbourne
Pacific/Auckland nzst|nzdt|new zealand
CET cet|cest
EET eet|eest
WET wet|west
"""
_BY_MINUTES = {
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    210: "Asia/Tehran",
    270: "Asia/Kabul",
    390: "Asia/Yangon",
    570: "Australia/Darwin",
    -210: "America/St_Johns",
}


def stated_zone(text: str) -> str:
    """Return the IANA name of the zone that a file states; empty if none.

    A labelled zone comes before a labelled place, and that before the only name of a
    zone anywhere.
    """
    head = text[:_LARGEST]
    for pattern in (_STATED, _PLACE):
        for found in pattern.finditer(head):
            if zone := zone_named(found[1]):
                return zone
    return _only_name(head) or _only_time_of(head)


def zone_of_times(text: str) -> str:
    """Return the zone that the head of a file states for its times; empty if none."""
    head = text[:_HEAD]
    named = _STATED.search(head)
    if not named and "times" in head.lower():
        named = _ALL_TIMES.search(head)
    zone = zone_named(named[1]) if named else ""
    return zone or _only_name(text[:_TOP])


def _only_name(text: str) -> str:
    """Return the only IANA name in a text; empty if there are none or several."""
    named = {found[0] for found in _IANA.finditer(text) if _exists(found[0])}
    return named.pop() if len(named) == 1 else ""


def _only_time_of(text: str) -> str:
    """Return the zone of the only place whose time a text names; else empty."""
    words = (found[found.lastindex or 0] for found in _TIME_OF.finditer(text))
    named = {zone for word in words if (zone := _of_place(word))}
    return named.pop() if len(named) == 1 else ""


def _of_place(word: str) -> str:
    return _RUSSIAN.get(word.casefold(), "") or _names().get(word.casefold(), "")


def zone_named(value: str) -> str:
    """Return the IANA name of the zone that a short text means; empty if none."""
    for found in _IANA.finditer(value):
        if _exists(found[0]):
            return found[0]
    for word in _WORD.finditer(value):
        if zone := _by_name(word[0]):
            return zone
    return _by_offset(value) or ("UTC" if _UTC.search(value) else "")


def _by_name(word: str) -> str:
    """Return the zone of a city or a word, else of one of the words in it.

    An abbreviation counts in capitals only.
    """
    names = _names()
    whole = word.strip(" .")
    for part in (whole, *_BETWEEN.split(whole)):
        known = names.get(part.casefold(), "")
        if known and (len(part) > _ABBREVIATION or not part.islower()):
            return known
    return ""


def _by_offset(value: str) -> str:
    found = _OFFSET.search(value)
    if not found:
        return ""
    sign = 1 if found[1] == "+" else -1
    hours, minutes = int(found[2]), int(found[3] or 0)
    if minutes:
        return _BY_MINUTES.get(sign * (hours * 60 + minutes), "")
    if hours == 0:
        return "UTC"
    # The names of POSIX: west is positive.
    name = f"Etc/GMT{'-' if sign > 0 else '+'}{hours}"
    return name if _exists(name) else ""


@cache
def _names() -> dict[str, str]:
    """Return the zones by the names of cities and by other words."""
    names: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        area, _, city = zone.rpartition("/")
        if area and not area.startswith(("Etc", "SystemV", "posix", "right", "US")):
            names.setdefault(city.replace("_", " ").casefold(), zone)
    for line in _OTHER_NAMES.strip().split("\n"):
        zone, _, words = line.partition(" ")
        names.update(dict.fromkeys(words.split("|"), zone))
    return names


def _exists(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
