"""Agents of a workspace as agents of the A2A protocol (Agent2Agent), version 1.0."""
