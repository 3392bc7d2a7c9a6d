"""Addresses of the overview, its trends, the marks it sets, and of agents."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline.views import agents, in_play, overview, trends

urlpatterns = [
    path("", overview.overview, name="workspace"),
    path("seen/", overview.mark_seen, name="mark-seen"),
    path("seen/undo/", overview.unsee, name="unsee"),
    path("trends/", trends.trends, name="trends"),
    path("files-in-play/", in_play.in_play, name="files-in-play"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<path:name>/", agents.agent, name="agent"),
]
