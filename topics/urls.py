"""Addresses of topics, below their workspace's."""

from __future__ import annotations

from django.urls import path

from topics.views import topics as views
from topics.views.assigning import assign_row
from topics.views.deciding import new_decision
from topics.views.decisions import (
    decision_as_text,
    decision_detail,
    decision_list,
    decision_log_text,
    reject_decision,
)
from topics.views.sessions import session_detail, session_list, unassigned_list
from topics.views.status import edit_status

urlpatterns = [
    path("decisions/", decision_list, name="decisions"),
    path("decisions.md", decision_log_text, name="decisions-text"),
    path("decisions/new/", new_decision, name="decision-new"),
    path("decisions/<str:code>.md", decision_as_text, name="decision-text"),
    path("decisions/<str:code>/", decision_detail, name="decision"),
    path("decisions/<str:code>/reject/", reject_decision, name="decision-reject"),
    path("sessions/", session_list, name="sessions"),
    path("sessions/<path:key>/", session_detail, name="session"),
    path("unassigned/", unassigned_list, name="unassigned"),
    path("assign/<str:kind>/<str:code>/", assign_row, name="assign"),
    path("topics/", views.topic_list, name="topics"),
    path("topics/<str:address>.md", views.topic_text, name="topic-text"),
    path("topics/<str:address>/", views.topic, name="topic"),
    path("topics/<str:address>/status/", edit_status, name="topic-status"),
    path("topics/<str:address>/<str:tab>/", views.topic, name="topic-tab"),
]
