"""Rules on agents' records: pure."""
