"""Services on topics, decisions and sessions, for people and agents."""
