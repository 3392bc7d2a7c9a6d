"""What pages ask of snapshots and session memories."""
