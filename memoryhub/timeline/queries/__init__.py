"""What pages ask of events, of agents and of what waits."""
