"""The rules of handoffs. Pure."""
