"""Addresses of the timeline and of days, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline import day_views, feed_views, views, views_news

urlpatterns = [
    path("timeline/", views.timeline, name="timeline"),
    path("timeline/news/", views_news.news, name="timeline-news"),
    path("timeline.atom", feed_views.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", feed_views.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", feed_views.topic_feed, name="topic-feed"),
    path("days/", day_views.newest_day, name="days"),
    path("days/<str:day>.md", day_views.day_text, name="day-text"),
    path("days/<str:day>/", day_views.day, name="day"),
]
