"""Folded words for days and months: English, German, French, Spanish."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTH_NAMES = (
    "january jan januar janner enero janvier",
    "february feb februar febrero fevrier",
    "march mar marz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug aout agosto",
    "september sep sept septembre septiembre",
    "october oct okt oktober octobre octubre",
    "november nov novembre noviembre",
    "december dec dez dezember decembre diciembre",
)
MONTHS = {
    name: number
    for number, names in enumerate(_MONTH_NAMES, 1)
    for name in names.split()
}


#: Names that are also words, or too short to be sure.
UNSURE = _words("may mar mars jan jun sep dec dez nov oct okt apr aug jul feb")
#: Names of months that are no words otherwise: a text may name them too.
KEPT = frozenset(MONTHS) - UNSURE
_WEEKDAY_NAMES = (
    "monday montag lundi lunes", "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miercoles", "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes", "saturday samstag sonnabend samedi sabado",
    "sunday sonntag dimanche domingo",
)  # fmt: skip
WEEKDAYS = {
    name: number
    for number, names in enumerate(_WEEKDAY_NAMES)
    for name in names.split()
}
IN = _words("in im en during since seit depuis desde of by until early late mid")
OF = _words("of the de der den le el du")
#: Months whose name is a verb too.
MOVES = _words("march")
#: Words before or behind a week, a weekday or a month, by how many before this one.
BACK = {
    **dict.fromkeys(
        _words("this current diese diesen dieser dieses diesem ce cette cet este esta"),
        0,
    ),
    **dict.fromkeys(
        _words(
            "last past previous letzte letzten letzter letztes vergangene vergangenen"
            " vorige vorigen dernier derniere derniers dernieres pasado pasada pasados"
            " pasadas ultimo ultima ultimos ultimas"
        ),
        1,
    ),
    **dict.fromkeys(_words("vorletzte vorletzten vorletzter vorletztes"), 2),
}
PARTS_OF_DAYS = _words(
    "night evening morning afternoon nacht abend nuit soir matin noche manana"
)
#: Words that show that a text is French.
FRENCH = _words(
    "le la les des du qu que est avons a fait soir matin avant etait ete quoi"
)
_UNIT_NAMES = {
    1: "day days tag tage tagen jour jours dia dias",
    7: "week weeks woche wochen semaine semaines semana semanas",
    30: "month months monat monate monaten monats mois mes meses",
    365: "year years jahr jahre jahren jahrs annee annees an ans ano anos",
}
UNITS = {name: days for days, names in _UNIT_NAMES.items() for name in names.split()}
_NUMBER_NAMES = {
    1: "a an one ein eine einem einer un une uno una", 2: "two zwei deux dos couple",
    3: "three drei trois tres", 4: "four vier quatre cuatro",
    5: "five funf cinq cinco", 6: "six sechs seis", 7: "seven sieben sept siete",
    8: "eight acht huit ocho", 9: "nine neun neuf nueve", 10: "ten zehn dix diez",
    11: "eleven elf onze once", 12: "twelve zwolf douze doce",
}  # fmt: skip
NUMBERS = {
    name: number for number, names in _NUMBER_NAMES.items() for name in names.split()
}
NEAR = {
    "today": 0, "tonight": 0, "heute": 0, "hoy": 0, "yesterday": 1, "gestern": 1,
    "hier": 1, "ayer": 1, "vorgestern": 2, "anteayer": 2,
}  # fmt: skip
#: What stands before a number of days of which so many have passed.
AGO_BEFORE = (("vor",), ("il", "y", "a"), ("hace",))
