"""The states of agents, and who waits for whom. Pure."""
