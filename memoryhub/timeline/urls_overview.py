"""Addresses of the overview, its trends, the marks it sets, and of agents."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline.views import agents as views_agents
from memoryhub.timeline.views import in_play as views_in_play
from memoryhub.timeline.views import overview as views_overview
from memoryhub.timeline.views import trends as views_trends

urlpatterns = [
    path("", views_overview.overview, name="workspace"),
    path("seen/", views_overview.mark_seen, name="mark-seen"),
    path("seen/undo/", views_overview.unsee, name="unsee"),
    path("trends/", views_trends.trends, name="trends"),
    path("files-in-play/", views_in_play.in_play, name="files-in-play"),
    path("agents/", views_agents.agents, name="agents"),
    path("agents/<path:name>/", views_agents.agent, name="agent"),
]
