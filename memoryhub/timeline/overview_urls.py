"""Addresses of the overview, its trends, the marks it sets, and of agents."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline import (
    agent_views,
    overview_views,
    trend_views,
    views_in_play,
)

urlpatterns = [
    path("", overview_views.overview, name="workspace"),
    path("seen/", overview_views.mark_seen, name="mark-seen"),
    path("seen/undo/", overview_views.unsee, name="unsee"),
    path("trends/", trend_views.trends, name="trends"),
    path("files-in-play/", views_in_play.in_play, name="files-in-play"),
    path("agents/", agent_views.agents, name="agents"),
    path("agents/<path:name>/", agent_views.agent, name="agent"),
]
