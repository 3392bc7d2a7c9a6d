"""What people and agents do with handoffs."""
