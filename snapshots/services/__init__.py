"""What people and agents do with snapshots and session memories."""
