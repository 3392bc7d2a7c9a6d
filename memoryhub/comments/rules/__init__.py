"""Rules of comments. Pure."""
