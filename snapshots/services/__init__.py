"""Services on snapshots and session memories, for people and agents."""
