"""Facets of the decision log: filter links with counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils.translation import gettext

from memoryhub.web.decisions.presenters.decisions import MONTH, Asked, month_label
from memoryhub.web.kit.state_labels import DECISION_STATES
from topics.queries.decisions import GONE, Facets


def facet_links(facets: Facets, asked: Asked, path: str) -> list[dict[str, Any]]:
    """Return facet links; the link of an active filter removes it."""
    states = {name: str(label) for name, (_, label) in DECISION_STATES.items()}
    states[GONE] = gettext("No longer in a file")
    groups = (
        ("state", gettext("State"), [
            (name, states[name], n) for name in states if (n := facets.states[name])
        ]),
        ("topic", gettext("Topic"), [
            (topic.slug, topic.name, n) for topic, n in facets.topics
        ]),
        ("agent", gettext("Agent"), [
            (agent.name, agent.name, n) for agent, n in facets.agents
        ]),
        ("month", gettext("Year"), [
            (year, year, n) for year, n in _years(facets)
        ]),
    )  # fmt: skip
    return [
        {
            "label": label,
            "links": [
                _facet(asked, path, name, value, words, n) for value, words, n in values
            ],
        }
        for name, label, values in groups
        if values
    ]


def _years(facets: Facets) -> list[tuple[str, int]]:
    """Return decisions per year, newest first; empty if there is only one year."""
    years = Counter[str]()
    for month, n in facets.months:
        if MONTH.fullmatch(month):
            years[month[:4]] += n
    return sorted(years.items(), reverse=True) if len(years) > 1 else []


def _facet(
    asked: Asked, path: str, name: str, value: str, words: str, number: int
) -> dict[str, Any]:
    current = getattr(asked, name) == value
    return {
        "url": asked.address(path, **{name: "" if current else value}),
        "label": words,
        "count": number,
        "current": current,
    }


def month_links(facets: Facets, asked: Asked, path: str) -> list[dict[str, Any]]:
    """Return links of up to 36 months with decisions, newest first."""
    return [
        _facet(asked, path, "month", month, month_label(month), n)
        for month, n in facets.months
        if MONTH.fullmatch(month)
    ][:36]
