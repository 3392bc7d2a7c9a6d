"""Addresses of the timeline and of days, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline.views import days as views_days
from memoryhub.timeline.views import feeds as views_feeds
from memoryhub.timeline.views import news as views_news
from memoryhub.timeline.views import timeline as views

urlpatterns = [
    path("timeline/", views.timeline, name="timeline"),
    path("timeline/news/", views_news.news, name="timeline-news"),
    path("timeline.atom", views_feeds.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", views_feeds.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", views_feeds.topic_feed, name="topic-feed"),
    path("days/", views_days.newest_day, name="days"),
    path("days/<str:day>.md", views_days.day_text, name="day-text"),
    path("days/<str:day>/", views_days.day, name="day"),
]
