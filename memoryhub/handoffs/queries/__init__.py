"""What pages and agents ask of handoffs."""
