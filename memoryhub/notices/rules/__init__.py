"""The rules of channels. Pure."""
