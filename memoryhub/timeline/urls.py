"""Addresses of the timeline and of days, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline.views import days, feeds, news, timeline

urlpatterns = [
    path("timeline/", timeline.timeline, name="timeline"),
    path("timeline/news/", news.news, name="timeline-news"),
    path("timeline.atom", feeds.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", feeds.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", feeds.topic_feed, name="topic-feed"),
    path("days/", days.newest_day, name="days"),
    path("days/<str:day>.md", days.day_text, name="day-text"),
    path("days/<str:day>/", days.day, name="day"),
]
