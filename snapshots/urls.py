"""Addresses of snapshots and of what agents are told, below their workspace's."""

from __future__ import annotations

from django.urls import path

from snapshots.views import handover as views_handover
from snapshots.views import memories as views_memory
from snapshots.views import recall as views_recall
from snapshots.views import snapshots as views

urlpatterns = [
    path("handover/", views_handover.handover, name="handover"),
    path("handover.md", views_handover.handover_text, name="handover-text"),
    path("handover.zip", views_handover.handover_zip, name="handover-zip"),
    path("handover/write/", views_handover.handover_write, name="handover-write"),
    path("memories/", views_memory.memory_list, name="memories"),
    path("memories/<str:address>/", views_memory.memory, name="memory"),
    path("memories/<str:address>.md", views_memory.memory_markdown, name="memory-text"),
    path("topics/<str:address>/recall/", views_recall.recall, name="recall"),
    path(
        "topics/<str:address>/recall.md", views_recall.recall_text, name="recall-text"
    ),
    path("snapshots/<str:code>.md", views.snapshot_text, name="snapshot-text"),
    path("snapshots/<str:code>/", views.snapshot, name="snapshot"),
    path("snapshots/<str:code>/reviewed/", views.review, name="snapshot-reviewed"),
]
