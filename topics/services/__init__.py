"""What people and agents do with topics, decisions and sessions."""
