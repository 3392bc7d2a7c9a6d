"""Handoffs as pages show them."""
