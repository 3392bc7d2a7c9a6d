"""Addresses of topics, below their workspace's."""

from __future__ import annotations

from django.urls import path

from topics import views
from topics.views_status import edit_status

urlpatterns = [
    path("topics/", views.topic_list, name="topics"),
    path("topics/<str:address>.md", views.topic_text, name="topic-text"),
    path("topics/<str:address>/", views.topic, name="topic"),
    path("topics/<str:address>/status/", edit_status, name="topic-status"),
    path("topics/<str:address>/<str:tab>/", views.topic, name="topic-tab"),
]
