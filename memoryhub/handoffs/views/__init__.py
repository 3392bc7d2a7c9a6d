"""Handoffs over HTTP."""
