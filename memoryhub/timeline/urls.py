"""Addresses of the overview, of agents, of the timeline and of days."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline.views import (
    agents,
    days,
    feeds,
    in_play,
    news,
    overview,
    timeline,
    trends,
)

urlpatterns = [
    path("", overview.overview, name="workspace"),
    path("seen/", overview.mark_seen, name="mark-seen"),
    path("seen/undo/", overview.unsee, name="unsee"),
    path("trends/", trends.trends, name="trends"),
    path("files-in-play/", in_play.in_play, name="files-in-play"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<path:name>/", agents.agent, name="agent"),
    path("timeline/", timeline.timeline, name="timeline"),
    path("timeline/news/", news.news, name="timeline-news"),
    path("timeline.atom", feeds.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", feeds.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", feeds.topic_feed, name="topic-feed"),
    path("days/", days.newest_day, name="days"),
    path("days/<str:day>.md", days.day_text, name="day-text"),
    path("days/<str:day>/", days.day, name="day"),
]
