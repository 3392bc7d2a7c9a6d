"""Addresses of the overview, its trends, the marks it sets, and of agents."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline import (
    views_agents,
    views_in_play,
    views_overview,
    views_trends,
)

urlpatterns = [
    path("", views_overview.overview, name="workspace"),
    path("seen/", views_overview.mark_seen, name="mark-seen"),
    path("seen/undo/", views_overview.unsee, name="unsee"),
    path("trends/", views_trends.trends, name="trends"),
    path("files-in-play/", views_in_play.in_play, name="files-in-play"),
    path("agents/", views_agents.agents, name="agents"),
    path("agents/<path:name>/", views_agents.agent, name="agent"),
]
