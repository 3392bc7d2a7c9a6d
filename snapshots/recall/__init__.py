"""What an agent is given after its context was compacted."""
