"""Irregular English forms of a word, which no stemmer joins: buy and bought."""

from __future__ import annotations

from functools import cache

from memoryhub.search.words import stems

_FORMS = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, bend bent,
    bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken,
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
    choose chose chosen choice, cling clung, deal dealt, dig dug, draw drew drawn,
    dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
    fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled,
    fling flung, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
    forgive forgave forgiven, freeze froze frozen, grind ground, grow grew grown,
    hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt,
    lay laid, lead led, lean leant,
    learn learnt, leave left, lend lent, light lit, lose lost loss, meet met,
    mistake mistook mistaken, mow mown, overcome overcame, pay paid, prove proven,
    ride rode ridden, ring rang rung, rise rose risen, run ran, seek sought,
    sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot,
    show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat,
    sleep slept, slide slid, speak spoke spoken, speed sped, spell spelt, spend spent,
    spill spilt, spin spun, spring sprang sprung, stand stood, steal stole stolen,
    stick stuck, sting stung, strike struck, strive strove, swear swore sworn,
    sweep swept, swim swam swum, swing swung, teach taught, tear tore torn,
    think thought, throw threw thrown, understand understood, wake woke woken,
    wear wore worn, weave wove woven, weep wept, wind wound, withdraw withdrew
    withdrawn, write wrote written, child children, man men, woman women, foot feet,
    tooth teeth, mouse mice, goose geese, person people, life lives, wife wives,
    knife knives, leaf leaves, half halves, wolf wolves, index indices, die dying death,
    mom mum mother, dad father, photo picture photograph
"""


@cache
def _groups() -> dict[str, dict[str, str]]:
    """Return the forms that have a common stem with any form: words by their stems."""
    found: dict[str, dict[str, str]] = {}
    for group in _FORMS.replace("\n", " ").split(","):
        words = group.split()
        members = dict(zip(stems(words), words, strict=True))
        for member in members:
            found.setdefault(member, members)
    return found


def other_forms(stem: str) -> dict[str, str]:
    """Return the other forms of a word, given by its stem: words by their stems."""
    forms = _groups().get(stem, {})
    return {other: word for other, word in forms.items() if other != stem}
