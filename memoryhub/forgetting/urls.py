"""Addresses of what is forgotten, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.forgetting import views

urlpatterns = [
    path("forget/", views.forget, name="forget"),
    path("forget/<int:number>/", views.forgetting, name="forgetting"),
    path("forget/<int:number>/confirm/", views.confirm, name="forget_confirm"),
    path("forget/<int:number>/back/", views.take_back, name="forget_back"),
]
