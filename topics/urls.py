"""Addresses of topics, below their workspace's."""

from __future__ import annotations

from django.urls import path

from topics.views import assigning, deciding, decisions, sessions, status, topics

urlpatterns = [
    path("decisions/", decisions.decision_list, name="decisions"),
    path("decisions.md", decisions.decision_log_text, name="decisions-text"),
    path("decisions/new/", deciding.new_decision, name="decision-new"),
    path("decisions/<str:code>.md", decisions.decision_as_text, name="decision-text"),
    path("decisions/<str:code>/", decisions.decision_detail, name="decision"),
    path(
        "decisions/<str:code>/reject/",
        decisions.reject_decision,
        name="decision-reject",
    ),
    path("sessions/", sessions.session_list, name="sessions"),
    path("sessions/<path:key>/", sessions.session_detail, name="session"),
    path("unassigned/", sessions.unassigned_list, name="unassigned"),
    path("assign/<str:kind>/<str:code>/", assigning.assign_row, name="assign"),
    path("topics/", topics.topic_list, name="topics"),
    path("topics/<str:address>.md", topics.topic_text, name="topic-text"),
    path("topics/<str:address>/", topics.topic, name="topic"),
    path("topics/<str:address>/status/", status.edit_status, name="topic-status"),
    path("topics/<str:address>/<str:tab>/", topics.topic, name="topic-tab"),
]
